"""Watched words, what they hold back, and the record of moderating."""

import json
from collections import Counter
from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.features.feature_errors import TooManyWords
from storage.moderation import MAX_WORDS, NEWEST, ModerationAction, NewLine, Subject
from storage.removals import Removal
from tests.support.moderating import (
    ELSEWHERE,
    HERE,
    MODERATOR,
    PLAYER,
    REMOVAL,
    REMOVAL_TIME,
    Bench,
)

WORD = "unkind"


async def hold(bench: Bench, text: str = "Unkind words") -> None:
    subject = replace(REMOVAL.subject, text=text)
    await bench.hold(HERE, subject, WORD, "en-GB")


async def cards_owed(bench: Bench) -> Counter[int]:
    """Give how often the card of each case was owed."""
    rows = await bench.database.fetch("SELECT payload, wanted FROM messages WHERE kind = 'case'")
    return Counter({json.loads(row["payload"])["case"]: row["wanted"] for row in rows})


async def test_words_are_kept_once_and_all_of_too_many_are_refused(bench: Bench) -> None:
    words, watched = bench.words, bench.words.watched

    assert await words.set_words(HERE, ["Bad", "*fool"], MODERATOR) == (2, 0)
    with pytest.raises(TooManyWords):
        await words.set_words(HERE, [f"word{number}" for number in range(MAX_WORDS + 1)], MODERATOR)
    assert await words.set_words(HERE, ["*fool", "BAD", "new", "New"], MODERATOR) == (1, 0)
    assert await words.set_words(HERE, ["*fool", "new"], MODERATOR) == (0, 1)
    assert await watched.words(HERE) == ["*fool", "new"]
    assert await watched.words(ELSEWHERE) == []


async def test_a_text_is_held_back_once_and_shown_until_it_changes(bench: Bench) -> None:
    await bench.settings.change(HERE, log_channel_id=90)
    await hold(bench)
    await hold(bench)

    assert not await bench.held_back.release(ELSEWHERE, 1, MODERATOR)
    assert await bench.held_back.release(HERE, 1, MODERATOR)
    assert not await bench.held_back.release(HERE, 1, MODERATOR)
    case = await bench.cases.find(1)
    assert case is not None
    assert (case.word, case.is_held_back, case.released_by) == (WORD, False, MODERATOR)
    assert list(await bench.held_back.released(HERE)) == [REMOVAL.subject.key]
    await hold(bench, "Unkinder words")

    changed = await bench.cases.find(1)
    assert changed is not None
    assert changed.is_held_back
    assert changed.subject.text == "Unkinder words"
    # A card for each: held back, shown, held back.
    assert await cards_owed(bench) == {1: 3}


async def test_what_was_never_held_back_is_not_let_be_shown(bench: Bench) -> None:
    removal = await bench.removals.add(REMOVAL)
    assert not await bench.held_back.release(HERE, removal.case_id, MODERATOR)


async def test_of_many_that_come_up_five_have_a_card(bench: Bench) -> None:
    await bench.settings.change(HERE, log_channel_id=90)
    await bench.database.execute("DELETE FROM messages")

    async def hold_some(*comments: int, text: str = "Unkind words") -> None:
        for comment in comments:
            subject = replace(REMOVAL.subject, comment_id=comment, text=text)
            await bench.hold(HERE, subject, WORD, "de")

    async def owed() -> Counter[str]:
        rows = await bench.database.fetch("SELECT key FROM messages WHERE is_wanted")
        return Counter(row["key"].split()[0] for row in rows)

    await bench.reports.add(HERE, Subject(9), 50, "Rude", "de")
    await hold_some(*range(10, 14))
    assert await owed() == {"case": 5}
    await hold_some(*range(14, 22))
    await bench.reports.add(HERE, Subject(22), 50, "Rude", "de")
    assert await owed() == {"case": 5, "queue": 1}
    assert (await bench.cases.count_waiting(HERE)).count == 14
    # What has a card is still drawn again.
    await hold_some(10, text="Unkinder words")
    assert (await cards_owed(bench))[2] == 2
    bench.clock.advance(61)
    await hold_some(*range(30, 37))
    assert await owed() == {"case": 10, "queue": 1}


