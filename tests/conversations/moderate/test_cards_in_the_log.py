"""What comes to the log channel although a card is gone, or the channel was not there yet."""

from typing import Any

import simcord

from tests.conversations.moderate.conftest import Beat
from tests.support.cards import buttons_of, text_of


async def report(beat: Beat, actor: simcord.MemberActor, message: Any, reason: str) -> None:
    form = await actor.context_menu(beat.world.channel, "Report comment", message)
    assert "Thank you" in text_of(await actor.submit_modal(form, {"reason": reason}))
    await beat.settled()


def shown_in(channel: simcord.ChannelHandle) -> list[str]:
    return [text_of(message) for message in channel.history()]


async def test_a_report_of_a_comment_that_was_restored_is_seen(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    comment_id, _ = await beat.share()
    await beat.remove(comment_id)
    await beat.moderate("restore", comment=str(comment_id))
    posted = await beat.open_first(beat.world.member)
    await beat.press(posted, "Share")

    await report(beat, beat.world.friend, beat.world.channel.last_message, "Still rude")

    (card,) = shown_in(log_channel)
    assert "🚩 Still rude" in card
    assert "Dismiss" in buttons_of(log_channel.last_message)


async def test_a_report_of_a_comment_whose_card_was_deleted_has_a_new_one(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    _, shared = await beat.share()
    await report(beat, beat.world.friend, shared, "Rude")
    card = log_channel.last_message
    assert card is not None
    await card.delete()

    await report(beat, beat.world.moderator, shared, "Mean")
    again = log_channel.last_message
    assert again is not None
    await beat.press(again, "Dismiss", beat.world.moderator)
    await again.delete()
    await beat.settled()

    assert "2 members reported it" in text_of(again)
    assert log_channel.history() == []


async def test_a_report_of_a_comment_whose_card_is_out_of_reach_comes_to_the_log_as_it_is_now(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    comment_id, shared = await beat.share()
    await report(beat, world.friend, shared, "Rude")
    card = log_channel.last_message
    assert card is not None
    newer = world.guild.create_text_channel("newer-log")
    await world.slash("setup log", world.moderator, channel=newer)
    editing = f"/channels/{log_channel.id}/messages/{card.id}"
    world.env.inject_error("PATCH", editing, status=404, code=10003)

    await report(beat, world.moderator, shared, "Mean")
    await beat.remove(comment_id)
    await beat.settled()

    (shown,) = shown_in(newer)
    assert "is removed here" in shown


async def test_what_waits_for_a_decision_in_a_deleted_log_channel_comes_to_the_next_one(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, first = await beat.share()
    _, second = await beat.share("Unkinder words")
    await report(beat, world.friend, first, "Rude")
    await report(beat, world.friend, second, "Ruder")
    await beat.press(log_channel.last_message, "Dismiss", world.moderator)
    await beat.settled()
    card = log_channel.history()[0]
    editing = f"/channels/{log_channel.id}/messages/{card.id}"
    world.env.inject_error("PATCH", editing, status=404, code=10003)
    newer = world.guild.create_text_channel("newer-log")

    await world.slash("setup log", world.moderator, channel=newer)
    await beat.settled()

    (shown,) = shown_in(newer)
    assert "🚩 Rude" in shown


async def test_what_was_held_back_before_there_was_a_log_channel_comes_there(beat: Beat) -> None:
    world = beat.world
    await beat.moderate("words add", words="unkind")
    for number in range(22):
        await beat.post(f"Unkind words {number}")
    await beat.read_here()
    await beat.read_here()
    log = world.guild.create_text_channel("log")

    await world.slash("setup log", world.moderator, channel=log)
    await beat.settled()
    shown = shown_in(log)

    assert ["is held back here" in card for card in shown] == [True] * len(shown)
    assert len(shown) == 20
    assert "Unkind words 21" in shown[-1]


async def test_what_was_reported_while_the_log_channel_was_closed_comes_once_it_is_open(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, first = await beat.share()
    removed_id, second = await beat.share("Unkinder words")
    _, third = await beat.share("Unkindest words")
    posting = f"/channels/{log_channel.id}/messages"
    world.env.inject_error("POST", posting, status=403, code=50013, times=2)

    await report(beat, world.friend, first, "Rude")
    await report(beat, world.friend, second, "Ruder")
    await beat.remove(removed_id)
    await beat.settled()
    await report(beat, world.friend, third, "Rudest")

    shown = shown_in(log_channel)
    assert sum("🚩 Rude\n" in f"{card}\n" for card in shown) == 1
    assert len(shown) == 3


async def test_a_log_channel_that_takes_edits_alone_is_told_as_closed(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    first, _ = await beat.share()
    await beat.remove(first)
    await beat.settled()
    posting = f"/channels/{log_channel.id}/messages"
    beat.world.env.inject_error("POST", posting, status=403, code=50013, times=None)

    await beat.moderate("remove", comment="998", reason="Insults")
    await beat.settled()
    await beat.moderate("restore", comment=str(first))
    await beat.settled()
    told = await beat.moderate("remove", comment="999", reason="Insults")

    assert "Undone by" in text_of(log_channel.last_message)
    assert "Kiosk can't post in the log channel" in told


async def test_what_a_member_reported_leaves_the_card_when_they_have_all_erased(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    _, shared = await beat.share()
    await report(beat, world.friend, shared, "My own words")
    await report(beat, world.moderator, shared, "Mean")
    before = text_of(log_channel.last_message)

    question = await world.slash("account erase", world.friend)
    await beat.press(question, "Erase everything", world.friend)
    await beat.settled()

    (card,) = shown_in(log_channel)
    assert "My own words" in before
    assert "My own words" not in card
    assert "1 member reported it" in card
