"""When one answer serves several askers, and when it must not."""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.game import game_errors
from bot.game.game_client import Caller, GameClient
from bot.game.models import Comment, Item, ItemPageKey, Page, PageKey, Sort
from bot.game.transport import Limits
from tests.support.clock import SteppedClock, utc_now
from tests.support.game_samples import comment, item, page, purchase, written_comment
from tests.support.rogue_game import RogueGame, cut, held, reply

BEN = Caller(member_id=2, token=SecretStr("secret-of-ben"))


def peek_comments(
    client: GameClient, thread: int, sort: Sort = Sort.LATEST
) -> Page[Comment] | None:
    """Return what answers a new command without asking the game."""
    return client.comments.known(PageKey(thread, sort), max_age=10)


def peek_items(client: GameClient, who: Caller, catalog: int) -> Page[Item] | None:
    return client.items.known(ItemPageKey(who.member_id, catalog), max_age=30)


async def test_a_hundred_readers_cost_one_request(client: GameClient, rogue: RogueGame) -> None:
    gate = asyncio.Event()
    rogue.answers(held(reply(page(comment(id=5))), gate))

    opening = [asyncio.create_task(client.list_comments(1)) for _ in range(100)]
    await rogue.arrivals.get()
    gate.set()
    pages = await asyncio.gather(*opening)

    assert len(rogue.asked) == 1
    assert {entry.id for each in pages for entry in each.entries} == {5}


async def test_who_leaves_cancels_nobody_else(client: GameClient, rogue: RogueGame) -> None:
    gate = asyncio.Event()
    rogue.answers(held(reply(page(comment(id=5))), gate))
    first = asyncio.create_task(client.list_comments(1))
    await rogue.arrivals.get()
    second = asyncio.create_task(client.list_comments(1))

    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    gate.set()

    assert (await second).entries[0].id == 5
    assert len(rogue.asked) == 1


async def test_a_shared_failure_is_asked_again(client: GameClient, rogue: RogueGame) -> None:
    gate = asyncio.Event()
    rogue.answers(held(reply(status=404), gate), reply(page()))
    asking = [asyncio.create_task(client.list_comments(1)) for _ in range(3)]
    await rogue.arrivals.get()
    gate.set()

    failures = await asyncio.gather(*asking, return_exceptions=True)
    await client.list_comments(1)

    assert [type(failure) for failure in failures] == [game_errors.NotFound] * 3
    assert len(rogue.asked) == 2


async def test_items_are_shared_neither_between_members_nor_between_tokens(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(page(item())))
    relinked = Caller(caller.member_id, SecretStr("another-secret"))

    await asyncio.gather(*(client.list_items(who, 1) for who in (caller, caller, BEN, relinked)))
    await client.list_items(relinked, 1)

    sent = sorted(asked.headers["authorization"] for asked in rogue.asked)
    assert sent == ["Bearer another-secret", "Bearer secret-of-ann", "Bearer secret-of-ben"]


async def test_a_page_is_kept_for_seconds_and_then_asked_for_again(
    session: aiohttp.ClientSession, rogue: RogueGame, caller: Caller
) -> None:
    clock = SteppedClock(utc_now())
    limits = Limits(public_page_seconds=10, private_page_seconds=30)
    rogue.answers(reply(page()))

    async with BackgroundTasks(clock) as tasks:
        client = GameClient(session, rogue.base_url, tasks, limits=limits)
        for seconds, requests in ((0, 2), (9.5, 2), (0.5, 3), (19, 4), (1, 5)):
            clock.advance(seconds)
            await client.list_comments(1)
            await client.list_items(caller, 1)
            assert len(rogue.asked) == requests


async def test_what_is_kept_can_be_looked_at_and_passed_over(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(page(comment(id=5))), reply(page(comment(id=6))), reply(page(item(id=7))))
    assert peek_comments(client, 1) is None
    assert peek_items(client, caller, 1) is None

    await client.list_comments(1)
    fresh = await client.list_comments(1, max_age=0)
    items = await client.list_items(caller, 1)

    assert fresh.entries[0].id == 6
    assert peek_comments(client, 1) == fresh
    assert peek_comments(client, 1, sort=Sort.HOTTEST) is None
    assert peek_items(client, caller, 1) == items
    assert peek_items(client, BEN, 1) is None


