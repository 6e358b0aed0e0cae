"""Each message is queued once, goes out in turn, and is written only by the last to try it."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Message, Messages, MessageState, NewMessage, Priority
from storage.purging import Purge
from tests.support.clock import ManualClock

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=30)
POST = Priority.LIVE_POST
MEMBER = 5


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        yield opened


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def outbox(database: Database, clock: ManualClock) -> Messages:
    return Messages(database, clock)


def post(key: str, channel_id: int, priority: Priority = POST) -> NewMessage:
    return NewMessage("post", key, priority, channel_id=channel_id, payload={"text": key})


async def owe(outbox: Messages, *owed: NewMessage) -> None:
    async with outbox.transaction() as transaction:
        await outbox.want(transaction, *owed)


async def claim(outbox: Messages, entry: Message) -> bool:
    async with outbox.transaction() as transaction:
        return await outbox.hold_message(transaction, entry, now=NOW) is not None


async def settle(outbox: Messages, entry: Message, state: MessageState = MessageState.SENT) -> bool:
    async with outbox.transaction() as transaction:
        return await outbox.settle(transaction, entry, state, message_id=9)


async def drop(outbox: Messages, key: str) -> bool:
    async with outbox.transaction() as transaction:
        return await outbox.take_back(transaction, key, MessageState.DROPPED)


async def keys(outbox: Messages, *, after_lane: int = 0, most: int = 10) -> list[str]:
    return [head.key for head in await outbox.heads(POST, after_lane, most, NOW)]


async def found(outbox: Messages, key: str) -> Message:
    entry = await outbox.find(key)
    assert entry is not None
    return entry


async def held(outbox: Messages, key: str) -> Message:
    """Claim an entry, and return it as its holder knows it."""
    assert await claim(outbox, await found(outbox, key))
    return await found(outbox, key)


async def test_what_is_owed_twice_is_owed_once_as_it_was_first(outbox: Messages) -> None:
    await owe(outbox, post("a", 1))
    await owe(outbox, NewMessage("post", "a", POST, channel_id=2), post("b", 2))

    first = await found(outbox, "a")
    assert (first.channel_id, first.payload, first.state) == (1, {"text": "a"}, MessageState.OWED)
    assert await keys(outbox) == ["a", "b"]


async def test_as_many_as_a_server_has_channels_are_owed_at_once(outbox: Messages) -> None:
    many = [post(f"p{number}", number) for number in range(1, 251)]
    await owe(outbox, many[7], *many[120:130])

    await owe(outbox, *many, NewMessage("post", "direct", POST, member_id=999))

    heads = await outbox.heads(POST, 0, 300, NOW)
    assert {head.key for head in heads} == {one.key for one in many} | {"direct"}
    assert (await found(outbox, "p249")).payload == {"text": "p249"}


async def test_each_lane_shows_its_first_and_lanes_come_in_their_order(outbox: Messages) -> None:
    await owe(outbox, post("a3", 3), post("b3", 3), post("a1", 1), post("b1", 1), post("a2", 2))
    await owe(outbox, post("removal", 1, Priority.REMOVAL))

    assert await keys(outbox) == ["a1", "a2", "a3"]
    assert await keys(outbox, after_lane=1, most=1) == ["a2"]
    assert await keys(outbox, after_lane=1) == ["a2", "a3", "a1"]
    removals = await outbox.heads(Priority.REMOVAL, 0, 10, NOW)
    assert [removal.key for removal in removals] == ["removal"]


async def test_lanes_are_written_in_their_order_and_each_keeps_its_own(outbox: Messages) -> None:
    # Else two looks that tell the same members would wait for each other.
    await owe(outbox, post("c", 3), post("b", 2), post("a", 3), post("d", 1))

    written = [await found(outbox, key) for key in ("d", "b", "c", "a")]

    assert [message.id for message in written] == sorted(message.id for message in written)


async def test_members_whose_direct_channel_is_known_come_before_the_others(
    outbox: Messages,
) -> None:
    members = {f"to {number}": number for number in range(1, 6)}
    direct = [
        NewMessage("post", key, POST, member_id=member_id) for key, member_id in members.items()
    ]
    await owe(outbox, *direct, post("channel", 9))
    for member_id in (3, 5):
        await outbox.save_direct_channel(member_id, 70 + member_id)

    assert await keys(outbox) == ["to 3", "to 5", "channel", "to 1", "to 2", "to 4"]
    assert await keys(outbox, after_lane=3, most=4) == ["to 5", "channel", "to 3", "to 4"]


async def test_of_two_that_read_an_entry_one_may_send_it(outbox: Messages) -> None:
    await owe(outbox, post("a", 1))
    read = await found(outbox, "a")

    assert await claim(outbox, read)
    assert not await claim(outbox, read)


async def test_whoever_stood_still_while_another_tried_writes_nothing(outbox: Messages) -> None:
    await owe(outbox, post("a", 1))
    stale = await held(outbox, "a")
    fresh = await held(outbox, "a")

    assert not await settle(outbox, stale, MessageState.REFUSED)
    async with outbox.transaction() as transaction:
        assert not await outbox.put_off(transaction, stale, LATER, "", is_doubtful=False)
    assert await settle(outbox, fresh)
    assert not await settle(outbox, fresh, MessageState.UNKNOWN)
    assert (await found(outbox, "a")).state is MessageState.SENT


async def test_what_is_put_off_is_due_later(outbox: Messages) -> None:
    await owe(outbox, post("a", 1))
    before = await found(outbox, "a")
    held_by = replace(before, attempts=1)
    assert await claim(outbox, before)

    async with outbox.transaction() as transaction:
        assert await outbox.put_off(transaction, held_by, LATER, "500", is_doubtful=True)
    assert (await found(outbox, "a")).attempted_at == NOW
    async with outbox.transaction() as transaction:
        assert await outbox.put_off(transaction, held_by, LATER, "429", is_doubtful=False)

    off = await found(outbox, "a")
    assert (off.due_at, off.attempted_at, off.reason) == (LATER, None, "429")
    assert await outbox.next_due(after=NOW) == LATER
    assert await outbox.next_due(after=LATER) is None


async def test_what_was_not_tried_can_be_taken_back_and_what_was_can_not(outbox: Messages) -> None:
    await owe(outbox, post("waits", 1), post("goes", 2), post("went", 3), post("refused", 4))
    await held(outbox, "goes")
    await settle(outbox, await held(outbox, "went"))
    await settle(outbox, await held(outbox, "refused"), MessageState.REFUSED)

    assert await drop(outbox, "waits")
    assert await drop(outbox, "refused")
    assert not await drop(outbox, "never owed")
    assert not await drop(outbox, "goes")
    assert not await drop(outbox, "went")

    assert (await found(outbox, "waits")).state is MessageState.DROPPED
    assert await keys(outbox) == ["goes"]
    assert not await claim(outbox, await found(outbox, "waits"))


async def test_what_was_settled_a_week_ago_is_forgotten(
    database: Database, outbox: Messages, clock: ManualClock
) -> None:
    await owe(outbox, post("a", 1), post("b", 2))
    await settle(outbox, await held(outbox, "a"))
    clock.advance(timedelta(days=7))

    assert await Purge(database).purge(clock()) == 0
    clock.advance(1)
    assert await Purge(database).purge(clock()) == 1
    assert await outbox.find("a") is None
    assert await keys(outbox) == ["b"]


async def test_an_id_is_never_given_twice(
    database: Database, outbox: Messages, clock: ManualClock
) -> None:
    await owe(outbox, post("a", 1))
    first = await held(outbox, "a")
    await settle(outbox, first)
    await Purge(database).purge(clock() + timedelta(days=8))
    assert await outbox.find("a") is None

    await owe(outbox, post("a", 1))

    assert (await found(outbox, "a")).id > first.id


async def test_a_channel_with_a_member_is_remembered(outbox: Messages) -> None:
    assert await outbox.direct_channel(MEMBER) is None

    await outbox.save_direct_channel(MEMBER, 7)
    await outbox.save_direct_channel(MEMBER, 8)
    assert await outbox.direct_channel(MEMBER) == 8

    await outbox.forget_direct_channel(MEMBER)
    assert await outbox.direct_channel(MEMBER) is None


PANEL = NewMessage("panel", "p", POST, guild_id=3, channel_id=1, stays=True)


async def want(outbox: Messages, **changes: Any) -> None:
    await owe(outbox, replace(PANEL, **changes))


async def unwant(outbox: Messages) -> None:
    async with outbox.transaction() as transaction:
        await outbox.unwant(transaction, "p")


async def redraw(outbox: Messages) -> None:
    async with outbox.transaction() as transaction:
        await outbox.redraw(transaction, "p")


async def test_what_stays_is_due_again_when_it_is_wanted_again(outbox: Messages) -> None:
    await want(outbox)
    await settle(outbox, await held(outbox, "p"))
    await want(outbox, payload={"text": "new"})

    again = await found(outbox, "p")
    assert (again.due_at, again.attempts, again.message_id, again.posting) == (NOW, 0, 9, 0)
    assert (again.payload, again.state, again.wanted) == ({"text": "new"}, MessageState.OWED, 2)


async def test_what_was_wanted_meanwhile_stays_due(outbox: Messages, clock: ManualClock) -> None:
    await want(outbox)
    drawn = await held(outbox, "p")
    await redraw(outbox)
    clock.advance(30)
    assert await settle(outbox, drawn)

    again = await found(outbox, "p")
    assert (again.state, again.due_at, again.message_id) == (MessageState.OWED, LATER, 9)
    assert (again.attempts, again.attempted_at) == (0, None)
    assert await settle(outbox, await held(outbox, "p"))
    assert (await found(outbox, "p")).due_at is None


async def test_whoever_has_read_an_older_version_may_not_send_it(outbox: Messages) -> None:
    await want(outbox)
    before = await found(outbox, "p")
    await redraw(outbox)

    assert not await claim(outbox, before)


async def test_an_unknown_message_is_drawn_when_it_is_wanted(outbox: Messages) -> None:
    await want(outbox)
    lost = await held(outbox, "p")
    async with outbox.transaction() as transaction:
        await outbox.settle(transaction, lost, MessageState.UNKNOWN)
    await redraw(outbox)
    assert (await found(outbox, "p")).due_at is None

    await want(outbox)
    again = await found(outbox, "p")
    assert (again.due_at, again.posting, again.attempted_at) == (NOW, 1, None)
    assert again.nonce != lost.nonce


async def test_what_is_unwanted_leaves_its_key(outbox: Messages) -> None:
    await want(outbox)
    await settle(outbox, await held(outbox, "p"))
    posted = await found(outbox, "p")
    await unwant(outbox)
    await want(outbox, channel_id=2)

    (going,) = await outbox.heads(POST, 0, 1, NOW)
    assert (going.id, going.is_wanted, going.message_id) == (posted.id, False, 9)
    coming = await found(outbox, "p")
    assert (coming.is_wanted, coming.channel_id, coming.message_id) == (True, 2, None)
    await unwant(outbox)
    assert [head.id for head in await outbox.heads(POST, 0, 9, NOW)] == [posted.id]


async def test_a_message_that_was_deleted_is_posted_anew_by_another_nonce(outbox: Messages) -> None:
    await want(outbox)
    await settle(outbox, await held(outbox, "p"))
    await redraw(outbox)
    gone = await held(outbox, "p")
    async with outbox.transaction() as transaction:
        await outbox.put_off(transaction, gone, NOW, "", is_doubtful=False, is_gone=True)

    again = await found(outbox, "p")
    assert (again.message_id, again.due_at, again.posting) == (None, NOW, 1)
    assert again.attempts == 0


async def test_what_stays_is_kept_for_as_long_as_it_is_there(
    database: Database, outbox: Messages, clock: ManualClock
) -> None:
    await want(outbox)
    await want(outbox, key="q", channel_id=2)
    await settle(outbox, await held(outbox, "p"))
    refused = await held(outbox, "q")
    async with outbox.transaction() as transaction:
        await outbox.settle(transaction, refused, MessageState.REFUSED)

    assert await Purge(database).purge(clock() + timedelta(days=4000)) == 1
    assert await outbox.find("p") is not None


async def test_what_is_there_goes_after_its_own_retention(
    database: Database, outbox: Messages, clock: ManualClock
) -> None:
    await want(outbox)
    drawn = await held(outbox, "p")
    lasting = timedelta(days=90)
    async with outbox.transaction() as transaction:
        sent = MessageState.SENT
        await outbox.settle(transaction, drawn, sent, message_id=9, retention=lasting)

    assert await Purge(database).purge(clock() + lasting) == 0
    assert await Purge(database).purge(clock() + lasting + timedelta(seconds=1)) == 1


async def test_what_was_never_sent_and_is_not_wanted_any_more_is_dropped_alone(
    database: Database, outbox: Messages, clock: ManualClock
) -> None:
    await want(outbox)
    await want(outbox, key="q")
    dropped = await found(outbox, "p")
    await unwant(outbox)

    assert await outbox.find("p") is None
    assert (await found(outbox, "q")).is_wanted
    ended = await found(outbox, f"p {dropped.id}")
    assert (ended.state, ended.due_at) == (MessageState.DROPPED, None)
    assert await Purge(database).purge(clock() + timedelta(days=7)) == 0
    assert await Purge(database).purge(clock() + timedelta(days=8)) == 1
    assert await outbox.find("q") is not None


async def test_what_is_going_away_is_kept_until_it_is_gone(
    database: Database, outbox: Messages, clock: ManualClock
) -> None:
    await want(outbox)
    sent = await held(outbox, "p")
    await unwant(outbox)

    going = await found(outbox, f"p {sent.id}")
    assert (going.state, going.due_at, going.attempted_at) == (MessageState.OWED, NOW, NOW)
    assert await Purge(database).purge(clock() + timedelta(days=4000)) == 0


async def test_an_uncertain_change_is_made_anew(outbox: Messages) -> None:
    await want(outbox)
    await settle(outbox, await held(outbox, "p"), MessageState.UNKNOWN)
    await redraw(outbox)

    again = await found(outbox, "p")
    assert (again.due_at, again.message_id, again.attempted_at) == (NOW, 9, None)


@pytest.mark.parametrize("is_tried_meanwhile", [False, True])
async def test_what_is_to_go_waits_for_no_pause(
    outbox: Messages, *, is_tried_meanwhile: bool
) -> None:
    await want(outbox)
    await settle(outbox, await held(outbox, "p"))
    await redraw(outbox)
    edited = await held(outbox, "p")
    key = f"p {edited.id}"
    if is_tried_meanwhile:
        await unwant(outbox)
    async with outbox.transaction() as transaction:
        assert await outbox.put_off(transaction, edited, LATER, "503 0", is_doubtful=False)
    if not is_tried_meanwhile:
        assert (await found(outbox, "p")).due_at == LATER
        await unwant(outbox)

    assert (await found(outbox, key)).due_at == NOW
    deleted = await held(outbox, key)
    async with outbox.transaction() as transaction:
        assert await outbox.put_off(transaction, deleted, LATER, "503 0", is_doubtful=False)
    assert (await found(outbox, key)).due_at == LATER


@pytest.mark.parametrize(
    ("found", "on_record"),
    [
        ([True], [True]),
        ([True, False], [True, False]),
        # Two processes give it at once: the second finds what the first has given.
        ([False, True], [False, False]),
        ([False, False], [False, False]),
    ],
)
async def test_a_role_that_kiosk_gave_stays_its_own_whatever_another_process_finds(
    outbox: Messages, found: list[bool], on_record: list[bool]
) -> None:
    await owe(
        outbox, NewMessage("role", "role 1", POST, guild_id=1, about_member=MEMBER, role_id=2)
    )
    (role,) = await outbox.heads(POST, -1, 1, NOW)

    noted = [await outbox.note_had(role, had_already=had_already) for had_already in found]

    assert noted == on_record
    (after,) = await outbox.heads(POST, -1, 1, NOW)
    assert after.had_already is on_record[-1]
