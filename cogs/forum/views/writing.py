"""The forms that texts are typed into, and what is said after one was written or deleted."""

from collections.abc import Mapping

import discord
from discord import ui

from bot.features.errors import GivenBack
from bot.features.writing.texts import LONGEST_COMMENT
from bot.game.models import Comment, PageKey
from bot.i18n import N_, number, t
from bot.ui import theme
from bot.ui.actions import Action, ActionForm, action_button
from bot.ui.cards import Button, Card, notice
from bot.ui.comments import name_of
from bot.ui.error_cards import error_card
from bot.ui.text import escape, excerpt, one_line, paginate
from cogs.forum.actions import (
    NONE,
    Delete,
    OpenEditForm,
    OpenTextForm,
    OpenWriteForm,
    SendChanged,
    SendEdit,
    SendText,
)
from cogs.forum.views.parts import thread_button
from storage.writes import Write, WriteKind

# Discord's limits for a title, and for one field; longer texts go on in a second one.
_LONGEST_TITLE = 45
_LONGEST_FIELD = 4000
_QUOTE_ROOM, _QUOTE_LINES = 300, 4
_TEXT = "text"
# What was taken out between the two fields, by the second field's name.
_JOINTS = {"rest_line": "\n", "rest_word": " ", "rest": ""}

_TEXT_ROOM = 2600

# What has happened to a text, by its kind.
BANNERS = {
    WriteKind.POST: N_("Your comment is posted"),
    WriteKind.REPLY: N_("Your reply is posted"),
    WriteKind.EDIT: N_("Your comment has been edited"),
    WriteKind.DELETE: N_("The comment is deleted"),
}


def write_form(action: OpenWriteForm, answered: Comment | None = None) -> ActionForm:
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
    """Ask for a comment's new text; `text` is the present one, where it is known."""
    action = SendEdit(thread_id, comment_id)
    title = t("Edit comment #%(id)s", id=comment_id)
    remark = t("Its current text can't be shown. What you send replaces it.")
    return _form(action, title, text or "", remark=remark if text is None else "")


def changed_form(action: OpenTextForm, text: str) -> ActionForm:
    """Let a member change an unsent text before it is sent again."""
    return _form(SendChanged(action.text_id), t("Edit and send"), text)


def typed_text(texts: Mapping[str, str]) -> str:
    """Put together what was typed into a form's fields."""
    text = texts.get(_TEXT, "")
    for name, joint in _JOINTS.items():
        if texts.get(name):
            text += joint + texts[name]
    return text


def _form(
    action: Action, title: str, text: str = "", *, quote: str = "", remark: str = ""
) -> ActionForm:
    form = ActionForm(action, title=title)
    if quote:
        form.add_item(ui.TextDisplay(quote))
    first, rest_name, rest = _split(text)
    limit = LONGEST_COMMENT if rest else _LONGEST_FIELD
    form.ask_text(
        t("Your text"),
        _TEXT,
        longest=_LONGEST_FIELD,
        text=first,
        description=remark or t("Up to %(limit)s characters.", limit=number(limit)),
    )
    if rest:
        form.ask_text(
            t("Your text, continued"),
            rest_name,
            longest=_LONGEST_FIELD,
            text=rest,
            is_required=False,
        )
    return form


def _split(text: str) -> tuple[str, str, str]:
    """Split a text into two fields, at a line or word where there is one."""
    text = text[: 2 * _LONGEST_FIELD]
    if len(text) <= _LONGEST_FIELD:
        return text, "", ""
    for name, joint in _JOINTS.items():
        place = text.rfind(joint, len(text) - _LONGEST_FIELD - 1, _LONGEST_FIELD)
        if joint and place > 0:
            return text[:place], name, text[place + 1 :]
    return text[:_LONGEST_FIELD], "rest", text[_LONGEST_FIELD:]


def unseen_card(written: Write) -> Card:
    """Say what the game did, where that can't be shown."""
    is_gone = written.kind is WriteKind.DELETE
    text = t("It is gone from the game.") if is_gone else t("The game accepted it.")
    return _done_card(written, text)


def late_card(written: Write) -> Card:
    """Say what became of a text or a deletion whose answer did not reach the member."""
    when = discord.utils.format_dt(written.created_at, "R")
    text = t("That happened %(when)s, but you couldn't be told then.", when=when)
    return _done_card(written, text)


def _done_card(written: Write, text: str) -> Card:
    to_thread = thread_button(PageKey(written.place_id))
    return notice(t(BANNERS[written.kind]), text, colour=theme.GOOD, buttons=(to_thread,))


def given_back_cards(given: GivenBack, reference: str) -> list[Card]:
    """Say why a text was neither sent nor kept, and give it back whole, to be copied."""
    first = error_card(given.cause, reference)
    first_page, *pages = paginate(given.text, _TEXT_ROOM) or [""]
    if first_page:
        first.divide()
        first.say(first_page)
    cards = [first]
    for page in pages:
        cards.append(Card(theme.PROBLEM))
        cards[-1].say(page)
    return cards


def unseen_delete_card(thread_id: int, comment_id: int, excerpt: str) -> Card:
    """Ask before a comment is deleted that can't be seen, but was written through Kiosk."""
    shown = escape(excerpt) or t("Its text can't be shown here.")
    return notice(
        t("Delete comment #%(id)s?", id=comment_id),
        f"{shown}\n-# {cannot_be_undone()}",
        colour=theme.PROBLEM,
        buttons=(delete_button(Delete(thread_id, comment_id)),),
    )


def delete_button(action: Delete) -> Button:
    """Delete at once: to be shown beside what will go."""
    return action_button(action, t("Delete"), style=discord.ButtonStyle.danger, emoji="🗑️")


def cannot_be_undone() -> str:
    """Say that what is deleted is lost."""
    return t("The game keeps no copy: this can't be undone.")


def ready_to_edit_card(action: OpenEditForm) -> Card:
    """Offer the form once the game has shown the present text."""
    return notice(
        t("The comment is here now"),
        t("The game took a while to show its current text."),
        colour=theme.FORUM,
        buttons=(action_button(action, t("Edit"), emoji="✏️"),),
    )
