"""Cards in the log channel, reports, and the record of moderating."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from storage import cases
from storage.cases import CaseKind
from storage.moderation import Subject
from storage.purging import MemberData
from storage.vault import Vault
from tests.support.clock import utc_now
from tests.support.moderating import ELSEWHERE, HERE, MODERATOR, MUTE, REMOVAL, Bench

LOG, OLDER, OTHERS = 90, 91, 92
REPORTER = 50


async def report(
    bench: Bench, comment_id: int, *, member_id: int = REPORTER, guild_id: int = HERE
) -> int:
    """Report a comment, and return its case, which was touched later than those before."""
    bench.clock.advance(1)
    subject = Subject(comment_id, 3)
    assert await bench.reports.add(guild_id, subject, member_id, "Rude", "en-GB")
    return await case_of(bench, comment_id, guild_id)


async def hold(bench: Bench, comment_id: int, text: str = "Unkind words") -> int:
    """Hold a comment back, and return its case in the same way."""
    bench.clock.advance(1)
    await bench.hold(HERE, Subject(comment_id, 3, text=text), "unkind", "en-GB")
    return await case_of(bench, comment_id)


async def release(bench: Bench, case_id: int) -> None:
    assert await bench.held_back.release(HERE, case_id, MODERATOR)


async def case_of(bench: Bench, comment_id: int, guild_id: int = HERE) -> int:
    rows = await bench.database.fetch("SELECT id, guild_id, comment_id FROM cases")
    return next(
        row["id"] for row in rows if (row["guild_id"], row["comment_id"]) == (guild_id, comment_id)
    )


async def post(bench: Bench, case_id: int, message_id: int) -> None:
    """Let a case's card be posted."""
    changed = await bench.database.execute(
        "UPDATE messages SET message_id = :message_id, due_at = NULL WHERE key = :key",
        message_id=message_id,
        key=f"case {case_id}",
    )
    assert changed == 1


async def owed(bench: Bench) -> Sequence[tuple[str, int]]:
    """Give what is owed and where, and forget it."""
    rows = await bench.database.fetch(
        "SELECT key, channel_id FROM messages WHERE due_at IS NOT NULL AND is_wanted ORDER BY id"
    )
    await bench.database.execute("DELETE FROM messages WHERE message_id IS NULL")
    await bench.database.execute("UPDATE messages SET due_at = NULL")
    return [(row["key"], row["channel_id"]) for row in rows]


async def waiting(bench: Bench) -> Sequence[int]:
    """Go through the queue from its first case on; what counts it says the same."""
    found: list[int] = []
    next_id: int | None = 0
    while next_id is not None:
        place = await bench.cases.place_in_queue(HERE, next_id, CaseKind.ALL, None)
        if place is not None and place.case_id is not None:
            found.append(place.case_id)
        next_id = place and place.next_id
    assert (await bench.cases.count_waiting(HERE)).count == len(found)
    return found


async def test_what_waits_is_what_nobody_has_decided_the_oldest_first(bench: Bench) -> None:
    reported = await report(bench, 1)
    dismissed = await report(bench, 2)
    await bench.reports.dismiss(HERE, dismissed, MODERATOR)
    held_back = await hold(bench, 3)
    await release(bench, await hold(bench, 4))
    changed = await hold(bench, 5)
    await release(bench, changed)
    await hold(bench, 5, "Unkinder words")
    await report(bench, 6)
    await bench.removals.add(replace(REMOVAL, subject=Subject(6)))
    await report(bench, 7)
    removal = await bench.removals.add(replace(REMOVAL, subject=Subject(7)))
    await bench.removals.end(removal, MODERATOR)
    removal = await bench.removals.add(replace(REMOVAL, subject=Subject(8)))
    await bench.removals.end(removal, MODERATOR)
    await report(bench, 9, guild_id=ELSEWHERE)
    await report(bench, 1, member_id=51)

    assert await waiting(bench) == [reported, held_back, changed]


