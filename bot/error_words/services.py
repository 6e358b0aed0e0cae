"""What the game refuses or fails to answer, and what Kiosk's own database does."""

from collections.abc import Mapping

from bot.error_words.words import Words
from bot.i18n import N_

SERVICES: Mapping[str, Words] = {
    # The game says no, or says nothing.
    "Forbidden": Words(
        N_("The game doesn't allow that"),
        N_("Your game account may not do this."),
        N_("Only a comment's author can change it, and some items are for members."),
    ),
    "NotFound": Words(
        N_("The game doesn't know that"),
        N_("What you asked for isn't in the game, or no longer is."),
        N_("Check the number, or pick from the list while typing."),
    ),
    "Conflict": Words(
        N_("The game says no"),
        N_("Something in the game stands in the way."),
        N_("Look at your account in the game, then try again."),
    ),
    "RateLimited": Words(
        N_("The game asks for patience"),
        N_("Too much was asked of it in a short time."),
        N_("Wait a minute, then try again."),
    ),
    "PausedUntil": Words(
        N_("The game asks for patience"),
        N_("Too much was asked of it in a short time."),
        N_("It answers again %(when)s: try then."),
    ),
    "OwnPace": Words(
        N_("Many are asking at the same time"),
        N_("Kiosk asks the game for only so much a second, and it was not your turn in time."),
        N_("Wait a moment, then try again."),
    ),
    "OneAtATime": Words(
        N_("One after the other, please"),
        N_("You asked for more at once than Kiosk does for one member."),
        N_("Wait for the answers that are coming, then try again."),
    ),
    "Stopping": Words(
        N_("Kiosk is restarting"),
        N_("There is no time left to answer this."),
        N_(
            "Wait a minute. What you had sent or confirmed is kept: look at `/forum drafts` or"
            " `/shop orders` before you try again."
        ),
    ),
    "Refused": Words(
        N_("The game didn't accept that"),
        N_("The game found a fault in what was sent."),
        N_("Change it and try again."),
    ),
    "GameDown": Words(
        N_("The game doesn't answer"),
        N_("The game's service is down or very slow just now. Nothing was changed."),
        N_("Try again in a few minutes."),
    ),
    "Outdated": Words(
        N_("The game's answer is out of date"),
        N_(
            "A cache on the way to the game answered with what it had kept, so nothing was changed."
        ),
        N_("Try again in a few minutes."),
    ),
    "MalformedResponse": Words(
        N_("The game's answer makes no sense"),
        N_("The game answered with something Kiosk can't read."),
        N_("Try again later, and tell the bot's operator the reference below."),
    ),
    "UnknownOutcome": Words(
        N_("Nobody can say whether it happened"),
        N_("The game was asked, but its answer never came."),
        N_("Look in the game before you try again."),
    ),
    # What Kiosk keeps itself.
    "DatabaseError": Words(
        N_("Kiosk can't get at its records"),
        N_("Its database doesn't answer just now, or takes nothing in."),
        N_(
            "Try again in a minute. What was already on its way is looked after, and you'll be"
            " told what became of it."
        ),
    ),
    "CommitUnknown": Words(
        N_("That may be saved, or not"),
        N_("Kiosk lost its database at the very moment of saving."),
        N_("Look whether it was saved before you try again."),
    ),
}
