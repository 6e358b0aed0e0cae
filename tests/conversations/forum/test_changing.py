"""Changing and deleting one's own comments, also in forms that stay open."""

from typing import Any

import pytest
from aiohttp import web

from cogs.forum.text_cards import MAX_TEXT_LENGTH
from tests.support.cards import buttons_of, text_of
from tests.support.faulty_proxy import Fault, Forward, is_write
from tests.support.forum import BIG, EMPTY, ForumTown, can_press, number_of, turn_text
from tests.support.presses import fill_in_again
from tests.support.world import SUBSCRIBER

# A comment that no one in these tests wrote.
_STRANGERS = 118


async def test_own_comments_carry_edit_and_delete(linked: ForumTown) -> None:
    await linked.post("Now you know me")

    mine = await linked.read(EMPTY)
    others = await linked.read(EMPTY, linked.world.friend)
    # In a list, a member's own comments look like everyone's.
    assert "Edit" not in {*buttons_of(mine), *buttons_of(others)}
    await linked.open_comment(mine, number_of(mine))
    await linked.open_comment(others, number_of(others), linked.world.friend)
    assert {"Edit", "Delete comment"} <= set(buttons_of(mine))
    assert not {"Edit", "Delete comment"} & set(buttons_of(others))


async def test_edit_opens_a_form_with_the_present_text(linked: ForumTown) -> None:
    posted = await linked.post("Frist!")

    form = await linked.form_of(await linked.press(posted, "Edit"))
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "Frist!"
    changed = await linked.world.member.submit_modal(form, {"text": "First!"})

    assert "Comment edited" in text_of(changed)
    assert await linked.texts_in(EMPTY) == ["First!"]
    # Phones show what they first saw under the id of a form.
    later = await linked.form_of(await linked.press(changed, "Edit"))
    assert later.modal is not None
    assert later.modal["custom_id"] != form.modal["custom_id"]
    again = await linked.form_of(await linked.press(changed, "Edit"))
    assert again.modal is not None
    assert again.modal["custom_id"] == later.modal["custom_id"]


async def test_the_edit_command_knows_the_present_text_after_a_restart(linked: ForumTown) -> None:
    number = number_of(await linked.post("Frist!"))

    await linked.world.restart()
    form = await linked.form_of(await linked.world.slash("forum edit", comment=str(number)))

    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == "Frist!"


async def test_a_comment_longer_than_discords_form_can_be_read_and_replaced(
    linked: ForumTown,
) -> None:
    shorter, longer = "x" * MAX_TEXT_LENGTH, "All work and no play. " * 200
    posted = await linked.post(shorter)
    form = await linked.form_of(await linked.press(posted, "Edit"))
    assert form.modal is not None
    assert form.modal["components"][0]["component"]["value"] == shorter
    number = number_of(posted)
    await linked.world.change_in_the_app(SUBSCRIBER, number, longer)
    await linked.world.restart()
    shown = await linked.read(EMPTY)
    await linked.open_comment(shown, number)
    assert await turn_text(linked, shown)

    refused = await linked.press(shown, "Edit")
    assert refused.modal is None
    assert "This text doesn't fit Discord's form" in text_of(refused)
    assert "The text has 4,399 characters, and the limit is 4,000." in text_of(refused)

    await linked.world.slash("forum edit", comment=str(number), content="Shorter")

    assert await linked.texts_in(EMPTY) == ["Shorter"]


async def test_edit_and_delete_offer_what_the_member_wrote(linked: ForumTown) -> None:
    number = number_of(await linked.post("Something about ducks"))
    await linked.post("Something about hats")
    member = linked.world.member

    offered = await member.autocomplete(linked.world.channel, "forum edit", "comment", "ducks")
    assert [choice["value"] for choice in offered] == [str(number)]
    for_friend = await linked.world.friend.autocomplete(
        linked.world.channel, "forum delete", "comment", ""
    )
    assert for_friend == []

    asked = await linked.world.slash("forum delete", comment=str(number))
    await linked.press(asked, "Delete comment")
    offered = await member.autocomplete(linked.world.channel, "forum delete", "comment", "")
    assert [choice["name"].split()[-1] for choice in offered] == ["hats"]


async def test_delete_asks_first_and_shows_what_will_go(linked: ForumTown) -> None:
    posted = await linked.post("Regrettable")

    await linked.press(posted, "Delete comment")
    assert "Delete this comment?" in text_of(posted)
    assert "Regrettable" in text_of(posted)
    await linked.press(posted, "Cancel")
    assert await linked.texts_in(EMPTY) == ["Regrettable"]

    await linked.press(posted, "Delete comment")
    await linked.press(posted, "Delete comment")
    assert "Comment deleted" in text_of(posted)
    assert await linked.texts_in(EMPTY) == []


