"""Every picture is shown by a document, and what a document shows is there."""

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
