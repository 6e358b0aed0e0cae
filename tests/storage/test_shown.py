"""What public messages show, as it is recorded."""

from storage import MIGRATIONS
from storage.database import open_database
from storage.shown import BLOCK, ShownComment
from tests.support.shown import ShownMessage, claim, showing, shown_in


async def test_a_message_that_a_crash_kept_nameless_is_found_all_the_same(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        await claim(shown_in(database), 1, 2, [ShownComment(7, 70), ShownComment(8)])
    async with open_database(address, MIGRATIONS) as database:
        shown = shown_in(database)
        record = await claim(shown, 1, 3, [ShownComment(7, 70), ShownComment(9), ShownComment(8)])
        assert record is not None
        await shown.complete(record, 99, 1)

        assert await showing(database, 1, 7) == [ShownMessage(3, 99), ShownMessage(2, None)]
        assert await showing(database, 1, 8) == [ShownMessage(3, 99), ShownMessage(2, None)]
        # The newest first, as they are offered.
        assert await shown.shown_in(99) == [9, 8, 7]


async def test_what_a_message_only_quotes_is_not_among_what_it_shows(address: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        shown = shown_in(database)
        comments = [
            ShownComment(7, 70),
            ShownComment(6, 60, 2 * BLOCK + 1, -1),
            ShownComment(8, 80, BLOCK + 1, 0),
            ShownComment(9, 90, BLOCK + 1, 1),
        ]
        for message_id, told in ((99, comments), (98, [ShownComment(5)])):
            record = await claim(shown, 1, 2, told)
            assert record is not None
            await shown.complete(record, message_id, 1)

        assert await shown.shown_in(99) == [9, 8, 7]
