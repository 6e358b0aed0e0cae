"""The forms for texts, and the cards of what became of them, so that nothing typed is lost."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import discord
from discord import ui

from bot.errors import AccountError, ExplainedError, KioskError
from bot.features.names import Place
from bot.features.reading.threads import Found
from bot.features.reading.trees import tree_of
from bot.features.writing.errors import NotKept, TooLongForForm
from bot.features.writing.rules import (
    GIVEN_UP,
    NO_ANSWER,
    SettledWrite,
    may_be_sent_again,
    next_look,
)
from bot.game.errors import Invalid, Refused, Unavailable
from bot.game.models import Comment, PageKey, Sort
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import Action, ListEntry, action_button, action_list, fold, step_buttons
from bot.ui.cards import BLUE, GREY, RED, Button, Card, notice
from bot.ui.comments import byline, name_of, thread_title
from bot.ui.error_cards import answers_again, error_card, game_says
from bot.ui.forms import ActionForm
from bot.ui.markdown import and_more, deadline, escape, excerpt, one_line, paginate, unescape
from bot.ui.pictures import thumbnail
from bot.ui.shared_actions import link_buttons
from cogs.forum.actions import (
    NONE,
    TEXT,
    AskDiscard,
    AskSendAgain,
    CommentAction,
    Delete,
    Discard,
    LookNow,
    OfComment,
    OfText,
    OpenTextForm,
    Retry,
    SendAgain,
    SendChanged,
    SendEdit,
    SendText,
    ShowComment,
    ShowScreen,
    ShowText,
    WriteAction,
)
from storage.writes import CHANGES, NO_COMMENT, TEXT_KEPT, Text, WriteKind, WriteState

# Discord's limits for a form's title and for its text, in characters.
_LONGEST_TITLE = 45
LONGEST_TEXT = 4000
_QUOTE_ROOM = 300
_QUOTE_LINES = 4
# In characters.
_TEXT_ROOM = 2600
_LINE_ROOM = 70
_DELETED_ROOM = 1200
# Of the texts on the list, so that it fits on a phone; the others stand in its select alone.
_MOST_SHOWN = 8
_WORDS_REFUSED = {Refused.code, Invalid.code}
# The thread of a text that 1.0.0 kept without one: it can only be copied.
_NO_THREAD = 0

_KINDS = {
    WriteKind.POST: N_("For %(thread)s"),
    WriteKind.REPLY: N_("A reply to #%(comment)s in %(thread)s"),
    WriteKind.EDIT: N_("A new text for #%(comment)s"),
    WriteKind.DELETE: N_("The deletion of #%(comment)s"),
}
BANNERS = {
    WriteKind.POST: N_("Your comment is posted"),
    WriteKind.REPLY: N_("Your reply is posted"),
    WriteKind.EDIT: N_("Your comment has been edited"),
    WriteKind.DELETE: N_("The comment is deleted"),
}
_NOT_SENT = {
    WriteKind.POST: N_("Your comment isn't posted yet"),
    WriteKind.REPLY: N_("Your reply isn't posted yet"),
    WriteKind.EDIT: N_("Your comment isn't edited yet"),
    WriteKind.DELETE: N_("The comment isn't deleted yet"),
}
_IN_DOUBT = {
    WriteKind.POST: N_("Was your comment posted?"),
    WriteKind.REPLY: N_("Was your reply posted?"),
    WriteKind.EDIT: N_("Was your comment edited?"),
    WriteKind.DELETE: N_("Was the comment deleted?"),
}
_FINAL = N_("This can't be undone.")


def write_form(action: WriteAction, answered: Comment | None = None) -> ActionForm:
    """Ask for a new comment, or a reply; `answered` is the comment replied to, where known."""
    send = SendText(action.thread_id, action.parent_id, action.sort, action.page)
    if action.parent_id == NONE:
        return _form(send, t("Write a comment"))
    if answered is None:
        return _form(send, t("Reply to comment #%(id)s", id=action.parent_id))
    title = t("Reply to %(name)s", name=name_of(answered.player, plain=True))
    shown, _ = excerpt(answered.content, _QUOTE_ROOM, lines=_QUOTE_LINES)
    quote = "\n".join(f"> {line}" for line in (shown or t("*(no text)*")).split("\n"))
    return _form(send, one_line(title, _LONGEST_TITLE, plain=True), quote=quote)


def edit_form(thread_id: int, comment_id: int, text: str | None) -> ActionForm:
    """Ask for a new text; `text` is the present one, where known. Raises TooLongForForm."""
    title = t("Edit comment #%(id)s", id=comment_id)
    remark = t("Its current text can't be shown. What you send replaces it.")
    action = SendEdit(thread_id, comment_id)
    return _form(action, title, text or "", remark=remark if text is None else "")


def changed_form(action: OfText, text: str) -> ActionForm:
    """Ask for what a kept text is to become. Raises TooLongForForm."""
    return _form(SendChanged(action.text_id), t("Edit and send"), text)


def _form(
    action: Action, title: str, text: str = "", *, quote: str = "", remark: str = ""
) -> ActionForm:
    """Ask for a text, and show the present one. Raises TooLongForForm."""
    if len(text) > LONGEST_TEXT:
        raise TooLongForForm(count=len(text), limit=LONGEST_TEXT)
    form = ActionForm(action, title=title)
    if quote:
        form.add_item(ui.TextDisplay(quote))
    told = remark or t("Up to %(limit)s characters.", limit=number(LONGEST_TEXT))
    form.ask_text(t("Your text"), TEXT, longest=LONGEST_TEXT, text=text, description=told)
    return form


def done_card(written: Text, *, is_late: bool = False) -> Card:
    """Say what the game did, where that can't be shown, or did not reach the member then."""
    text = t("The game accepted it.")
    if is_late:
        when = discord.utils.format_dt(written.created_at, "R")
        text = t("That happened %(when)s, but you couldn't be told then.", when=when)
    elif written.kind is WriteKind.DELETE:
        text = t("It is gone from the game.")
    buttons = (_to_thread(written),)
    return notice(t(BANNERS[written.kind]), text, colour=theme.GOOD, buttons=buttons)


