"""What can't be reached, who may not press any more, and that the moderators learn of it."""

from typing import Any

import simcord

from tests.conversations.moderate.conftest import Beat
from tests.support.cards import buttons_of, text_of
from tests.support.forum import EMPTY, number_of
from tests.support.owed import try_again


async def test_a_closed_log_is_told_of(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    first, _ = await beat.share()
    second, _ = await beat.share("Unkinder words")
    third, _ = await beat.share("Unkindest words")
    posting = f"/channels/{log_channel.id}/messages"
    world.env.inject_error("POST", posting, status=403, code=50013, times=2)

    await beat.remove(first)
    await beat.settled()
    # Read at once: its card is taken, and the channel opens again.
    told = text_of(await beat.remove(second))
    await beat.settled()
    await beat.remove(third)
    await beat.settled()
    again = await beat.moderate("remove", comment="999", reason="Insults")
    await try_again(world)

    assert f"Kiosk can't post in <#{log_channel.id}>" in told
    assert "can't post" not in again
    posted = [text_of(message) for message in log_channel.history()]
    words = ("Unkind ", "Unkinder", "Unkindest")
    assert [sum(word in text for text in posted) for word in words] == [0, 1, 1]


async def test_archived_posts_are_opened(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world, backend = beat.world, beat.world.env.backend
    post = backend.create_thread(world.channel.id, "A post", world.member.id)
    (world.channel,) = world.channel.threads
    comment_id, shared = await beat.share()
    await beat.read(EMPTY, public=True)
    page = world.channel.last_message
    assert page is not None
    assert post.thread_metadata is not None
    post.thread_metadata.archived = True
    messages = f"/channels/{post.id}/messages"
    world.env.inject_error("DELETE", f"{messages}/{shared.id}", status=400, code=50083)
    world.env.inject_error("PATCH", f"/channels/{post.id}", status=403, code=50013)
    world.env.inject_error("DELETE", f"{messages}/{page.id}", status=400, code=50083)

    removed = text_of(await beat.remove(comment_id))
    await beat.settled()

    assert "2 public messages aren't deleted yet. The log channel says when they are." in removed
    told = log_channel.last_message
    assert "⚠️ 1 of 2 messages deleted.\n- " in text_of(told)
    assert f"{shared.id} is in an archived and locked thread" in text_of(told)
    await beat.press(told, "Try last message again", world.moderator)
    await beat.settled()
    assert "2 messages deleted." in text_of(log_channel.last_message)
    assert "Try last message again" not in buttons_of(log_channel.last_message)
    assert not world.channel.history()
    assert not post.thread_metadata.archived


async def test_what_was_deleted_by_hand_counts_as_gone(
    beat: Beat, log_channel: simcord.ChannelHandle
) -> None:
    world = beat.world
    comment_id, shared = await beat.share()
    await shared.delete()
    await beat.read(EMPTY, public=True)
    world.env.inject_error(
        "DELETE", f"/channels/{world.channel.id}/messages/", status=404, code=10003
    )

    removed = text_of(await beat.remove(comment_id))
    await beat.settled()
    logged = text_of(log_channel.last_message)

    assert "2 public messages aren't deleted yet. The log channel says when they are." in removed
    assert "This server no longer shows the comment." not in removed
    assert "2 messages deleted." in logged
    assert "⚠️" not in logged
    assert "This server no longer shows the comment." in text_of(await beat.remove(comment_id))


async def test_a_locked_thread_keeps_what_was_removed(beat: Beat) -> None:
    world = beat.world
    comment_id, shared = await beat.share()
    deleting = f"/channels/{world.channel.id}/messages/{shared.id}"
    world.env.inject_error("DELETE", deleting, status=403, code=160005, times=None)

    for _ in range(2):
        told = text_of(await beat.remove(comment_id))
        await beat.settled()

        assert "This server no longer shows" not in told
        assert "0 of 1 message deleted.\n- Kiosk can't delete" in await beat.log()
    restored = await beat.moderate("restore", removed=str(comment_id))
    assert "doesn't come back" not in restored


async def test_a_removal_outlives_a_restart(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    await beat.post("Kind words")
    comment_id = number_of(await beat.post("Unkind words"))
    await beat.read(EMPTY, public=True)
    page = world.channel.last_message
    assert page is not None
    deleting = f"/channels/{world.channel.id}/messages/{page.id}"
    world.env.inject_error("DELETE", deleting, status=503, times=None)
    await beat.remove(comment_id)
    await beat.settled()
    assert "message deleted." not in text_of(log_channel.last_message)

    await world.restart()
    world.env.backend.faults.clear()
    await try_again(world)
    await beat.settled()

    assert "\n1 message deleted." in text_of(log_channel.last_message)
    assert world.channel.last_message is None


async def test_a_message_deleted_with_an_error_is_done(beat: Beat) -> None:
    world = beat.world
    comment_id, shared = await beat.share()
    deleting = f"/channels/{world.channel.id}/messages/{shared.id}"
    world.env.inject_error("DELETE", deleting, status=503)

    await beat.remove(comment_id)
    await beat.settled()
    # As if the one that was answered with the error had done it.
    await shared.delete()
    await try_again(world)

    assert "1 message deleted." in await beat.log()


async def test_a_lost_role_presses_nothing(beat: Beat, log_channel: simcord.ChannelHandle) -> None:
    world = beat.world
    await beat.world.watch_words("unkind")
    removed_id, _ = await beat.share("Rude words")
    await beat.remove(removed_id)
    await beat.settled()
    log = await world.slash("moderate log", world.moderator)
    removal = log_channel.last_message
    await beat.post("Unkind words")
    await beat.read_here()
    await beat.settled()
    held_back = log_channel.last_message
    world.env.backend.guilds[world.guild.id].members[world.moderator.id].role_ids.clear()

    pressed = [(removal, "Restore"), (held_back, "Show"), (held_back, "Remove comment…")]
    answers = [await beat.press(shown, label, world.moderator) for shown, label in pressed]

    assert "Rude words" in text_of(log)
    assert all("Only moderators can do this" in text_of(answer) for answer in answers)
    read = await beat.read_here()
    assert "Rude words" not in read
    assert "Unkind words" not in read


async def test_another_server_goes_on_showing_what_was_removed_here(beat: Beat) -> None:
    comment_id, _ = await beat.share()
    elsewhere = beat.world.env.create_guild("Elsewhere")
    channel = elsewhere.create_text_channel("talk")
    visitor = elsewhere.add_member(beat.world.env.create_user("visitor"))
    await visitor.slash(channel, "forum read", thread=EMPTY, public=True)

    await beat.remove(comment_id)
    await beat.settled()
    there = await visitor.slash(channel, "forum read", thread=EMPTY)

    assert "Unkind words" not in await beat.read_here()
    assert "Unkind words" in text_of(there)
    assert "Unkind words" in text_of(channel.last_message)


async def test_a_members_own_install_posts_nothing(beat: Beat) -> None:
    world = beat.world
    await beat.post("Unkind words")

    def install_by_member(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["authorizing_integration_owners"] = {"1": str(world.friend.id)}

    world.env.backend.subscribers.insert(0, install_by_member)
    opened = await beat.open_first(world.friend)
    refused = await beat.read(EMPTY, world.friend, public=True)

    assert "Unkind words" in text_of(opened)
    assert "you can't share anything here" in text_of(opened)
    assert {"Share", "Remove comment", "Report"}.isdisjoint(buttons_of(opened))
    assert "Kiosk can't post here" in text_of(refused)
    assert world.channel.last_message is None
