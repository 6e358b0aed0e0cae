"""A raid of reports: all about one player, or all from one member, dismissed at once."""

from typing import Any

import pytest
import simcord

from storage.moderation import Subject
from tests.conversations.moderate.conftest import Beat, second_moderator, shown_in
from tests.support.cards import buttons_of, text_of

SPRIG = 700
RAIDER, OTHER = 900, 901
BY_REPORTER = "Dismiss 20 by this reporter…"


async def report_some(
    beat: Beat,
    count: int,
    *,
    by: int = RAIDER,
    first: int = 5000,
    player_id: int = SPRIG,
    locale: str = "en-GB",
) -> None:
    """Let a member report comments of a player."""
    reports = beat.world.bot.features.moderation.reports
    for number in range(first, first + count):
        subject = Subject(number, 3, player_id, f"Sprig {player_id}", f"Words {number}")
        assert await reports.add(beat.world.guild.id, subject, by, "Rude", locale)


async def queue(beat: Beat, actor: simcord.MemberActor | None = None) -> Any:
    return await beat.world.slash("moderate queue", actor or beat.world.moderator)


async def press(beat: Beat, shown: Any, *labels: str) -> Any:
    for label in labels:
        shown = await beat.press(shown, label, beat.world.moderator)
    return shown


async def hold_back_one(beat: Beat) -> None:
    """Hold back a comment of the same player, which is reported, too."""
    held_back = beat.world.bot.features.moderation.held_back
    subject = Subject(6000, 3, SPRIG, f"Sprig {SPRIG}", "A toadstool")
    await held_back.hold_back(beat.world.guild.id, subject, "a toadstool", "toadstool", "en-GB")
    await report_some(beat, 1, first=6000)


async def test_a_raid_by_one_reporter_is_closed_in_two_presses(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await report_some(beat, 20)
    await beat.settled()
    assert sum("A member reported" in card for card in shown_in(log_channel)) == 5

    asked = await press(beat, await queue(beat), BY_REPORTER)
    assert "Dismiss 20 reports by this reporter?" in text_of(asked)
    closed = await press(beat, asked, "Dismiss 20")

    assert "20 reports dismissed." in text_of(closed)
    assert "Nothing is waiting for review" in text_of(closed)
    await beat.settled()
    in_log = shown_in(log_channel)
    assert sum("Dismissed: comment" in card for card in in_log) == 5
    (told,) = [card for card in in_log if "Reports dismissed" in card]
    assert "dismissed 20 reports from one member" in told
    assert len(in_log) == 6
    assert "dismissed 20 reports from one member" in await beat.log()
    assert "is muted" not in await beat.log()


@pytest.mark.usefixtures("log_channel")
async def test_reports_about_a_player_are_dismissed_and_what_is_held_back_stays(beat: Beat) -> None:
    await report_some(beat, 3)
    await report_some(beat, 1, by=OTHER, first=5000)
    await report_some(beat, 1, by=OTHER, first=7000, player_id=701)
    await hold_back_one(beat)

    asked = await press(beat, await queue(beat), "Dismiss 3 reports about Sprig 700…")
    assert "Dismiss 3 reports about Sprig 700?" in text_of(asked)
    back = await press(beat, asked, "Cancel")
    assert "1 of 5 waiting for review" in text_of(back)
    closed = await press(beat, back, "Dismiss 3 reports about Sprig 700…", "Dismiss 3")

    assert "3 reports dismissed." in text_of(closed)
    assert "of 2 waiting for review" in text_of(closed)
    assert "dismissed 3 reports about Sprig 700" in await beat.log()
    assert "Sprig 700" in await beat.log(writer="700")
    left = await press(beat, await queue(beat), "Dismiss")
    assert "Held back: watched word" in text_of(left)


@pytest.mark.usefixtures("log_channel")
async def test_a_comment_that_others_reported_as_well_stays_open(beat: Beat) -> None:
    await report_some(beat, 4)
    await report_some(beat, 1, by=OTHER, first=5002)

    asked = await press(beat, await queue(beat), "Dismiss 3 by this reporter…")
    assert "1 comment stays open because others reported it, too." in text_of(asked)
    closed = await press(beat, asked, "Dismiss 3")

    assert "2 members reported a comment" in text_of(closed)
    assert "1 of 1 waiting for review" in text_of(closed)


@pytest.mark.usefixtures("log_channel")
async def test_who_reported_before_the_last_decision_is_not_meant(beat: Beat) -> None:
    await report_some(beat, 1)
    await press(beat, await queue(beat), "Dismiss")
    await report_some(beat, 4, first=5001)
    await report_some(beat, 1, by=OTHER, first=5000)
    await report_some(beat, 2, by=OTHER, first=7000)

    shown = await queue(beat)
    assert "> Words 5000" in text_of(shown)
    assert "Dismiss 4 by this reporter…" not in buttons_of(shown)
    # No one else has reported the comment since.
    assert "Dismiss 3 by this reporter…" in buttons_of(shown)
    assert "Dismiss 4 by this reporter…" in buttons_of(await press(beat, shown, "Next"))


async def test_a_stopped_member_reads_until_when_and_is_named_nowhere(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    friend = beat.world.friend
    _, message = await beat.share()
    form = await friend.context_menu(beat.world.channel, "Report comment", message)
    await report_some(beat, 20, by=friend.id)

    asked = await press(beat, await queue(beat), BY_REPORTER, "Turn on")
    # What else is chosen comes before the answer.
    assert list(buttons_of(asked)) == ["Turn off", "Dismiss 20", "Cancel"]
    assert str(friend.id) not in str(list(buttons_of(asked).values()))
    closed = await press(beat, asked, "Dismiss 20")

    assert "That member can't report here until <t:" in text_of(closed)
    sent = text_of(await friend.submit_modal(form, {"reason": "Rude"}))
    opened = await friend.context_menu(beat.world.channel, "Report comment", message)
    for told in (sent, text_of(opened)):
        assert "This server doesn't accept reports from you until <t:" in told
    await beat.settled()
    log = await beat.log()
    assert "That member can't report here until <t:" in log
    assert str(friend.id) not in log + "".join(shown_in(log_channel))


@pytest.mark.usefixtures("log_channel")
async def test_a_stop_ends_after_a_day(beat: Beat) -> None:
    friend = beat.world.friend
    _, message = await beat.share()
    await report_some(beat, 20, by=friend.id)
    await press(beat, await queue(beat), BY_REPORTER, "Turn on", "Dismiss 20")
    await beat.world.pass_time(24 * 3600)

    await beat.report(friend, message, "Rude")

    assert "1 of 1 waiting for review" in text_of(await queue(beat))


@pytest.mark.usefixtures("log_channel")
async def test_two_moderators_who_dismiss_all_at_once_do_it_once(beat: Beat) -> None:
    await report_some(beat, 20)
    other = await second_moderator(beat)
    asked = await press(beat, await queue(beat), BY_REPORTER)
    theirs = await beat.press(await queue(beat, other), BY_REPORTER, other)

    await press(beat, asked, "Dismiss 20")
    late = await beat.press(theirs, "Dismiss 20", other)

    assert "Someone already handled these reports." in text_of(late)
    assert (await beat.log()).count("20 reports from one member") == 1
