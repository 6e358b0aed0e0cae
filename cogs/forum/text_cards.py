"""The forms for texts, and the cards of their outcomes, so that nothing typed is lost."""

import datetime as dt
from collections import abc

import discord
from discord import ui

from bot import errors
from bot.features.directory import Place
from bot.features.reading.threads import Found
from bot.features.reading.trees import tree_of
from bot.features.writing import outcomes, writing_errors
from bot.game import game_errors, models
from bot.i18n import N_, nt, number, t
from bot.ui import (
    comments,
    custom_ids,
    drawing,
    error_cards,
    fields,
    markdown,
    shared_actions,
    theme,
)
from bot.ui.forms import ActionForm
from bot.ui.shared_actions import link_buttons
from cogs.forum import actions
from storage import writes

# Discord's limits for a form's title and for its text, in characters.
_MAX_TITLE_LENGTH = 45
MAX_TEXT_LENGTH = 4000
TEXT = fields.TextInput("text", MAX_TEXT_LENGTH, is_required=True)
_QUOTE_ROOM = 300
_QUOTE_LINES = 4
# In characters.
_TEXT_ROOM = 2600
_LINE_ROOM = 70
_DELETED_ROOM = 1200
# How many texts the list shows, so that it fits on a phone. Others are only in its select.
_MAX_SHOWN = 8
_WORDS_REFUSED = {game_errors.Refused.code, game_errors.Invalid.code, game_errors.Conflict.code}
# The comment to reply to or to edit is gone. The text can be copied.
_GONE = {writing_errors.ParentCommentMissing.code, game_errors.NotFound.code}
# The thread of a text that 1.0.0 saved without a thread: it can only be copied.
_NO_THREAD = 0

_KINDS = {
    writes.WriteKind.POST: N_("Comment for %(thread)s"),
    writes.WriteKind.REPLY: N_("Reply to comment #%(comment)s in %(thread)s"),
    writes.WriteKind.EDIT: N_("New text for comment #%(comment)s"),
    writes.WriteKind.DELETE: N_("Deletion of comment #%(comment)s"),
}
BANNERS = {
    writes.WriteKind.POST: N_("Comment posted"),
    writes.WriteKind.REPLY: N_("Reply posted"),
    writes.WriteKind.EDIT: N_("Comment edited"),
    writes.WriteKind.DELETE: N_("Comment deleted"),
}
_NOT_SENT = {
    writes.WriteKind.POST: N_("Your comment isn't posted yet"),
    writes.WriteKind.REPLY: N_("Your reply isn't posted yet"),
    writes.WriteKind.EDIT: N_("Your comment isn't edited yet"),
    writes.WriteKind.DELETE: N_("The comment isn't deleted yet"),
}
_IN_DOUBT = {
    writes.WriteKind.POST: N_("Was your comment posted?"),
    writes.WriteKind.REPLY: N_("Was your reply posted?"),
    writes.WriteKind.EDIT: N_("Was your comment edited?"),
    writes.WriteKind.DELETE: N_("Was the comment deleted?"),
}
_FINAL = N_("This can't be undone.")


def write_form(
    action: shared_actions.WriteComment, answered: models.Comment | None = None
) -> ActionForm:
    """Ask for a new comment, or a reply to `answered`, if that comment is known."""
    if action.parent_id == actions.NO_ID:
        return _form(action, t("Write a comment"))
    if answered is None:
        return _form(action, t("Reply to comment #%(id)s", id=action.parent_id))
    title = t("Reply to %(name)s", name=comments.name_of(answered.player, plain=True))
    shown, _ = markdown.excerpt(answered.content, _QUOTE_ROOM, lines=_QUOTE_LINES)
    quote = "\n".join(f"> {line}" for line in (shown or t("*(no text)*")).split("\n"))
    return _form(action, markdown.one_line(title, _MAX_TITLE_LENGTH, plain=True), quote=quote)


def edit_form(thread_id: int, comment_id: int, text: str | None) -> ActionForm:
    """Ask for a new text, starting with the current one if known. Raises TooLongForForm."""
    title = t("Edit comment #%(id)s", id=comment_id)
    remark = t("Kiosk can't show the current text. Your new text replaces it.")
    action = actions.SendEdit(thread_id, comment_id)
    return _form(action, title, text or "", remark=remark if text is None else "")


def changed_form(action: actions.ChangeText, text: str) -> ActionForm:
    """Ask for changes to a saved text. Raises TooLongForForm."""
    return _form(action, t("Edit and send"), text)


