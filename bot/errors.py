"""Errors that members see: each class has its words and its next step.

Those of features are in bot/features/feature_errors.py, of the game in bot/game/game_errors.py.
`bot/ui/error_cards.py` puts any of them on a card, and has the words for other errors.
"""

import enum
from collections import abc
from types import MappingProxyType
from typing import ClassVar

import msgspec

from bot.i18n import N_


class TokenSource(msgspec.Struct, frozen=True):
    """The operator's words and page about how to get an access token. Either may be empty.

    `texts` are the words in other languages, by the names of their catalogs.
    """

    text: str = ""
    url: str = ""
    texts: abc.Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class Step(enum.Enum):
    """Targets of the button on an error card."""

    HELP = enum.auto()
    # The same press once more, if it is known.
    AGAIN = enum.auto()
    LINK = enum.auto()
    # The error only asks which one is meant, of its candidates if it has some.
    CHOOSE = enum.auto()
    # The names of this server.
    PLACES = enum.auto()
    THREADS = enum.auto()
    CATALOGS = enum.auto()
    WATCHES = enum.auto()
    UNSENT = enum.auto()
    SETUP = enum.auto()
    ANNOUNCEMENTS = enum.auto()


class ExplainedError(Exception):
    """An error that members see in the words of its class. This class itself is a fault in Kiosk.

    `values` fill the words' places and may hold what a member typed: code that shows them escapes
    them. `candidates` are what may be meant, to be offered in a list. If it `is_over`, it is about
    something that is done already, gone, or not for this member: the same press never helps. A
    fault is logged as an error, and members see the reference it is found under. If it
    `is_for_operator`, only the bot's operator can fix it. It is stored by its `code`, which is its
    own or that of the class above, and `by_code` reads it back.
    """

    by_code: ClassVar[dict[str, type["ExplainedError"]]] = {}
    code: ClassVar[str] = "other"
    title: ClassVar[str] = N_("Something went wrong")
    body: ClassVar[str] = N_("This is a bug in Kiosk, not something you did.")
    next_step: ClassVar[str] = N_(
        "Try again. If it keeps happening, give the bot's operator the reference below."
    )
    step: ClassVar[Step] = Step.AGAIN
    is_over: ClassVar[bool] = False
    is_fault: ClassVar[bool] = True
    is_for_operator: ClassVar[bool] = False
    values: abc.Mapping[str, object] = MappingProxyType({})
    candidates: abc.Sequence[object] = ()

    def __init_subclass__(cls, *, step: Step | None = None, code: str = "") -> None:
        super().__init_subclass__()
        cls.step = step or cls.step
        if code:
            cls.code = code
            cls.by_code[code] = cls


class KioskError(ExplainedError, step=Step.HELP):
    is_fault = False

    def __init__(self, *, candidates: abc.Sequence[object] = (), **values: object) -> None:
        super().__init__(type(self).__name__)
        self.values = values
        self.candidates = candidates


class AccountError(KioskError, step=Step.LINK, code="account"):
    """The member's link to the game is missing or of no use."""


class NotLinked(AccountError, code="not_linked"):
    title = N_("Link your game account first")
    body = N_("Kiosk does this as you in the game, so it needs your game account.")
    next_step = N_(
        "Linking takes a minute, and you only do it once. Then you can post, browse and buy as"
        " yourself."
    )


class NotLinkedToLook(NotLinked):
    title = N_("The shop needs your game account")
    body = N_("The game only shows its shop to players.")


class LinkExpired(AccountError, code="link_expired"):
    title = N_("Your account link expired")
    body = N_("The game no longer accepts the access token you linked.")
    next_step = N_("Link your account again with a new access token.")


class LinkUnreadable(AccountError, code="link_unreadable"):
    title = N_("Kiosk can't read your access token")
    body = N_("This bot no longer has the key that encrypted it.")
    next_step = N_("Link your account again. You can use the same access token.")


class TokenRefused(AccountError):
    title = N_("The game refused this access token")
    body = N_("Nothing was saved, because the game doesn't know this access token.")
    next_step = N_("Check that you copied the whole token, then try again.")


class NoToken(AccountError):
    title = N_("That isn't an access token")
    body = N_("Access tokens have no spaces or accents. Nothing was saved or sent to the game.")
    next_step = N_("Copy only the token, then try again.")


class TokenNotChecked(AccountError):
    title = N_("Kiosk couldn't check the access token")
    body = N_(
        "Nothing was saved. Kiosk tests tokens with a catalog, but the game doesn't know any"
        " that Kiosk tried."
    )
    next_step = N_("Ask a server manager to add a catalog with `/setup catalog`, then try again.")
    is_fault = True