def _to_thread(text: Text) -> Button:
    return action_button(ShowScreen(*PageKey(text.place_id), 0), t("Thread"), style=BLUE)


def ready_to_edit_card(action: CommentAction) -> Card:
    told = t("The game took a while to show its current text.")
    edit = action_button(action, t("Edit"), style=BLUE)
    return notice(t("The comment is here now"), told, colour=theme.FORUM, buttons=(edit,))


def delete_card(found: Found, place: Place) -> Card:
    comment = found.comment
    card = Card(theme.PROBLEM)
    card.say(f"### {t('Delete this comment?')}\n-# {thread_title(place)}")
    shown, _ = excerpt(comment.content, _DELETED_ROOM, lines=30)
    text = f"{byline(comment)}\n{shown or t('*(no text)*')}"
    card.say(text, thumbnail(comment.player.avatar_url))
    if replies := tree_of(comment).reply_count:
        card.say(
            nt(
                "It has %(count)s reply, which may go with it.",
                "It has %(count)s replies, which may go with it.",
                replies,
            )
        )
    card.say(f"-# {t(_FINAL)}")
    keep = action_button(ShowComment(*found.key, comment.id), t("Keep it"))
    card.buttons(_delete_button(Delete(place.game_id, comment.id)), keep)
    return card


def unseen_delete_card(thread_id: int, comment_id: int, excerpt: str) -> Card:
    """Ask before a comment is deleted that can't be seen, but was written through Kiosk."""
    shown = escape(excerpt) or t("Its text can't be shown here.")
    title = t("Delete comment #%(id)s?", id=comment_id)
    body = f"{shown}\n-# {t(_FINAL)}"
    delete = _delete_button(Delete(thread_id, comment_id))
    return notice(title, body, colour=theme.PROBLEM, buttons=(delete,))


def _delete_button(action: OfComment | OfText) -> Button:
    return action_button(action, t("Delete"), style=RED)


def text_card(
    settled: SettledWrite[Text],
    place: Place,
    now: datetime,
    *,
    reference: str = "",
    text_page: int = 0,
) -> Card:
    """Say how a text stands."""
    text = settled.write
    cause = settled.cause
    if isinstance(cause, KioskError) and (text.state is WriteState.KEPT or not text.is_readable):
        card = error_card(cause, reference, resume_id=fold(Retry(text.id).custom_id()))
    else:
        card = _standing_card(settled, place, now)
    _add_text(card, text, place, text_page)
    # One button of a card is blue: first the one that links.
    style = GREY if _needs_link(text) else BLUE
    card.buttons(*_buttons(settled, now, style))
    return card


