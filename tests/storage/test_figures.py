"""What is under way, as operators read it."""

from datetime import timedelta

from bot.domain.figures import Waiting
from bot.domain.outbox import Owed, Priority
from storage import MIGRATIONS
from storage.database import open_database
from storage.figures import Figures
from storage.orders import Orders
from storage.outbox import Outbox
from tests.storage.ordering import DONE, NOW, OTHERS, settle, started

SOON = NOW + timedelta(minutes=5)


async def test_what_is_under_way_is_counted_with_its_age(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Outbox(database, lambda: NOW)
        figures = Figures(database, outbox)
        empty = await figures.count(SOON)
        assert (empty.orders, empty.open_orders, empty.outbox) == (
            {},
            Waiting(0, None),
            Waiting(0, None),
        )

        orders = Orders(database, outbox)
        await settle(orders, await started(orders), DONE)
        await started(orders, OTHERS[0])
        async with database.transaction() as transaction:
            await outbox.owe(transaction, Owed("post", "a", Priority.ANNOUNCEMENT, channel_id=5))

        numbers = await figures.count(SOON)
        assert numbers.orders == {"done": 1, "started": 1}
        assert numbers.open_orders == Waiting(1, NOW)
        assert numbers.outbox == Waiting(1, NOW)
        assert numbers.texts == Waiting(0, None)
