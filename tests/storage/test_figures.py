"""What is under way, as operators read it."""

from datetime import timedelta

from storage import MIGRATIONS
from storage.database import open_database
from storage.installation import Installation
from storage.messages import Messages, NewMessage, Priority, Waiting
from storage.orders import Orders
from tests.storage.ordering import DONE, NOW, OTHERS, settle, started

MINUTE = timedelta(minutes=1)
SOON = NOW + 5 * MINUTE


async def test_what_is_under_way_is_counted_with_its_age(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Messages(database, lambda: NOW)
        installation = Installation(database)
        empty = await installation.count(SOON)
        assert (empty.orders, empty.open_orders, empty.outbox) == (
            {},
            Waiting(0, None),
            Waiting(0, None),
        )

        orders = Orders(database, outbox)
        done = await settle(orders, await started(orders), DONE)
        # Told, it is counted with those of the last day, and no more as open.
        await orders.mark_told(done, due_at=None)
        await started(orders, OTHERS[0])
        async with database.transaction() as transaction:
            await outbox.want(
                transaction, NewMessage("post", "a", Priority.ANNOUNCEMENT, channel_id=5)
            )

        numbers = await installation.count(SOON)
        assert numbers.orders == {"done": 1, "started": 1}
        assert numbers.open_orders == Waiting(1, NOW)
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
            await outbox.drop(transaction, "a")
        assert await outbox.waiting() == Waiting(1, NOW)
