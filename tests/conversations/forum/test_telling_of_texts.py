"""Whoever does not come back is told what became of a text: once, directly or at a command."""

from typing import Any

from tests.support.cards import text_of
from tests.support.forum import ForumTown
from tests.support.owed import tried

CUT_OFF = "Kiosk was interrupted while sending it"
CANNOT_MESSAGE = 50007
# In seconds, more than a bot lets pass between two looks at its texts.
_A_LOOK = 46


def direct_messages_to(town: ForumTown) -> list[str]:
    member: Any = town.world.member
    return [text_of(message) for message in member.user.dm_channel.history()]


async def let_the_bot_look(town: ForumTown) -> None:
    """Let the bot look after what nobody was told for minutes, and tell it."""
    await town.change("UPDATE drafts SET due_at = 0")
    await town.world.env.advance_time(_A_LOOK)
    await tried(town.world)


async def test_who_uses_no_command_is_told_of_an_unsent_text_directly_and_once(
    linked: ForumTown,
) -> None:
    await linked.leave_untold("Half sent")

    await let_the_bot_look(linked)
    await let_the_bot_look(linked)

    (told,) = direct_messages_to(linked)
    assert CUT_OFF in told
    assert CUT_OFF not in text_of(await linked.world.slash("help"))


async def test_who_takes_no_direct_messages_is_told_of_an_unsent_text_at_a_command(
    linked: ForumTown,
) -> None:
    linked.world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )
    await linked.leave_untold("Half sent")
    await let_the_bot_look(linked)

    assert CUT_OFF in text_of(await linked.world.slash("help"))
    assert CUT_OFF not in text_of(await linked.world.slash("help"))


async def test_what_was_told_at_a_command_is_not_sent_as_well(linked: ForumTown) -> None:
    await linked.leave_untold("Half sent")
    assert CUT_OFF in text_of(await linked.world.slash("help"))

    await let_the_bot_look(linked)

    assert direct_messages_to(linked) == []


async def test_a_text_that_was_posted_after_all_is_told_of_directly(linked: ForumTown) -> None:
    await linked.leave_untold("Half sent")
    await linked.change(
        "INSERT INTO outcomes (id, member_id, kind, thread_id, created_at, locale)"
        " SELECT id, member_id, kind, thread_id, created_at - 120000000, 'de' FROM drafts",
    )
    await linked.change("DELETE FROM drafts")

    await let_the_bot_look(linked)

    (told,) = direct_messages_to(linked)
    assert "Dein Kommentar ist da" in told