def _form(
    action: custom_ids.Action, title: str, text: str = "", *, quote: str = "", remark: str = ""
) -> ActionForm:
    """Ask for a text, starting with the current one. Raises TooLongForForm."""
    if len(text) > MAX_TEXT_LENGTH:
        raise writing_errors.TooLongForForm(count=len(text), limit=MAX_TEXT_LENGTH)
    form = ActionForm(action, title=title)
    if quote:
        form.add_item(ui.TextDisplay(quote))
    told = remark or t("Up to %(limit)s characters.", limit=number(MAX_TEXT_LENGTH))
    TEXT.ask(form, t("Your text"), told, text=text)
    return form


def done_card(written: writes.Text, *, is_late: bool = False) -> drawing.Card:
    """Say what the game did, if the comment can't be shown or the member missed the result."""
    text = t("The game accepted your text.")
    if is_late:
        when = markdown.relative_time(written.created_at)
        text = t("This happened %(when)s, but Kiosk couldn't reach you then.", when=when)
    elif written.kind is writes.WriteKind.DELETE:
        text = t("The comment no longer exists in the game.")
    buttons = (_to_thread(written),)
    return drawing.notice(t(BANNERS[written.kind]), text, colour=theme.GOOD, buttons=buttons)


def _to_thread(text: writes.Text) -> drawing.Button:
    return drawing.button(
        actions.ShowScreen(models.PageKey(text.place_id), 0), t("Thread"), style=drawing.BLUE
    )


def ready_to_edit_card(action: shared_actions.CommentAction) -> drawing.Card:
    told = t("The game took a while to send the current text.")
    edit = drawing.button(action, t("Edit"), style=drawing.BLUE)
    return drawing.notice(
        t("You can edit the comment now"), told, colour=theme.FORUM, buttons=(edit,)
    )


def delete_card(found: Found, place: Place) -> drawing.Card:
    comment = found.comment
    card = drawing.Card(theme.PROBLEM)
    card.say(f"### {t('Delete this comment?')}\n-# {comments.thread_title(place)}")
    shown, _ = markdown.excerpt(comment.content, _DELETED_ROOM, lines=30)
    text = f"{comments.byline(comment)}\n{shown or t('*(no text)*')}"
    card.say(text, comments.avatar(comment.player))
    if replies := tree_of(comment).reply_count:
        card.say(
            nt(
                "It has %(count)s reply. The game may delete the reply too.",
                "It has %(count)s replies. The game may delete the replies too.",
                replies,
            )
        )
    card.say(f"-# {t(_FINAL)}")
    keep = drawing.button(shared_actions.ShowComment(found.key, comment.id), t("Cancel"))
    card.buttons(_delete_button(actions.Delete(place.game_id, comment.id)), keep)
    return card


def unseen_delete_card(thread_id: int, comment_id: int, excerpt: str) -> drawing.Card:
    """Ask before deleting a comment that can't be seen, but was written through Kiosk."""
    shown = markdown.escape(excerpt) or t("Kiosk can't show the comment's text here.")
    title = t("Delete comment #%(id)s?", id=comment_id)
    body = f"{shown}\n-# {t(_FINAL)}"
    delete = _delete_button(actions.Delete(thread_id, comment_id))
    return drawing.notice(title, body, colour=theme.PROBLEM, buttons=(delete,))


def _delete_button(action: actions.OfComment | actions.OfText) -> drawing.Button:
    return drawing.button(action, t("Delete comment"), style=drawing.RED)


def text_card(
    settled: outcomes.WriteNow[writes.Text],
    place: Place,
    now: dt.datetime,
    *,
    reference: str = "",
    text_page: int = 0,
) -> drawing.Card:
    """Show the state of a text."""
    text = settled.write
    cause = settled.cause
    if isinstance(cause, errors.KioskError) and (
        text.state is writes.WriteState.KEPT or not text.is_readable
    ):
        card = error_cards.error_card(
            cause, reference, resume_id=custom_ids.fold(actions.Retry(text.id).custom_id())
        )
    else:
        card = _standing_card(settled, place, now)
    _add_text(card, text, place, text_page)
    # One button of a card is blue: first the one that links.
    style = drawing.GREY if _needs_link(settled) else drawing.BLUE
    card.buttons(*_buttons(settled, now, style))
    return card


