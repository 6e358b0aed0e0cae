"""What a member is told when a thread or a comment can't be read or written.

ForumError
├── ThreadNotInGame     the game has no such thread
├── ThreadClosed        the game shows the thread to nobody without an account
├── CommentNotInGame    the game has no such comment
├── CommentNotFound     the comment is not where it was, nor near
├── NoCommentShown      the message shows no comment
├── NotArrived          no answer came, and the text is not in the thread
├── ArrivalUnknown      no answer came, and the thread does not tell
├── DraftGone           the unsent text is no longer kept
├── DraftBusy           the unsent text is being sent, or may still arrive
├── Unsent              a text was not sent: it holds the draft and the error that kept it
└── TextError
    ├── TextMissing         there is nothing in it to post
    └── TextTooLong         it is longer than the game takes
"""

from bot.domain.drafts import Draft
from bot.errors import KioskError
from bot.game.errors import GameError
from bot.i18n import N_


class ForumError(KioskError):
    """About reading and writing in threads."""


class ThreadNotInGame(ForumError):
    """The game answered 404 for a thread."""

    title = N_("The game doesn't know that thread")
    message = N_("There is no thread %(name)s in the game, or no longer.")
    next_step = N_("Check the thread's number, or pick another from the list while typing.")


class ThreadClosed(ForumError):
    """The game answered 401 or 403 for a thread, which is read without a token (Interface 5.3)."""

    title = N_("The game doesn't show this thread")
    message = N_(
        "Kiosk reads threads without anybody's account, and the game doesn't allow it here."
    )
    next_step = N_("Read it in the game itself.")


class CommentNotInGame(ForumError):
    """The game answered 404 for a comment."""

    title = N_("The game doesn't know that comment")
    message = N_("Comment #%(name)s isn't in the game, or no longer is.")
    next_step = N_("Read the thread again to see what is there now.")


class CommentNotFound(ForumError):
    """The comment is neither on the page where it was, nor on those after it."""

    title = N_("I can't find that comment")
    message = N_("Comment #%(name)s was deleted, or has moved far down its thread.")
    next_step = N_("Read the thread again to see what is there now.")


class NoCommentShown(ForumError):
    """The message whose menu was used shows no comment."""

    title = N_("There is no comment to reply to")
    message = N_("This message shows no comment of the game.")
    next_step = N_("Use the menu on a message of mine that shows one, or use `/forum reply`.")


class NotArrived(ForumError):
    """The answer to a text never came, and the thread does not have it."""

    title = N_("The game didn't answer")
    message = N_("Kiosk looked in the thread: your text has not arrived.")
    next_step = N_("Press Retry. Kiosk looks once more before it sends the text again.")


class ArrivalUnknown(ForumError):
    """The answer to a text never came, and the thread could not be looked through."""

    title = N_("Nobody can say whether it arrived")
    message = N_("The game didn't answer, and Kiosk couldn't find out whether it has your text.")
    next_step = N_("Press Retry. Kiosk looks first, and sends it only if it isn't there.")


class DraftGone(ForumError):
    """The unsent text was sent, discarded, or older than a day."""

    title = N_("This text is no longer kept")
    message = N_("It was sent or discarded already, or is older than a day.")
    next_step = N_("Look at the thread with `/forum read`.")


class DraftBusy(ForumError):
    """Somebody else holds the unsent text: it is being sent, or may still arrive."""

    title = N_("Your text is still on its way")
    message = N_("It is being sent just now, or the game is still busy with it.")
    next_step = N_("Wait half a minute, then look at the thread or press Retry again.")


class Unsent(ForumError):
    """A text was not sent; it is kept as `draft`, and `cause` says what stands in the way."""

    def __init__(self, draft: Draft, cause: KioskError | GameError) -> None:
        super().__init__()
        self.draft = draft
        self.cause = cause


class TextError(ForumError):
    """About a text that is to be posted."""


class TextMissing(TextError):
    """There is nothing in it to post."""

    title = N_("There is nothing to post")
    message = N_("The text is empty.")
    next_step = N_("Write at least one character.")


class TextTooLong(TextError):
    """It is longer than the game takes; `count` and `limit` say by how much."""

    title = N_("The text is too long")
    message = N_("It has %(count)s characters, the game takes at most %(limit)s.")
    next_step = N_("Shorten it and send it again.")
