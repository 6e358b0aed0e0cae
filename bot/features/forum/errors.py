"""What members are told when a thread or a comment can't be read or written.

ForumError              a KioskError
├── ThreadNotInGame     the game answered 404 for a thread
├── ThreadClosed        401 or 403 for a thread, which is read without a token (Interface 5.3)
├── CommentNotInGame    404 for a comment
├── CommentNotFound     the comment is neither on the page where it was, nor on those after it
├── CommentUnseen       no page at hand has the comment, and nobody wrote it through Kiosk
├── AnsweredGone        the comment that a reply is for is no more
├── NotYours            the comment is another player's
├── WriterUnknown       Kiosk can't tell whose the comment is
├── NoCommentShown      the message whose menu was used shows no comment
├── NotArrived          no answer came, and the text is not in the thread
├── ArrivalUnknown      no answer came, and the thread does not tell
├── IsItYours           no answer came, and a comment there may be the text: it holds the comment
├── MayStillArrive      no answer came, and the game may still take the text: `when` says how long
├── DraftGone           the unsent text was sent, discarded, or is older than a day
├── DraftBusy           the unsent text is being sent
├── DraftUnreadable     the unsent text was sealed with a key that is gone
├── TooManyUnsent       the member has as many unsent texts as are kept
├── NotKept             the text can't be written down
├── TextMissing         there is nothing in a text to post
├── TextTooLong         it is longer than the game takes
├── TokenInText         it holds the writer's own access token
├── Unsent              a text was not sent: it holds the draft and the error that kept it
└── GivenBack           a text could not be kept: it holds the text and the error that kept it
"""

from bot.domain.drafts import Draft
from bot.errors import KioskError
from bot.game.errors import GameError
from bot.game.models import Comment


# A table, which the tree above explains.
# fmt: off
class ForumError(KioskError): ...
class ThreadNotInGame(ForumError): ...
class ThreadClosed(ForumError): ...
class CommentNotInGame(ForumError): ...
class CommentNotFound(ForumError): ...
class CommentUnseen(ForumError): ...
class AnsweredGone(ForumError): ...
class NotYours(ForumError): ...
class WriterUnknown(ForumError): ...
class NoCommentShown(ForumError): ...
class NotArrived(ForumError): ...
class ArrivalUnknown(ForumError): ...
class MayStillArrive(ForumError): ...
class DraftGone(ForumError): ...
class DraftBusy(ForumError): ...
class DraftUnreadable(ForumError): ...
class TooManyUnsent(ForumError): ...
class NotKept(ForumError): ...
class TextMissing(ForumError): ...
class TextTooLong(ForumError): ...
class TokenInText(ForumError): ...
# fmt: on


class IsItYours(ForumError):
    """A comment in the thread may be what a text became; its writer can tell."""

    def __init__(self, comment: Comment) -> None:
        super().__init__()
        self.comment = comment


class Unsent(ForumError):
    """A text was not sent; it is kept as `draft`, and `cause` says what stands in the way."""

    def __init__(self, draft: Draft, cause: KioskError | GameError) -> None:
        super().__init__()
        self.draft = draft
        self.cause = cause


class GivenBack(ForumError):
    """A text was neither sent nor kept: here it is, and `cause` says what stands in the way."""

    def __init__(self, text: str, cause: KioskError) -> None:
        super().__init__()
        self.text = text
        self.cause = cause
