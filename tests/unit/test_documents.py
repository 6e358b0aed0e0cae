"""What documents show and name is there: pictures, and the tests that hold each promise."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
IN_MARKDOWN = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)]+)\)")
IN_HTML = re.compile(r'<img src="(?P<path>[^"]+)"[^>]* alt="(?P<alt>[^"]*)"')


def test_every_picture_is_shown_by_a_document_and_said_in_words() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]

    shown = {
        (document.parent / picture["path"]).resolve(): picture["alt"]
        for document in documents
        for pattern in (IN_MARKDOWN, IN_HTML)
        for picture in pattern.finditer(document.read_text(encoding="utf-8"))
    }
    assert shown
    assert shown.keys() == set((ROOT / "docs/pictures").iterdir())
    assert all(shown.values())


PROMISES = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def test_each_promise_names_tests_that_there_are() -> None:
    for promise in PROMISES.split("\n## ")[1:]:
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", promise)
        assert named, promise
        for path, name in named:
            text = (ROOT / path).read_text(encoding="utf-8")
            tests = re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)
            assert name in tests if name else tests, (path, name)


def test_the_first_page_promises_the_same_and_nothing_else() -> None:
    first_page = (ROOT / "README.md").read_text(encoding="utf-8")
    said = first_page.partition("## What you can rely on")[2].partition("\n## ")[0]

    promised = [title.rstrip(".") for title in re.findall(r"^- \*\*(.+?)\*\*", said, re.MULTILINE)]
    assert promised == re.findall(r"^## (.+)$", PROMISES, re.MULTILINE)
