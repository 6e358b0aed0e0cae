"""The commands as Discord shows them to members of every language."""

import re
from collections.abc import AsyncGenerator, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.support.languages import TRANSLATED, forms_of, messages_of
from tests.support.world import World, open_world

NAME = re.compile(r"[-_'\w]{1,32}")
LONGEST_MENU_NAME, LONGEST_DESCRIPTION, LONGEST_CHOICE = 32, 100, 100
SLASH, GROUPS = 1, {1, 2}

Part = dict[str, Any]
pytestmark = pytest.mark.parametrize("language", TRANSLATED)


@pytest.fixture
async def world(tmp_path: Path, demo: str) -> AsyncGenerator[World]:
    """Kiosk was never started before."""
    async with open_world(tmp_path, demo=demo, is_first=True) as opened:
        yield opened


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
    return translations.get(language) or str(part[field])


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


async def test_names_are_such_as_discord_takes(world: World, language: str) -> None:
    names = [said(part, language) for part in parts_of(slash_commands(world))]

    assert not [name for name in names if not NAME.fullmatch(name) or name != name.lower()]


async def test_menus_descriptions_and_choices_are_not_too_long(world: World, language: str) -> None:
    menus = [command for command in world.commands if command not in slash_commands(world)]
    parts = list(parts_of(slash_commands(world)))
    choices = chain.from_iterable(map(choices_of, parts))

    assert menus
    assert all(1 <= len(said(menu, language)) <= LONGEST_MENU_NAME for menu in menus)
    assert all(1 <= len(said(each, language)) <= LONGEST_CHOICE for each in choices)
    descriptions = [said(part, language, "description") for part in parts]
    assert not [text for text in descriptions if not 1 <= len(text) <= LONGEST_DESCRIPTION]


async def test_names_beside_each_other_differ(world: World, language: str) -> None:
    parts = list(parts_of(slash_commands(world)))
    families = [slash_commands(world)]
    families += [*map(options_of, parts), *map(choices_of, parts)]

    for family in families:
        names = [said(part, language) for part in family]
        assert len(set(names)) == len(names), names


async def test_every_command_has_a_description_of_its_language(world: World, language: str) -> None:
    parts = list(parts_of(slash_commands(world)))

    assert not [part["name"] for part in parts if language not in part["description_localizations"]]


async def test_sentences_call_commands_by_the_names_of_their_language(
    world: World, language: str
) -> None:
    paths = dict(paths_of(slash_commands(world), language))

    wrong = [
        (path, message.string)
        for message in messages_of(language)
        for path in paths
        if any(re.search(rf"/{path}\b", source) for source in forms_of(message.id))
        and not all(f"/{paths[path]}" in text for text in forms_of(message.string))
    ]

    assert len(paths) > 10
    assert not wrong
