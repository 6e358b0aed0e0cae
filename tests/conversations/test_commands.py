"""The commands as Discord holds them, in every language."""

import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from discord import app_commands

from bot.app import open_bot
from bot.i18n import catalog
from bot.program.kiosk import Kiosk
from bot.ui.answers import Interaction
from bot.ui.drawing import paragraph
from playground.simulation import speak_language
from tests.support.cards import text_of
from tests.support.languages import TRANSLATED, forms_of, locales_of, messages_of
from tests.support.world import SUBSCRIBER, World, open_world


@pytest.fixture
async def world(tmp_path: Path, demo: str) -> AsyncGenerator[World]:
    """Kiosk was never started before."""
    async with open_world(tmp_path, demo=demo, is_first=True) as opened:
        yield opened


def given(world: World) -> list[list[dict[str, Any]]]:
    """Every list of commands that Discord was given, in order."""
    return [
        cast("list[dict[str, Any]]", entry.json)
        for entry in world.env.http_requests
        if entry.method == "PUT" and entry.path.endswith("/commands")
    ]


async def known_names(bot: Kiosk) -> set[str]:
    return {command.name for command in await bot.tree.fetch_commands()}


def parts(command: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield command
    for option in options_of(command):
        yield from parts(option)


async def test_commands_are_given_once_and_anew_when_one_changes(world: World) -> None:
    await world.restart()
    assert len(given(world)) == 1

    async with open_bot(world.settings) as changed:
        changed.tree.add_command(cast("app_commands.Command[Any, ..., None]", extra))
        await world.env.restart_bot(changed)

        assert len(given(world)) == 2
        assert "extra" in await known_names(changed)

    async with open_bot(world.settings) as again:
        again.tree.add_command(cast("app_commands.Command[Any, ..., None]", extra))
        await world.env.restart_bot(again)

        assert len(given(world)) == 2

    await world.restart()

    assert len(given(world)) == 3
    assert "extra" not in await known_names(world.bot)


async def test_commands_that_somebody_took_away_come_back(world: World) -> None:
    await world.bot.http.bulk_upsert_global_commands(world.bot.application_id or 0, payload=[])

    await world.restart()

    assert await known_names(world.bot) >= {"account", "forum", "shop"}


async def test_members_may_install_kiosk_but_setup_is_a_servers(world: World) -> None:
    by_name = {command["name"]: command for command in given(world)[0]}
    guild, user = 0, 1

    for name in ("account", "forum", "shop", "help"):
        assert set(by_name[name]["integration_types"]) == {guild, user}
        assert set(by_name[name]["contexts"]) == {0, 1, 2}
    assert by_name["setup"]["integration_types"] == [guild]
    assert by_name["setup"]["contexts"] == [0]


async def test_it_asks_discord_for_no_events_at_all(world: World) -> None:
    assert not [name for name, wanted in world.bot.intents if wanted]
    assert not list(world.bot.cached_messages)


@app_commands.command(name="extra", description="One more")
async def extra(interaction: Interaction) -> None:
    del interaction


SLASH, GROUPS = 1, {1, 2}

Part = dict[str, Any]
in_each_language = pytest.mark.parametrize("language", ["en", *TRANSLATED])


def slash_commands(world: World) -> list[Part]:
    return [command for command in world.commands if command.get("type", SLASH) == SLASH]


def parts_of(commands: list[Part]) -> Iterator[Part]:
    """Commands, their groups and their options."""
    for part in commands:
        yield part
        yield from parts_of(options_of(part))


def said(part: Part, language: str, field: str = "name") -> str:
    """Give what Discord shows for a field."""
    translations: dict[str, str] = part.get(f"{field}_localizations") or {}
    return translations.get(locales_of(language)[0]) or str(part[field])


def options_of(part: Part) -> list[Part]:
    return part.get("options") or []


def choices_of(part: Part) -> list[Part]:
    return part.get("choices") or []


def paths_of(
    commands: list[Part], language: str, above: tuple[str, str] = ("", "")
) -> Iterator[tuple[str, str]]:
    """Give every command that can be used: in English, and in the language."""
    for part in commands:
        path = f"{above[0]} {part['name']}".strip(), f"{above[1]} {said(part, language)}".strip()
        inner = [option for option in options_of(part) if option["type"] in GROUPS]
        yield from paths_of(inner, language, path) if inner else [path]


@in_each_language
async def test_names_beside_each_other_differ(world: World, language: str) -> None:
    parts = list(parts_of(slash_commands(world)))
    families = [slash_commands(world)]
    families += [*map(options_of, parts), *map(choices_of, parts)]

    for family in families:
        names = [said(part, language) for part in family]
        assert len(set(names)) == len(names), names


@pytest.mark.parametrize("language", TRANSLATED)
async def test_sentences_name_commands_in_their_language(world: World, language: str) -> None:
    paths = dict(paths_of(slash_commands(world), language))
    parts = list(parts_of(slash_commands(world)))
    for part in parts:
        for text in (part, *part.get("choices", ())):
            for field in {"name", "description"} & text.keys():
                assert said(text, language, field) == catalog(language).gettext(text[field])

    wrong = [
        (path, message.string)
        for message in messages_of(language)
        for path in paths
        if any(re.search(rf"/{path}\b", source) for source in forms_of(message.id))
        and not all(f"/{paths[path]}" in text for text in forms_of(message.string))
    ]

    assert len(paths) > 10
    assert not wrong


@in_each_language
async def test_every_command_that_a_sentence_names_can_be_tapped(
    world: World, language: str
) -> None:
    ids = {command.name: command.id for command in await world.bot.tree.fetch_commands()}
    paths = dict(paths_of(slash_commands(world), language))
    named = {
        f"/{path}": f"</{english}:{ids[english.partition(' ')[0]]}>"
        for english, path in paths.items()
    }
    sentences = [
        text
        for message in messages_of(TRANSLATED[0] if language == "en" else language)
        for text in forms_of(message.id if language == "en" else message.string)
    ]
    said = [text for text in sentences if re.search(rf"(?:{'|'.join(named)})\b", text)]

    shown = {text: str(paragraph(text)["content"]) for text in said}

    assert len(shown) > 30
    for text, content in shown.items():
        whole = re.sub("`(/[^`]+)`", lambda match: named[match[1]], text)
        assert content == whole
        assert not re.search(rf"(?<!<)(?:{'|'.join(named)})\b", whole)


@pytest.mark.parametrize(
    ("locale", "written"), [("en-US", "`/shop browse`"), ("de", "`/shop stöbern`")]
)
async def test_a_card_leads_to_the_command_that_it_names_but_a_comment_names_none(
    world: World, locale: str, written: str
) -> None:
    speak_language(world.env, locale)
    await world.settle(world.member, SUBSCRIBER)
    ids = {command.name: command.id for command in await world.bot.tree.fetch_commands()}

    card = await world.slash("shop orders")
    posted = await world.slash("forum post", thread="1", content=f"Try {written}")
    read = await world.slash("forum read", thread="1")

    assert f"</shop browse:{ids['shop']}>" in text_of(card)
    escaped = written.replace("`", "\\`")
    assert f"Try {escaped}" in text_of(posted)
    assert f"Try {escaped}" in text_of(read)


MAX_COMMANDS = 32
DOC = Path(__file__).parents[2] / "docs" / "commands.md"


async def test_the_documented_tree_is_the_one_in_discord(world: World) -> None:
    given = [command for command in world.commands if command.get("type", SLASH) == SLASH]
    menus = {command["name"] for command in world.commands if command.get("type", SLASH) != SLASH}
    text = DOC.read_text(encoding="utf-8")

    commands = dict(line for each in given for line in _lines(each, f"/{each['name']}"))

    told = dict(re.findall(r"^\| `(/[a-z ]+)` \| (.*?) \|", text, re.MULTILINE))
    assert told == commands, "Tell of it in docs/commands.md, with its options in their order."
    assert set(re.findall(r"^- \*\*(.+?)\*\*", text, re.MULTILINE)) == menus
    assert len(commands) <= MAX_COMMANDS, (
        f"{len(commands)} commands are more than people look through. Offer it as an option of a "
        "command or as a button of its card instead, or merge two commands."
    )


def _lines(command: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    options = options_of(command)
    below = [option for option in options if option["type"] in (1, 2)]
    for each in below:
        yield from _lines(each, f"{name} {each['name']}")
    if not below:
        needed = [option["name"] for option in options if option.get("required")]
        others = [option["name"] for option in options if not option.get("required")]
        yield name, ", ".join([*needed, *([f"({', '.join(others)})"] if others else [])])