async def test_a_deletion_whose_answer_is_lost_can_be_pressed_again(linked: ForumTown) -> None:
    posted = await linked.post("Regrettable")
    await linked.press(posted, "Delete comment")
    with linked.proxy.failing(Fault.LOST_ANSWER, is_write):
        unknown = await linked.press(posted, "Delete comment")
    assert "Was the comment deleted?" in text_of(unknown)

    again = await linked.press(posted, "Delete comment")

    assert "Comment deleted\nThe comment no longer exists in the game." in text_of(again)
    assert await linked.texts_in(EMPTY) == []


@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, Fault.LOST_REQUEST])
async def test_a_deletion_whose_answer_is_lost_is_told_as_done(
    linked: ForumTown, fault: Fault
) -> None:
    posted = await linked.post("Regrettable")
    await linked.press(posted, "Delete comment")
    with linked.proxy.failing(fault, is_write):
        unknown = await linked.press(posted, "Delete comment")

    await linked.world.pass_time(36)

    assert "Comment deleted" in text_of(unknown)
    assert await linked.texts_in(EMPTY) == []


@pytest.mark.parametrize(("status", "text"), [(404, ""), (404, "{}"), (410, "")])
async def test_a_comment_that_the_game_no_longer_has_is_deleted(
    linked: ForumTown, status: int, text: str
) -> None:
    async def answer(*_: object) -> web.Response:
        return web.Response(status=status, text=text)

    posted = await linked.post("Regrettable")
    await linked.press(posted, "Delete comment")
    linked.proxy.manner = answer
    await linked.press(posted, "Delete comment")

    assert "Comment deleted\nThe comment no longer exists in the game." in text_of(posted)


async def _answer_changes(town: ForumTown, status: int) -> None:
    """Let the game answer edits and deletions with a refusal."""

    async def answer(request: web.Request, forward: Forward) -> web.Response:
        if request.method not in ("PUT", "DELETE"):
            return await forward()
        return web.json_response({"message": "This thread is locked."}, status=status)

    town.proxy.manner = answer


@pytest.mark.parametrize("status", [403, 404, 409, 422])
async def test_a_change_refused_the_second_time_says_what_the_game_said(
    linked: ForumTown, status: int
) -> None:
    posted = await linked.post("Frist!")
    form = await linked.form_of(await linked.press(posted, "Edit"))
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        lost = await linked.world.member.submit_modal(form, {"text": "First!"})
    await _answer_changes(linked, status)

    await linked.world.pass_time(36)

    shown = text_of(lost)
    assert "Your comment isn't edited yet\nThe game says: “This thread is locked.”" in shown
    assert ">>> First!" in shown


@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en-US", "The comment wasn't deleted\nThe game says: “This thread is locked.”"),
        ("de", "Der Kommentar wurde nicht gelöscht\nDas Spiel sagt: „This thread is locked.“"),
    ],
)
async def test_a_deletion_refused_the_second_time_says_what_the_game_said(
    linked: ForumTown, locale: str, told: str
) -> None:
    posted = await linked.post("Regrettable")
    await linked.press(posted, "Delete comment")
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.press(posted, "Delete comment")
    await linked.change(f"UPDATE writes SET locale = '{locale}'")
    await _answer_changes(linked, 403)

    await linked.world.pass_time(36)

    member: Any = linked.world.member
    assert told in "\n".join(map(text_of, member.user.dm_channel.history()))


async def test_of_two_changes_without_an_answer_the_newer_one_stands(linked: ForumTown) -> None:
    number = str(number_of(await linked.post("Frist!")))
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        for text in ("First!", "Second!"):
            await linked.world.slash("forum edit", comment=number, content=text)

    await linked.world.pass_time(36)
    await linked.world.pass_time(5 * 60)

    assert await linked.texts_in(EMPTY) == ["Second!"]
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum unsent"))


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_change_that_its_writer_sends_once_more_is_the_newest(
    linked: ForumTown, *, is_answered: bool
) -> None:
    number = str(number_of(await linked.post("Frist!")))
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        first = await linked.world.slash("forum edit", comment=number, content="First!")
        await linked.world.slash("forum edit", comment=number, content="Second!")
        if not is_answered:
            await linked.press(first, "Try again")
    if is_answered:
        await linked.press(first, "Try again")

    await linked.world.pass_time(36)

    assert await linked.texts_in(EMPTY) == ["First!"]
    assert "You have no unsent texts" in text_of(await linked.world.slash("forum unsent"))