Write = Callable[[GameClient, Caller], Awaitable[object]]
WRITES: list[tuple[Write, list[int]]] = [
    (lambda client, caller: client.create_comment(caller, 1, "Hello!"), [2]),
    (lambda client, caller: client.update_comment(caller, 1, 9, "Hello!"), [2]),
    (lambda client, caller: client.delete_comment(caller, 1, 9), [2]),
    (lambda client, caller: client.purchase(caller, 9), [1, 2]),
    (lambda client, caller: client.redeem(caller, 9), [1, 2]),
]


@pytest.mark.parametrize(("write", "threads_left"), WRITES)
@pytest.mark.parametrize("succeeds", [True, False])
async def test_a_write_forgets_what_it_may_have_changed(
    client: GameClient,
    rogue: RogueGame,
    caller: Caller,
    write: Write,
    threads_left: list[int],
    succeeds: bool,
) -> None:
    rogue.answers(reply(page()))
    for thread in (1, 2):
        await client.list_comments(thread)
    for who in (caller, BEN):
        await client.list_items(who, 1)

    rogue.answers(reply({"data": written_comment() | purchase(id=9)["data"]}) if succeeds else cut)
    try:
        await write(client, caller)
    except game_errors.UnknownOutcome:
        assert not succeeds

    assert [thread for thread in (1, 2) if peek_comments(client, thread)] == threads_left
    assert peek_items(client, caller, 1) is None
    assert peek_items(client, BEN, 1) is not None


async def test_a_read_that_began_before_a_write_is_neither_kept_nor_joined_after_it(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    before, after = asyncio.Event(), asyncio.Event()
    rogue.answers(
        held(reply(page(item(has_purchased=False))), before),
        reply(purchase()),
        held(reply(page(item(has_purchased=True))), after),
    )
    early = asyncio.create_task(client.list_items(caller, 1))
    await rogue.arrivals.get()
    await client.purchase(caller, 51)
    await rogue.arrivals.get()
    late = asyncio.create_task(client.list_items(caller, 1))
    await rogue.arrivals.get()

    before.set()
    assert not (await early).entries[0].has_purchased
    assert peek_items(client, caller, 1) is None
    after.set()

    assert (await late).entries[0].has_purchased
    assert peek_items(client, caller, 1) == await late


async def test_nothing_from_before_or_during_a_write_is_kept(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    bought = asyncio.Event()
    rogue.answers(reply(page(item())), held(reply(purchase()), bought), reply(page(item())))
    await client.list_items(caller, 1)
    await rogue.arrivals.get()
    buying = asyncio.create_task(client.purchase(caller, 51))
    await rogue.arrivals.get()

    assert peek_items(client, caller, 1) is None
    await client.list_items(caller, 1)
    bought.set()
    await buying

    assert peek_items(client, caller, 1) is None


async def test_a_changed_link_forgets_that_members_items_only(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(page()))
    for who in (caller, BEN):
        await client.list_items(who, 1)

    client.forget(caller.member_id)

    assert peek_items(client, caller, 1) is None
    assert peek_items(client, BEN, 1) is not None


async def test_while_one_member_floods_others_and_the_bot_itself_read_at_once(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    gate = asyncio.Event()
    rogue.answers(*[held(reply(page()), gate)] * 6, reply(page(comment())), reply(page(item())))
    flood = [
        asyncio.create_task(client.list_comments(1, page=number, asker=caller.member_id))
        for number in range(1, 61)
    ]
    for _ in range(6):
        await rogue.arrivals.get()

    friends = await client.list_comments(2, asker=2)
    # With the member's token, but on no one's behalf.
    looked_at = await client.look_at_items(caller, 1, 1)

    assert looked_at.page is not None
    assert (len(friends.entries), len(looked_at.page.entries)) == (1, 1)
    assert len(rogue.asked) == 8
    gate.set()
    answers = await asyncio.gather(*flood, return_exceptions=True)
    assert sum(isinstance(answer, game_errors.TooManyAtOnce) for answer in answers) == 60 - 6 - 40


async def test_a_page_of_known_bytes_is_not_read_again(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(*[reply(page(item(id=1)))] * 2, reply(page(item(id=2))), reply(status=404))

    first = await client.look_at_items(caller, 1, 1)
    same = await client.look_at_items(caller, 1, 1, first.digest)
    other = await client.look_at_items(caller, 1, 1, first.digest)
    beyond = await client.look_at_items(caller, 1, 2)

    pages = [look.page for look in (first, same, other, beyond)]
    entries = [page and [entry.id for entry in page.entries] for page in pages]
    assert entries == [[1], None, [2], []]
    assert (same.body, same.digest) == (first.body, first.digest)
    assert (await client.look_at_items(caller, 1, 2, beyond.digest)).page is None
