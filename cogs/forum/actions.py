"""What the forum's buttons, selects and forms mean.

A comment is addressed by its thread, the order and page it was seen on, and its id: the game can't
be asked for one comment. Absent ids are NONE.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

from bot.errors import OldButton
from bot.features.forum.screens import Address, PageKey
from bot.game.models import Sort
from bot.ui.actions import Action

NONE = -1


@dataclass(frozen=True)
class _ScreenAction(Action):
    thread_id: int
    sort: Sort
    page: int
    offset: int

    @classmethod
    def at(cls, address: Address) -> Self:
        """Return the action that leads to a screen."""
        key = address.key
        return cls(key.thread_id, key.sort, key.page, address.offset)

    @property
    def address(self) -> Address:
        """The screen that is meant."""
        return Address(PageKey(self.thread_id, self.sort, self.page), self.offset)


@dataclass(frozen=True)
class ShowScreen(_ScreenAction):
    """Show a screen of a thread."""

    kind: ClassVar[str] = "forum.screen"


@dataclass(frozen=True)
class Refresh(_ScreenAction):
    """Ask the game for a screen anew."""

    kind: ClassVar[str] = "forum.refresh"


@dataclass(frozen=True)
class CommentAction(Action):
    """A comment, and where it was seen."""

    thread_id: int
    sort: Sort
    page: int
    comment_id: int

    @property
    def near(self) -> PageKey:
        """The page where the comment was seen."""
        return PageKey(self.thread_id, self.sort, self.page)


@dataclass(frozen=True)
class ShowComment(CommentAction):
    """Show a comment whole, from a page of its text and with its replies from an offset."""

    kind: ClassVar[str] = "forum.comment"
    text_page: int = 0
    offset: int = 0


@dataclass(frozen=True)
class Share(CommentAction):
    """Post a comment as a public card."""

    kind: ClassVar[str] = "forum.share"


@dataclass(frozen=True)
class OpenEditForm(CommentAction):
    """Open the form that holds a comment's present text."""

    kind: ClassVar[str] = "forum.edit_form"


@dataclass(frozen=True)
class AskDelete(CommentAction):
    """Ask whether a comment is to be deleted."""

    kind: ClassVar[str] = "forum.ask_delete"


@dataclass(frozen=True)
class Delete(Action):
    """Delete a comment."""

    kind: ClassVar[str] = "forum.delete"
    thread_id: int
    comment_id: int


@dataclass(frozen=True)
class OpenOrReply(Action):
    """A comment was chosen from a card's list, to be opened or replied to (see `Choice`)."""

    kind: ClassVar[str] = "forum.open_or_reply"
    thread_id: int
    sort: Sort
    page: int

    def chosen(self, value: str) -> "ShowComment | OpenWriteForm":
        """Return what an entry of the list leads to. Raises OldButton."""
        comment_id = self.comment_of(value)
        if value == Choice.OPEN.of(comment_id):
            return ShowComment(self.thread_id, self.sort, self.page, comment_id)
        return OpenWriteForm(self.thread_id, comment_id, self.sort, self.page)

    @staticmethod
    def comment_of(value: str) -> int:
        """Return the comment that an entry of the list is about. Raises OldButton."""
        choice, _, comment_id = value.partition(".")
        if choice not in set(Choice) or not comment_id.isdecimal():
            raise OldButton
        return int(comment_id)


class Choice(StrEnum):
    """What an entry of a card's list does with its comment."""

    OPEN = "open"
    REPLY = "reply"

    def of(self, comment_id: int) -> str:
        """Return the entry's value."""
        return f"{self}.{comment_id}"


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class OpenWriteForm(_WriteAction):
    """Open the form for a comment, or for a reply to `parent_id`."""

    kind: ClassVar[str] = "forum.write_form"


@dataclass(frozen=True)
class SendText(_WriteAction):
    """A comment or reply was typed."""

    kind: ClassVar[str] = "forum.write"


@dataclass(frozen=True)
class SendEdit(Action):
    """A comment's new text was typed."""

    kind: ClassVar[str] = "forum.edit"
    thread_id: int
    comment_id: int


@dataclass(frozen=True)
class PickComment(Action):
    """One of several comments was chosen to reply to; the value is its id."""

    kind: ClassVar[str] = "forum.pick"
    thread_id: int


@dataclass(frozen=True)
class ShowDraft(Action):
    """Show an unsent text, from a page of it."""

    kind: ClassVar[str] = "forum.draft"
    draft_id: int
    text_page: int = 0


@dataclass(frozen=True)
class Retry(Action):
    """Send a text again; `is_sure` does so without looking whether it has arrived."""

    kind: ClassVar[str] = "forum.retry"
    draft_id: int
    is_sure: bool = False


@dataclass(frozen=True)
class OpenDraftForm(Action):
    """Open the form that holds an unsent text."""

    kind: ClassVar[str] = "forum.draft_form"
    draft_id: int


@dataclass(frozen=True)
class SendDraft(Action):
    """An unsent text was changed and is to be sent."""

    kind: ClassVar[str] = "forum.draft_send"
    draft_id: int


@dataclass(frozen=True)
class Discard(Action):
    """Throw an unsent text away."""

    kind: ClassVar[str] = "forum.discard"
    draft_id: int


@dataclass(frozen=True)
class PostInThread(Action):
    """Post an unsent reply as a comment of its thread."""

    kind: ClassVar[str] = "forum.post_instead"
    draft_id: int


@dataclass(frozen=True)
class SayMine(Action):
    """A comment in the thread is what an unsent text has become."""

    kind: ClassVar[str] = "forum.mine"
    draft_id: int
    comment_id: int


@dataclass(frozen=True)
class SayNotMine(Action):
    """A comment in the thread is not what an unsent text has become."""

    kind: ClassVar[str] = "forum.not_mine"
    draft_id: int
    comment_id: int
