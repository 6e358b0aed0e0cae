"""Threads whose new comments come into channels."""

from typing import Any

import discord
import simcord
from aiohttp import web

from storage.names import PlaceKind
from tests.support.announcing import thread_in
from tests.support.cards import answer_of, buttons_of, rows_of, selects_of, text_of
from tests.support.faulty_proxy import Forward
from tests.support.forms import fill_in, presets
from tests.support.forum import EMPTY, ForumTown, number_of
from tests.support.owed import all_done, put_off_for_long, tried, try_again
from tests.support.permissions import let_discord_say
from tests.support.world import World

# In seconds.
A_MINUTE = 60.0


async def follow(town: ForumTown, channel: simcord.ChannelHandle) -> Any:
    moderator = town.world.moderator
    return await town.world.slash("announce thread", moderator, thread=EMPTY, channel=channel)


async def poll(town: ForumTown, times: int = 1) -> None:
    for _ in range(times):
        assert await town.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))
    await tried(town.world)


async def no_such_thread(request: web.Request, forward: Forward) -> web.Response:
    """Answer as a game that has lost all its threads."""
    return web.json_response({"message": "There is no such thread."}, status=404)


async def open_announcement(world: World) -> Any:
    card = answer_of(await world.slash("announce list", world.moderator))
    (entry,) = selects_of(card)[0]["options"]
    await world.moderator.select(card, [entry["value"]])
    return card


async def press(world: World, *labels: str) -> Any:
    """Press one button after another on the only announcement's card, and give the card."""
    card = await open_announcement(world)
    for label in labels:
        await world.moderator.click(card, label=label)
    return card


async def test_a_new_comment_comes_and_its_changes_follow(linked: ForumTown) -> None:
    world = linked.world
    elsewhere = world.guild.create_text_channel("elsewhere")
    await linked.post("Too old")
    assert "Thread followed. Kiosk posts each new comment" in text_of(
        await follow(linked, elsewhere)
    )
    await poll(linked)
    assert elsewhere.history() == []

    written = await linked.post("Hello from the game")
    await poll(linked, times=2)
    (card,) = elsewhere.history()
    assert "Hello from the game" in text_of(card)
    assert "**Juniper** ⭐ subscriber ☑️ verified · <t:" in text_of(card)
    assert {"Reply", "Open"} <= buttons_of(card).keys()

    number = str(number_of(written))
    await world.slash("forum edit", comment=number, content="Hello again")
    await poll(linked)
    assert "Hello again" in text_of(elsewhere.history()[0])

    await linked.press(await world.slash("forum delete", comment=number), "Delete comment")
    await poll(linked, times=2)
    assert elsewhere.history() == []

    for each in range(6):
        await linked.post(f"Comment number {each}")
    await poll(linked)
    assert "6 new comments in Quiet corner" in text_of(elsewhere.history()[-1])

    card = await open_announcement(world)
    assert f"## Quiet corner in <#{elsewhere.id}>" in text_of(card)
    for label in ("Stop announcing…", "Stop announcing"):
        await world.moderator.click(card, label=label)
    assert "This server has no announcements yet." in text_of(card)


async def test_a_removal_does_not_wait_until_an_edit_may_be_tried_again(linked: ForumTown) -> None:
    world = linked.world
    await follow(linked, world.channel)
    await poll(linked)
    number = str(number_of(await linked.post("Unkind words")))
    await poll(linked)
    assert "Unkind words" in text_of(world.channel.history()[0])
    world.env.inject_error("PATCH", "/channels/*/messages/*", status=403, code=40333, times=None)
    await world.slash("forum edit", comment=number, content="Unkinder words")
    await poll(linked, times=2)
    await put_off_for_long(world)

    await world.slash("moderate remove", world.moderator, comment=number, reason="Insults")
    await all_done(world)

    assert world.channel.history() == []


