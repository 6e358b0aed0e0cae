"""Actions of the forum's buttons and selects, and the forms for texts.

A comment is addressed by its thread, the order and page it was seen on, and its id: the game can't
be asked for one comment. Absent ids are NONE.
"""

from discord import ui

from bot.features.writing.errors import TooLongForForm
from bot.game.models import Comment, PageKey, Sort
from bot.i18n import number, t
from bot.ui.actions import Action
from bot.ui.comments import name_of
from bot.ui.forms import ActionForm
from bot.ui.shared_actions import NONE
from bot.ui.text import excerpt, one_line
from storage.writes import Write, WriteKind

# Discord's limits for a form's title and for its text, in characters.
_LONGEST_TITLE = 45
LONGEST_TEXT = 4000
_QUOTE_ROOM, _QUOTE_LINES = 300, 4
TEXT = "text"


class OfPage(Action):
    thread_id: int
    sort: Sort
    page: int

    @property
    def near(self) -> PageKey:
        return PageKey(self.thread_id, self.sort, self.page)


class ShowScreen(OfPage, kind="forum.screen"):
    """Show a screen, or where `seen` is what that showed (see `Seen`), the one beside it."""

    offset: int
    seen: str = ""
    goes_back: bool = False


# Ask the game for a screen anew.
Refresh = ShowScreen.of_kind("forum.refresh")


class CommentAction(OfPage):
    comment_id: int


class ShowComment(CommentAction, kind="forum.comment"):
    """Show a comment whole, from a page of its text and with its replies from an offset.

    Where `seen` is what stands there of the replies (see `Seen`), those beside it are shown.
    """

    text_page: int = 0
    offset: int = 0
    seen: str = ""
    goes_back: bool = False


Share = CommentAction.of_kind("forum.share")
OpenEditForm = CommentAction.of_kind("forum.edit_form")
AskDelete = CommentAction.of_kind("forum.ask_delete")


class OfComment(Action):
    thread_id: int
    comment_id: int

    def written(self, member_id: int, text: str = "") -> Write:
        kind = WriteKind.DELETE if isinstance(self, Delete) else WriteKind.EDIT
        return Write(0, member_id, kind, self.thread_id, self.comment_id, text)


Delete = OfComment.of_kind("forum.delete")
SendEdit = OfComment.of_kind("forum.edit")


class WriteAction(Action):
    thread_id: int
    parent_id: int = NONE
    sort: Sort = Sort.LATEST
    page: int = 1

    def written(self, member_id: int, text: str) -> Write:
        if self.parent_id == NONE:
            return Write(0, member_id, WriteKind.POST, self.thread_id, body=text)
        return Write(0, member_id, WriteKind.REPLY, self.thread_id, self.parent_id, text)


# Open the form for a comment, or for a reply to `parent_id`.
OpenWriteForm = WriteAction.of_kind("forum.write_form")
SendText = WriteAction.of_kind("forum.write")


class OfText(Action):
    text_id: int


class ShowText(OfText, kind="forum.draft"):
    text_page: int = 0


LookNow = OfText.of_kind("forum.look")
# Send a text that was not sent.
Retry = OfText.of_kind("forum.retry")
AskSendAgain = OfText.of_kind("forum.ask_again")
SendAgain = OfText.of_kind("forum.send_again")
OpenTextForm = OfText.of_kind("forum.draft_form")
SendChanged = OfText.of_kind("forum.draft_send")
AskDiscard = OfText.of_kind("forum.ask_discard")
Discard = OfText.of_kind("forum.discard")
PostInThread = OfText.of_kind("forum.post_instead")
ChooseThread = OfText.of_kind("forum.choose_thread")


class PostElsewhere(OfText, kind="forum.post_elsewhere"):
    thread_id: int


class SayMine(OfText, kind="forum.mine"):
    """A comment in the thread is what an unsent text has become."""

    comment_id: int


# A comment in the thread is not what an unsent text has become.
SayNotMine = SayMine.of_kind("forum.not_mine")


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
