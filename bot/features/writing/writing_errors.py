"""Errors that keep a text from being sent or an item from being ordered."""

from bot import errors
from bot.features.reading.catalogs import CatalogItem
from bot.i18n import N_


class ParentCommentMissing(errors.KioskError, code="answered_gone"):
    title = N_("The comment you are replying to isn't there")
    body = N_("It isn't in this thread, or there is no such thread. Your text is kept.")
    next_step = N_("Copy it, and post it as a comment of its own.")


class DiscordMissedAnswer(errors.KioskError, step=errors.Step.AGAIN, code="answer_not_taken"):
    title = N_("The game was not asked")
    body = N_("Discord did not take Kiosk's first answer in time, so nothing was sent or bought.")
    next_step = N_("Press “Try again”.")


class NotArrived(errors.KioskError, code="not_arrived"):
    title = N_("Your comment isn't posted yet")
    body = N_("Kiosk has looked in the thread: your text is not there.")
    next_step = N_("Your text is kept here for 24 hours. Try again when the game is back.")


class NotAsConfirmed(errors.KioskError):
    """An item is owned by now, or its price has changed: nothing was ordered."""

    def __init__(self, entry: CatalogItem) -> None:
        super().__init__()
        self.entry = entry


class Interrupted(errors.KioskError, code="interrupted"):
    """Kiosk ended, or ends, before the game was asked."""

    title = N_("Your comment isn't posted yet")
    body = N_("Kiosk restarted before the game was asked.")
    next_step = N_("Your text is kept here for 24 hours: send it from here, or discard it.")


class AccountChanged(errors.KioskError, code="other_account"):
    title = N_("You have linked another game account")
    body = N_("So nothing was sent: it was meant for the account that was linked before.")
    next_step = N_("Press “Try again” to do it with the account that is linked now.")


class TextUnreadable(errors.KioskError, code="text_unreadable"):
    title = N_("This text can't be read")
    body = N_("The key it was encrypted with is not on this bot any more.")
    next_step = N_("Tell the bot's operator: with the key, your text is back.")
    is_fault = True


class TooManyUnsent(errors.KioskError, step=errors.Step.UNSENT):
    title = N_("You have too many unsent texts")
    body = N_("Kiosk keeps up to %(limit)s for you, so this one was neither sent nor kept.")
    next_step = N_("Send or discard one in `/forum unsent`, then try again.")


class NotKept(errors.KioskError, code="not_kept"):
    title = N_("Your text could not be kept")
    body = N_("Kiosk can't write anything down just now, so nothing was sent.")
    next_step = N_("Copy your text, try again in a few minutes, and tell the bot's operator.")
    is_fault = True


class TextGone(errors.KioskError, step=errors.Step.THREADS):
    is_over = True
    title = N_("This text is no longer kept")
    body = N_("It was sent or discarded already, or is older than a day.")
    next_step = N_("Look at the thread with `/forum read`.")


class WriteBusy(errors.KioskError, step=errors.Step.UNSENT):
    """Somebody is at work on it, or the game may still take what it was sent."""

    title = N_("Your text is still on its way")
    body = N_("It is being sent just now, or the game may still take it.")
    next_step = N_("Wait half a minute, then look at it again with `/forum unsent`.")


class TextInDoubt(errors.KioskError, step=errors.Step.UNSENT):
    title = N_("This text can't be changed now")
    body = N_("The game may have it already, as it was.")
    next_step = N_("Press “Look now”, or copy it and discard it.")


class TextMissing(errors.KioskError):
    title = N_("There is nothing to post")
    body = N_("There is nothing in your text that anybody could see.")
    next_step = N_("Write at least one character.")


class TokenInText(errors.KioskError):
    title = N_("That would have shown your access token")
    body = N_(
        "It was in your text, so nothing was posted or kept: with it, anybody could act as you."
    )
    next_step = N_(
        "Write it again without the token. The only place for a token is `/account link`."
    )


class TooLongForForm(errors.KioskError):
    title = N_("This text is longer than Discord's form")
    body = N_("It has %(count)s characters, and the form holds %(limit)s.")
    next_step = N_("Copy what you need of it, and write a shorter text.")


class TextReturned(errors.KioskError, code="given_back"):
    """A text was neither sent nor kept: here it is, and `cause` says what stands in the way."""

    def __init__(self, text: str, cause: errors.KioskError) -> None:
        super().__init__()
        self.text = text
        self.cause = cause
