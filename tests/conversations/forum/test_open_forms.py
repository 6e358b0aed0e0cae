"""A form that Discord keeps open, as it heard no answer, is sent again: its text is posted once."""

import pytest

from tests.support.cards import text_of
from tests.support.forum import EMPTY, ForumTown, can_press
from tests.support.presses import fill_in_again

# What Discord says where it waits no longer, or has its answer from another try.
TOO_LATE, ANSWERED = (404, 10062), (400, 40060)


@pytest.mark.parametrize(("status", "code"), [TOO_LATE, ANSWERED])
async def test_a_form_that_is_sent_again_posts_once(
    linked: ForumTown, status: int, code: int
) -> None:
    form = await linked.world.slash("forum post", thread=EMPTY)
    linked.world.env.inject_error("POST", "/interactions/*", status=status, code=code)

    await linked.world.member.submit_modal(form, {"text": "Typed once"})
    assert await linked.texts_in(EMPTY) == []
    await fill_in_again(linked.world.member, form, {"text": "Typed once"})

    assert await linked.texts_in(EMPTY) == ["Typed once"]
    listed = await linked.world.slash("forum drafts")
    await linked.press(listed, "Open")
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

    assert "Your comment is posted" in text_of(card)
    assert await linked.texts_in(EMPTY) == ["Typed once"]


async def test_a_comment_is_not_changed_or_deleted_by_a_press_that_discord_refused(
    linked: ForumTown,
) -> None:
    posted = await linked.post("Frist!")
    edit = await linked.form_of(await linked.press(posted, "Edit"))
    linked.world.env.inject_error("POST", "/interactions/*", status=TOO_LATE[0], code=TOO_LATE[1])
    await linked.world.member.submit_modal(edit, {"text": "First!"})
    await linked.press(posted, "Delete")
    linked.world.env.inject_error("POST", "/interactions/*", status=TOO_LATE[0], code=TOO_LATE[1])
    await linked.press(posted, "Delete")

    assert await linked.texts_in(EMPTY) == ["Frist!"]
