"""The worker's duties run in one process at a time; servers that are gone."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import discord
import pytest

from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.program.duties import CLAIM, Worker
from bot.program.housekeeping import ServerList
from bot.rest import Rest
from storage import MIGRATIONS
from storage.claims import Claims
from storage.database import Database, open_database
from storage.installation import Installation
from storage.messages import Messages
from storage.names import Named, Names, PlaceKind
from storage.purging import Purge
from storage.shown import ShownComment
from tests.support.clock import ManualClock, utc_now
from tests.support.databases import address_at, locked
from tests.support.gates import Happenings
from tests.support.shown import claim, shown_in

# Short, so that what is taken over is taken over soon; nothing is decided by it.
TERM_SECONDS = 1.0


@dataclass
class Office:
    """One process with a worker, and what its duty has done: begun, cancelled."""

    worker: Worker
    claims: Claims
    database: Database
    events: Happenings[str]

    async def duty(self, _: Rest) -> None:
        self.events.add("begun")
        try:
            await asyncio.Event().wait()
        finally:
            self.events.add("ended")


@asynccontextmanager
async def open_office(path: Path, *, term: float = TERM_SECONDS) -> AsyncGenerator[Office]:
    async with (
        open_database(address_at(path), MIGRATIONS) as database,
        Claims(database, term=term) as claims,
        BackgroundTasks(Clock()) as tasks,
    ):
        office = Office(Worker(claims, tasks), claims, database, Happenings())
        office.worker.add("duty", office.duty)
        tasks.start(claims.keep())
        tasks.start(office.worker.run())
        yield office


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kiosk.db"


async def test_a_lone_worker_begins_at_once_and_ends_with_its_process(path: Path) -> None:
    # With this term, a worker that waited for anything would be late.
    async with open_office(path, term=3600) as office:
        await office.events.until(lambda: office.events.past == ["begun"])
    assert office.events.past == ["begun", "ended"]


async def test_another_process_works_once_the_first_has_ended_and_not_before(path: Path) -> None:
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(open_office(path, term=3600))
        await one.events.until(lambda: one.events.past == ["begun"])
        async with open_office(path) as other:
            assert not await other.claims.take(CLAIM)
            assert other.events.past == []

            await stack.aclose()

            await other.events.until(lambda: other.events.past == ["begun"])


async def test_a_worker_that_was_taken_over_ends_its_duties(path: Path) -> None:
    async with open_office(path, term=3600) as office:
        await office.events.until(lambda: office.events.past == ["begun"])
        await office.database.execute("UPDATE claims SET holder = 'another'")
        await office.claims.renew()

        await office.events.until(lambda: office.events.past == ["begun", "ended"])


async def test_a_worker_that_can_not_renew_ends_its_duties_by_itself(path: Path) -> None:
    async with open_office(path) as office:
        await office.events.until(lambda: bool(office.events.past))
        async with locked(address_at(path)):
            await office.events.until(lambda: office.events.past[-1] == "ended")

        # And works again when it can.
        await office.events.until(lambda: office.events.past[-1] == "begun")


async def test_a_failing_duty_begins_anew(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    runs: Happenings[int] = Happenings()

    async def failing(_: Rest) -> None:
        runs.add(len(runs.past))
        if len(runs.past) == 1:
            raise ValueError
        await asyncio.Event().wait()

    async with (
        open_database(address_at(path), MIGRATIONS) as database,
        Claims(database, term=3600) as claims,
        BackgroundTasks(Clock()) as tasks,
    ):
        office = Office(Worker(claims, tasks), claims, database, Happenings())
        office.worker.add("duty", office.duty)
        office.worker.add("failing", failing)
        tasks.start(office.worker.run())
        await runs.until(lambda: len(runs.past) == 2)
        assert office.events.past == ["begun"]

    assert "Duty 'failing' failed" in caplog.text


@pytest.mark.parametrize("is_look", [False, True])
async def test_a_member_does_not_wait_for_what_a_duty_reads(path: Path, *, is_look: bool) -> None:
    other = path.with_name("other.db")
    reading: Happenings[str] = Happenings()
    async with (
        open_database(f"sqlite:///{path}", MIGRATIONS) as database,
        Claims(database, term=3600) as claims,
        BackgroundTasks(Clock()) as tasks,
    ):
        worker = Worker(claims, tasks)
        with closing(sqlite3.connect(other, isolation_level=None)) as locking:
            locking.execute("CREATE TABLE numbers (number)")

            async def read_slowly(_: object = None) -> None:
                reading.add("looked")
                if is_look and len(reading.past) == 1:
                    # The later looks are not the worker's own task.
                    return
                await database.fetch(f"ATTACH '{other}' AS other")
                locking.execute("BEGIN EXCLUSIVE")
                reading.add("begun")
                try:
                    await database.fetch("SELECT * FROM other.numbers")
                finally:
                    reading.add("ended")
                await asyncio.Event().wait()

            if is_look:
                worker.add_looks("slow", read_slowly, 0.05)
            else:
                worker.add("slow", read_slowly)
            tasks.start(worker.run())
            await reading.until(lambda: "begun" in reading.past)

            await Installation(database).save_fact("newest", "yes")
            assert await Installation(database).find_fact("newest") == "yes"
            assert "ended" not in reading.past

            locking.execute("ROLLBACK")
            await reading.until(lambda: "ended" in reading.past)


PARK, LAKE, ELSEWHERE = 1 << 30, 2 << 30, 3 << 30


@dataclass
class DiscordsList:
    """What Discord answers: servers, then perhaps an error in the midst of a page."""

    servers: list[int]
    error: Exception | None = None

    async def ask(self) -> AsyncGenerator[discord.Object]:
        for server in self.servers:
            yield discord.Object(server)
        if self.error:
            raise self.error


@dataclass
class Look:
    """The duty, and what it stands on."""

    database: Database
    listed: DiscordsList = field(default_factory=lambda: DiscordsList([PARK, LAKE]))
    clock: ManualClock = field(default_factory=ManualClock)

    async def once(self) -> set[int]:
        """Look once; gives the servers that are marked by then."""
        installation, purge = Installation(self.database), Purge(self.database)
        await ServerList(self.listed.ask, installation, purge, self.clock).check()
        return set(await purge.gone_servers())


@pytest.fixture
async def look(tmp_path: Path) -> AsyncGenerator[Look]:
    async with open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database:
        await Names(database, Messages(database, utc_now)).save(
            PARK, PlaceKind.THREAD, Named(1, "News"), "news"
        )
        await Names(database, Messages(database, utc_now)).save(
            PARK, PlaceKind.CATALOG, Named(1, "Hats"), "hats"
        )
        await claim(shown_in(database), LAKE, 5, [ShownComment(7)])
        yield Look(database)


async def test_an_empty_list_marks_none(look: Look) -> None:
    look.listed.servers.clear()
    assert await look.once() == set()


async def test_a_list_that_breaks_off_marks_none(look: Look) -> None:
    look.listed = DiscordsList([PARK], OSError("cut off"))

    with pytest.raises(OSError, match="cut off"):
        await look.once()
    assert not await Purge(look.database).gone_servers()


async def test_a_server_that_came_back_at_the_last_moment_is_kept(look: Look) -> None:
    look.listed.servers = [PARK]
    await look.once()
    look.clock.advance(timedelta(days=31))
    look.listed.servers = [PARK, LAKE]

    assert await look.once() == set()
    assert await look.database.fetch("SELECT * FROM message_comments")
