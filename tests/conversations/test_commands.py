"""The commands as Discord holds them."""

import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from discord import app_commands

from bot.app import open_bot
from bot.program.kiosk import Kiosk
from bot.ui.answers import Interaction
from tests.support.world import World, open_world

NAME = re.compile(r"[-_'\w]{1,32}")


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


def options_of(part: dict[str, Any]) -> list[dict[str, Any]]:
    return part.get("options") or []


async def test_commands_are_given_to_discord_once_however_often_it_starts(world: World) -> None:
    assert len(given(world)) == 1

    async with open_bot(world.settings) as again:
        await world.env.restart_bot(again)
        assert len(given(world)) == 1


async def test_a_changed_command_is_given_anew(world: World) -> None:
    async with open_bot(world.settings) as changed:
        changed.tree.add_command(cast("app_commands.Command[Any, ..., None]", extra))
        await world.env.restart_bot(changed)

        assert len(given(world)) == 2
        assert "extra" in await known_names(changed)

    async with open_bot(world.settings) as again:
        again.tree.add_command(cast("app_commands.Command[Any, ..., None]", extra))
        await world.env.restart_bot(again)

        assert len(given(world)) == 2


async def test_commands_that_somebody_took_away_come_back(world: World) -> None:
    await world.bot.http.bulk_upsert_global_commands(world.bot.application_id or 0, payload=[])

    async with open_bot(world.settings) as again:
        await world.env.restart_bot(again)
        assert await known_names(again) >= {"account", "forum", "shop"}


async def test_names_and_descriptions_keep_to_discords_limits(world: World) -> None:
    for command in given(world)[0]:
        for part in parts(command):
            assert len(options_of(part)) <= 25
            if part.get("type") == 3 and part is command:
                assert 1 <= len(part["name"]) <= 32
                continue
            assert NAME.fullmatch(part["name"])
            assert part["name"] == part["name"].lower()
            assert 1 <= len(part["description"]) <= 100


async def test_options_that_must_be_given_come_first(world: World) -> None:
    for command in given(world)[0]:
        for part in parts(command):
            required = [bool(option.get("required")) for option in options_of(part)]
            assert required == sorted(required, reverse=True)


async def test_members_may_install_kiosk_for_themselves_but_setup_is_a_servers(
    world: World,
) -> None:
    by_name = {command["name"]: command for command in given(world)[0]}
    guild, user = 0, 1

    for name in ("account", "forum", "shop", "help"):
        assert set(by_name[name]["integration_types"]) == {guild, user}
        assert set(by_name[name]["contexts"]) == {0, 1, 2}
    assert by_name["setup"]["integration_types"] == [guild]
    assert by_name["setup"]["contexts"] == [0]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("account", ["link", "unlink", "show", "export", "erase"]),
        ("forum", ["read", "post", "reply", "edit", "delete"]),
        ("shop", ["browse", "item", "buy", "redeem", "orders"]),
        ("setup", ["thread", "catalog"]),
    ],
)
async def test_every_command_that_was_promised_is_there(
    world: World, command: str, options: list[str]
) -> None:
    by_name = {entry["name"]: entry for entry in given(world)[0]}

    assert {option["name"] for option in options_of(by_name[command])} >= set(options)


async def test_it_asks_discord_for_no_events_at_all(world: World) -> None:
    assert not [name for name, wanted in world.bot.intents if wanted]
    assert not list(world.bot.cached_messages)


@app_commands.command(name="extra", description="One more")
async def extra(interaction: Interaction) -> None:
    del interaction
