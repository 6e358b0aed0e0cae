"""What documents show and name is there: pictures, and the tests that hold each promise."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from discord import ChannelType
from msgspec.structs import asdict
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.game import game_errors, models, reading
from bot.game.game_client import Caller, GameClient
from bot.i18n import listed, t
from bot.program.checking.conformance import ENDPOINTS
from bot.ui import server_settings
from bot.ui.permissions import needed
from cogs import panel
from storage.moderation import ServerSettings
from tests.support import game_samples
from tests.support.rogue_game import open_rogue_game, reply
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


GAME_PAGE = (ROOT / "docs" / "connect-your-game.md").read_text(encoding="utf-8")


async def test_developers_of_a_game_read_of_every_endpoint_that_kiosk_asks() -> None:
    fitting = {"caller": Caller(1, SecretStr("a-token")), "content": "Hello!"}
    async with (
        open_rogue_game() as game,
        aiohttp.ClientSession() as session,
        BackgroundTasks(Clock()) as tasks,
    ):
        game.answers(reply({}))
        client = GameClient(session, game.base_url, tasks)
        for name, method in inspect.getmembers(client, inspect.iscoroutinefunction):
            parameters = inspect.signature(method).parameters.values()
            needed = [one.name for one in parameters if one.default is inspect.Parameter.empty]
            if not name.startswith("_"):
                with suppress(game_errors.GameError):
                    await method(*[fitting.get(parameter, 1) for parameter in needed])

    asked = {
        (asked.method, re.sub(r"/\d+", "/:id", asked.path.removeprefix("/api").partition("?")[0]))
        for asked in game.asked
    }
    row = re.compile(r"^\| \[`(\w+) (.+?)`\]\(#.+?\) \|.*\| (.+) \|$", re.MULTILINE)
    told = row.findall(GAME_PAGE)
    assert {(method, path) for method, path, _ in told} == asked
    assert told == [(tried.method, tried.path, tried.needed) for tried in ENDPOINTS]


def only_entry(model: type[Any], fields: dict[str, Any]) -> object:
    body = json.dumps({"data": [fields]}).encode()
    (entry,) = reading.read_page(model, body, asked=1).entries
    return entry


def data_of(model: type[Any], fields: dict[str, Any]) -> object:
    return reading.read_one(model, json.dumps({"data": fields}).encode())


def page_of(fields: dict[str, Any]) -> object:
    return reading.read_page(models.Comment, json.dumps(fields).encode(), asked=1)


read_comment = partial(only_entry, models.Comment)
read_item = partial(only_entry, models.Item)


@pytest.mark.parametrize(
    ("title", "read", "sample", "within"),
    [
        ("Pages", page_of, game_samples.page(), ""),
        ("Comment", read_comment, game_samples.comment(), ""),
        ("Player", read_comment, game_samples.comment(), "player."),
        ("Item", read_item, game_samples.item(is_coin_code_item=False), ""),
        ("Currency", read_item, game_samples.item(), "currency."),
        ("Item type", read_item, game_samples.item(), "item_type."),
        ("Purchase", partial(data_of, models.Purchase), game_samples.purchase()["data"], ""),
        ("Redeem", partial(data_of, models.Redemption), {"id": 51, "name": "Straw hat"}, ""),
    ],
)
def test_developers_of_a_game_read_which_fields_kiosk_needs(
    title: str, read: Callable[[dict[str, Any]], object], sample: dict[str, Any], within: str
) -> None:
    section = GAME_PAGE.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| `(\S+)` \| (yes|no) \|", section, re.MULTILINE)

    assert rows
    for field, is_needed in rows:
        lacking = deepcopy(sample)
        *above, name = f"{within}{field}".split(".")
        holder = lacking
        for part in above:
            holder = holder[part]
        del holder[name]
        if is_needed == "no":
            read(lacking)
        else:
            with pytest.raises(game_errors.MalformedResponse, match=name):
                read(lacking)


def test_what_names_a_section_for_developers_of_a_game_finds_it() -> None:
    titles = re.findall(r"^##+ (.+)$", GAME_PAGE, re.MULTILINE)
    anchors = {title.lower().replace(" ", "-") for title in titles}
    folders = ("benchmarks", "bot", "cogs", "docs", "game_service", "storage", "tests")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.[pm][yd]")]

    named = set(re.findall(r"\(#([\w-]+)\)", GAME_PAGE))
    for file in (*files, *ROOT.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r"connect-your-game\.md#([\w-]+)", text))
    assert named
    assert not named - anchors
