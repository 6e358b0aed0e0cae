"""What can go wrong with any command: the link, what was typed, who may use it, the game itself."""

from collections.abc import Mapping
from typing import NamedTuple

from bot.i18n import N_


class Words(NamedTuple):
    """Marked sentences; an error's values fill their `%(name)s` places."""

    title: str
    message: str
    next_step: str


ANYWHERE: Mapping[str, Words] = {
    # Any other of ours, and any other at all.
    "KioskError": Words(
        N_("That didn't work"),
        N_("Something went wrong."),
        N_("Please try again."),
    ),
    "Unexpected": Words(
        N_("Something went wrong here"),
        N_("That is a fault in Kiosk, not yours."),
        N_("Try again, and tell the bot's operator the reference below."),
    ),
    # The member's link to the game.
    "NotLinked": Words(
        N_("Link your game account first"),
        N_("This acts as you in the game, so Kiosk needs to know your account."),
        N_("Press “Link account” and paste your access token: it takes a minute, once."),
    ),
    "LinkExpired": Words(
        N_("Your link has expired"),
        N_("The game no longer accepts the access token you linked."),
        N_("Press “Link account” and paste a new one."),
    ),
    "LinkUnreadable": Words(
        N_("Your link can't be opened"),
        N_("The key that sealed your access token is not on this bot any more."),
        N_("Link your account again, and please tell the bot's operator."),
    ),
    "TokenRefused": Words(
        N_("The game refused this token"),
        N_("Nothing was saved: the game doesn't know this access token."),
        N_("Check that you copied all of it, then try again."),
    ),
    "TokenUnproven": Words(
        N_("The token could not be checked"),
        N_("Nothing was saved: the game doesn't know the catalog Kiosk checks tokens with."),
        N_("Ask a moderator to name one with `/setup catalog add`, then try again."),
    ),
    # Names and numbers that were typed.
    "NothingNamed": Words(
        N_("Nothing is set up here yet"),
        N_("The game lists no threads or catalogs, so moderators name those that count here."),
        N_("Ask a moderator to begin, or give the number that the game uses."),
    ),
    "UnknownThread": Words(
        N_("I don't know that thread"),
        N_("No thread here is called “%(name)s”."),
        N_("Pick one from the list while typing, or give the thread's number."),
    ),
    "UnknownCatalog": Words(
        N_("I don't know that catalog"),
        N_("No catalog here is called “%(name)s”."),
        N_("Pick one from the list while typing, or give the catalog's number."),
    ),
    "SeveralFit": Words(
        N_("Which one?"),
        N_("Several names here fit “%(name)s”: %(known)s."),
        N_("Pick the one you mean, or give its number."),
    ),
    "UnknownItem": Words(
        N_("I don't know that item"),
        N_("No item I can see is called “%(name)s”."),
        N_("Pick one from the list while typing, or give the item's number."),
    ),
    "UnknownComment": Words(
        N_("I don't know that comment"),
        N_("“%(name)s” is not the number of a comment."),
        N_("Each comment shows its number, such as #123: give that."),
    ),
    "BadId": Words(
        N_("That is not a number"),
        N_("“%(name)s” is not the number of anything in the game."),
        N_("Give the whole number that the game uses, such as 12."),
    ),
    "BadName": Words(
        N_("That name can't be used"),
        N_("A name needs 1 to %(limit)s characters and can't be a number alone."),
        N_("Choose another name."),
    ),
    "NameIsTaken": Words(
        N_("That name is taken"),
        N_("“%(name)s” already stands for number %(game_id)s here."),
        N_("Choose another name, or remove the old one first."),
    ),
    # Where, by whom or when something is used.
    "NotAManager": Words(
        N_("That is for those who manage this server"),
        N_("You need the permission Manage Server."),
        N_("Ask somebody who has it."),
    ),
    "ServerOnly": Words(
        N_("This works in a server only"),
        N_("Names are kept for each server."),
        N_("Use the command in a server's channel."),
    ),
    "OperatorOnly": Words(
        N_("This is for whoever runs this bot"),
        N_("Discord says who owns the application, and you are not among them."),
        N_("Ask the bot's operator."),
    ),
    "NotAMemberHere": Words(
        N_("Nothing can be posted here"),
        N_("Kiosk is not in this server, so nobody could take back what it posts."),
        N_("Read it for yourself, or ask the server's managers to add Kiosk."),
    ),
    "MayNotWrite": Words(
        N_("You can't share in this channel"),
        N_("Whoever may not send messages in a channel shares nothing there, either."),
        N_("Share it in another channel."),
    ),
    "CommandChanged": Words(
        N_("This command has changed"),
        N_("Discord still shows you an older form of it."),
        N_("Restart Discord, then try again."),
    ),
    "OldButton": Words(
        N_("This button no longer works"),
        N_("It belongs to an older version of Kiosk."),
        N_("Use the command again to get a fresh card."),
    ),
    "SharedAlready": Words(
        N_("You have shared this already"),
        N_("Each card shares only once, however often you press Share."),
        N_("To share it again, take it back first, or use the command once more."),
    ),
    "NotYourShare": Words(
        N_("Somebody else has shared this"),
        N_("Only they can take it back."),
        N_("If it doesn't belong here, tell a moderator."),
    ),
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
    "NotBegun": Words(
        N_("Kiosk is restarting"),
        N_("So this was not begun."),
        N_("Wait a minute, then try again."),
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
