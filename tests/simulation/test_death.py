"""A bot that dies between any two of its crossings keeps what Kiosk promises."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from bot.app import open_bot
from bot.program.kiosk import Kiosk
from tests.simulation.death import Died, Life, forget_lives, mortal, release
from tests.support import world as support
from tests.support.cards import text_of
from tests.support.clock import RunningClock
from tests.support.databases import everything_in, run_beside
from tests.support.shopping import ask, orders
from tests.support.world import SUBSCRIBER, World, open_world, past_of

# Before and after the answer of the game, among the first looks of the worker.
OF_A_PURCHASE = [1, 10, 25, 35]
OF_A_TEXT = [1, 10, 25, 39]
THREAD = "3"


@dataclass
class Hospice:
    """A world whose bots die and are followed by others."""

    stack: AsyncExitStack
    lives: list[Life] = field(default_factory=list[Life])
    _world: World | None = None

    @property
    def world(self) -> World:
        assert self._world is not None
        return self._world

    @property
    def life(self) -> Life:
        return self.lives[-1]

    @property
    def rows(self) -> str:
        return everything_in(self.world.settings.database_url)

    @asynccontextmanager
    async def open_bot(self, *arguments: Any, **named: Any) -> AsyncGenerator[Kiosk]:
        # No claim is renewed meanwhile, which would cross by the real clock.
        try:
            async with mortal(open_bot(*arguments, claim_term=1e6, **named)) as (bot, life):
                self.lives.append(life)
                yield bot
        finally:
            forget_lives()

    async def begin(self, folder: Path, demo: str) -> None:
        self._world = await self.stack.enter_async_context(open_world(folder, demo=demo))
        await self.world.settle(self.world.member, SUBSCRIBER)

    async def bury(self) -> None:
        """End the bot that has died; nothing that it still tries is written."""
        assert self.life.is_dead, f"it lived on after {self.life.crossings} crossings"
        left = self.rows
        asked = len(self.world.env.http_requests)
        await self.life.end()
        assert self.rows == left
        assert len(self.world.env.http_requests) == asked
        await release(self.world.settings.database_url)

    async def open_next(self) -> None:
        """Open the next bot, and let it look after what was left."""
        opening = self.open_bot(self.world.settings, clock=RunningClock(), opening_interval=0)
        bot = await self.stack.enter_async_context(opening)
        await self.world.env.restart_bot(bot)
        self.world.bot = bot
        # As time would: what was asked shows in the game by then, or never.
        await self.world.pass_time(3600)

    async def rows_of_game(self, sql: str) -> list[Any]:
        assert self.world.game is not None
        return [*await self.world.game.database.fetch(sql)]

    async def told(self) -> str:
        """Return all that the member was told directly, and is told at the next command."""
        said = await self.world.slash("help")
        member: Any = self.world.member
        direct = [text_of(message) for message in member.user.dm_channel.history()]
        return "\n".join([*direct, text_of(said), *map(text_of, said.followups)])


@pytest.fixture
async def hospice(
    tmp_path: Path, demo: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Hospice]:
    async with AsyncExitStack() as stack:
        opened = Hospice(stack)
        past_of(os.environ.get("DATABASE"))
        # The first bot can die, too.
        monkeypatch.setattr(support, "open_bot", opened.open_bot)
        await opened.begin(tmp_path, demo)
        yield opened


@pytest.mark.parametrize("crossing", OF_A_PURCHASE)
async def test_a_purchase_is_made_once_and_told(hospice: Hospice, crossing: int) -> None:
    card = await ask(hospice.world, item="1")
    hospice.life.die_at(crossing)
    await hospice.world.member.click(card, label="Buy item")
    await hospice.life.has_died.wait()
    told = text_of(card)
    await hospice.bury()
    await hospice.open_next()

    is_bought = bool(await hospice.rows_of_game("SELECT 1 FROM purchases WHERE item_id = 1"))
    listed = await orders(hospice.world)
    assert ("✅ Bought" in listed) == is_bought
    is_refused = "Not bought" in listed
    assert is_bought or is_refused or "Buying" not in told
    told += await hospice.told()
    assert ("Acorn Cap is yours" in told) == is_bought
    assert ("Not bought: Acorn Cap" in told) == is_refused


@pytest.mark.parametrize("crossing", OF_A_TEXT)
async def test_a_text_is_posted_once_or_kept(hospice: Hospice, crossing: int) -> None:
    form = await hospice.world.slash("forum post", thread=THREAD)
    hospice.life.die_at(crossing)
    sent = await hospice.world.member.submit_modal(form, {"text": "Mind the gap"})
    await hospice.life.has_died.wait()
    await hospice.bury()
    await hospice.open_next()

    posted = await hospice.rows_of_game("SELECT 1 FROM comments WHERE content = 'Mind the gap'")
    is_kept = "Mind the gap" in text_of(await hospice.world.slash("forum unsent"))
    told = await hospice.told()
    assert len(posted) <= 1
    # What is acknowledged is kept: Discord has closed the form.
    assert posted or is_kept or not sent.acknowledged
    if posted:
        assert "Comment posted" in told or "Was your comment posted?" in told
    elif is_kept:
        assert "Mind the gap" in told


async def test_a_dead_bot_writes_nothing(tmp_path: Path) -> None:
    @asynccontextmanager
    async def opened() -> AsyncGenerator[aiosqlite.Connection]:
        async with aiosqlite.connect(tmp_path / "file.db", isolation_level=None) as file:
            yield file

    async with mortal(opened()) as (file, life):
        await file.execute("CREATE TABLE written (number)")
        life.die_at(1)
        for _ in range(2):
            with pytest.raises(Died):
                await file.execute("INSERT INTO written VALUES (1)")
    assert not run_beside(f"sqlite:///{tmp_path}/file.db", "SELECT * FROM written")
