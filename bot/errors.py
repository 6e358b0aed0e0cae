"""What a member is told when something can't be done.

KioskError                  title, message, and what to do next
├── AccountError
│   ├── NotLinked           the command needs a game account
│   ├── LinkExpired         the game no longer takes the link's token
│   ├── LinkUnreadable      the token can't be opened with the operator's keys
│   ├── TokenRefused        the game refuses the token that was typed
│   └── TokenUnproven       the game's answer says nothing about the token
├── ForumError              in bot.features.forum.errors
├── ShopError               in bot.features.shop.errors
├── NamingError
│   ├── UnknownThread       no thread of that name here
│   ├── UnknownCatalog      no catalog of that name here
│   ├── UnknownItem         no item of that name at hand
│   ├── UnknownComment      not the number of a comment
│   ├── BadId               what was typed is not a number of the game
│   ├── BadName             a name that can't be given
│   └── NameIsTaken         a name that another one has
├── GameProblem
│   ├── GameForbids         the game doesn't let this account do it
│   ├── NotInGame           the game doesn't know what was asked for
│   ├── GameConflicts       the state of things in the game stands against it
│   ├── GameRejects         the game finds a fault in what was sent
│   ├── GameBusy            the game asks for patience
│   ├── GameDown            the game doesn't answer, or answers with a fault
│   ├── GameUnreadable      the game's answer makes no sense
│   └── OutcomeUnknown      nobody can say whether it happened
└── UseError
    ├── ServerOnly          the command needs a server
    ├── CommandChanged      Discord offered a command of an older version
    ├── Unexpected          a fault of ours
    └── OldButton           a button that this version doesn't know
"""

from bot.i18n import N_


class KioskError(Exception):
    """Something can't be done, in words for the member.

    The three texts are marked sentences; `values` fill their `%(name)s` places and may hold what
    a member typed: whoever shows them escapes them.
    """

    title = N_("That didn't work")
    message = N_("Something went wrong.")
    next_step = N_("Please try again.")

    def __init__(self, **values: object) -> None:
        super().__init__(type(self).__name__)
        self.values = values


class AccountError(KioskError):
    """About the member's link to the game."""


class NotLinked(AccountError):
    """The command needs a game account."""

    title = N_("Link your game account first")
    message = N_("This acts as you in the game, so Kiosk needs to know your account.")
    next_step = N_("Use `/account link` and paste your access token: it takes a minute, once.")


class LinkExpired(AccountError):
    """The game answered 401: it no longer takes the link's token."""

    title = N_("Your link has expired")
    message = N_("The game no longer accepts the access token you linked.")
    next_step = N_("Get a new token in the game, then use `/account link` again.")


class LinkUnreadable(AccountError):
    """The sealed token can't be opened: a key is gone from the settings."""

    title = N_("Your link can't be opened")
    message = N_("The key that sealed your access token is not on this bot any more.")
    next_step = N_("Use `/account link` again, and please tell the bot's operator.")


class TokenRefused(AccountError):
    """The game refuses the token that was typed."""

    title = N_("The game refused this token")
    message = N_("Nothing was saved: the game doesn't know this access token.")
    next_step = N_("Check that you copied all of it, then use `/account link` again.")


class TokenUnproven(AccountError):
    """The game's answer doesn't tell a good token from a bad one."""

    title = N_("The token could not be checked")
    message = N_("Nothing was saved: the game doesn't know the catalog Kiosk checks tokens with.")
    next_step = N_("Ask a moderator to name one with `/setup catalog add`, then try again.")


class NamingError(KioskError):
    """About the name of a thread or catalog."""


class UnknownThread(NamingError):
    """The server has no thread of that name."""

    title = N_("I don't know that thread")
    message = N_("No thread here is called “%(name)s”.")
    next_step = N_("Pick one from the list while typing, or give the thread's number.")


class UnknownCatalog(NamingError):
    """The server has no catalog of that name."""

    title = N_("I don't know that catalog")
    message = N_("No catalog here is called “%(name)s”.")
    next_step = N_("Pick one from the list while typing, or give the catalog's number.")