async def test_what_was_missed_while_it_had_stopped_is_asked_about(linked: ForumTown) -> None:
    world = linked.world
    old = number_of(await linked.post("Too old"))
    await follow(linked, world.channel)
    await poll(linked)
    card = await open_announcement(world)
    assert rows_of(card) == [["Edit", "Pause", "History"], ["Stop announcing…", "Back"]]
    await world.moderator.click(card, label="Pause")
    gone = number_of(await linked.post("Nobody misses this"))
    await world.slash("forum reply", thread=EMPTY, comment=str(old), content="Hello from the game")
    await poll(linked)
    await linked.press(await world.slash("forum delete", comment=str(gone)), "Delete comment")
    await poll(linked, times=2)
    posting = f"/channels/{world.channel.id}/messages"
    world.env.inject_error("POST", posting, status=403, code=50013, times=None)
    await world.moderator.click(card, label="Resume")
    assert "### 1 comment was missed." in text_of(card)
    await world.moderator.click(card, label="Announce them")
    assert "Announcements resumed. 1 post is on its way." in text_of(card)
    for _ in range(3):
        await try_again(world)
    world.env.backend.faults.clear()
    second = number_of(await linked.post("Hello again"))
    await poll(linked)

    card = await open_announcement(world)
    why = "A permission is missing there. Try again to see which one."
    assert f"2 comments were missed. {why}" in text_of(card)
    history = text_of(await press(world, "History"))
    here = world.channel.mention
    assert f"Comment {second}, written <t:" in history
    assert f"⏸️ {here}: not active at the time" in history
    assert f"⛔ {here}: Discord refused it <t:" in history
    await follow(linked, world.channel)
    await press(world, "Resume", "Announce them")
    await poll(linked)
    shown = [text_of(message) for message in world.channel.history()]
    assert [text.splitlines()[-1] for text in shown] == ["Hello from the game", "Hello again"]
    assert text_of(await press(world, "History")).count("✅") == 2


async def test_a_thread_is_followed_in_another_channel(linked: ForumTown) -> None:
    world = linked.world
    await follow(linked, world.channel)
    await poll(linked)
    above = number_of(await linked.post("Hello from the game"))
    await poll(linked)
    forum = world.guild.create_forum_channel("comments")
    form = await world.moderator.click(await open_announcement(world), label="Edit")
    assert [each.id for each in presets(world.moderator, form)["channel"]] == [world.channel.id]

    changed = await fill_in(world.moderator, form, channel=[forum])
    await world.slash("forum reply", thread=EMPTY, comment=str(above), content="Hello yourself")
    await poll(linked)

    assert f"## Quiet corner in <#{forum.id}>\n**Changes saved.**" in text_of(changed)
    assert len(world.channel.history()) == 1
    (post,) = forum.threads
    shown = [text_of(message).splitlines()[-1] for message in post.history()]
    assert shown == ["Hello from the game", "Hello yourself"]


async def test_a_forum_in_which_a_thread_is_followed_has_to_take_replies(linked: ForumTown) -> None:
    world = linked.world
    forum = world.guild.create_forum_channel("news")
    to_post = discord.Permissions(view_channel=True, send_messages=True, embed_links=True)
    let_discord_say(world, to_post.value)
    refused = text_of(await follow(linked, forum))
    world.env.backend.subscribers.pop(0)
    to_post.update(send_messages_in_threads=True)
    let_discord_say(world, to_post.value)
    taken = text_of(await follow(linked, forum))
    shut = discord.Permissions(send_messages_in_threads=True)
    everyone = world.guild.default_role
    await world.bot.http.edit_channel_permissions(forum.id, everyone.id, "0", str(shut.value), 0)
    checked = text_of(await world.press_through("setup show", "Permissions", actor=world.moderator))

    assert "**Send Messages in Posts**" in refused
    assert "Thread followed. Kiosk posts each new comment" in taken
    assert f"<#{forum.id}>** · followed threads\n⚠️ Not allowed: Send Messages in Posts" in checked


async def test_no_server_follows_more_than_it_may(linked: ForumTown) -> None:
    world = linked.world
    for number in range(100):
        new = thread_in(world.guild.id, number, 0, int(EMPTY))
        await world.bot.features.followed_threads.follow(new)

    assert "A server can follow up to 100 threads" in text_of(await follow(linked, world.channel))


async def test_what_moderators_remove_stays_hidden_in_the_channel(linked: ForumTown) -> None:
    world = linked.world
    elsewhere = world.guild.create_text_channel("elsewhere")
    await follow(linked, elsewhere)
    await poll(linked)
    shown = await linked.post("Unkind words")
    await poll(linked)
    unseen = await linked.post("More unkind words")

    for each in (shown, unseen):
        await world.slash(
            "moderate remove", world.moderator, comment=str(number_of(each)), reason="Insults"
        )
    await poll(linked)

    assert elsewhere.history() == []


async def test_a_removed_comment_leaves_the_name_of_its_post(linked: ForumTown) -> None:
    world = linked.world
    forum = world.guild.create_forum_channel("news")
    await follow(linked, forum)
    await poll(linked)
    written = await linked.post("Unkind words")
    await poll(linked)
    (post,) = forum.threads
    before = post.name
    (shown,) = post.history()

    await remove(linked, number_of(written))
    await poll(linked)

    assert (shown.id, str(before).endswith(": Unkind words")) == (post.id, True)
    assert post.history() == []
    assert post.name == "🚫 removed by a moderator"


