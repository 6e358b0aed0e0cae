"""The cards of a log channel that is set late, moved or lost."""

import simcord

from tests.conversations.moderate.conftest import Beat, shown_in
from tests.support.cards import answer_of, text_of

# In seconds; a log that is closed is tried once in this time.
_BETWEEN_TRIES = 900.0


async def test_a_deleted_card_comes_anew(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    _, shared = await beat.share()
    await beat.report(beat.world.friend, shared, "Rude")
    card = log_channel.last_message
    assert card is not None
    await card.delete()

    await beat.report(beat.world.moderator, shared, "Mean")
    again = log_channel.last_message
    assert again is not None
    await beat.press(again, "Dismiss", beat.world.moderator)
    await again.delete()
    await beat.settled()

    assert "2 members reported a comment" in text_of(again)
    assert log_channel.history() == []


async def test_a_card_out_of_reach_moves_on(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    comment_id, shared = await beat.share()
    await beat.report(world.friend, shared, "Rude")
    card = log_channel.last_message
    assert card is not None
    newer = world.guild.create_text_channel("newer-log")
    await world.manage("Moderation", log_channel_id=[newer])
    editing = f"/channels/{log_channel.id}/messages/{card.id}"
    world.env.inject_error("PATCH", editing, status=404, code=10003)

    await beat.report(world.moderator, shared, "Mean")
    await beat.remove(comment_id)
    await beat.settled()

    (shown,) = shown_in(newer)
    assert "Removed: comment #" in shown


async def test_a_deleted_log_loses_nothing(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    _, first = await beat.share()
    _, second = await beat.share("Unkinder words")
    await beat.report(world.friend, first, "Rude")
    await beat.report(world.friend, second, "Ruder")
    await beat.press(log_channel.last_message, "Dismiss", world.moderator)
    await beat.settled()
    card = log_channel.history()[0]
    editing = f"/channels/{log_channel.id}/messages/{card.id}"
    world.env.inject_error("PATCH", editing, status=404, code=10003)
    newer = world.guild.create_text_channel("newer-log")

    await world.manage("Moderation", log_channel_id=[newer])
    await beat.settled()

    assert shown_in(newer) == ["### 1 waiting for review"]
    waiting = await beat.press(newer.last_message, "Queue", world.moderator)
    assert "Rude\n" in text_of(waiting)


async def test_a_new_log_counts_what_waits_on_one_card_that_follows_it(beat: Beat) -> None:
    world = beat.world
    await world.watch_words("unkind")
    for number in range(7):
        await beat.post(f"Unkind words {number}")
    await beat.read_here()
    await beat.read_here()
    first, second = (world.guild.create_text_channel(name) for name in ("log", "newer-log"))
    await world.manage("Moderation", log_channel_id=[first])
    await beat.settled()
    assert shown_in(first) == ["### 7 waiting for review"]

    await world.manage("Moderation", log_channel_id=[second])
    await beat.settled()
    assert shown_in(first) == []
    queue = await world.slash("moderate queue", world.moderator)
    await beat.press(queue, "Show", world.moderator)
    await beat.settled()
    assert "### 6 waiting for review" in shown_in(second)

    await beat.moderate("mute", player="Juniper")
    await beat.settled()
    assert not any("for review" in card for card in shown_in(second))
    await beat.moderate("unmute", player="Juniper")
    assert "1 of 6 waiting for review" in await beat.moderate("queue")


async def test_a_log_that_opens_again_says_by_itself_what_waits(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    lobby = world.guild.create_text_channel("lobby")
    world.env.backend.guilds[world.guild.id].system_channel_id = lobby.id
    posting = f"/channels/{log_channel.id}/messages"
    world.env.inject_error("POST", posting, status=403, code=50013, times=None)
    shared = [await beat.share(f"Unkind words {number}") for number in range(3)]
    for _, message in shared:
        await beat.report(world.friend, message, "Rude")
    await beat.remove(shared[0][0])
    await world.pass_time(_BETWEEN_TRIES)
    assert shown_in(log_channel) == []

    world.env.backend.faults.clear()
    await world.pass_time(_BETWEEN_TRIES)

    tried, counted = shown_in(log_channel)
    assert "> Unkind words 2" in tried
    assert "### 2 waiting for review" in counted
    assert len(shown_in(lobby)) == 1
    assert "problem to fix" not in text_of(await world.slash("help", world.moderator))


async def test_edits_alone_keep_it_closed(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    first, _ = await beat.share()
    await beat.remove(first)
    await beat.settled()
    posting = f"/channels/{log_channel.id}/messages"
    beat.world.env.inject_error("POST", posting, status=403, code=50013, times=None)

    await beat.moderate("remove", comment="998", reason="Insults")
    await beat.settled()
    await beat.moderate("restore", removed=str(first))
    await beat.settled()
    told = await beat.moderate("remove", comment="999", reason="Insults")

    assert "Undone by" in text_of(log_channel.last_message)
    assert f"Kiosk can't post in {log_channel.mention}, the log channel." in told
    _, shared = await beat.share("Other words")
    form = await beat.world.friend.context_menu(beat.world.channel, "Report comment", shared)
    reported = text_of(await beat.world.friend.submit_modal(form, {"reason": "Rude"}))
    assert "This server's moderators will review your report." in reported
    asked = answer_of(await beat.world.manage("Moderation", log_channel_id=None))
    await beat.world.moderator.click(asked, label="Turn off")
    assert (
        "**Settings saved:**\n**Log channel** · not set, so members can't report comments"
        in text_of(asked)
    )
