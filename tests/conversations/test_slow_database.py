"""Discord gets an answer to every command and button in time, however slow the database is."""

import asyncio
import gc
from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, cast

import discord
import pytest
from discord import app_commands

from bot.features.writing import texts
from bot.ui import answers
from bot.ui.custom_ids import kind_of
from tests.support.cards import answer_of, text_of
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at
from tests.support.gates import PATIENCE_SECONDS
from tests.support.old_buttons import old_ids, press_old
from tests.support.world import SUBSCRIBER, World, open_world

COMMANDS: dict[str, dict[str, Any]] = {
    "account link": {},
    "account show": {},
    "forum read": {"thread": "Park life"},
    "forum post": {"thread": "Park life", "content": "Hello!"},
    "forum reply": {"thread": "Park life", "comment": "118", "content": "Hello!"},
    "forum edit": {"comment": "118"},
    "forum delete": {"comment": "118"},
    "forum unsent": {},
    "forum watch": {"words": "acorn"},
    "shop browse": {"catalog": "Season"},
    "shop item": {"item": "Straw Hat"},
    "shop buy": {"item": "Straw Hat"},
    "shop redeem": {"item": "Straw Hat"},
    "shop orders": {},
    "shop watch": {"name": "hat"},
    "account watches": {},
    "announce add": {"catalog": "Season"},
    # In the channel where it is used.
    "announce thread": {"thread": "Park life", "channel": None},
    "announce list": {},
    "announce history": {"item": "Straw Hat"},
    "moderate remove": {"comment": "118"},
    "moderate restore": {"removed": "118"},
    "moderate mute": {"player": "7"},
    "moderate unmute": {"player": "7"},
    "moderate log": {},
    "moderate queue": {},
    "moderate rules": {},
    "setup show": {},
    "setup thread": {"id": "2", "name": "Patch notes"},
    "setup catalog": {"id": "2", "name": "Outlet"},
    "help": {},
}
Use = Callable[[], Coroutine[Any, Any, Any]]
OF_MESSAGES = {"Reply to comment", "Remove comment", "Report comment"}


@pytest.fixture
async def proxied(
    tmp_path: Path, demo: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[tuple[World, DatabaseProxy]]:
    """A world whose database can be held up. Kiosk doesn't wait before its first answer."""
    monkeypatch.setenv("DATABASE", "postgresql")
    monkeypatch.setattr(answers, "_SOON_SECONDS", 0.0)
    monkeypatch.setattr(answers, "_WRITTEN_SECONDS", 0.0)
    async with (
        open_database_proxy(address_at(tmp_path / "slow.db")) as proxy,
        open_world(tmp_path, demo=demo, database_url=proxy.address) as world,
    ):
        await world.name_demo_places()
        await world.settle(world.moderator, SUBSCRIBER)
        yield world, proxy


def answered(world: World) -> int:
    """Count the first answers that Discord was given."""
    return sum(request.path.endswith("/callback") for request in world.env.http_requests)


async def first_answer_of(world: World, proxy: DatabaseProxy, use: Use) -> Any:
    """Hold the database up until Discord was given a first answer, and return the result."""
    before = answered(world)
    async with asyncio.timeout(PATIENCE_SECONDS), proxy.asking.closed(lambda _: True) as gate:
        using = asyncio.create_task(use())
        while answered(world) == before and not using.done():  # noqa: ASYNC110 - nothing tells it
            await asyncio.sleep(0)
        gate.open()
        told = await using
    # What waited too long was told so, by a first answer of seconds later.
    assert told.modal or "can't use its database" not in text_of(told)
    return told


async def test_every_command_is_acknowledged(proxied: tuple[World, DatabaseProxy]) -> None:
    world, proxy = proxied
    tree = world.bot.tree
    each = {
        command for command in tree.walk_commands() if not isinstance(command, app_commands.Group)
    }
    named = {one.qualified_name for one in each}
    assert named == COMMANDS.keys(), "Say in COMMANDS how it is used, with values for its options."
    menus = {command.name for command in tree.get_commands(type=discord.AppCommandType.message)}
    assert menus == OF_MESSAGES
    assert not tree.get_commands(type=discord.AppCommandType.user)

    await world.slash("forum read", thread="Park life", public=True)
    message = world.channel.last_message
    assert message is not None
    uses: dict[str, Use] = {}
    for name, given in COMMANDS.items():
        options = {key: world.channel if each is None else each for key, each in given.items()}
        uses[name] = partial(world.slash, name, world.moderator, **options)
    for name in OF_MESSAGES:
        uses[name] = partial(world.moderator.context_menu, world.channel, name, message)
    for name, use in uses.items():
        told = await first_answer_of(world, proxy, use)
        assert told.modal or "Something went wrong" not in text_of(told), name


async def test_every_button_is_acknowledged(proxied: tuple[World, DatabaseProxy]) -> None:
    world, proxy = proxied
    kinds = set(cast("Any", world.bot.router)._actions)
    missing = kinds - {kind_of(custom_id) for custom_id, _ in old_ids()}
    assert not missing, (
        f"Add to tests/support/custom_ids.toml a custom id of {sorted(missing)}, with the largest "
        "values that it may have."
    )
    card = answer_of(await world.slash("help", world.moderator))
    for custom_id, how in old_ids():
        await first_answer_of(world, proxy, partial(press_old, world, card, custom_id, how))


async def test_a_text_that_fails_to_be_saved_after_its_author_was_told_leaves_no_fault_in_the_log(
    proxied: tuple[World, DatabaseProxy],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    world, proxy = proxied
    monkeypatch.setattr(texts, "_KEEPING_SECONDS", 0.0)
    async with proxy.asking.closed(lambda sent: b"INSERT INTO writes" in sent) as gate:
        told = await world.slash("forum post", thread="Park life", content="Hello!")
        assert "Your text wasn't saved" in text_of(told)
        await gate.arrival()
        keeping = [task for task in asyncio.all_tasks() if "keep_text" in repr(task)]
        proxy.cut()
        gate.open()
        await asyncio.wait(keeping)
    # Its own words, as asking it for its failure would count.
    assert "StatementFailed" in repr(keeping.pop())
    gc.collect()
    assert "never retrieved" not in caplog.text
