"""What is under way, as operators read it."""

from datetime import timedelta

from msgspec.structs import replace

from storage import MIGRATIONS
from storage.database import open_database
from storage.installation import Installation
from storage.messages import Messages, MessageState, NewMessage, Priority, Waiting
from storage.vault import Vault
from storage.writes import WriteKind, Writes, WriteState
from tests.storage.conftest import NOW
from tests.support.orders import STRAW_HAT

MINUTE = timedelta(minutes=1)
SOON = NOW + 5 * MINUTE


async def test_what_is_under_way_is_counted_with_its_age(address: str, vault: Vault) -> None:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Messages(database, lambda: NOW)
        installation = Installation(database)
        empty = await installation.count(SOON)
        assert (empty.orders, empty.open_orders, empty.outbox) == (
            {},
            Waiting(0, None),
            Waiting(0, None),
        )

        writes = Writes(database, vault, outbox)
        for order, state in (
            (STRAW_HAT, WriteState.DONE),
            # Nobody waits to know what became of it: it can't be looked up.
            (replace(STRAW_HAT, id=2, card_id=2, kind=WriteKind.REDEEM), WriteState.UNKNOWN),
            (replace(STRAW_HAT, id=3, card_id=3, target_id=4), WriteState.UNKNOWN),
            (replace(STRAW_HAT, id=4, card_id=4, target_id=5), None),
        ):
            held = await writes.keep_order(order, now=NOW, until=SOON, since=NOW)
            assert held is not None
            if state is not None:
                reason = "unanswered" if state is WriteState.UNKNOWN else None
                settled = await writes.save(replace(held, state=state, reason=reason))
                assert settled is not None
                # Told, what is done is counted with those of the last day, and no more as open.
                await writes.mark_told(settled, due_at=None)
        async with database.transaction() as transaction:
            await outbox.want(
                transaction, NewMessage("post", "a", Priority.ANNOUNCEMENT, channel_id=5)
            )

        numbers = await installation.count(SOON)
        assert numbers.orders == {"done": 1, "unknown": 2, "kept": 1}
        assert numbers.open_orders == Waiting(2, NOW)
        assert numbers.outbox == Waiting(1, NOW)
        assert numbers.texts == Waiting(0, None)


async def test_what_discord_refuses_along_with_too_many_others_is_counted(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Messages(database, lambda: NOW)
        async with database.transaction() as transaction:
            for key in ("a", "b"):
                owed = NewMessage("post", key, Priority.ANNOUNCEMENT, channel_id=5)
                await outbox.want(transaction, owed)
        first = await outbox.find("a")
        assert first is not None
        reason = "503 0"
        async with database.transaction() as transaction:
            await outbox.put_off(transaction, first, SOON, reason, is_doubtful=False)

        assert await outbox.waiting() == Waiting(2, NOW, reason)
        # Of what is settled there is nothing to wait for, whatever came of it.
        async with database.transaction() as transaction:
            await outbox.take_back(transaction, "a", MessageState.DROPPED)
        assert await outbox.waiting() == Waiting(1, NOW)
