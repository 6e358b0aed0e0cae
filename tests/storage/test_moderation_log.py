"""What the log of moderation tells, for how long, and of whom."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.background import utc_now
from storage.moderation import Subject
from storage.removals import GameAnswer
from storage.retention import MemberData
from storage.vault import Vault
from tests.support.moderating import (
    ELSEWHERE,
    HERE,
    MODERATOR,
    PLAYER,
    REMOVAL,
    REMOVAL_TIME,
    Bench,
)


async def test_the_log_tells_who_when_why_and_what(bench: Bench) -> None:
    removal, _ = await bench.removals.add(REMOVAL)
    await bench.removals.save_answer(removal, GameAnswer.NOT_ALLOWED)
    await bench.removals.add_note(removal, 6, "Second time")

    (logged,) = await bench.removals.log(HERE, since=bench.clock(), most=5)
    assert logged.subject == REMOVAL.subject
    assert (logged.moderator_id, logged.reason) == (MODERATOR, "Insults")
    assert logged.game_answer is GameAnswer.NOT_ALLOWED
    assert logged.created_at == bench.clock()
    assert [note.text for note in await bench.removals.notes(logged)] == ["Second time"]


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [
        ({"moderator_id": MODERATOR}, True),
        ({"moderator_id": 6}, False),
        ({"player_id": PLAYER}, True),
        ({"player_id": PLAYER + 1}, False),
    ],
)
async def test_the_log_is_searched_by_moderator_and_player(
    bench: Bench, wanted: dict[str, object], is_found: bool
) -> None:
    await bench.removals.add(REMOVAL)

    found = await bench.removals.log(HERE, since=bench.clock(), most=5, **wanted)  # pyright: ignore[reportArgumentType]

    assert bool(found) is is_found


async def test_the_log_is_paged_and_ends_with_its_days(bench: Bench) -> None:
    removals = [
        (await bench.removals.add(replace(REMOVAL, subject=Subject(number))))[0]
        for number in range(1, 4)
    ]
    first = await bench.removals.log(HERE, since=bench.clock(), most=2)
    rest = await bench.removals.log(HERE, since=bench.clock(), most=2, before_id=first[-1].id)

    assert [one.id for one in [*first, *rest]] == [one.id for one in reversed(removals)]
    since = bench.clock() + timedelta(seconds=1)
    assert not await bench.removals.log(HERE, since=since, most=5)
    assert not await bench.removals.log(ELSEWHERE, since=bench.clock(), most=5)


async def test_what_a_comment_said_is_sealed_and_leaves_the_log_in_time(bench: Bench) -> None:
    await bench.removals.add(REMOVAL)
    (row,) = await bench.database.fetch("SELECT sealed_text FROM cases")
    assert b"Unkind" not in bytes(row["sealed_text"])
    await bench.moderation.change_rules(HERE, kept_days=30)

    bench.clock.advance(timedelta(days=30))
    assert not await bench.removals.purge()
    bench.clock.advance(timedelta(seconds=1))
    assert await bench.removals.purge() == 1

    (logged,) = await bench.removals.log(HERE, since=REMOVAL_TIME, most=5)
    assert logged.subject.text is None
    assert logged.reason == "Insults"


async def test_a_moderator_who_is_erased_leaves_the_record(bench: Bench, vault: Vault) -> None:
    removal, _ = await bench.removals.add(REMOVAL)
    await bench.removals.add_note(removal, MODERATOR, "Mine")
    await bench.removals.end(removal, MODERATOR)

    await MemberData(bench.database, vault, utc_now).erase(MODERATOR)

    (logged,) = await bench.removals.log(HERE, since=REMOVAL_TIME, most=5)
    assert (logged.moderator_id, logged.ended_by) == (None, None)
    assert (await bench.removals.notes(logged))[0].moderator_id is None


async def test_a_card_stays_in_its_channel_and_another_channel_is_open(bench: Bench) -> None:
    await bench.moderation.change_rules(HERE, log_channel_id=90)
    removal, _ = await bench.removals.add(REMOVAL)
    async with bench.database.transaction() as transaction:
        await transaction.execute("UPDATE messages SET message_id = 500")
        await bench.moderation.save_log_state(transaction, 90, is_closed=True)

    rules = await bench.moderation.change_rules(HERE, log_channel_id=91)
    await bench.removals.end(removal, MODERATOR)

    assert rules.log_channel_id == 91
    assert not (await bench.moderation.rules(HERE)).log_is_closed
    rows = await bench.database.fetch("SELECT channel_id FROM messages WHERE kind = 'case'")
    assert [row["channel_id"] for row in rows] == [90]