async def test_a_name_waits_once_its_mute_has_ended_by_itself(bench: Bench) -> None:
    await bench.hold(HERE, MUTE.subject, "unkind", "en-GB")
    held_back = await waiting(bench)
    await bench.removals.add(replace(MUTE, until=bench.clock() + timedelta(days=1)))
    assert not await waiting(bench)

    bench.clock.advance(timedelta(days=1))

    assert await waiting(bench) == held_back != []


async def test_what_is_hidden_is_looked_up_once_for_all_that_waits(bench: Bench) -> None:
    explain, once = {
        "sqlite": ("EXPLAIN QUERY PLAN", "LIST SUBQUERY"),
        "postgresql": ("EXPLAIN", "hashed SubPlan"),
    }[bench.database.engine]
    sql = f"{explain} {cases.among_waiting(cases.QUERIES['count_waiting'])}"
    rows = await bench.database.fetch(sql, guild_id=HERE, now=bench.clock())

    assert "\n".join(str(value) for row in rows for value in dict(row).values()).count(once) == 2


async def test_a_log_that_is_named_is_owed_one_card(bench: Bench) -> None:
    cases = [await report(bench, number) for number in range(1, 4)]
    for channel_id in (LOG, OTHERS):
        await bench.settings.change(HERE, log_channel_id=channel_id)
        assert await owed(bench) == [(f"queue {HERE}", channel_id)]
    await bench.settings.change(HERE, log_channel_id=OTHERS, kept_days=30)
    assert await owed(bench) == []

    await bench.reports.dismiss(HERE, cases[0], MODERATOR)
    assert await owed(bench) == [(f"case {cases[0]}", OTHERS)]


async def test_a_card_that_was_not_posted_goes_to_the_log(bench: Bench) -> None:
    await bench.settings.change(HERE, log_channel_id=OLDER)
    case_id = await report(bench, 7)
    await bench.settings.change(HERE, log_channel_id=LOG)
    await report(bench, 7, member_id=51)

    assert await owed(bench) == [(f"queue {HERE}", LOG), (f"case {case_id}", LOG)]


async def test_an_erased_members_cards_are_drawn_anew(bench: Bench, vault: Vault) -> None:
    await bench.settings.change(HERE, log_channel_id=LOG)
    mine, _ = await report(bench, 7), await report(bench, 8, member_id=51)
    await owed(bench)

    await MemberData(bench.database, vault, utc_now).erase(REPORTER)

    assert await owed(bench) == [(f"case {mine}", LOG)]


async def test_members_report_a_comment_once_each_and_stay_unnamed(bench: Bench) -> None:
    assert await bench.reports.add(HERE, REMOVAL.subject, 50, "Rude", "en-GB")
    assert not await bench.reports.add(HERE, REMOVAL.subject, 50, "Rude again", "en-GB")
    bench.clock.advance(1)
    assert await bench.reports.add(HERE, REMOVAL.subject, 51, "Mean", "en-GB")

    case = await bench.cases.find(1)
    assert case is not None
    assert (case.count, case.reasons) == (2, ["Mean", "Rude"])
    assert case.subject.text == "Unkind words"
    rows = await bench.database.fetch("SELECT sealed_reason FROM reports")
    assert not [row for row in rows if b"Rude" in bytes(row["sealed_reason"])]


async def test_reports_are_dismissed_once_and_can_come_again(bench: Bench) -> None:
    await bench.reports.add(HERE, REMOVAL.subject, 50, "Rude", "en-GB")

    assert not await bench.reports.dismiss(ELSEWHERE, 1, MODERATOR)
    assert await bench.reports.dismiss(HERE, 1, MODERATOR)
    assert not await bench.reports.dismiss(HERE, 1, MODERATOR)
    await bench.reports.add(HERE, REMOVAL.subject, 51, "Mean", "en-GB")

    case = await bench.cases.find(1)
    assert case is not None
    assert case.dismissed_at is None