def _standing_card(settled: SettledWrite[Text], place: Place, now: datetime) -> Card:
    text = settled.write
    titles = _NOT_SENT if text.state is WriteState.KEPT else _IN_DOUBT
    said = game_says(text.game_words)
    if not text.is_readable:
        lines = [t("This text can't be opened: the key that encrypted it is gone.")]
    elif text.state is WriteState.KEPT:
        said = said or _why(text)
        lines = [*_waiting(text, now), answers_again(settled.cause)]
    elif text.reason == NO_ANSWER:
        lines = ["" if said else t("The game broke off before it answered.")]
        if text.kind in CHANGES:
            lines.append(t("Kiosk asks it once more and tells you: twice does no harm."))
        else:
            told = N_("Kiosk looks for it in %(thread)s. Sending it again could post it twice.")
            lines.append(t(told, thread=thread_title(place)))
    else:
        lines = [t("Nobody can say whether it arrived. Here is your text.")]
        if settled.comment is not None:
            lines.append(t("A comment in the thread has the same words."))
    card = Card(theme.PROBLEM)
    title = f"### {t(titles[text.kind])}"
    card.say("\n".join(filter(None, [title, said, " ".join(filter(None, lines))])))
    if _needs_link(text):
        card.buttons(*link_buttons(resume_id=fold(Retry(text.id).custom_id())))
    return card


def _waiting(text: Text, now: datetime) -> Iterator[str]:
    again = next_look(text, now)
    reason = ExplainedError.by_code.get(text.reason or "", ExplainedError)
    if again is not None:
        until = deadline(text.created_at + timedelta(hours=1), now)
        yield t("Kiosk tries again until %(until)s and tells you.", until=until)
    if text.kind is not WriteKind.DELETE:
        yield t("Your text is kept here for 24 hours.")
    if again is None and issubclass(reason, Unavailable):
        yield t("Try again when the game is back.")


def _needs_link(text: Text) -> bool:
    reason = ExplainedError.by_code.get(text.reason or "", ExplainedError)
    return text.state is WriteState.KEPT and issubclass(reason, AccountError)


def _why(text: Text) -> str:
    """Return why a text waits, "" where nobody knows."""
    reason = ExplainedError.by_code.get(text.reason or "")
    if reason is None:
        return ""
    # Some are titled as the card is, or say what no longer holds.
    says_less = reason.title in (*_NOT_SENT.values(), NotKept.title)
    return t(reason.body if says_less else reason.title)


def refused_card(text: Text) -> Card:
    """Say that the game said no while nobody waited."""
    why = game_says(text.game_words) or _why(text)
    is_deletion = text.kind is WriteKind.DELETE
    title = t("The comment isn't deleted") if is_deletion else t(_NOT_SENT[text.kind])
    return notice(title, why, colour=theme.PROBLEM, buttons=(_to_thread(text),))


def unsent_list(texts: Sequence[tuple[Text, Place]]) -> Card:
    if not texts:
        return notice(t("You have no unsent texts"), t("Nothing is waiting to be sent."))
    card = Card(theme.FORUM)
    how_long = nt(
        "Kiosk keeps unsent texts for %(count)s hour",
        "Kiosk keeps unsent texts for %(count)s hours",
        TEXT_KEPT // timedelta(hours=1),
    )
    card.say(f"## {t('Your unsent texts')}\n-# {how_long}")
    shown = [_summary(text, place) for text, place in texts[:_MOST_SHOWN]]
    for summary in and_more(shown, len(texts)):
        card.gap()
        card.say(summary)
    entries = [
        ListEntry(unescape(_what(text, place)), ShowText(text.id), text.body)
        for text, place in texts
    ]
    card.choose(action_list(entries, placeholder=t("Open…")))
    return card


def _summary(text: Text, place: Place) -> str:
    shown, _ = excerpt(text.body, _LINE_ROOM, lines=1)
    if not text.is_readable:
        gone = t("This text can't be opened: the key that encrypted it is gone.")
        shown = f"*{gone}*"
    in_doubt = "" if text.state is WriteState.KEPT else f"-# {t(_IN_DOUBT[text.kind])}"
    return "\n".join(filter(None, [f"**{_what(text, place)}**", shown, in_doubt]))


