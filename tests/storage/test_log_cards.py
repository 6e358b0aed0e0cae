"""Cards in the log channel, reports, and the record of moderating."""

from collections.abc import Sequence

from msgspec.structs import replace

from bot.background import utc_now
from storage.moderation import Subject
from storage.retention import MemberData
from storage.vault import Vault
from storage.vetting import Hit
from tests.support.moderating import ELSEWHERE, HERE, MODERATOR, OTHER, REMOVAL, Bench

LOG, OLDER, OTHERS = 90, 91, 92
REPORTER = 50
HIT = Hit("unkind")


async def report(
    bench: Bench, comment_id: int, *, member_id: int = REPORTER, guild_id: int = HERE
) -> int:
    """Report a comment, and return its case, which was touched later than those before."""
    bench.clock.advance(1)
    subject = Subject(comment_id, 3)
    assert await bench.removals.report(guild_id, subject, member_id, "Rude", "en-GB")
    return await case_of(bench, comment_id, guild_id)


async def hold(bench: Bench, comment_id: int, text: str = "Unkind words") -> int:
    """Hold a comment back, and return its case in the same way."""
    bench.clock.advance(1)
    await bench.removals.hold(HERE, Subject(comment_id, 3, text=text), HIT, "en-GB")
    return await case_of(bench, comment_id)


async def release(bench: Bench, case_id: int) -> None:
    assert await bench.removals.release(HERE, case_id, MODERATOR)


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


async def leave(bench: Bench, case_id: int) -> None:
    async with bench.database.transaction() as transaction:
        await bench.removals.cards.owe(transaction, case_id, is_closed=True)


async def owe_undecided(bench: Bench) -> None:
    async with bench.database.transaction() as transaction:
        await bench.removals.cards.owe_undecided(transaction, HERE)


async def owed(bench: Bench) -> Sequence[tuple[str, int]]:
    """Give what is owed and where, and forget it."""
    rows = await bench.database.fetch(
        "SELECT key, channel_id FROM messages WHERE due_at IS NOT NULL AND is_wanted ORDER BY id"
    )
    await bench.database.execute("DELETE FROM messages WHERE message_id IS NULL")
    await bench.database.execute("UPDATE messages SET due_at = NULL")
    return [(row["key"], row["channel_id"]) for row in rows]


async def test_a_card_is_owed_once_its_own_server_has_a_log_channel(bench: Bench) -> None:
    await bench.moderation.change_rules(HERE, needs_reason=True)
    await bench.moderation.change_rules(ELSEWHERE, log_channel_id=OTHERS)
    here = await report(bench, 7)
    nothing = await owed(bench)
    there = await report(bench, 7, guild_id=ELSEWHERE)
    elsewhere = await owed(bench)

    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    await owe_undecided(bench)

    assert nothing == []
    assert elsewhere == [(f"case {there}", OTHERS)]
    assert await owed(bench) == [(f"case {here}", LOG)]


async def test_a_card_is_drawn_anew_without_a_log(bench: Bench) -> None:
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    case_id = await report(bench, 7)
    await post(bench, case_id, 500)

    await bench.moderation.change_rules(HERE, log_channel_id=None)
    await report(bench, 7, member_id=51)

    assert await owed(bench) == [(f"case {case_id}", LOG)]


async def test_what_waits_without_a_card_is_owed_the_oldest_first(bench: Bench) -> None:
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    reported = await report(bench, 1)
    dismissed = await report(bench, 2)
    await bench.removals.dismiss(HERE, dismissed, MODERATOR)
    held_back = await hold(bench, 3)
    await release(bench, await hold(bench, 4))
    changed = await hold(bench, 5)
    await release(bench, changed)
    await hold(bench, 5, "Unkinder words")
    await report(bench, 6)
    await bench.removals.add(replace(REMOVAL, subject=Subject(6)))
    both = await report(bench, 7)
    removal, _ = await bench.removals.add(replace(REMOVAL, subject=Subject(7)))
    await bench.removals.end(removal, MODERATOR)
    removal, _ = await bench.removals.add(replace(REMOVAL, subject=Subject(8)))
    await bench.removals.end(removal, MODERATOR)
    await report(bench, 9, guild_id=ELSEWHERE)
    await post(bench, await report(bench, 10), 500)
    await report(bench, 1, member_id=51)
    await owed(bench)

    await owe_undecided(bench)

    cases = [int(key.split()[1]) for key, _ in await owed(bench)]
    assert cases == [held_back, changed, both, reported]


