"""What the forum's buttons, selects and forms mean.

A comment is addressed by its thread, the order and page it was seen on, and its id: the game can't
be asked for one comment. Absent ids are NONE.
"""

from contextlib import suppress
from enum import StrEnum

from bot.errors import OldButton
from bot.game.models import PageKey, Sort
from bot.ui.actions import Action, read_number
from storage.writes import Write, WriteKind

NONE = -1


class _OfPage(Action):
    thread_id: int
    sort: Sort
    page: int

    @property
    def near(self) -> PageKey:
        """The page that is meant, or that something was seen on."""
        return PageKey(self.thread_id, self.sort, self.page)


class ShowScreen(_OfPage, kind="forum.screen"):
    """Show the screen of a thread that starts at an offset of a page."""

    offset: int


class Refresh(_OfPage, kind="forum.refresh"):
    """Ask the game for a screen anew."""

    offset: int


class CommentAction(_OfPage):
    """A comment, and where it was seen."""

    comment_id: int


class ShowComment(CommentAction, kind="forum.comment"):
    """Show a comment whole, from a page of its text and with its replies from an offset."""

    text_page: int = 0
    offset: int = 0


class Share(CommentAction, kind="forum.share"):
    """Post a comment as a public card."""


class OpenEditForm(CommentAction, kind="forum.edit_form"):
    """Open the form that holds a comment's present text."""


class AskDelete(CommentAction, kind="forum.ask_delete"):
    """Ask whether a comment is to be deleted."""


class Delete(Action, kind="forum.delete"):
    """Delete a comment."""

    thread_id: int
    comment_id: int


class OpenOrReply(_OfPage, kind="forum.open_or_reply"):
    """A comment was chosen from a card's list, to be opened or replied to (see `Choice`)."""

    def chosen(self, value: str) -> "ShowComment | OpenWriteForm":
        """Return what an entry of the list leads to. Raises OldButton."""
        comment_id = self.comment_of(value)
        if value == f"{Choice.OPEN}.{comment_id}":
            return ShowComment(self.thread_id, self.sort, self.page, comment_id)
        return OpenWriteForm(self.thread_id, comment_id, self.sort, self.page)

    @staticmethod
    def comment_of(value: str) -> int:
        """Return the comment that an entry of the list is about. Raises OldButton."""
        choice, _, comment_id = value.partition(".")
        with suppress(ValueError):
            if choice in set(Choice) and comment_id.isdecimal():
                return read_number(comment_id)
        raise OldButton


class Choice(StrEnum):
    """What an entry of a card's list does with its comment: its value is `<choice>.<comment>`."""

    OPEN = "open"
    REPLY = "reply"


class _WriteAction(Action):
    """`parent_id` is replied to; it was seen on a page in an order."""

    thread_id: int
    parent_id: int = NONE
    sort: Sort = Sort.LATEST
    page: int = 1

    @property
    def near(self) -> PageKey:
        """The page that was being read."""
        return PageKey(self.thread_id, self.sort, self.page)

    def written(self, member_id: int, text: str) -> Write:
        """Return a member's text as what it is to be: a reply, or a comment of its own."""
        if self.parent_id == NONE:
            return Write(0, member_id, WriteKind.POST, self.thread_id, body=text)
        return Write(0, member_id, WriteKind.REPLY, self.thread_id, self.parent_id, text)


class OpenWriteForm(_WriteAction, kind="forum.write_form"):
    """Open the form for a comment, or for a reply to `parent_id`."""


class SendText(_WriteAction, kind="forum.write"):
    """A comment or reply was typed."""


class SendEdit(Action, kind="forum.edit"):
    """A comment's new text was typed."""

    thread_id: int
    comment_id: int


class PickComment(Action, kind="forum.pick"):
    """One of several comments was chosen to reply to; the value is its id."""

    thread_id: int


class _OfText(Action):
    # Of a write.
    text_id: int


class ShowText(_OfText, kind="forum.draft"):
    """Show an unsent text, from a page of it."""

    text_page: int = 0


class LookNow(_OfText, kind="forum.look"):
    """Look whether a text has arrived."""


class Retry(_OfText, kind="forum.retry"):
    """Send a text that was not sent; `is_sure` stands on older buttons, and means nothing."""

    is_sure: bool = False


class AskSendAgain(_OfText, kind="forum.ask_again"):
    """Ask whether a text in doubt is to be sent again."""


class SendAgain(_OfText, kind="forum.send_again"):
    """Send a text in doubt again, where it isn't there."""


class OpenTextForm(_OfText, kind="forum.draft_form"):
    """Open the form that holds an unsent text."""


class SendChanged(_OfText, kind="forum.draft_send"):
    """An unsent text was changed and is to be sent."""


class AskDiscard(_OfText, kind="forum.ask_discard"):
    """Ask whether an unsent text is to be thrown away."""


class Discard(_OfText, kind="forum.discard"):
    """Throw an unsent text away; `words` stand on older buttons, and mean nothing."""

    words: int = 0


class PostInThread(_OfText, kind="forum.post_instead"):
    """Post an unsent reply as a comment of its thread."""


class ChooseThread(_OfText, kind="forum.choose_thread"):
    """List the threads where an unsent comment may be posted instead."""


class PostElsewhere(_OfText, kind="forum.post_elsewhere"):
    """Post an unsent comment in another thread."""

    thread_id: int


class SayMine(_OfText, kind="forum.mine"):
    """A comment in the thread is what an unsent text has become."""

    comment_id: int


class SayNotMine(_OfText, kind="forum.not_mine"):
    """A comment in the thread is not what an unsent text has become."""

    comment_id: int
