"""Comments that are deleted in the game: they wait for no moderator."""

from typing import Any

import discord
import simcord
from aiohttp import web

from storage.moderation import Subject
from storage.names import PlaceKind
from tests.conversations.moderate.conftest import Beat, shown_in
from tests.support.cards import buttons_of, text_of
from tests.support.faulty_proxy import Forward
from tests.support.forum import EMPTY, number_of
from tests.support.owed import tried
from tests.support.presses import press_again
from tests.support.world import SUBSCRIBER


async def queue(beat: Beat) -> Any:
    return await beat.world.slash("moderate queue", beat.world.moderator)


async def report_own(beat: Beat, text: str = "Unkind words") -> tuple[int, Any]:
    """Let the member write a comment, and a friend report it."""
    number, message = await beat.share(text)
    await beat.report(beat.world.friend, message, "Rude")
    return number, message


async def delete_in_game(beat: Beat, comment_id: int) -> None:
    await beat.world.delete_in_the_app(SUBSCRIBER, comment_id)
    # No one turns pages until Kiosk forgets them.
    beat.world.bot.features.threads.client.comments.forget()


async def poll(beat: Beat, times: int) -> None:
    for _ in range(times):
        assert await beat.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))
    await tried(beat.world)


async def test_what_the_poller_finds_gone_leaves_queue_and_log(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    feed = world.guild.create_text_channel("feed")
    await world.slash("announce thread", world.moderator, thread=EMPTY, channel=feed)
    await poll(beat, 1)
    gone, _ = await report_own(beat)
    removed, _ = await report_own(beat, "Unkinder words")
    stays, _ = await report_own(beat, "Fair words")
    await beat.remove(removed)
    await poll(beat, 1)
    await beat.settled()
    assert "1 of 2 waiting for review" in text_of(await queue(beat))

    for number in (gone, removed):
        await delete_in_game(beat, number)
    await poll(beat, 2)

    cards = shown_in(log_channel)
    # The title names whose comment it is, and nothing below it does so again.
    assert f"### Closed: comment #{gone} by Juniper\nQuiet corner" in cards[0]
    assert "The comment is gone from the game." in cards[0]
    assert list(buttons_of(log_channel.history()[0])) == ["Remove comment…", "Mute Juniper…"]
    assert f"Removed: comment #{removed}" in cards[1]
    assert "A member reported a comment" in cards[2]
    assert [text_of(message).splitlines()[-1] for message in feed.history()] == ["Fair words"]
    shown = await queue(beat)
    assert "1 of 1 waiting for review" in text_of(shown)
    assert f"#{stays}" in text_of(shown)


async def test_open_learns_that_a_comment_is_gone(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    gone, shared = await report_own(beat)
    card = log_channel.last_message
    dismissing = buttons_of(card)["Dismiss"]["custom_id"]
    await delete_in_game(beat, gone)
    shown = await queue(beat)

    opened = await beat.press(shown, "Open", beat.world.moderator)
    await beat.settled()

    assert "That comment is gone" in text_of(opened)
    assert "Nothing is waiting for review" in text_of(await queue(beat))
    assert "The comment is gone from the game." in text_of(log_channel.last_message)
    forged = await press_again(beat.world.moderator, log_channel, card, dismissing)
    assert "Someone already handled this" in text_of(forged)

    # It is reported once more, from a message that still shows it.
    await beat.report(beat.world.moderator, shared, "Rude")
    assert "1 of 1 waiting for review" in text_of(await queue(beat))


async def no_such_thread(request: web.Request, forward: Forward) -> web.Response:
    """Answer as a game that has lost all its threads."""
    return web.json_response({"message": "There is no such thread."}, status=404)


async def test_open_learns_that_a_whole_thread_is_gone(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    await report_own(beat)
    shown = await queue(beat)
    beat.world.bot.features.threads.client.comments.forget()

    beat.proxy.manner = no_such_thread
    opened = await beat.press(shown, "Open", beat.world.moderator)
    await beat.settled()

    assert "The game doesn't have that thread" in text_of(opened)
    assert "The comment is gone from the game." in text_of(log_channel.last_message)
    assert "Nothing is waiting for review" in text_of(await queue(beat))


async def test_remove_learns_it_for_other_servers(beat: Beat) -> None:
    world = beat.world
    gone = number_of(await beat.post("Unkind words"))
    there = world.env.create_guild("Elsewhere")
    staff = there.create_role("Staff", permissions=discord.Permissions.all())
    manager = there.add_member(world.env.create_user("manager"), roles=[staff])
    channel = there.create_text_channel("talk")
    subject = Subject(gone, int(EMPTY), None, "Juniper", "Unkind words")
    reports = world.bot.features.moderation.reports
    assert await reports.add(there.id, subject, manager.id, "Rude", "en-GB")
    assert "1 of 1 waiting for review" in text_of(await manager.slash(channel, "moderate queue"))

    await delete_in_game(beat, gone)
    await beat.remove(gone)

    waits = await manager.slash(channel, "moderate queue")
    assert "Nothing is waiting for review" in text_of(waits)


async def test_a_game_that_is_down_or_a_page_that_lacks_it_proves_nothing(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    gone, _ = await report_own(beat)
    await delete_in_game(beat, gone)
    shown = await queue(beat)
    async with beat.proxy.closed():
        await beat.press(shown, "Open", beat.world.moderator)
    # Far down its thread, behind more pages than are read for one press.
    await beat.game.database.execute(
        "INSERT INTO comments (thread_id, depth, player_id, content, created_at)"
        " SELECT :thread, depth, player_id, content, created_at FROM comments"
        " WHERE thread_id = 1 AND parent_id IS NULL",
        thread=int(EMPTY),
    )
    opened = await beat.press(shown, "Open", beat.world.moderator)

    assert "Kiosk can't find that comment" in text_of(opened)
    assert "1 of 1 waiting for review" in text_of(await queue(beat))
    assert "A member reported a comment" in text_of(log_channel.last_message)


async def test_what_may_be_below_another_comment_still_waits(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    gone, _ = await report_own(beat)
    above = number_of(await beat.post("Kind words"))
    await delete_in_game(beat, gone)
    # Of many replies, the game lists only the newest below their comment.
    await beat.game.database.execute(
        "UPDATE comments SET children_count = 1 WHERE id = :id", id=above
    )

    await beat.press(await queue(beat), "Open", beat.world.moderator)

    assert "1 of 1 waiting for review" in text_of(await queue(beat))
    assert "A member reported a comment" in text_of(log_channel.last_message)


async def hold_back(beat: Beat) -> int:
    """Let a comment be held back that its writer has changed in the game."""
    await beat.world.watch_words("unkind")
    comment_id, _ = await beat.share("Fair words")
    await beat.world.change_in_the_app(SUBSCRIBER, comment_id, "Unkind words")
    beat.world.bot.features.threads.client.comments.forget()
    await beat.read_here()
    await beat.world.bot.tasks.until_finished()
    await beat.settled()
    return comment_id


async def test_show_needs_no_game(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    await hold_back(beat)

    async with beat.proxy.closed():
        shown = await beat.press(log_channel.last_message, "Show", beat.world.moderator)

    assert "Comment shown" in text_of(shown)
    assert "Unkind words" in await beat.read_here()


async def test_show_learns_it_too(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    gone = await hold_back(beat)
    card = log_channel.last_message
    assert "Held back: watched word" in text_of(card)
    await delete_in_game(beat, gone)

    refused = await beat.press(card, "Show", beat.world.moderator)
    await beat.settled()

    assert "That comment is gone" in text_of(refused)
    assert "The comment is gone from the game." in text_of(log_channel.last_message)
    assert "Nothing is waiting for review" in text_of(await queue(beat))


async def test_what_its_writer_deletes_through_kiosk_waits_for_nobody(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    gone, _ = await report_own(beat)

    await beat.press(await beat.world.slash("forum delete", comment=str(gone)), "Delete comment")
    await beat.settled()

    assert "The comment is gone from the game." in text_of(log_channel.last_message)
    assert "Nothing is waiting for review" in text_of(await queue(beat))