async def test_a_post_that_was_deleted_is_made_in_its_forum_again(linked: ForumTown) -> None:
    world = linked.world
    forum = world.guild.create_forum_channel("news")
    await follow(linked, forum)
    await poll(linked)
    written = number_of(await linked.post("Kind words"))
    await poll(linked)
    muting = await world.slash("moderate mute", world.moderator, player="Juniper", reason="Spam")
    await linked.press(muting, "Mute, delete 1 message", world.moderator)
    await poll(linked)
    await world.slash("moderate unmute", world.moderator, player="Juniper")

    await world.slash(
        "forum reply", world.friend, thread=EMPTY, comment=str(written), content="An answer"
    )
    await poll(linked)

    before, after = forum.threads
    assert before.name == "🚫 removed by a moderator"
    shown = [text_of(message).splitlines()[-1] for message in after.history()]
    assert shown == ["Kind words", "An answer"]


async def test_with_what_moderators_remove_goes_what_stands_below_it(linked: ForumTown) -> None:
    world = linked.world
    elsewhere = world.guild.create_text_channel("elsewhere")
    await follow(linked, elsewhere)
    await poll(linked)
    above = number_of(await linked.post("Unkind words"))
    await world.slash("forum reply", thread=EMPTY, comment=str(above), content="Be kind")
    await poll(linked)
    reply = elsewhere.history()[-1]
    before = text_of(reply)
    form = await world.moderator.context_menu(elsewhere, "Remove comment", reply)

    await remove(linked, above)
    await poll(linked)

    assert "Unkind words" in before
    assert elsewhere.history() == []
    # What a message quotes is no second comment of it that could be meant.
    assert form.modal is not None


async def test_a_held_back_comment_appears_once_it_is_shown(linked: ForumTown) -> None:
    world = linked.world
    elsewhere, log = (world.guild.create_text_channel(name) for name in ("elsewhere", "log"))
    await world.manage("Moderation", log_channel_id=[log])
    await world.watch_words("unkind")
    await follow(linked, elsewhere)
    await poll(linked)
    await linked.post("Unkind words")
    await poll(linked)
    (card,) = elsewhere.history()
    before = text_of(card)

    await linked.press(log.last_message, "Show", world.moderator)
    await poll(linked)

    assert "nkind" not in before
    assert "Hidden until a moderator reviews it." in before
    assert "Unkind words" in text_of(elsewhere.history()[0])


async def remove(town: ForumTown, comment_id: int) -> None:
    await town.world.slash(
        "moderate remove", town.world.moderator, comment=str(comment_id), reason="Insults"
    )


async def test_a_thread_that_is_gone_is_told_once_and_what_was_posted_stays(
    linked: ForumTown,
) -> None:
    world = linked.world
    staff = world.guild.create_text_channel("staff")
    await world.manage("Moderation", log_channel_id=[staff])
    await follow(linked, world.channel)
    await poll(linked)
    await linked.post("Hello from the game")
    await poll(linked)
    linked.proxy.manner = no_such_thread
    world.bot.features.threads.client.comments.forget()

    poller = world.bot.features.poller
    assert not await poller.poll(PlaceKind.THREAD, int(EMPTY))
    await tried(world)
    assert staff.history() == []
    for _ in range(3):
        await world.pass_time(A_MINUTE)
        assert not await poller.poll(PlaceKind.THREAD, int(EMPTY))
        await tried(world)

    (told,) = staff.history()
    assert "Quiet corner is no longer in the game" in text_of(told)
    listed = await world.moderator.click(told, label="Open announcements")
    assert "⚠️ **Quiet corner** in" in text_of(listed)
    assert "Gone from the game. Posts that are already there stay." in text_of(listed)
    card = text_of(await open_announcement(world))
    assert "⚠️ Gone from the game. Posts that are already there stay." in card
    (posted,) = world.channel.history()
    assert "Hello from the game" in text_of(posted)
    opened = await world.member.click(posted, label="Open")
    assert "The game doesn't have that thread" in text_of(opened)
    form = await world.friend.context_menu(world.channel, "Report comment", posted)
    assert "Report sent" in text_of(await world.friend.submit_modal(form, {"reason": "Rude"}))

    linked.proxy.manner = None
    await poll(linked)
    again = text_of(await world.slash("announce list", world.moderator))
    assert "Gone from the game" not in again


async def test_a_watch_in_a_thread_that_is_gone_says_so(linked: ForumTown) -> None:
    world = linked.world
    await world.slash("forum watch", words="squirrel", thread=EMPTY)
    await poll(linked)
    linked.proxy.manner = no_such_thread
    world.bot.features.threads.client.comments.forget()
    for _ in range(2):
        assert not await world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))

    listed = text_of(await world.slash("account watches"))

    watch = "- **comments with “squirrel”** · Quiet corner"
    assert f"{watch}\n  ⚠️ Quiet corner is no longer in the game" in listed
    linked.proxy.manner = None
    await poll(linked)
    again = text_of(await world.slash("account watches"))
    assert watch in again
    assert "no longer in the game" not in again
