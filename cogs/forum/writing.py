"""Write, edit and delete comments, show the outcome of any text, and list unsent texts.

Only a comment's own writer can edit and delete it.
"""

import logging

from bot.errors import KioskError
from bot.features import feature_errors
from bot.features.reading.threads import Found, HeldBackComment
from bot.features.writing import outcomes, writing_errors
from bot.features.writing.texts import TEXT_NEWS
from bot.game.game_errors import GameError
from bot.game.models import PageKey
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import custom_ids, drawing, error_cards, shared_actions
from bot.ui.codes import in_words
from bot.ui.drawing import Card
from bot.ui.here import Here
from bot.ui.markdown import paginate
from bot.ui.messages.news import WriteNews
from bot.ui.router import route, sent
from cogs.forum import actions, screens, text_cards
from storage import writes
from storage.moderation import Subject
from storage.names import PlaceKind

log = logging.getLogger(__name__)

# A form must be the first answer, and Discord waits three seconds for that.
SECONDS_BEFORE_FORM = 0.8
_GIVEN_ROOM = 2600


@route(shared_actions.WriteComment, opens_form=True)
async def open_write_form(here: Here, action: shared_actions.WriteComment) -> None:
    """Open the form for a comment or reply. Without a link, lead to linking and back here."""
    here.again = action
    await here.features.accounts.require(here.member_id)
    answered = None
    if action.parent_id != actions.NO_ID:
        # If this fails, the form shows the comment's number, and sending will say what is wrong.
        try:
            answered = await here.features.threads.comment_within(
                SECONDS_BEFORE_FORM, here.viewer, action.near, action.parent_id
            )
        except feature_errors.CommentGone:
            raise
        except (KioskError, GameError) as error:
            log.info("Opening a form without the comment it replies to: %s", error)
    form = text_cards.write_form(action, answered and answered.comment)
    await here.open_form(form)


@route(actions.OpenEditForm, opens_form=True)
async def open_edit_form(here: Here, action: shared_actions.CommentAction) -> None:
    """Open the form with a comment's current text, if the game sends it in time."""
    here.again = action
    await here.features.accounts.require(here.member_id)
    own = await _own(here, action.comment_id)
    threads = here.features.threads
    text = None
    try:
        found = await threads.comment_within(
            SECONDS_BEFORE_FORM, here.viewer, action.near, action.comment_id
        )
    except feature_errors.CommentNotFound:
        if own is None:
            raise
    else:
        if found is None:
            here.acknowledge(in_place=False)
            found = await threads.comment(here.viewer, action.near, action.comment_id)
            require_own(found, await here.player_id())
            await here.answer(text_cards.ready_to_edit_card(action))
            return
        require_own(found, await here.player_id())
        if not isinstance(found.comment, HeldBackComment):
            text = found.comment.content
    form = text_cards.edit_form(action.near.thread_id, action.comment_id, text)
    await here.open_form(form)


@route(actions.AskDelete)
async def ask_delete(here: Here, action: shared_actions.CommentAction) -> None:
    comment_id = action.comment_id
    own = await _own(here, comment_id)
    try:
        found = await here.features.threads.comment(here.viewer, action.near, comment_id)
    except feature_errors.CommentNotFound:
        view = await here.features.moderation.policy.prepare(here.viewer)
        seen = view.see(Subject(comment_id, player_id=await here.player_id()))
        if own is None or seen.is_hidden:
            raise
        card = text_cards.unseen_delete_card(own.place_id, comment_id, own.body)
    else:
        require_own(found, await here.player_id())
        card = text_cards.delete_card(
            found, await here.place(PlaceKind.THREAD, found.key.thread_id)
        )
    await here.answer(card)


async def _own(here: Here, comment_id: int) -> writes.Text | None:
    written = await here.features.writes.text_of_comment(comment_id)
    return written if written and written.member_id == here.member_id else None


@sent(shared_actions.WriteComment, in_place=False, keeps=True)
async def send_text(
    here: Here, action: shared_actions.WriteComment, content: str | None = None
) -> None:
    """Send a text, or what was typed in the form, as a comment or a reply."""
    # The form opens again only if the text can't be saved: otherwise it might be posted twice.
    here.again = None
    body = await in_words(here, text_cards.TEXT.read(here) if content is None else content)
    await perform(here, actions.text_to_send(here, action, body), action.near, again=action)


