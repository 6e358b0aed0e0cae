"""What the forum's buttons, selects and forms mean.

A comment is addressed by its thread, the order and page it was seen on, and its id: the game can't
be asked for one comment. Absent ids are NONE.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

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
class _CommentAction(Action):
    thread_id: int
    sort: Sort
    page: int
    comment_id: int

    @property
    def near(self) -> PageKey:
        """The page where the comment was seen."""
        return PageKey(self.thread_id, self.sort, self.page)


@dataclass(frozen=True)
class ShowComment(_CommentAction):
    """Show a comment whole, from a page of its text and with its replies from an offset."""

    kind: ClassVar[str] = "forum.comment"
    text_page: int = 0
    offset: int = 0


@dataclass(frozen=True)
class Share(_CommentAction):
    """Post a comment as a public card."""

    kind: ClassVar[str] = "forum.share"


@dataclass(frozen=True)
class OpenEditForm(_CommentAction):
    """Open the form that holds a comment's present text."""

    kind: ClassVar[str] = "forum.edit_form"


@dataclass(frozen=True)
class AskDelete(_CommentAction):
    """Ask whether a comment is to be deleted."""

    kind: ClassVar[str] = "forum.ask_delete"


@dataclass(frozen=True)
class Delete(Action):
    """Delete a comment."""

    kind: ClassVar[str] = "forum.delete"
    thread_id: int
    comment_id: int


@dataclass(frozen=True)
class OpenWriteForm(Action):
    """Open the form for a comment, or for a reply to `parent_id`."""

    kind: ClassVar[str] = "forum.write_form"
    thread_id: int
    parent_id: int = NONE


@dataclass(frozen=True)
class SendText(Action):
    """A comment or reply was typed."""

    kind: ClassVar[str] = "forum.write"
    thread_id: int
    parent_id: int


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
