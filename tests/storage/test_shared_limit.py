"""Several processes keep one limit towards the game, on either engine."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import pytest

from bot.changes import Changes
from bot.features.shared_limit import SharedLimit
from bot.game.errors import RateLimited
from bot.game.rate_limit import RateLimiter
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import Database, open_database
from storage.errors import StatementFailed
from storage.installation import Pauses
from tests.support.clock import ManualClock
from tests.support.gates import Happenings

MEMBER, OTHER_MEMBER = 4242, 4343
BURST = 12
# In seconds: of a claim, and until every turn has come back.
TERM, LONG = 10.0, 1_000_000.0


class Process:
    """One process; its clock on the wall may be set wrongly."""

    def __init__(
        self,
        database: Database,
        claims: Claims,
        shared: SharedLimit,
        limiter: RateLimiter,
        changes: Changes,
    ) -> None:
        self.database = database
        self.claims = claims
        self.shared = shared
        self.limiter = limiter
        self.changes = changes

    async def burst(self) -> int:
        """Count the requests that pass at once."""
        passed = 0
        while True:
            try:
                async with self.limiter.turn(passed, None, within=0):
                    passed += 1
            except RateLimited:
                return passed


class Town:
    """Opens processes on one database."""

    def __init__(self, address: str, stack: AsyncExitStack) -> None:
        self.is_down = False
        self.clock = ManualClock()
        self._address = address
        self._stack = stack

    async def open(self, *, wrong_by: timedelta = timedelta(), pause: float = 0.01) -> Process:
        database = await self._stack.enter_async_context(open_database(self._address, MIGRATIONS))
        claims = await self._stack.enter_async_context(
            Claims(database, term=TERM, passing=self.clock.seconds)
        )
        await claims.renew()

        async def count() -> int:
            if self.is_down:
                raise StatementFailed("down")
            return await claims.count_processes()

        limiter = RateLimiter(0.001, BURST, clock=self.clock.seconds)
        changes = Changes(database, pause=pause)
        shared = SharedLimit(
            limiter, count, Pauses(database), changes, lambda: self.clock() + wrong_by
        )
        return Process(database, claims, shared, limiter, changes)


@asynccontextmanager
async def nowhere_to_tell(process: Process) -> AsyncGenerator[None]:
    await process.database.execute("ALTER TABLE pauses RENAME TO lost")
    yield
    await process.database.execute("ALTER TABLE lost RENAME TO pauses")


@pytest.fixture
async def town(address: str) -> AsyncGenerator[Town]:
    async with AsyncExitStack() as stack:
        yield Town(address, stack)


async def test_each_live_process_has_an_equal_share_and_one_alone_has_all(town: Town) -> None:
    alone = await town.open()
    await alone.shared.take_share()
    assert await alone.burst() == BURST

    town.clock.advance(LONG)
    processes = [alone, await town.open(), await town.open()]
    for process in processes:
        await process.shared.take_share()
    assert [await process.burst() for process in processes] == [BURST // 3] * 3


async def test_the_share_of_a_process_that_died_goes_to_the_others_within_its_term(
    town: Town,
) -> None:
    alive, killed = await town.open(), await town.open()
    await alive.shared.take_share()
    await killed.shared.take_share()
    for _ in range(2):
        town.clock.advance(TERM / 2)
        await alive.claims.renew()
        await alive.shared.take_share()
    town.clock.advance(LONG)

    assert await alive.burst() == BURST


async def test_a_process_that_is_ended_gives_its_share_back_at_once(town: Town) -> None:
    alive, ended = await town.open(), await town.open()
    await ended.claims.__aexit__()
    await alive.shared.take_share()

    assert await alive.burst() == BURST


async def test_a_process_without_its_database_keeps_its_last_share(town: Town) -> None:
    process, _ = await town.open(), await town.open()
    await process.shared.take_share()
    town.is_down = True

    with pytest.raises(StatementFailed):
        await process.shared.take_share()
    assert await process.burst() == BURST // 2


@pytest.mark.parametrize("account", [MEMBER, None])
async def test_a_pause_that_one_was_asked_for_is_kept_by_all(
    town: Town, account: int | None
) -> None:
    one, two = await town.open(), await town.open()
    await two.shared.exchange_pauses()
    one.limiter.pause(account, 60)
    await one.shared.exchange_pauses()

    await two.shared.exchange_pauses()
    assert two.limiter.pause_of(account) == 60
    assert two.limiter.pause_of(OTHER_MEMBER) == 0
    # What was learned is not told again, which would go on for ever.
    town.clock.advance(59)
    await two.shared.exchange_pauses()
    await one.shared.exchange_pauses()
    assert (one.limiter.pause_of(account), two.limiter.pause_of(account)) == (1, 1)


async def test_a_pause_is_told_once_it_can_be_and_a_short_one_not_at_all(town: Town) -> None:
    one, two = await town.open(), await town.open()
    one.limiter.pause(MEMBER, 1)
    one.limiter.pause(OTHER_MEMBER, 0.9)
    async with nowhere_to_tell(one):
        with pytest.raises(StatementFailed):
            await one.shared.exchange_pauses()

    await one.shared.exchange_pauses()
    await two.shared.exchange_pauses()
    assert two.limiter.pause_of(MEMBER) == 1
    assert two.limiter.pause_of(OTHER_MEMBER) == 0


async def test_pauses_of_two_processes_at_the_same_moment_reach_both(town: Town) -> None:
    one, two = await town.open(), await town.open()
    one.limiter.pause(MEMBER, 60)
    two.limiter.pause(OTHER_MEMBER, 30)
    await asyncio.gather(one.shared.exchange_pauses(), two.shared.exchange_pauses())
    await asyncio.gather(one.shared.exchange_pauses(), two.shared.exchange_pauses())

    for process in (one, two):
        assert process.limiter.pause_of(MEMBER) == 60
        assert process.limiter.pause_of(OTHER_MEMBER) == 30


async def test_a_process_that_starts_learns_what_is_left_of_a_pause(town: Town) -> None:
    one = await town.open()
    one.limiter.pause(MEMBER, 60)
    one.limiter.pause(OTHER_MEMBER, 20)
    await one.shared.exchange_pauses()
    town.clock.advance(40)

    late = await town.open()
    await late.shared.exchange_pauses()
    assert late.limiter.pause_of(MEMBER) == 20
    assert late.limiter.pause_of(OTHER_MEMBER) == 0


@pytest.mark.parametrize("wrong_by", [timedelta(hours=3), timedelta(hours=-3)])
async def test_a_process_whose_clock_is_wrong_keeps_and_tells_pauses_as_the_others_do(
    town: Town, wrong_by: timedelta
) -> None:
    wrong, right = await town.open(wrong_by=wrong_by), await town.open()
    for process in (wrong, right):
        await process.shared.exchange_pauses()
    right.limiter.pause(MEMBER, 60)
    await right.shared.exchange_pauses()
    await wrong.shared.exchange_pauses()
    wrong.limiter.pause(OTHER_MEMBER, 30)
    await wrong.shared.exchange_pauses()
    await right.shared.exchange_pauses()

    assert wrong.limiter.pause_of(MEMBER) == 60
    assert right.limiter.pause_of(OTHER_MEMBER) == 30
    # Even for one that starts, a pause is never longer than the game asked for.
    late = await town.open(wrong_by=-wrong_by)
    await late.shared.exchange_pauses()
    assert late.limiter.pause_of(MEMBER) <= 60


async def test_a_pause_reaches_a_process_that_does_nothing_but_run(
    town: Town, address: str
) -> None:
    # On PostgreSQL nobody looks by themselves: the notification alone says that there is news.
    pause = LONG if address.startswith("postgresql") else 0.01
    one, two = await town.open(pause=pause), await town.open(pause=pause)
    running = [
        asyncio.create_task(each)
        for process in (one, two)
        for each in (process.shared.run(), process.changes.run())
    ]
    heard = Happenings[int | None]()
    learn = two.limiter.learn_pause

    def hear(account: int | None, seconds: float) -> None:
        learn(account, seconds)
        heard.add(account)

    two.limiter.learn_pause = hear
    # Once would be learned by looking at the start, and twice by beginning to listen.
    for account in (MEMBER, OTHER_MEMBER, None):
        one.limiter.pause(account, 60)
        await heard.first(lambda each, account=account: each == account)
        assert two.limiter.pause_of(account) == 60
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
