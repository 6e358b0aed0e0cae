"""Of several processes one holds a name, and it lets go before another takes it over."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest

from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import Database, open_database
from tests.support.clock import utc_now
from tests.support.gates import PATIENCE_SECONDS

TERM_SECONDS = 10.0
# What its holder trusts, of the term.
TRUST = 7.0
NAME = "worker"


@dataclass
class Machine:
    """A process, and its monotonic clock."""

    database: Database
    now: float
    term: float = TERM_SECONDS
    # How far its other clock, the one on the wall, is ahead of the database's.
    ahead: timedelta = timedelta()

    def __post_init__(self) -> None:
        self.claims = Claims(
            self.database,
            term=self.term,
            passing=lambda: self.now,
            now=lambda: utc_now() + self.ahead,
        )


@asynccontextmanager
async def open_machine(
    address: str, now: float = 0.0, *, term: float = TERM_SECONDS
) -> AsyncGenerator[Machine]:
    async with open_database(address, MIGRATIONS) as database:
        machine = Machine(database, now, term)
        async with machine.claims:
            yield machine


@pytest.fixture
async def one(address: str) -> AsyncGenerator[Machine]:
    async with open_machine(address, 1000.0) as machine:
        yield machine


@pytest.fixture
async def two(address: str, one: Machine) -> AsyncGenerator[Machine]:
    # Its clock is far from the other's, as those of two machines are.
    async with open_machine(address, 5.0) as machine:
        yield machine


async def let_pass(seconds: float, *machines: Machine) -> None:
    """Let so much time pass for the database and these."""
    for machine in machines:
        machine.now += seconds
    await machines[0].database.execute(
        "UPDATE claims SET expires_at = expires_at - :by", by=round(seconds * 1_000_000)
    )


async def test_a_free_name_is_taken_at_once_and_by_one(one: Machine, two: Machine) -> None:
    assert await one.claims.take(NAME)
    assert await one.claims.take(NAME)

    assert one.claims.is_held(NAME)
    assert not await two.claims.take(NAME)
    assert not two.claims.is_held(NAME)


@pytest.mark.parametrize("was_held", [False, True])
async def test_of_many_one_has_the_name(one: Machine, address: str, *, was_held: bool) -> None:
    if was_held:
        await one.claims.take(NAME)
        await let_pass(TERM_SECONDS, one)
    async with AsyncExitStack() as stack:
        machines = [await stack.enter_async_context(open_machine(address)) for _ in range(4)]

        taken = await asyncio.gather(*(machine.claims.take(NAME) for machine in machines))

        assert sum(taken) == 1


async def test_a_dead_holders_name_is_free_after_its_term(one: Machine, two: Machine) -> None:
    await one.claims.take(NAME)

    await let_pass(TERM_SECONDS - 1, two)
    assert not await two.claims.take(NAME)
    await let_pass(1, two)
    assert await two.claims.take(NAME)


async def killed(one: Machine) -> str:
    """Give the holder that a process of this place was, which is no more."""
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    return one.claims.holder.replace(f":{os.getpid()}:", f":{ended.pid}:")


async def hand_over(one: Machine, name: str, holder: str) -> None:
    await one.database.execute(
        "UPDATE claims SET holder = :holder WHERE name = :name", holder=holder, name=name
    )


async def test_what_a_killed_process_of_this_place_held_is_free_at_once(
    one: Machine, two: Machine
) -> None:
    """No one knows who lives elsewhere, though the machine has the same name."""
    dead = await killed(one)
    host, pid, _ = dead.split(":")
    expected = {dead: True, f"{host}:{pid}:elsewhere-1": False, one.claims.holder: False}
    for number, (holder, is_free) in enumerate(expected.items()):
        await one.claims.take(f"name {number}")
        await hand_over(one, f"name {number}", holder)
        assert await two.claims.take(f"name {number}") is is_free, holder


async def test_a_last_moment_renewal_counts(one: Machine, two: Machine) -> None:
    await one.claims.take(NAME)
    await let_pass(TERM_SECONDS, two)
    async with one.database.transaction() as renewing:
        await renewing.execute("UPDATE claims SET expires_at = expires_at + 3600000000")
        taking = asyncio.create_task(two.claims.take(NAME))
        await asyncio.sleep(0)

    assert not await taking


async def test_a_holder_lets_go_before_anybody_could_take_over(one: Machine, two: Machine) -> None:
    await one.claims.take(NAME)

    await let_pass(TRUST - 0.01, one)
    assert one.claims.is_held(NAME)
    await let_pass(0.01, one)
    assert not one.claims.is_held(NAME)
    await one.claims.lost(NAME)
    assert not await two.claims.take(NAME)


async def test_a_holder_trusts_from_before_it_asked(one: Machine, two: Machine) -> None:
    await one.claims.take(NAME)
    async with two.database.transaction() as busy:
        await busy.execute("UPDATE claims SET expires_at = expires_at")
        renewing = asyncio.create_task(one.claims.renew())
        await asyncio.sleep(0)
        one.now += TRUST
        assert not one.claims.is_held(NAME)
    await renewing

    assert not one.claims.is_held(NAME)


async def test_a_term_is_the_holders_whatever_the_others_is(one: Machine, address: str) -> None:
    await one.claims.take(NAME)
    async with open_machine(address, term=1.0) as hasty:
        await let_pass(TERM_SECONDS - 1, hasty)
        assert not await hasty.claims.take(NAME)
        await let_pass(1, hasty)
        assert await hasty.claims.take(NAME)
        assert not await one.claims.take(NAME)
        await let_pass(1, hasty)
        assert await one.claims.take(NAME)


async def test_whoever_was_taken_over_learns_it(one: Machine, two: Machine) -> None:
    await one.claims.take(NAME)
    await let_pass(TERM_SECONDS, two)
    assert await two.claims.take(NAME)

    async with asyncio.timeout(PATIENCE_SECONDS):
        losing = asyncio.create_task(one.claims.lost(NAME))
        await one.claims.renew()
        await losing
    await one.claims.release(NAME)
    assert not await one.claims.take(NAME)
    assert await one.claims.current_holder(NAME) == two.claims.holder.rpartition(":")[0]


async def test_only_ones_own_names_are_freed(one: Machine, two: Machine, address: str) -> None:
    for name in (NAME, "commands"):
        await one.claims.take(name)
    await one.claims.release("commands")
    async with open_machine(address) as ending:
        await ending.claims.take("gateway")

    assert await two.claims.take("commands")
    assert await two.claims.take("gateway")
    assert not await two.claims.take(NAME)


async def test_whoever_waits_has_the_name_once_it_is_given_back(one: Machine, address: str) -> None:
    await one.claims.take(NAME)
    async with open_machine(address, term=0.1) as two, asyncio.timeout(PATIENCE_SECONDS):
        waiting = asyncio.create_task(two.claims.wait_for(NAME))
        await one.claims.release(NAME)
        await waiting

        assert two.claims.is_held(NAME)


async def test_only_living_processes_are_counted(one: Machine, two: Machine) -> None:
    await one.claims.take(NAME)
    assert await one.claims.count_processes() == 0
    await one.claims.renew()
    await two.claims.renew()
    assert await one.claims.count_processes() == 2

    await let_pass(TERM_SECONDS, one)
    await one.claims.renew()

    assert await two.claims.count_processes() == 1
    await two.claims.renew()
    assert await one.claims.count_processes() == 2
    await hand_over(one, f"process:{two.claims.holder}", await killed(one))
    assert await one.claims.count_processes() == 1


async def test_processes_that_lack_a_key_are_named(one: Machine, address: str) -> None:
    await one.claims.renew()
    async with open_database(address, MIGRATIONS) as database:
        async with Claims(database, keys=[b"old", b"new"]) as other:
            await other.renew()

            assert await one.claims.processes_without(b"new") == [named(one.claims)]
            assert await one.claims.processes_without(b"lost") == [
                *sorted((named(one.claims), named(other)))
            ]
        assert await one.claims.processes_without(b"new") == [named(one.claims)]
    await let_pass(TERM_SECONDS, one)
    assert await one.claims.processes_without(b"new") == []


def named(claims: Claims) -> str:
    return claims.holder.rpartition(":")[0]


async def test_claims_of_the_dead_are_forgotten(one: Machine, two: Machine) -> None:
    await one.claims.take("process:dead")
    await let_pass(TERM_SECONDS, one)
    await two.claims.take("process:alive")

    await two.claims.purge()

    rows = await one.database.fetch("SELECT name FROM claims")
    assert [row["name"] for row in rows] == ["process:alive"]


@pytest.mark.parametrize(("ahead", "said"), [(60, "60 s ahead of"), (-60, "60 s behind")])
async def test_a_clock_that_is_far_off_the_databases_is_said_until_it_is_set(
    one: Machine, caplog: pytest.LogCaptureFixture, ahead: float, said: str
) -> None:
    for near in (0, ahead / 4):
        one.ahead = timedelta(seconds=near)
        await one.claims.renew()
        assert not one.claims.wrong_clock
    one.ahead = timedelta(seconds=ahead)
    for _ in range(2):
        await one.claims.renew()
        assert one.claims.wrong_clock == f"this machine's clock is {said} the database's"
    one.ahead = timedelta()
    await one.claims.renew()

    assert not one.claims.wrong_clock
    wrong, right = [line for line in caplog.messages if "clock" in line]
    assert (said in wrong, "agrees" in right) == (True, True)


async def test_whoever_holds_a_name_learns_that_a_newer_version_changed_the_tables(
    one: Machine,
) -> None:
    learning = asyncio.create_task(one.claims.until_newer_tables())
    for _ in range(2):
        await one.claims.renew()
    assert not learning.done()
    await one.database.execute("UPDATE about SET step = step + 1")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await one.claims.renew()
        await learning