@sent(actions.SendEdit, in_place=False, keeps=True)
async def send_edit(here: Here, action: actions.SendEdit, content: str | None = None) -> None:
    """Change a comment to a text, or to what was typed in the form."""
    body = await in_words(here, text_cards.TEXT.read(here) if content is None else content)
    form = actions.OpenEditForm(action.near, action.comment_id)
    await perform(here, action.text_to_send(here, body), action.near, again=form)


@route(actions.Delete, keeps=True)
async def on_delete(here: Here, action: actions.Delete) -> None:
    # The card that asked has a button to the comment's page.
    message = here.interaction.message
    kept = drawing.actions_in(message, shared_actions.ShowComment) if message else []
    near = kept[0].near if kept else PageKey(action.thread_id)
    here.again = actions.AskDelete(near, action.comment_id)
    await perform(here, action.text_to_send(here))


async def perform(
    here: Here,
    text: writes.Text,
    near: PageKey | None = None,
    *,
    again: custom_ids.Action | None = None,
) -> None:
    """Send a text or a deletion, and show the result to a member who reads `near`.

    If the text can't be saved, `again` opens its form.
    """

    async def tell_first() -> bool:
        is_heard = await here.give_first()
        # Forms are still accepted while Kiosk stops: their texts are saved, but not sent.
        if here.interaction.client.router.is_stopping:
            raise writing_errors.Interrupted
        return is_heard

    try:
        async with here.features.ledger.perform(text, tell_first) as settled:
            if settled is None:
                here.leave_to_others()
            else:
                await show(here, settled, near)
    except writing_errors.TextReturned as given:
        if again is not None:
            here.again = again
        await give_back(here, given)


async def show(
    here: Here, settled: outcomes.WriteNow[writes.Text], near: PageKey | None = None
) -> None:
    """Show the result of a text to a member who reads `near`."""
    text = settled.write
    cause = settled.cause
    if text.state is writes.WriteState.DONE:
        await _show_done(here, settled, near or PageKey(text.place_id))
    elif isinstance(cause, writing_errors.TextReturned):
        await give_back(here, cause)
    elif text.state is writes.WriteState.REFUSED and cause is not None:
        await here.answer(error_cards.told_card(here, cause, error_cards.log_error(cause)))
    else:
        await show_text(here, settled)


async def _show_done(here: Here, settled: outcomes.WriteNow[writes.Text], near: PageKey) -> None:
    comment = settled.comment
    threads = here.features.threads
    found = None
    if comment is not None:
        found = await threads.known_comment(here.viewer, near, comment.id)
        # A comment whose page isn't loaded is shown by itself.
        if not found and (seen := await threads.as_shown(here.viewer, near, comment)):
            found = Found(near, (), seen)
    if found is None:
        await here.answer(text_cards.done_card(settled.write))
        return
    banner = t(text_cards.BANNERS[settled.write.kind])
    opened = shared_actions.ShowComment(found.key, found.comment.id)
    # It is the member's, even if Kiosk doesn't know yet who they are.
    await screens.show_comment(here, found, opened, is_own=True, banner=banner)


async def show_text(
    here: Here, settled: outcomes.WriteNow[writes.Text], text_page: int = 0
) -> None:
    """Show the state of a text, on a card that is redrawn with the result."""
    text = settled.write
    cause = settled.cause
    place = await here.place(PlaceKind.THREAD, text.place_id)
    now = here.features.ledger.now()
    reference = error_cards.log_error(cause) if cause else ""
    card = text_cards.text_card(settled, place, now, reference=reference, text_page=text_page)
    if cause:
        error_cards.offer_report(here, card, cause)
    await here.answer(card)

    async def redraw() -> Card | None:
        now_is = await here.features.writes.find_write(text.id)
        if not isinstance(now_is, writes.Text) or now_is.state is writes.WriteState.REFUSED:
            return None
        if now_is.state is writes.WriteState.DONE:
            return text_cards.done_card(now_is)
        return text_cards.text_card(outcomes.WriteNow(now_is), place, here.features.ledger.now())

    here.open_cards.note(here, [text.id], redraw)