async def test_a_deletion_that_may_have_happened_is_discarded_as_such(linked: ForumTown) -> None:
    posted = await linked.post("Regrettable")
    await linked.press(posted, "Delete comment")
    with linked.proxy.failing(Fault.LOST_ANSWER, is_write):
        unknown = await linked.press(posted, "Delete comment")

    discarded = await linked.press(unknown, "Don't delete")

    assert "Deletion discarded" in text_of(discarded)
    assert "The game may still have deleted the comment." in text_of(discarded)


@pytest.mark.parametrize("options", [{}, {"content": "Mine now"}])
@pytest.mark.parametrize("command", ["forum edit", "forum delete"])
async def test_another_players_comment_offers_neither(
    linked: ForumTown, command: str, options: dict[str, str]
) -> None:
    if command == "forum delete":
        options = {}
    await linked.post("Now you know me")
    await linked.read(BIG)

    refused = await linked.world.slash(command, comment=str(_STRANGERS), **options)

    assert refused.modal is None
    assert "This comment isn't yours" in text_of(refused)
    assert options.get("content", "") in text_of(refused)
    assert not {"Delete comment", "Edit"} & set(buttons_of(refused))


async def test_the_game_decides_where_no_page_is_at_hand(linked: ForumTown) -> None:
    number = number_of(await linked.post("Mine"))

    await linked.world.restart()
    told = await linked.world.slash(
        "forum edit", linked.world.friend, comment=str(number), content="Mine now"
    )

    assert "Your comment isn't edited yet\nThe game says: “Only the player" in text_of(told)
    assert ">>> Mine now" in text_of(told)
    assert await linked.texts_in(EMPTY) == ["Mine"]


async def test_a_comment_written_in_the_game_can_be_changed(linked: ForumTown) -> None:
    number = number_of(await linked.post("Written long ago"))
    # As if it had been written in the game.
    await linked.change("DELETE FROM writes")
    await linked.change("UPDATE links SET player_id = NULL")
    await linked.world.restart()
    await linked.read(EMPTY)

    edited = await linked.world.slash("forum edit", comment=str(number), content="Better")

    assert "Comment edited" in text_of(edited)
    assert "Delete comment" in buttons_of(edited)
    assert await linked.texts_in(EMPTY) == ["Better"]


async def test_an_unseen_comment_is_neither_changed_nor_deleted(linked: ForumTown) -> None:
    edited = await linked.world.slash("forum edit", comment="121", content="Typed with care")
    asked = await linked.world.slash("forum delete", comment="121")

    assert "Kiosk hasn't seen comment #121 yet" in text_of(edited)
    assert "Typed with care" in text_of(edited)
    assert "Kiosk hasn't seen comment #121 yet" in text_of(asked)


# Discord's errors if it no longer waits, or has its answer from another try.
TOO_LATE, ANSWERED = (404, 10062), (400, 40060)


@pytest.mark.parametrize(("status", "code"), [TOO_LATE, ANSWERED])
async def test_a_form_sent_again_posts_once(linked: ForumTown, status: int, code: int) -> None:
    form = await linked.world.slash("forum post", thread=EMPTY)
    linked.world.env.inject_error("POST", "/interactions/*", status=status, code=code)

    await linked.world.member.submit_modal(form, {"text": "Typed once"})
    assert await linked.texts_in(EMPTY) == []
    await fill_in_again(linked.world.member, form, {"text": "Typed once"})

    assert await linked.texts_in(EMPTY) == ["Typed once"]
    listed = await linked.world.slash("forum unsent")
    await linked.open_text(listed)
    assert "Your comment isn't posted yet" in text_of(listed)
    await linked.press(listed, "Discard…")
    await linked.press(listed, "Discard")


async def test_a_text_whose_form_stayed_open_waits_to_be_sent(linked: ForumTown) -> None:
    form = await linked.world.slash("forum post", thread=EMPTY)
    linked.world.env.inject_error("POST", "/interactions/*", status=ANSWERED[0], code=ANSWERED[1])

    card = await linked.world.member.submit_modal(form, {"text": "Typed once"})
    assert "Typed once" in text_of(card)
    assert can_press(card, "Edit")
    await linked.press(card, "Try again")

    assert "Comment posted" in text_of(card)
    assert await linked.texts_in(EMPTY) == ["Typed once"]


async def test_a_refused_press_changes_and_deletes_nothing(linked: ForumTown) -> None:
    posted = await linked.post("Frist!")
    edit = await linked.form_of(await linked.press(posted, "Edit"))
    linked.world.env.inject_error("POST", "/interactions/*", status=TOO_LATE[0], code=TOO_LATE[1])
    await linked.world.member.submit_modal(edit, {"text": "First!"})
    await linked.press(posted, "Delete comment")
    linked.world.env.inject_error("POST", "/interactions/*", status=TOO_LATE[0], code=TOO_LATE[1])
    await linked.press(posted, "Delete comment")

    assert await linked.texts_in(EMPTY) == ["Frist!"]
