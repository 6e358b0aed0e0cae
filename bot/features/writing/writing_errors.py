"""Errors that keep a text from being sent or an item from being ordered."""

from bot import errors
from bot.features.reading.catalogs import CatalogItem
from bot.i18n import N_


class ParentCommentMissing(errors.KioskError, code="answered_gone"):
    title = N_("The game can't find that comment")
    body = N_("The comment isn't in this thread, or the thread doesn't exist. Your text is saved.")
    next_step = N_("Copy your text and post it as a new comment.")


class DiscordMissedAnswer(errors.KioskError, step=errors.Step.AGAIN, code="answer_not_taken"):
    title = N_("Nothing was sent to the game")
    body = N_(
        "Discord didn't accept Kiosk's first answer in time, so nothing was posted or bought."
    )
    next_step = N_("You can safely try again.")


class NotArrived(errors.KioskError, code="not_arrived"):
    title = N_("Your comment isn't posted yet")
    body = N_("Kiosk checked the thread, and your text isn't there.")
    next_step = N_("Your text is saved for 24 hours. Try again when the game is back.")


class NotAsConfirmed(errors.KioskError):
    """An item is already owned, or its price has changed: nothing was ordered."""

    def __init__(self, entry: CatalogItem) -> None:
        super().__init__()
        self.entry = entry


class Interrupted(errors.KioskError, code="interrupted"):
    """Kiosk ended, or ends, before the game was asked."""

    title = N_("Your comment isn't posted yet")
    body = N_("Kiosk restarted before it sent this to the game.")
    next_step = N_("Your text is saved for 24 hours. Send it from here, or discard it.")


class AccountChanged(errors.KioskError, code="other_account"):
    title = N_("You linked another game account")
    body = N_("Nothing was sent, because you started this with another game account.")
    next_step = N_("If you try again, Kiosk uses the account that's linked now.")


class TextUnreadable(errors.KioskError, code="text_unreadable"):
    title = N_("Kiosk can't read this text")
    body = N_("This bot no longer has the key that encrypted it.")
    next_step = N_(
        "Tell the bot's operator. If they restore the key, Kiosk can read your text again."
    )
    is_fault = True


class TooManyUnsent(errors.KioskError, step=errors.Step.UNSENT):
    title = N_("You have too many unsent texts")
    body = N_("Kiosk saves up to %(limit)s for you, so this text wasn't sent or saved.")
    next_step = N_("Send or discard a text in `/forum unsent`, then try again.")


class NotKept(errors.KioskError, code="not_kept"):
    title = N_("Your text wasn't saved")
    body = N_("Kiosk can't save anything right now, so nothing was sent.")
    next_step = N_(
        "Copy your text and try again in a few minutes. If it keeps happening, tell the bot's"
        " operator."
    )
    is_fault = True


class TextGone(errors.KioskError, step=errors.Step.THREADS):
    is_over = True
    title = N_("Kiosk no longer has this text")
    body = N_("It was already sent or discarded, or it's older than a day.")
    next_step = N_("Check the thread with `/forum read`.")


class WriteBusy(errors.KioskError, step=errors.Step.UNSENT):
    """Someone is at work on the text, or the game may still take what it was sent."""

    title = N_("Your text is still on its way")
    body = N_("Kiosk is sending it right now, or the game may still accept it.")
    next_step = N_("Wait half a minute, then check your text with `/forum unsent`.")


class TextInDoubt(errors.KioskError, step=errors.Step.UNSENT):
    title = N_("You can't change this text now")
    body = N_("The game may already have the old version.")
    next_step = N_("Check if your text was posted, or copy and discard it.")


class TextMissing(errors.KioskError):
    title = N_("There's nothing to post")
    body = N_("Your text has no visible characters.")
    next_step = N_("Enter at least one visible character.")


class TokenInText(errors.KioskError):
    title = N_("Your text contains your access token")
    body = N_(
        "Kiosk didn't post or save your text. Anyone who sees your access token can act as you."
    )
    next_step = N_(
        "Write your text again without the token, which belongs in `/account link` only."
    )


class TooLongForForm(errors.KioskError):
    title = N_("This text doesn't fit Discord's form")
    body = N_("The text has %(count)s characters, and the limit is %(limit)s.")
    next_step = N_("Copy the parts you need and write a shorter text.")


class TextReturned(errors.KioskError, code="given_back"):
    """A text was neither sent nor saved. It is in `text`, and `cause` says why."""

    def __init__(self, text: str, cause: errors.KioskError) -> None:
        super().__init__()
        self.text = text
        self.cause = cause
