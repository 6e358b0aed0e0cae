"""Whether anything waits to be told to a member is asked of the database once."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.clock import utc_now
from bot.domain.drafts import DraftKind, NewDraft
from bot.features.accounts import Waiting
from storage.drafts import Drafts
from storage.outbox import Outbox
from storage.outcomes import Inbox, Untold
from tests.support.wiring import Wiring, open_wiring

MEMBER, OTHER = 1, 2
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Office:
    """Two processes on one database: one that writes, and one that looks."""

    def __init__(self, wired: Wiring) -> None:
        self.database = wired.database
        self.drafts = Drafts(wired.database, wired.vault)
        self.inbox = Inbox(wired.database, wired.vault, utc_now)
        self.changes = wired.changes
        untold = Untold(wired.database, Outbox(wired.database, lambda: NOW))
        self.waiting = Waiting(untold, wired.tasks, self.changes)

    async def keep_text(self) -> None:
        new = NewDraft(MEMBER, DraftKind.POST, 7, None, "Hello")
        later = NOW + timedelta(minutes=1)
        await self.drafts.add(new, draft_id=1, now=NOW, until=later, oldest=NOW)

    async def put_message(self) -> None:
        async with self.database.transaction() as transaction:
            await self.inbox.put(transaction, MEMBER, "Title", "Body")


@pytest.mark.parametrize("leave", [Office.keep_text, Office.put_message])
async def test_what_another_process_leaves_for_a_member_is_known_with_its_topic(
    leave: Callable[[Office], Awaitable[None]], tmp_path: Path
) -> None:
    async with open_wiring(tmp_path, "http://localhost") as wired:
        office = Office(wired)
        await office.changes.look()
        assert not await office.waiting.has_any(MEMBER)

        await leave(office)
        assert not await office.waiting.has_any(MEMBER)
        await office.changes.look()

        assert await office.waiting.has_any(MEMBER)
        assert not await office.waiting.has_any(OTHER)


async def test_what_this_process_leaves_is_known_at_once_until_it_is_told(tmp_path: Path) -> None:
    async with open_wiring(tmp_path, "http://localhost") as wired:
        office = Office(wired)
        assert not await office.waiting.has_any(MEMBER)

        await office.put_message()
        office.waiting.note(MEMBER)

        assert await office.waiting.has_any(MEMBER)
        (message,) = await office.inbox.of_member(MEMBER, 5)
        await office.inbox.remove(message.id)
        assert not await office.waiting.has_any(MEMBER)