def _standing_card(
    settled: outcomes.WriteNow[writes.Text], place: Place, now: dt.datetime
) -> drawing.Card:
    text = settled.write
    titles = _NOT_SENT if text.state is writes.WriteState.KEPT else _IN_DOUBT
    said = error_cards.game_says(text.game_words)
    if not text.is_readable:
        lines = [
            t("Kiosk can't open this text, because it no longer has the key that encrypted it.")
        ]
    elif text.state is writes.WriteState.KEPT:
        said = said or _why(text)
        lines = [*_waiting(text, now), error_cards.answers_again(settled.cause)]
    elif text.reason == outcomes.LOOKED_FOR:
        lines = ["" if said else t("The game didn't answer.")]
        if text.kind in writes.CHANGES:
            lines.append(
                t("Kiosk will ask again and tell you the result. Doing it twice is harmless.")
            )
        else:
            told = N_(
                "Kiosk checks %(thread)s for your text. If you send it again, it could appear"
                " twice."
            )
            lines.append(t(told, thread=comments.thread_title(place)))
    else:
        lines = [t("Kiosk doesn't know if this went through. Here is your text.")]
        if settled.comment is not None:
            lines.append(t("A comment in the thread has the same text."))
    card = drawing.Card(theme.PROBLEM)
    title = f"### {t(titles[text.kind])}"
    card.say("\n".join(filter(None, [title, said, " ".join(filter(None, lines))])))
    if _needs_link(settled):
        resume = actions.Retry(text.id)
        if text.state is not writes.WriteState.KEPT and text.kind not in writes.CHANGES:
            may_ask = outcomes.may_be_sent_again(text, now)
            resume = actions.AskSendAgain(text.id) if may_ask else actions.ShowText(text.id)
        card.buttons(*link_buttons(resume_id=custom_ids.fold(resume.custom_id())))
    return card


def _waiting(text: writes.Text, now: dt.datetime) -> abc.Iterator[str]:
    again = outcomes.next_look(text, now)
    reason = errors.ExplainedError.by_code.get(text.reason or "", errors.ExplainedError)
    if again is not None:
        until = markdown.deadline(text.created_at + dt.timedelta(hours=1), now)
        yield t("Kiosk tries again until %(until)s and tells you the result.", until=until)
    if text.kind is not writes.WriteKind.DELETE:
        yield t("Your text is saved here for 24 hours.")
    if again is None and issubclass(reason, game_errors.Unavailable):
        yield t("Try again when the game is back.")


def _needs_link(settled: outcomes.WriteNow[writes.Text]) -> bool:
    text = settled.write
    reason = errors.ExplainedError.by_code.get(text.reason or "", errors.ExplainedError)
    waits = text.state is writes.WriteState.KEPT and issubclass(reason, errors.AccountError)
    return waits or isinstance(settled.cause, errors.AccountError)


def _why(text: writes.Text) -> str:
    """Return why a text waits, "" if that isn't known."""
    reason = errors.ExplainedError.by_code.get(text.reason or "")
    if reason is None:
        return ""
    # Some reasons have the card's title, or a title that is no longer true.
    says_less = reason.title in (*_NOT_SENT.values(), writing_errors.NotKept.title)
    return t(reason.body if says_less else reason.title)


def refused_card(text: writes.Text) -> drawing.Card:
    """Say that the game refused a text while the member wasn't waiting."""
    why = error_cards.game_says(text.game_words) or _why(text)
    is_deletion = text.kind is writes.WriteKind.DELETE
    title = t("The comment wasn't deleted") if is_deletion else t(_NOT_SENT[text.kind])
    return drawing.notice(title, why, colour=theme.PROBLEM, buttons=(_to_thread(text),))


def unsent_list(texts: abc.Sequence[tuple[writes.Text, Place]]) -> drawing.Card:
    if not texts:
        return drawing.notice(t("You have no unsent texts"), t("Nothing is waiting to be sent."))
    card = drawing.Card(theme.FORUM)
    how_long = nt(
        "Kiosk keeps unsent texts for %(count)s hour",
        "Kiosk keeps unsent texts for %(count)s hours",
        writes.TEXT_KEPT // dt.timedelta(hours=1),
    )
    card.say(f"## {t('Your unsent texts')}\n-# {how_long}")
    shown = [_summary(text, place) for text, place in texts[:_MAX_SHOWN]]
    for summary in markdown.and_more(shown, len(texts)):
        card.gap()
        card.say(summary)
    entries = [
        drawing.Entry(markdown.unescape(_what(text, place)), actions.ShowText(text.id), text.body)
        for text, place in texts
    ]
    card.choose(entries, t("Open…"))
    return card


def _summary(text: writes.Text, place: Place) -> str:
    shown, _ = markdown.excerpt(text.body, _LINE_ROOM, lines=1)
    if not text.is_readable:
        gone = t("Kiosk can't open this text, because it no longer has the key that encrypted it.")
        shown = f"*{gone}*"
    in_doubt = "" if text.state is writes.WriteState.KEPT else f"-# {t(_IN_DOUBT[text.kind])}"
    return "\n".join(filter(None, [f"**{_what(text, place)}**", shown, in_doubt]))


def discard_question(text: writes.Text, place: Place) -> drawing.Card:
    discard = drawing.button(actions.Discard(text.id), t("Discard"), style=drawing.RED)
    return _question(t("Discard this text?"), text, place, discard, colour=theme.PROBLEM)


