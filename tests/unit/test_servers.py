"""The daily look at the servers Kiosk is in; what is kept for others is marked as gone."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import discord
import pytest

from bot.background import utc_now
from bot.program.housekeeping import ServerList
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.installation import Installation
from storage.messages import Messages
from storage.names import Named, Names, PlaceKind
from storage.retention import Purge
from storage.shown import ShownComment
from tests.support.clock import ManualClock
from tests.support.databases import address_at
from tests.support.shown import claim, shown_in

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
        await ServerList(self.listed.ask, installation, purge, self.clock).look()
        return set(await purge.gone_servers())


@pytest.fixture
async def look(tmp_path: Path) -> AsyncGenerator[Look]:
    async with open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database:
        await Names(database, Messages(database, utc_now)).save(
            PARK, PlaceKind.THREAD, Named(1, "News")
        )
        await Names(database, Messages(database, utc_now)).save(
            PARK, PlaceKind.CATALOG, Named(1, "Hats")
        )
        await claim(shown_in(database), LAKE, 5, [ShownComment(7)])
        yield Look(database)


async def test_a_server_that_is_listed_is_not_marked(look: Look) -> None:
    look.listed.servers.append(ELSEWHERE)

    assert await look.once() == set()


async def test_a_server_that_is_gone_is_marked_with_the_first_moment(look: Look) -> None:
    look.listed.servers.remove(LAKE)
    first = look.clock()
    assert await look.once() == {LAKE}
    look.clock.advance(86_400)

    assert await look.once() == {LAKE}
    assert await Purge(look.database).gone_servers() == {LAKE: first}


async def test_a_server_that_is_back_is_not_gone_any_more(look: Look) -> None:
    look.listed.servers.remove(PARK)
    assert await look.once() == {PARK}
    look.listed.servers.append(PARK)

    assert await look.once() == set()


async def test_a_server_for_which_nothing_is_kept_is_not_marked_any_more(look: Look) -> None:
    look.listed.servers.remove(LAKE)
    await look.once()
    for table in ("messages", "moderation"):
        await look.database.execute(f"DELETE FROM {table}")

    assert await look.once() == set()


async def test_an_empty_list_marks_none(look: Look) -> None:
    look.listed.servers.clear()

    assert await look.once() == set()


async def test_a_list_that_breaks_off_marks_none(look: Look) -> None:
    look.listed = DiscordsList([PARK], OSError("cut off"))

    with pytest.raises(OSError, match="cut off"):
        await look.once()
    assert not await Purge(look.database).gone_servers()


async def test_a_server_that_is_still_gone_after_thirty_days_is_forgotten(look: Look) -> None:
    look.listed.servers = [PARK]
    assert await look.once() == {LAKE}
    look.clock.advance(timedelta(days=29))
    assert await look.once() == {LAKE}

    look.clock.advance(timedelta(days=2))
    assert await look.once() == set()

    assert not await look.database.fetch("SELECT * FROM message_comments")
    assert len(await look.database.fetch("SELECT * FROM names")) == 2


async def test_a_server_that_came_back_at_the_last_moment_is_kept(look: Look) -> None:
    look.listed.servers = [PARK]
    await look.once()
    look.clock.advance(timedelta(days=31))
    look.listed.servers = [PARK, LAKE]

    assert await look.once() == set()
    assert await look.database.fetch("SELECT * FROM message_comments")
