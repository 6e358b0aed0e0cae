"""What members are told when a thread or a comment can't be read or written.

ForumError              a KioskError
├── ThreadNotInGame     the game answered 404 for a thread
├── ThreadClosed        401 or 403 for a thread, which is read without a token (Interface 5.3)
├── CommentNotInGame    404 for a comment
├── CommentNotFound     the comment is neither on the page where it was, nor on those after it
├── NoCommentShown      the message whose menu was used shows no comment
├── NotArrived          no answer came, and the text is not in the thread
├── ArrivalUnknown      no answer came, and the thread does not tell
├── DraftGone           the unsent text was sent, discarded, or is older than a day
├── DraftBusy           the unsent text is being sent, or may still arrive
├── TextMissing         there is nothing in a text to post
├── TextTooLong         it is longer than the game takes
└── Unsent              a text was not sent: it holds the draft and the error that kept it
"""

from bot.domain.drafts import Draft
from bot.errors import KioskError
from bot.game.errors import GameError


# A table, which the tree above explains.
# fmt: off
class ForumError(KioskError): ...
class ThreadNotInGame(ForumError): ...
class ThreadClosed(ForumError): ...
class CommentNotInGame(ForumError): ...
class CommentNotFound(ForumError): ...
class NoCommentShown(ForumError): ...
class NotArrived(ForumError): ...
class ArrivalUnknown(ForumError): ...
class DraftGone(ForumError): ...
class DraftBusy(ForumError): ...
class TextMissing(ForumError): ...
class TextTooLong(ForumError): ...
# fmt: on


class Unsent(ForumError):
    """A text was not sent; it is kept as `draft`, and `cause` says what stands in the way."""

    def __init__(self, draft: Draft, cause: KioskError | GameError) -> None:
        super().__init__()
        self.draft = draft
        self.cause = cause