class NothingNamed(KioskError, code="nothing_named"):
    title = N_("Nothing is set up here yet")
    body = N_(
        "The game doesn't list its threads and catalogs, so server managers add the ones this"
        " server uses."
    )
    next_step = N_("Ask a server manager to add some, or enter the number of a thread or catalog.")


class NoNamesKnown(KioskError, code="no_names_known"):
    title = N_("No threads or catalogs here yet")
    body = N_("Direct messages only show threads and catalogs of servers where you've used Kiosk.")
    next_step = N_("Use Kiosk in a server first, or enter the number of a thread or catalog.")


class UnknownName(KioskError, step=Step.PLACES, code="unknown_name"):
    title = N_("Kiosk doesn't know that name")
    body = N_("Nothing here is called “%(name)s”.")
    next_step = N_("Pick a name from the list while you type, or enter its number in the game.")


class SeveralFit(KioskError, step=Step.CHOOSE, code="several_fit"):
    title = N_("Several names match")
    body = N_("“%(name)s” matches several names: %(known)s.")
    next_step = N_("Choose a name, or enter its number.")


class ChoiceNeeded(KioskError, step=Step.CHOOSE, code="choice_needed"):
    title = N_("There are several choices")
    body = N_("Kiosk needs to know which one you mean.")
    next_step = N_("Choose one, or use the command again with its name or number.")


class BadId(KioskError, step=Step.PLACES, code="bad_id"):
    title = N_("That isn't a number")
    body = N_("“%(name)s” isn't a valid number.")
    next_step = N_(
        "Enter a whole number, for example 12. Each comment shows its number, for example #123."
    )


class BadName(KioskError, step=Step.SETUP):
    title = N_("You can't use that name")
    body = N_("A name needs 1 to %(limit)s characters and can't be only a number.")
    next_step = N_("Choose another name.")


class NameIsTaken(KioskError, step=Step.SETUP):
    title = N_("That name is taken")
    body = N_("Number %(game_id)s is already called “%(name)s” here.")
    next_step = N_("Choose another name, or remove the old name first.")


class NotAManager(KioskError):
    is_over = True
    title = N_("Only server managers can do this")
    body = N_("You need the Manage Server permission.")
    next_step = N_("Ask someone who has this permission.")


class ServerOnly(KioskError):
    title = N_("This only works in a server")
    body = N_("Each server has its own threads and catalogs.")
    next_step = N_("Use the command in a server channel.")


class NotAMemberHere(KioskError, step=Step.PLACES):
    title = N_("Kiosk can't post here")
    body = N_("Kiosk isn't in this server, so it couldn't delete its post later.")
    next_step = N_("Read it privately, or ask a server manager to add Kiosk.")


class CannotSendHere(KioskError):
    title = N_("You can't share in this channel")
    body = N_("You don't have permission to send messages in this channel.")
    next_step = N_("Share it in another channel.")


class NoSuchPlace(KioskError):
    title = N_("Kiosk can't post there")
    body = N_("Kiosk posts in text, announcement and forum channels, and in threads.")
    next_step = N_("Choose a channel or thread of this kind.")


class SharedAlready(KioskError):
    title = N_("You already shared this")
    body = N_("You can share each card once.")
    next_step = N_("To share it again, use the command again.")


class SharedByOther(KioskError):
    title = N_("Someone else shared this")
    body = N_("Only the member who shared it can delete it.")
    next_step = N_("If it doesn't belong here, tell a moderator.")


class OldButton(KioskError):
    title = N_("This button no longer works")
    body = N_("This button is from an older version of Kiosk.")
    next_step = N_("Use the command again to get a new card.")


class CommandChanged(KioskError):
    title = N_("This command has changed")
    body = N_("Discord still shows you the old version of this command.")
    next_step = N_("Restart Discord, then try again.")


class FormTooLate(KioskError, step=Step.AGAIN):
    title = N_("The form didn't open in time")
    body = N_("Kiosk's database was slow, and Discord only waits three seconds.")
    next_step = N_("Try again.")


class Restarting(KioskError, step=Step.AGAIN):
    title = N_("Kiosk is restarting")
    body = N_("Kiosk can't finish this before it restarts.")
    next_step = N_(
        "Kiosk saved what you sent or confirmed. Wait a minute, then check `/forum unsent` or"
        " `/shop orders` before you try again."
    )