async def test_a_card_in_another_channel_is_drawn_anew_there(bench: Bench) -> None:
    await bench.moderation.change_rules(ELSEWHERE, log_channel_id=OTHERS)
    await bench.moderation.change_rules(HERE, log_channel_id=OLDER)
    before = await report(bench, 7)
    await post(bench, before, 500)
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    await post(bench, await report(bench, 8), 501)
    await owed(bench)

    await owe_undecided(bench)

    assert await owed(bench) == [(f"case {before}", OLDER)]


async def test_of_many_that_wait_the_last_twenty_are_owed(bench: Bench) -> None:
    await report(bench, 30)
    cases = [await hold(bench, 1)]
    removal, _ = await bench.removals.add(replace(REMOVAL, subject=Subject(1)))
    await bench.removals.end(removal, MODERATOR)
    cases += [await hold(bench, number) for number in range(2, 26)]
    await bench.removals.add(replace(REMOVAL, subject=Subject(2)))
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)

    await owe_undecided(bench)

    without_card = await bench.removals.cards.without_card(HERE)
    *cards, more = [key for key, _ in await owed(bench)]
    assert cards == [f"case {each}" for each in cases[-20:]]
    assert more.startswith(f"case.more {HERE} ")
    assert without_card == [each for each in cases[:-20] if each != cases[1]]


async def test_a_card_leaves_a_closed_channel_for_the_log(bench: Bench) -> None:
    await bench.moderation.change_rules(ELSEWHERE, log_channel_id=OTHERS)
    await bench.moderation.change_rules(HERE, log_channel_id=OLDER)
    case_id, other_id = await report(bench, 7), await report(bench, 8)
    await post(bench, case_id, 500)
    await post(bench, other_id, 501)

    await leave(bench, case_id)
    stays = await owed(bench)
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    anew = await owed(bench)
    await leave(bench, case_id)

    assert stays == []
    assert anew == [(f"case {case_id}", OLDER), (f"case {other_id}", OLDER)]
    assert await owed(bench) == [(f"case {case_id}", LOG)]


async def test_a_card_that_was_not_posted_goes_to_the_log(bench: Bench) -> None:
    await bench.moderation.change_rules(HERE, log_channel_id=OLDER)
    case_id = await report(bench, 7)
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    await report(bench, 7, member_id=51)

    assert await owed(bench) == [(f"case {case_id}", LOG)]


async def test_an_opened_log_gets_what_was_owed_once(bench: Bench) -> None:
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    await bench.moderation.change_rules(ELSEWHERE, log_channel_id=OTHERS)

    async def note(channel_id: int, *, is_closed: bool) -> None:
        async with bench.database.transaction() as transaction:
            await bench.moderation.save_log_state(transaction, channel_id, is_closed=is_closed)

    async def are_closed() -> Sequence[bool]:
        return [(await bench.moderation.rules(each)).log_is_closed for each in (HERE, ELSEWHERE)]

    await note(LOG, is_closed=True)
    assert await are_closed() == [True, False]
    case_id, _ = await report(bench, 7), await report(bench, 7, guild_id=ELSEWHERE)
    await owed(bench)

    await note(LOG, is_closed=True)
    await note(OTHERS, is_closed=False)
    assert await owed(bench) == []
    for _ in range(2):
        await note(LOG, is_closed=False)
    assert await owed(bench) == [(f"case {case_id}", LOG)]
    assert await are_closed() == [False, False]


