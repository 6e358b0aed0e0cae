"""Whoever does not come back is told what became of a text: once, directly or at a command."""

from typing import Any

from tests.support.cards import text_of
from tests.support.forum import ForumTown

WAITS = "Your text is kept here for 24 hours"
CANNOT_MESSAGE = 50007


def direct_messages_to(town: ForumTown) -> list[str]:
    member: Any = town.world.member
    return [text_of(message) for message in member.user.dm_channel.history()]


async def test_who_uses_no_command_is_told_of_an_unsent_text_directly_and_once(
    linked: ForumTown,
) -> None:
    await linked.cut_off("Half sent")

    await linked.let_pass(1)
    await linked.let_pass(1)

    (told,) = direct_messages_to(linked)
    assert WAITS in told
    assert WAITS not in text_of(await linked.world.slash("help"))


async def test_who_takes_no_direct_messages_is_told_of_an_unsent_text_at_a_command(
    linked: ForumTown,
) -> None:
    linked.world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )
    await linked.cut_off("Half sent")
    await linked.let_pass(1)

    assert WAITS in text_of(await linked.world.slash("help"))
    assert WAITS not in text_of(await linked.world.slash("help"))


async def test_a_text_that_was_posted_after_all_is_told_of_directly_in_the_writers_language(
    linked: ForumTown,
) -> None:
    await linked.get_known()
    await linked.post("Half sent")
    await linked.cut_off("Half sent", "de")
    await linked.change(
        "UPDATE writes SET state = 'sent', asked_at = 0,"
        " player_id = (SELECT player_id FROM links WHERE links.member_id = writes.member_id)"
        " WHERE id = 1"
    )
    await linked.change("UPDATE writes SET result_id = NULL WHERE id > 1")

    await linked.let_pass(1)

    (told,) = direct_messages_to(linked)
    assert "Dein Kommentar ist da" in told
