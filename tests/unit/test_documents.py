"""What documents show and name is there: pictures, and the tests that hold each promise."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from discord import ChannelType
from msgspec.structs import asdict

from bot.i18n import listed, t
from bot.ui import server_settings
from bot.ui.permissions import needed
from cogs import panel
from storage.moderation import ServerSettings
from tools import walks

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


def test_moderators_read_of_every_setting_as_it_is_described() -> None:
    usual = asdict(ServerSettings()) | {panel.SETTING.name: None}
    text = ChannelType.text.value
    rows = [
        (
            t(setting.label),
            setting.hinted,
            setting.shown(usual[setting.name]),
            listed([lack.words for lack in needed(text, [setting.use])] if setting.use else []),
        )
        for setting in (*server_settings.SETTINGS.values(), panel.SETTING)
    ]

    table = (ROOT / "docs" / "moderators.md").read_text(encoding="utf-8")
    for row in rows:
        assert f"| {' | '.join(row)} |".replace("  ", " ") in table
    assert table.count("\n| ") == len(rows) + 1


def test_each_word_of_the_glossary_is_used_where_it_says() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\*\*.+?) \| .+ \| `(.+)` \|$", glossary, re.MULTILINE)

    assert len(rows) == glossary.count("\n| **")
    for words, path in rows:
        text = (ROOT / path).read_text(encoding="utf-8").lower()
        for word in re.findall(r"\*\*(?:to )?(.+?)\*\*", words):
            assert any(part[:5] in text for part in word.split()), (word, path)


PROMISES = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def test_each_promise_names_tests_that_there_are() -> None:
    for promise in PROMISES.split("\n## ")[1:]:
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", promise)
        assert named, promise
        for path, name in named:
            text = (ROOT / path).read_text(encoding="utf-8")
            tests = re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)
            assert name in tests if name else tests, (path, name)
        for path in re.findall(r"`((?:promises/)?\w+\.py)`", promise):
            assert (ROOT / "tests/simulation" / path).is_file(), path


def test_the_first_page_promises_nothing_else() -> None:
    first_page = (ROOT / "README.md").read_text(encoding="utf-8")
    said = first_page.partition("## Why Kiosk")[2].partition("\n## ")[0]

    promised = re.findall(r"^- \*\*(.+?)\*\*", said, re.MULTILINE)
    assert promised
    assert set(promised) <= set(re.findall(r"^## (.+)$", PROMISES, re.MULTILINE))


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = {
    "Next in a thread": walks.turn_to_next,
    "A reply whose answer is lost": walks.lose_an_answer,
    "A purchase": walks.purchase,
}


def listed_steps(title: str) -> Iterator[tuple[str, str]]:
    """Yield the files and functions that a list names, in order."""
    section = ARCHITECTURE.partition(f"\n### {title}\n")[2].partition("\n##")[0]
    for line in re.findall(r"^- (.+(?:\n  .+)*)", section, re.MULTILINE):
        path, *functions = re.findall(r"`(.+?)`", line)
        yield from ((path, function) for function in functions)


@pytest.mark.parametrize("title", WALKS)
async def test_a_walk_calls_what_is_listed_in_this_order(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE", raising=False)
    trace = await walks.trace_of(WALKS[title])

    parts = ("Every press, before its handler", title, "Every press, after its handler")
    steps = [step for part in parts for step in listed_steps(part)]
    calls = iter(trace.calls)
    before = "the press"
    for path, function in steps:
        # What was called before is passed over, so that the order counts.
        is_called = any(
            call.file == path and f".{call.function}".endswith(f".{function}") for call in calls
        )
        assert is_called, (
            f"docs/architecture.md, “{title}”: {path} does not call `{function}` after {before}."
            " Mend that line; `make walks TELL=1` prints what is called."
        )
        before = f"`{function}` of {path}"
    unnamed = {call.file for call in trace.calls if call.is_on_spine} - {path for path, _ in steps}
    assert not unnamed, f"docs/architecture.md, “{title}”, names no function of {sorted(unnamed)}"