async def give_back(here: Here, given: writing_errors.TextReturned) -> None:
    """Say why a text isn't saved, and show it, so that the member can copy it."""
    card = error_cards.told_card(here, given.cause, error_cards.log_error(given.cause))
    pages = [f">>> {page}" for page in paginate(given.text, _GIVEN_ROOM)]
    await error_cards.send_with_texts(here, card, pages, send=here.answer)


@route(shared_actions.ShowUnsent, in_place=False)
async def show_unsent(here: Here, _action: shared_actions.ShowUnsent) -> None:
    listed = [
        (text, await here.place(PlaceKind.THREAD, text.place_id))
        for text in await here.features.texts.unsent(here.member_id)
    ]
    await here.answer(text_cards.unsent_list(listed))


@route(actions.ShowText)
async def on_show(here: Here, action: actions.ShowText) -> None:
    text = await here.features.texts.find_unsent(here.member_id, action.text_id, unreadable=True)
    settled = outcomes.WriteNow(text, None if text.is_readable else writing_errors.TextUnreadable())
    await show_text(here, settled, action.text_page)


@route(actions.Retry, actions.SendAgain, keeps=True)
@sent(actions.ChangeText, keeps=True)
async def on_send_kept(here: Here, action: actions.OfText) -> None:
    # A text that may be gone or in doubt opens no form again. The card gives it back.
    here.again = None
    is_changed = text_cards.TEXT.name in here.filled
    body = await in_words(here, text_cards.TEXT.read(here)) if is_changed else None
    try:
        text = await here.features.texts.take(here.member_id, action.text_id, body=body)
    except writing_errors.TextReturned as given:
        await give_back(here, given)
    else:
        await perform(here, text)


@route(actions.LookNow)
async def on_look(here: Here, action: actions.OfText) -> None:
    text = await here.features.texts.find_unsent(here.member_id, action.text_id)
    async with here.features.ledger.look_up(text) as settled:
        await show(here, settled)


@route(actions.ChangeText, opens_form=True)
async def open_text_form(here: Here, action: actions.ChangeText) -> None:
    text = await here.features.texts.find_unsent(here.member_id, action.text_id)
    if text.state is not writes.WriteState.KEPT:
        raise writing_errors.TextInDoubt
    await here.open_form(text_cards.changed_form(action, text.body))


@route(actions.AskSendAgain)
async def on_ask_again(here: Here, action: actions.OfText) -> None:
    text = await here.features.texts.find_unsent(here.member_id, action.text_id)
    if not outcomes.may_be_sent_again(text, here.features.ledger.now()):
        raise writing_errors.WriteBusy
    place = await here.place(PlaceKind.THREAD, text.place_id)
    await here.answer(text_cards.again_question(text, place))


@route(actions.AskDiscard)
async def on_ask_discard(here: Here, action: actions.OfText) -> None:
    text = await here.features.texts.find_unsent(here.member_id, action.text_id, unreadable=True)
    place = await here.place(PlaceKind.THREAD, text.place_id)
    await here.answer(text_cards.discard_question(text, place))


@route(actions.Discard)
async def on_discard(here: Here, action: actions.OfText) -> None:
    texts = here.features.texts
    text = await texts.find_unsent(here.member_id, action.text_id, unreadable=True)
    await texts.discard(here.member_id, text.id)
    await here.answer(text_cards.discarded_card(text))


def require_own(found: Found, player_id: int | None) -> None:
    writer_id = found.comment.player.id
    if None not in (player_id, writer_id) and writer_id != player_id:
        raise feature_errors.NotYours


class TextNews(WriteNews[writes.Text]):
    name = TEXT_NEWS

    def __init__(self, bot: Kiosk) -> None:
        super().__init__(bot.features.writes)
        self._open_cards = bot.open_cards
        self._directory = bot.features.directory
        self._now = bot.now

    async def redraw_open(self, write: writes.Text) -> bool:
        return await self._open_cards.refresh(write.id, write.member_id)

    async def card(self, write: writes.Text) -> Card:
        if write.state is writes.WriteState.DONE:
            return text_cards.done_card(write, is_late=True)
        if write.state is writes.WriteState.REFUSED:
            return text_cards.refused_card(write)
        place = await self._directory.place(
            None, PlaceKind.THREAD, write.place_id, member_id=write.member_id
        )
        return text_cards.text_card(outcomes.WriteNow(write), place, self._now())
