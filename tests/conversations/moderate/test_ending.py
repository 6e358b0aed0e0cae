"""Mutes that end by themselves: what the log and the queue say then."""

import simcord

from tests.conversations.moderate.conftest import Beat, shown_in
from tests.support.cards import buttons_of, text_of

HOUR = 3600.0
# In seconds, more than Kiosk lets pass before it draws the end of a mute.
A_MINUTE = 61.0


async def report_own(beat: Beat, text: str) -> None:
    """Let the member write a comment, and a friend report it."""
    _, message = await beat.share(text)
    await beat.report(beat.world.friend, message, "Rude")


async def queue(beat: Beat) -> str:
    return text_of(await beat.world.slash("moderate queue", beat.world.moderator))


async def mute_from_now_on(beat: Beat, until: str) -> None:
    moderator = beat.world.moderator
    asked = await beat.world.slash("moderate mute", moderator, player="Juniper", until=until)
    await beat.press(asked, "Mute from now on", moderator)
    await beat.settled()


async def test_what_a_mute_closed_waits_again_in_the_log_once_it_has_ended(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.world.known(beat.world.member)
    await report_own(beat, "Unkind words")
    await mute_from_now_on(beat, "1h")
    closed, muted = log_channel.history()
    assert "### Closed: comment #" in text_of(closed)
    assert "The mute ends <t:" in text_of(muted)
    assert "Unmute" in buttons_of(muted)

    await beat.world.pass_time(HOUR)
    await beat.world.pass_time(A_MINUTE)

    again, ended = log_channel.history()
    assert "### A member reported a comment" in text_of(again)
    assert "Dismiss" in buttons_of(again)
    assert "### Juniper was muted here" in text_of(ended)
    assert "The mute of Juniper ended <t:" in text_of(ended)
    assert "The mute ends" not in text_of(ended)
    assert not buttons_of(ended)
    assert "1 of 1 waiting for review" in await queue(beat)
    assert "The mute of Juniper ended <t:" in await beat.log()


async def test_what_had_no_card_of_its_own_is_counted_again(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.world.known(beat.world.member)
    for number in range(6):
        await report_own(beat, f"Unkind words {number}")
    assert "6 waiting for review" in shown_in(log_channel)[-1]
    await mute_from_now_on(beat, "1h")
    assert not any("waiting for review" in shown for shown in shown_in(log_channel))

    await beat.world.pass_time(HOUR)
    await beat.world.pass_time(A_MINUTE)

    assert "6 waiting for review" in shown_in(log_channel)[-1]


async def test_a_mute_that_was_made_longer_ends_later(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.world.known(beat.world.member)
    await report_own(beat, "Unkind words")
    await mute_from_now_on(beat, "1h")
    await mute_from_now_on(beat, "2h")

    await beat.world.pass_time(HOUR)
    await beat.world.pass_time(A_MINUTE)
    assert "Juniper is muted here" in shown_in(log_channel)[-1]
    await beat.world.pass_time(HOUR)
    await beat.world.pass_time(A_MINUTE)
    assert "The mute of Juniper ended <t:" in shown_in(log_channel)[-1]


async def test_unmute_is_told_once_though_the_end_comes_after_it(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await beat.world.known(beat.world.member)
    await report_own(beat, "Unkind words")
    await mute_from_now_on(beat, "1h")
    await beat.press(log_channel.last_message, "Unmute", beat.world.moderator)
    await beat.settled()
    undone = shown_in(log_channel)[-1]
    await beat.world.pass_time(HOUR)
    await beat.world.pass_time(A_MINUTE)

    assert f"Undone by <@{beat.world.moderator.id}>" in undone
    assert shown_in(log_channel)[-1] == undone
    assert undone.splitlines()[-1] in await beat.log()
