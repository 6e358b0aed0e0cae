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
from storage.writes import Text, WriteKind

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


class Refresh(ShowScreen, kind="forum.refresh"):
    """Ask the game for a screen anew."""


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


class Share(CommentAction, kind="forum.share"):
    """Post a comment for everybody in the channel."""


class OpenEditForm(CommentAction, kind="forum.edit_form"):
    """Open the form with a comment's present text."""


class AskDelete(CommentAction, kind="forum.ask_delete"):
    """Ask before a comment is deleted in the game."""


class OfComment(Action):
    thread_id: int
    comment_id: int

    def written(self, member_id: int, body: str = "") -> Text:
        kind = WriteKind.DELETE if isinstance(self, Delete) else WriteKind.EDIT
        return Text(0, member_id, kind, self.thread_id, target_id=self.comment_id, body=body)


class Delete(OfComment, kind="forum.delete"):
    """Delete a comment in the game."""


class SendEdit(OfComment, kind="forum.edit"):
    """Change a comment to what was typed."""


class WriteAction(Action):
    thread_id: int
    parent_id: int = NONE
    sort: Sort = Sort.LATEST
    page: int = 1

    def written(self, member_id: int, body: str) -> Text:
        if self.parent_id == NONE:
            return Text(0, member_id, WriteKind.POST, self.thread_id, body=body)
        target_id = self.parent_id
        return Text(0, member_id, WriteKind.REPLY, self.thread_id, target_id=target_id, body=body)


class OpenWriteForm(WriteAction, kind="forum.write_form"):
    """Open the form for a comment, or for a reply to `parent_id`."""


class SendText(WriteAction, kind="forum.write"):
    """Send what was typed as a comment or a reply."""


class OfText(Action):
    text_id: int


class ShowText(OfText, kind="forum.draft"):
    text_page: int = 0


class LookNow(OfText, kind="forum.look"):
    """Look now whether a text arrived."""


class Retry(OfText, kind="forum.retry"):
    """Send a text that was not sent."""


class AskSendAgain(OfText, kind="forum.ask_again"):
    """Ask before a text in doubt is sent again."""


class SendAgain(OfText, kind="forum.send_again"):
    """Send a text in doubt again."""


class OpenTextForm(OfText, kind="forum.draft_form"):
    """Open the form with an unsent text."""


class SendChanged(OfText, kind="forum.draft_send"):
    """Send an unsent text as it was changed."""


class AskDiscard(OfText, kind="forum.ask_discard"):
    """Ask before an unsent text is discarded."""


class Discard(OfText, kind="forum.discard"):
    """Discard an unsent text."""


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
