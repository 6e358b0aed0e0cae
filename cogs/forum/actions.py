"""Actions of the forum's buttons, selects and forms.

A comment's address is its thread, the order and page on which it was seen, and its id. The game
can't return a single comment. Missing ids are NO_ID.
"""

from bot.game import models
from bot.ui.custom_ids import Action
from bot.ui.here import Here
from bot.ui.shared_actions import NO_ID, CommentAction, OfPage, ShowScreen, WriteComment
from storage import writes

# The largest number of a screen.
LAST_PAGE = 1_000_000


class Refresh(ShowScreen, kind="forum.refresh"):
    """Ask the game for a screen again."""


class ShowLast(OfPage, kind="forum.last"):
    """Show the last screen of a thread, which comes after this page."""


class GoToPage(Action, kind="forum.page"):
    """A form for the number of another screen of a thread. `number` is this screen's."""

    thread_id: int
    sort: models.Sort
    number: int


class Share(CommentAction, kind="forum.share"):
    """Post a comment for everyone in the channel."""


class OpenEditForm(CommentAction, kind="forum.edit_form"):
    """Open the form with a comment's current text."""


class AskDelete(CommentAction, kind="forum.ask_delete"):
    """Ask before a comment is deleted in the game."""


class OfComment(Action):
    thread_id: int
    comment_id: int


class Delete(OfComment, kind="forum.delete"):
    """Delete a comment in the game."""

    def text_to_send(self, here: Here) -> writes.Text:
        return _text(here, writes.WriteKind.DELETE, self.thread_id, self.comment_id)


class SendEdit(OfComment, kind="forum.edit"):
    """Change a comment to the text that was typed."""

    @property
    def near(self) -> models.PageKey:
        return models.PageKey(self.thread_id)

    def text_to_send(self, here: Here, body: str) -> writes.Text:
        return _text(here, writes.WriteKind.EDIT, self.thread_id, self.comment_id, body)


def text_to_send(here: Here, action: WriteComment, body: str) -> writes.Text:
    """Return the text of a comment, or a reply, to send."""
    if action.parent_id == NO_ID:
        return _text(here, writes.WriteKind.POST, action.thread_id, writes.NO_COMMENT, body)
    return _text(here, writes.WriteKind.REPLY, action.thread_id, action.parent_id, body)


def _text(
    here: Here, kind: writes.WriteKind, thread_id: int, target_id: int, body: str = ""
) -> writes.Text:
    whose = (here.interaction.id, here.member_id)
    return writes.Text(*whose, kind, thread_id, here.locale, target_id=target_id, body=body)


class OfText(Action):
    text_id: int


class ShowText(OfText, kind="forum.draft"):
    text_page: int = 0


class LookNow(OfText, kind="forum.look"):
    """Check now whether a text arrived."""


class Retry(OfText, kind="forum.retry"):
    """Send a text that was not sent."""


class AskSendAgain(OfText, kind="forum.ask_again"):
    """Ask before a text in doubt is sent again."""


class SendAgain(OfText, kind="forum.send_again"):
    """Send a text in doubt again."""


class ChangeText(OfText, kind="forum.draft_form"):
    """A form with an unsent text, which is sent with the changes."""


class AskDiscard(OfText, kind="forum.ask_discard"):
    """Ask before an unsent text is discarded."""


class Discard(OfText, kind="forum.discard"):
    """Discard an unsent text."""