def again_question(text: writes.Text, place: Place) -> drawing.Card:
    what = t("Kiosk checks the thread first, and sends your text only if it isn't there.")
    if text.reason == outcomes.GIVEN_UP:
        what = t("It may already be posted. If you send it again, it could appear twice.")
    send = drawing.button(
        actions.SendAgain(text.id), t("Send again"), style=drawing.BLUE, emoji="🔁"
    )
    return _question(f"{t('Send this text again?')}\n{what}", text, place, send)


def _question(
    asked: str,
    text: writes.Text,
    place: Place,
    button: drawing.Button,
    *,
    colour: discord.Colour = theme.FORUM,
) -> drawing.Card:
    card = drawing.Card(colour)
    card.say(f"### {asked}")
    _add_text(card, text, place, 0)
    card.buttons(button, drawing.button(actions.ShowText(text.id), t("Cancel")))
    return card


def discarded_card(text: writes.Text) -> drawing.Card:
    title = t("Text discarded")
    unsent = t("The text wasn't sent, and Kiosk no longer keeps it.")
    in_doubt = t("Kiosk no longer keeps the text. The game may still have received it.")
    if text.kind is writes.WriteKind.DELETE:
        title = t("Deletion discarded")
        unsent = t("The comment wasn't deleted.")
        in_doubt = t("The game may still have deleted the comment.")
    return drawing.notice(title, unsent if text.state is writes.WriteState.KEPT else in_doubt)


def _add_text(card: drawing.Card, text: writes.Text, place: Place, text_page: int) -> None:
    if text.kind is writes.WriteKind.DELETE or not text.is_readable:
        card.say(f"-# {_what(text, place)}")
        return
    pages = markdown.paginate(text.body, _TEXT_ROOM) or [t("*(no text)*")]
    text_page = min(max(text_page, 0), len(pages) - 1)
    card.say(f">>> {pages[text_page]}")
    card.say(f"-# {_what(text, place)}")
    if len(pages) > 1:
        before = actions.ShowText(text.id, text_page - 1) if text_page else None
        after = actions.ShowText(text.id, text_page + 1) if text_page + 1 < len(pages) else None
        card.buttons(*drawing.step_buttons(before, after, in_text=True))


def _buttons(
    settled: outcomes.WriteNow[writes.Text], now: dt.datetime, style: discord.ButtonStyle
) -> abc.Sequence[drawing.Button]:
    text = settled.write
    discard = drawing.button(actions.AskDiscard(text.id), t("Discard…"))
    if not text.is_readable or text.place_id == _NO_THREAD:
        return [discard]
    if text.kind is writes.WriteKind.DELETE:
        return [
            _delete_button(actions.Retry(text.id)),
            drawing.button(actions.Discard(text.id), t("Don't delete")),
        ]
    is_kept = text.state is writes.WriteState.KEPT
    if not is_kept and text.kind is not writes.WriteKind.EDIT:
        look = drawing.button(actions.LookNow(text.id), t("Check now"), style=style, emoji="🔄")
        if text.reason == outcomes.GIVEN_UP:
            look = drawing.button(_place_to_look(settled), t("Open"), style=style)
        again = drawing.button(actions.AskSendAgain(text.id), t("Send again…"))
        return [look, again, discard] if outcomes.may_be_sent_again(text, now) else [look, discard]
    # The game would refuse the same text again.
    words_refused = is_kept and text.reason in _WORDS_REFUSED
    again_style, edit_style = (drawing.GREY, style) if words_refused else (style, drawing.GREY)
    if text.reason in _GONE:
        again_style = drawing.GREY
    again = drawing.button(actions.Retry(text.id), t("Try again"), style=again_style, emoji="🔁")
    edit = drawing.button(actions.ChangeText(text.id), t("Edit"), style=edit_style)
    if not is_kept:
        return [again, discard]
    return [edit, again, discard] if words_refused else [again, edit, discard]


def _place_to_look(
    settled: outcomes.WriteNow[writes.Text],
) -> shared_actions.ShowComment | actions.ShowScreen:
    """Return the action to check a text in doubt: its comment, if known, or the thread."""
    text = settled.write
    comment_id = text.target_id if settled.comment is None else settled.comment.id
    if comment_id == writes.NO_COMMENT:
        return actions.ShowScreen(models.PageKey(text.place_id), 0)
    return shared_actions.ShowComment(models.PageKey(text.place_id), comment_id)


def _what(text: writes.Text, place: Place) -> str:
    if text.place_id == _NO_THREAD:
        return t("Unknown thread")
    return t(_KINDS[text.kind], thread=comments.thread_title(place), comment=text.target_id)