async def test_the_log_tells_who_when_why_and_what(bench: Bench) -> None:
    await bench.removals.add(REMOVAL)

    ((_, logged),) = await bench.removals.log(HERE, since=bench.clock(), most=5)
    assert isinstance(logged, Removal)
    assert logged.subject == REMOVAL.subject
    assert (logged.moderator_id, logged.reason) == (MODERATOR, "Insults")
    assert logged.created_at == bench.clock()


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


async def test_removals_and_lines_are_paged_by_their_moments(bench: Bench) -> None:
    since = bench.clock()
    for number in range(1, 13):
        # Three entries of each moment, which are of both kinds.
        bench.clock.advance(1 if number % 3 == 1 else 0)
        if number % 4 in (0, 1):
            await bench.removals.add(replace(REMOVAL, subject=Subject(number)))
        else:
            line = NewLine(HERE, MODERATOR, ModerationAction.SETTINGS, detail=f"#{number}")
            await bench.settings.change(HERE, line, kept_days=number)
    entries = await bench.removals.log(HERE, since=since, most=99)
    moments = [entry.created_at for _, entry in entries]
    assert moments == sorted(filter(None, moments), reverse=True)
    assert len(set(moments)) == 4
    told = {
        entry.subject.label if isinstance(entry, Removal) else entry.detail for _, entry in entries
    }
    assert told == {f"#{number}" for number in range(1, 13)}

    for most in range(1, 6):
        paged = entries[:0]
        last = NEWEST
        while page := await bench.removals.log(HERE, since=since, before=last, most=most):
            paged = [*paged, *page]
            last = page[-1][0]
        assert paged == entries


async def test_the_log_ends_with_its_days_and_is_its_servers_own(bench: Bench) -> None:
    await bench.removals.add(REMOVAL)

    since = bench.clock() + timedelta(seconds=1)
    assert not await bench.removals.log(HERE, since=since, most=5)
    assert not await bench.removals.log(ELSEWHERE, since=bench.clock(), most=5)


async def test_what_a_comment_said_is_sealed_and_leaves_the_log_in_time(bench: Bench) -> None:
    await bench.removals.add(REMOVAL)
    (row,) = await bench.database.fetch("SELECT sealed_text FROM cases")
    assert b"Unkind" not in bytes(row["sealed_text"])
    await bench.settings.change(HERE, kept_days=30)

    bench.clock.advance(timedelta(days=30))
    assert not await bench.cases.purge()
    bench.clock.advance(timedelta(seconds=1))
    assert await bench.cases.purge() == 1

    ((_, logged),) = await bench.removals.log(HERE, since=REMOVAL_TIME, most=5)
    assert isinstance(logged, Removal)
    assert logged.subject.text is None
    assert logged.reason == "Insults"


async def test_what_was_held_back_first_is_sealed_and_stays_as_long(bench: Bench) -> None:
    await hold(bench)
    await hold(bench, "Unkinder words")
    changed = replace(REMOVAL.subject, text="Kind words")
    await bench.held_back.clean(HERE, changed, "kind")
    case = await bench.cases.find(1)
    rows = await bench.database.fetch("SELECT sealed_text FROM held_texts")

    assert case is not None
    assert (case.word, case.first_word, case.first_text) == ("", WORD, "Unkind words")
    assert case.is_changed
    assert b"nkind" not in b"".join(bytes(row["sealed_text"]) for row in rows)
    bench.clock.advance(timedelta(days=90, seconds=1))
    await bench.cases.purge()
    assert not await bench.database.fetch("SELECT sealed_text FROM held_texts")


async def test_a_card_stays_in_its_channel_and_another_channel_is_open(bench: Bench) -> None:
    await bench.settings.change(HERE, log_channel_id=90)
    removal = await bench.removals.add(REMOVAL)
    async with bench.database.transaction() as transaction:
        await transaction.execute("UPDATE messages SET message_id = 500")
        await bench.cases.save_log_state(transaction, 90, removal.case_id, is_closed=True)

    rules = await bench.settings.change(HERE, log_channel_id=91)
    await bench.removals.end(removal, MODERATOR)

    assert rules.log_channel_id == 91
    assert not (await bench.settings.find(HERE)).log_is_closed
    rows = await bench.database.fetch("SELECT channel_id FROM messages WHERE key LIKE 'case %'")
    assert [row["channel_id"] for row in rows] == [90]
