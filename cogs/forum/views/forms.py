"""The forms that texts are typed into, and how a text is split over their fields."""

from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.domain.drafts import LONGEST_COMMENT
from bot.game.models import Comment
from bot.i18n import number, t
from bot.ui.actions import Action, ActionForm
from bot.ui.text import excerpt, one_line
from cogs.forum.actions import NONE, OpenDraftForm, OpenWriteForm, SendDraft, SendEdit, SendText
from cogs.forum.views.parts import plain_name

# Discord's limits for a title, and for one field; longer texts go on in a second one.
_LONGEST_TITLE = 45
_LONGEST_FIELD = 4000
_QUOTE_ROOM, _QUOTE_LINES = 300, 4
_TEXT = "text"
# What was taken out between the two fields, by the second field's name.
_JOINTS = {"rest_line": "\n", "rest_word": " ", "rest": ""}


def write_form(action: OpenWriteForm, answered: Comment | None = None) -> ActionForm:
    """Ask for a new comment, or a reply; `answered` is the comment replied to, where known."""
    send = SendText(action.thread_id, action.parent_id, action.sort, action.page)
    if action.parent_id == NONE:
        return _form(send, t("Write a comment"))
    if answered is None:
        return _form(send, t("Reply to comment #%(id)s", id=action.parent_id))
    title = t("Reply to %(name)s", name=plain_name(answered.player))
    shown, _ = excerpt(answered.content, _QUOTE_ROOM, lines=_QUOTE_LINES)
    quote = "\n".join(f"> {line}" for line in (shown or t("*(no text)*")).split("\n"))
    return _form(send, one_line(title, _LONGEST_TITLE), quote=quote)


def edit_form(thread_id: int | None, comment_id: int, text: str | None) -> ActionForm:
    """Ask for a comment's new text; `text` is the present one, where it is known."""
    action = SendEdit(NONE if thread_id is None else thread_id, comment_id)
    title = t("Edit comment #%(id)s", id=comment_id)
    if text is None:
        return _form(
            action, title, remark=t("Its current text can't be shown. What you send replaces it.")
        )
    return _form(action, title, text)


def draft_form(action: OpenDraftForm, text: str) -> ActionForm:
    """Let a member change an unsent text before it is sent again."""
    return _form(SendDraft(action.draft_id), t("Edit and send"), text)


def typed_text(texts: Mapping[str, str]) -> str:
    """Put together what was typed into a form's fields."""
    text = texts.get(_TEXT, "")
    for name, joint in _JOINTS.items():
        if texts.get(name):
            text += joint + texts[name]
    return text


def _form(
    action: Action, title: str, text: str = "", *, quote: str = "", remark: str | None = None
) -> ActionForm:
    form = ActionForm(action, title=title)
    if quote:
        form.add_item(ui.TextDisplay(quote))
    first, rest_name, rest = _split(text)
    form.ask(
        t("Your text"),
        _field(_TEXT, first),
        description=remark
        or t("The game takes up to %(limit)s characters.", limit=number(LONGEST_COMMENT)),
    )
    if rest:
        form.ask(t("Your text, continued"), _field(rest_name, rest, is_required=False))
    return form


def _field(name: str, text: str, *, is_required: bool = True) -> ui.TextInput[Any]:
    return ui.TextInput(
        custom_id=name,
        style=discord.TextStyle.paragraph,
        default=text or None,
        required=is_required,
        max_length=_LONGEST_FIELD,
    )


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
