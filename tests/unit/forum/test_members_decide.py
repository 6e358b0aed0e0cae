"""What a member decides about a text that may have arrived loses nothing, and doubles nothing."""

from datetime import timedelta

import pytest

from bot.domain.drafts import DraftKind, DraftState
from bot.errors import NotLinked
from bot.features.errors import DraftGone, GivenBack, IsItYours, TextInDoubt, Unsent
from tests.support.faulty_proxy import Fault, is_read, is_write
from tests.unit.forum.conftest import MEMBER, STRANGER, Desk


async def test_what_is_typed_in_place_of_a_text_in_doubt_is_given_back(desk: Desk) -> None:
    await desk.post("Hello")
    draft = (await desk.leave_unknown("You are a fool")).draft
    desk.let_arrive()

    with pytest.raises(GivenBack) as given:
        await desk.retry(MEMBER, draft.id, text="You are no fool")

    assert given.value.text == "You are no fool"
    assert isinstance(given.value.cause, TextInDoubt)
    assert (await desk.retry(MEMBER, draft.id)).comment is not None
    assert await desk.texts() == ["Hello", "You are a fool"]


async def test_what_is_typed_in_place_of_a_text_that_is_gone_is_given_back(desk: Desk) -> None:
    draft = (await desk.lose("Good morning")).draft
    await desk.writing.discard(MEMBER, draft.id)

    with pytest.raises(GivenBack) as given:
        await desk.retry(MEMBER, draft.id, text="Good evening")

    assert given.value.text == "Good evening"
    assert isinstance(given.value.cause, DraftGone)


async def test_a_reply_that_may_have_arrived_is_not_posted_in_its_thread_as_well(
    desk: Desk,
) -> None:
    parent = (await desk.post("Hello")).comment
    assert parent is not None
    await desk.look()
    draft = (await desk.leave_unknown("Hello to you", parent.id)).draft
    desk.let_arrive()

    held = await desk.writing.take(MEMBER, draft.id)
    written = await desk.writing.sender.send_as_post(held)

    assert written.kind is DraftKind.REPLY
    assert await desk.texts() == ["Hello", "Hello to you"]


async def test_a_comment_that_another_text_has_become_since_is_not_said_to_be_a_second(
    desk: Desk,
) -> None:
    await desk.look()
    drafts = [(await desk.leave_unknown("Hello")).draft, (await desk.lose("Hello")).draft]
    shown: list[int] = []
    for draft in drafts:
        with pytest.raises(Unsent) as doubtful:
            await desk.retry(MEMBER, draft.id)
        assert isinstance(doubtful.value.cause, IsItYours)
        shown.append(doubtful.value.cause.comment.id)
    assert len(set(shown)) == 1
    desk.clock.advance(1)

    first, second = [await desk.writing.take(MEMBER, draft.id) for draft in drafts]
    await desk.writing.sender.settle_as(first, shown[0])
    with pytest.raises(Unsent):
        await desk.writing.sender.settle_as(second, shown[0])

    assert [kept.id for kept in await desk.writing.unsent(MEMBER)] == [second.id]


async def test_a_text_of_one_account_is_not_looked_for_as_anothers(desk: Desk) -> None:
    await desk.post("Now you know me")
    await desk.post("And me", member=STRANGER)
    await desk.look()
    draft = (await desk.leave_unknown("Hello")).draft
    await desk.accounts.link(MEMBER, desk.tokens[STRANGER], [1])
    await desk.post("It is me, too")
    desk.let_arrive()

    await desk.retry(MEMBER, draft.id)

    assert (await desk.texts()).count("Hello") == 1


async def test_a_text_that_two_accounts_may_have_sent_is_looked_for_as_either_ones(
    desk: Desk,
) -> None:
    await desk.post("Now you know me")
    await desk.post("And me", member=STRANGER)
    await desk.look()
    draft = (await desk.lose("Hello")).draft
    desk.let_arrive()
    await desk.accounts.link(MEMBER, desk.tokens[STRANGER], [1])
    await desk.post("It is me, too")
    with (
        desk.proxy.failing(Fault.LOST_ANSWER, is_write),
        desk.proxy.failing(Fault.LOST_REQUEST, is_read),
        pytest.raises(Unsent),
    ):
        await desk.retry(MEMBER, draft.id, is_sure=True)
    desk.let_arrive()

    with pytest.raises(Unsent) as doubtful:
        await desk.retry(MEMBER, draft.id)

    assert isinstance(doubtful.value.cause, IsItYours)
    assert (await desk.texts()).count("Hello") == 1


async def test_what_may_have_arrived_still_may_after_an_unlinking(desk: Desk) -> None:
    draft = (await desk.lose("Hello")).draft
    desk.let_arrive()
    await desk.accounts.unlink(MEMBER)

    with pytest.raises(Unsent) as unlinked:
        await desk.retry(MEMBER, draft.id)

    assert isinstance(unlinked.value.cause, NotLinked)
    assert unlinked.value.draft.state is DraftState.UNKNOWN


async def test_whoever_is_sure_need_not_wait_for_what_a_game_may_show_late(desk: Desk) -> None:
    draft = (await desk.lose("Now")).draft
    desk.clock.advance(timedelta(seconds=46))

    with pytest.raises(Unsent):
        await desk.retry(MEMBER, draft.id)
    await desk.retry(MEMBER, draft.id, is_sure=True)

    assert await desk.texts() == ["Now"]