def discard_question(text: Text, place: Place) -> Card:
    discard = action_button(Discard(text.id), t("Discard"), style=RED)
    return _question(t("Discard this text?"), text, place, discard, colour=theme.PROBLEM)


def again_question(text: Text, place: Place) -> Card:
    what = t("Kiosk looks for it first, and sends it only if it isn't there.")
    if text.reason == GIVEN_UP:
        what = t("Nobody can say whether it is there: it may stand there twice then.")
    send = action_button(SendAgain(text.id), t("Send it again"), style=BLUE, emoji="🔁")
    return _question(f"{t('Send this text again?')}\n{what}", text, place, send)


def _question(
    asked: str, text: Text, place: Place, button: Button, *, colour: discord.Colour = theme.FORUM
) -> Card:
    card = Card(colour)
    card.say(f"### {asked}")
    _add_text(card, text, place, 0)
    card.buttons(button, action_button(ShowText(text.id), t("Back")))
    return card


def discarded_card(text: Text) -> Card:
    title = t("The text has been discarded")
    unsent = t("It wasn't sent, and Kiosk no longer keeps it.")
    in_doubt = t("Kiosk no longer keeps it. The game may have it all the same.")
    if text.kind is WriteKind.DELETE:
        title = t("The deletion has been discarded")
        unsent = t("The comment wasn't deleted.")
        in_doubt = t("The game may have deleted the comment all the same.")
    return notice(title, unsent if text.state is WriteState.KEPT else in_doubt)


def _add_text(card: Card, text: Text, place: Place, text_page: int) -> None:
    if text.kind is WriteKind.DELETE or not text.is_readable:
        card.say(f"-# {_what(text, place)}")
        return
    pages = paginate(text.body, _TEXT_ROOM) or [t("*(no text)*")]
    text_page = min(max(text_page, 0), len(pages) - 1)
    card.say(f">>> {pages[text_page]}")
    card.say(f"-# {_what(text, place)}")
    if len(pages) > 1:
        before = ShowText(text.id, text_page - 1) if text_page else None
        after = ShowText(text.id, text_page + 1) if text_page + 1 < len(pages) else None
        card.buttons(*step_buttons(before, after, in_text=True))


def _buttons(
    settled: SettledWrite[Text], now: datetime, style: discord.ButtonStyle
) -> Sequence[Button]:
    text = settled.write
    discard = action_button(AskDiscard(text.id), t("Discard…"))
    if not text.is_readable or text.place_id == _NO_THREAD:
        return [discard]
    if text.kind is WriteKind.DELETE:
        return [_delete_button(Retry(text.id)), action_button(Discard(text.id), t("Discard"))]
    is_kept = text.state is WriteState.KEPT
    if not is_kept and text.kind is not WriteKind.EDIT:
        look = action_button(LookNow(text.id), t("Look now"), style=style, emoji="🔄")
        if text.reason == GIVEN_UP:
            look = action_button(_place_to_look(settled), t("Open"), style=style)
        again = action_button(AskSendAgain(text.id), t("Send it again…"))
        return [look, again, discard] if may_be_sent_again(text, now) else [look, discard]
    # What the game doesn't take is refused again as it is.
    words_refused = is_kept and text.reason in _WORDS_REFUSED
    again_style, edit_style = (GREY, style) if words_refused else (style, GREY)
    again = action_button(Retry(text.id), t("Try again"), style=again_style, emoji="🔁")
    edit = action_button(OpenTextForm(text.id), t("Edit"), style=edit_style)
    if not is_kept:
        return [again, discard]
    return [edit, again, discard] if words_refused else [again, edit, discard]


def _place_to_look(settled: SettledWrite[Text]) -> ShowComment | ShowScreen:
    """Return where a text stands if it has arrived: the comment that may be it, where known."""
    text = settled.write
    comment_id = text.target_id if settled.comment is None else settled.comment.id
    if comment_id == NO_COMMENT:
        return ShowScreen(*PageKey(text.place_id), 0)
    return ShowComment(text.place_id, Sort.LATEST, 1, comment_id)


def _what(text: Text, place: Place) -> str:
    if text.place_id == _NO_THREAD:
        return t("For no thread")
    return t(_KINDS[text.kind], thread=thread_title(place), comment=text.target_id)