class UnknownItem(NamingError):
    """No catalog at hand has an item of that name."""

    title = N_("I don't know that item")
    message = N_("No item I can see is called “%(name)s”.")
    next_step = N_("Pick one from the list while typing, or give the item's number.")


class UnknownComment(NamingError):
    """What was typed is not a comment's number."""

    title = N_("I don't know that comment")
    message = N_("“%(name)s” is not the number of a comment.")
    next_step = N_("Each comment shows its number, such as #123: give that.")


class BadId(NamingError):
    """What was typed is not a number of the game."""

    title = N_("That is not a number")
    message = N_("“%(name)s” is not the number of anything in the game.")
    next_step = N_("Give the whole number that the game uses, such as 12.")


class BadName(NamingError):
    """A name that can't be given."""

    title = N_("That name can't be used")
    message = N_("A name needs 1 to %(limit)s characters and can't be a number alone.")
    next_step = N_("Choose another name.")


class NameIsTaken(NamingError):
    """Another thread or catalog of the server has the name."""

    title = N_("That name is taken")
    message = N_("“%(name)s” already stands for number %(game_id)s here.")
    next_step = N_("Choose another name, or remove the old one first.")


class GameProblem(KioskError):
    """The game says no, or says nothing."""


class GameForbids(GameProblem):
    """The game answered 403."""

    title = N_("The game doesn't allow that")
    message = N_("Your game account may not do this.")
    next_step = N_("Only a comment's author can change it, and some items are for members.")


class NotInGame(GameProblem):
    """The game answered 404."""

    title = N_("The game doesn't know that")
    message = N_("What you asked for isn't in the game, or no longer is.")
    next_step = N_("Check the number, or pick from the list while typing.")


class GameConflicts(GameProblem):
    """The game answered 409."""

    title = N_("The game says no")
    message = N_("Things in the game stand against it.")
    next_step = N_("Look at your account in the game, then try again.")


class GameRejects(GameProblem):
    """The game answered 422 or another refusal."""

    title = N_("The game didn't accept that")
    message = N_("The game found a fault in what was sent.")
    next_step = N_("Change it and try again.")


class GameBusy(GameProblem):
    """The game answered 429."""

    title = N_("The game asks for patience")
    message = N_("Too much was asked of it in a short time.")
    next_step = N_("Wait a minute, then try again.")


class GameDown(GameProblem):
    """The game could not be reached, answered too late, or answered with a fault of its own."""

    title = N_("The game doesn't answer")
    message = N_("The game's service is down or very slow just now. Nothing was changed.")
    next_step = N_("Try again in a few minutes.")


class GameUnreadable(GameProblem):
    """The game's answer is not what the interface shows."""

    title = N_("The game's answer makes no sense")
    message = N_("The game answered with something Kiosk can't read.")
    next_step = N_("Try again later, and tell the bot's operator the reference below.")


class OutcomeUnknown(GameProblem):
    """A request that changes something was sent, and no answer came."""

    title = N_("Nobody can say whether it happened")
    message = N_("The game was asked, but its answer never came.")
    next_step = N_("Look in the game before you try again.")


class UseError(KioskError):
    """About where, by whom or when something is used."""


class ServerOnly(UseError):
    """The command needs a server."""

    title = N_("This works in a server only")
    message = N_("Names are kept for each server.")
    next_step = N_("Use the command in a server's channel.")


class CommandChanged(UseError):
    """Discord offered a command as an older version had it."""

    title = N_("This command has changed")
    message = N_("Discord still shows you an older form of it.")
    next_step = N_("Restart Discord, then try again.")


class Unexpected(UseError):
    """A fault of ours."""

    title = N_("Something went wrong here")
    message = N_("That is a fault in Kiosk, not yours.")
    next_step = N_("Try again, and tell the bot's operator the reference below.")


class OldButton(UseError):
    """A button or form that this version doesn't know, or whose card is no longer there."""

    title = N_("This button no longer works")
    message = N_("It belongs to an older version of Kiosk.")
    next_step = N_("Use the command again to get a fresh card.")