async def test_an_erased_members_cards_are_drawn_anew(bench: Bench, vault: Vault) -> None:
    await bench.moderation.change_rules(HERE, log_channel_id=LOG)
    mine, _ = await report(bench, 7), await report(bench, 8, member_id=51)
    await owed(bench)

    await MemberData(bench.database, vault, utc_now).erase(REPORTER)

    assert await owed(bench) == [(f"case {mine}", LOG)]


async def test_members_report_a_comment_once_each_and_stay_unnamed(bench: Bench) -> None:
    assert await bench.removals.report(HERE, REMOVAL.subject, 50, "Rude", "en-GB")
    assert not await bench.removals.report(HERE, REMOVAL.subject, 50, "Rude again", "en-GB")
    bench.clock.advance(1)
    assert await bench.removals.report(HERE, REMOVAL.subject, 51, "Mean", "en-GB")

    case = await bench.removals.reported(1)
    assert case is not None
    assert (case.count, case.reasons) == (2, ["Mean", "Rude"])
    assert case.subject.text == "Unkind words"
    rows = await bench.database.fetch("SELECT sealed_reason FROM reports")
    assert not [row for row in rows if b"Rude" in bytes(row["sealed_reason"])]


async def test_reports_are_dismissed_once_and_can_come_again(bench: Bench) -> None:
    await bench.removals.report(HERE, REMOVAL.subject, 50, "Rude", "en-GB")

    assert not await bench.removals.dismiss(ELSEWHERE, 1, MODERATOR)
    assert await bench.removals.dismiss(HERE, 1, MODERATOR)
    assert not await bench.removals.dismiss(HERE, 1, MODERATOR)
    await bench.removals.report(HERE, REMOVAL.subject, 51, "Mean", "en-GB")

    case = await bench.removals.reported(1)
    assert case is not None
    assert case.dismissed_at is None


async def test_a_reported_and_removed_comment_has_one_card(bench: Bench) -> None:
    await bench.removals.report(HERE, REMOVAL.subject, 50, "Unseen", "en-GB")
    await bench.moderation.change_rules(HERE, log_channel_id=90)
    await bench.removals.report(HERE, REMOVAL.subject, 51, "Rude", "en-GB")
    removal, _ = await bench.removals.add(REMOVAL)
    await bench.removals.end(removal, MODERATOR)

    (row,) = await bench.database.fetch("SELECT key, channel_id, wanted FROM messages")
    assert (row["key"], row["channel_id"], row["wanted"]) == ("case 1", 90, 4)


async def test_of_many_reports_all_are_counted_and_the_last_reasons_told(bench: Bench) -> None:
    for number in range(8):
        await bench.removals.report(HERE, REMOVAL.subject, 50 + number, str(number), "en-GB")
        bench.clock.advance(1)

    case = await bench.removals.reported(1)
    assert case is not None
    assert (case.count, case.reasons) == (8, ["7", "6", "5", "4", "3", "2"])


async def test_a_part_of_a_text_is_kept_until_all_is_known(bench: Bench) -> None:
    await bench.removals.report(HERE, Subject(OTHER), 50, "Rude", "en-GB")
    kept: list[str | None] = []
    told = [("Unkind…", True), ("Un…", True), ("Unkind words", False), ("Unkind…", True)]
    for number, (text, is_part) in enumerate(told):
        subject = replace(REMOVAL.subject, text=text, is_part=is_part)
        await bench.removals.report(HERE, subject, 50 + number, "Rude", "en-GB")
        case = await bench.removals.reported(2)
        kept.append(case and case.subject.text)

    assert kept == ["Unkind…", "Unkind…", "Unkind words", "Unkind words"]
    await bench.removals.report(
        HERE, Subject(OTHER, text="Kind…", is_part=True), 51, "Rude", "en-GB"
    )
    other = await bench.removals.reported(1)
    assert other is not None
    assert other.subject.text == "Kind…"
