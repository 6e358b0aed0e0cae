"""Comments that members report, and the card of each case in the log channel."""

from msgspec.structs import replace

from storage.moderation import Subject
from tests.support.moderating import ELSEWHERE, HERE, MODERATOR, OTHER, REMOVAL, Bench


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


async def test_reports_are_dismissed_once_and_a_later_one_opens_the_case_again(
    bench: Bench,
) -> None:
    await bench.removals.report(HERE, REMOVAL.subject, 50, "Rude", "en-GB")

    assert not await bench.removals.dismiss(ELSEWHERE, 1, MODERATOR)
    assert await bench.removals.dismiss(HERE, 1, MODERATOR)
    assert not await bench.removals.dismiss(HERE, 1, MODERATOR)
    await bench.removals.report(HERE, REMOVAL.subject, 51, "Mean", "en-GB")

    case = await bench.removals.reported(1)
    assert case is not None
    assert case.dismissed_at is None


async def test_a_reported_and_removed_comment_has_one_card_drawn_at_each_change(
    bench: Bench,
) -> None:
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


async def test_what_a_message_shows_of_a_text_is_kept_until_all_of_it_is_known(
    bench: Bench,
) -> None:
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
