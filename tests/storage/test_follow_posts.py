"""Which message a comment of a followed thread has become, and where that is."""

from bot.domain.announcing import Follow, NewFollow, SeenComment
from storage import MIGRATIONS
from storage.database import Database, Transaction, open_database
from storage.follows import Follows
from storage.messages import MessageState
from tests.storage.conftest import MEMBER, NOW

HERE, ELSEWHERE, THREAD = 1, 2, 3
TOP, REPLY, OTHER = 7, 8, 9


async def follow(follows: Follows, channel_id: int, *, guild_id: int = HERE) -> Follow:
    new = NewFollow(guild_id, channel_id, 0, THREAD, "en", MEMBER)
    return await follows.add(new, now=NOW)


async def see(follows: Follows, *roots: tuple[int, int]) -> None:
    """Note that comments were seen, each with the one at its top."""

    async def nothing(_: Transaction) -> None: ...

    thread = await follows.thread(THREAD)
    assert thread is not None
    seen = [SeenComment(comment_id, root_id, 1, "", NOW) for comment_id, root_id in roots]
    assert await follows.record(thread, NOW, seen, now=NOW, owe=nothing)


async def post(
    database: Database,
    one: Follow,
    comment_id: int,
    *,
    channel_id: int | None,
    message_id: int | None,
    is_alone: bool = True,
) -> None:
    follows, key = Follows(database), f"{one.id} {comment_id}"
    async with database.transaction() as transaction:
        seen = SeenComment(comment_id, comment_id, 1, "", NOW)
        await follows.add_posts(transaction, [(one.id, seen, key, is_alone)], NOW)
        if message_id is not None:
            await follows.settle(
                transaction, key, MessageState.SENT, channel_id=channel_id, message_id=message_id
            )


async def test_what_a_server_lets_be_seen_is_drawn_anew_in_its_own_channels_and_posts(
    address: str,
) -> None:
    async with open_database(address, MIGRATIONS) as database:
        follows = Follows(database)
        text, forum, waiting = [await follow(follows, channel) for channel in (30, 31, 32)]
        together = await follow(follows, 33)
        elsewhere = await follow(follows, 40, guild_id=ELSEWHERE)
        await see(follows, (TOP, TOP), (REPLY, TOP), (OTHER, OTHER))
        for comment_id in (TOP, REPLY, OTHER):
            message_id = 500 + comment_id
            await post(database, text, comment_id, channel_id=30, message_id=message_id)
            await post(database, elsewhere, comment_id, channel_id=40, message_id=message_id)
            await post(database, waiting, comment_id, channel_id=None, message_id=None)
            await post(
                database, together, comment_id, channel_id=33, message_id=600, is_alone=False
            )
        # A post has the id of its first message, and a reply in it has no channel of its own.
        await post(database, forum, TOP, channel_id=700, message_id=700)
        await post(database, forum, REPLY, channel_id=None, message_id=701)

        assert sorted(await follows.shown_of(HERE, TOP)) == [(text.id, 30), (forum.id, 700)]
        assert sorted(await follows.shown_of(HERE, REPLY)) == [(text.id, 30), (forum.id, 700)]
        assert await follows.shown_of(ELSEWHERE, TOP) == [(elsewhere.id, 40)]
