"""Errors that members see: each class has its words and its next step.

Those of features stand in bot/features/feature_errors.py, of the game in bot/game/game_errors.py;
`bot/ui/error_cards.py` puts any of them on a card, and has the words for other errors.
"""

import enum
from collections import abc
from types import MappingProxyType
from typing import ClassVar

import msgspec

from bot.i18n import N_


class TokenSource(msgspec.Struct, frozen=True):
    """The operator's words and page about where to get an access token; either may be empty.

    `texts` are the words in other languages, by the names of their catalogs.
    """

    text: str = ""
    url: str = ""
    texts: abc.Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class Step(enum.Enum):
    """Targets of the button on an error card."""

    HELP = enum.auto()
    # The same press once more, where it is known.
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
    """An error that members see in the words of its class; this class itself is a fault in Kiosk.

    `values` fill the words' places and may hold what a member typed: whoever shows them escapes
    them. `candidates` are what may be meant, to be offered in a list. What `is_over` is done
    already, gone, or not for this member: the same press never helps. A fault is logged as an
    error, and members see the reference it is found under. If it `is_for_operator`, only the bot's
    operator can fix it. It is stored by its `code`, which is its own or that of the class above,
    and `by_code` reads it back.
    """

    by_code: ClassVar[dict[str, type["ExplainedError"]]] = {}
    code: ClassVar[str] = "other"
    title: ClassVar[str] = N_("Something went wrong here")
    body: ClassVar[str] = N_("That is a fault in Kiosk, not yours.")
    next_step: ClassVar[str] = N_("Try again, and tell the bot's operator the reference below.")
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
    body = N_("This acts as you in the game, so Kiosk needs to know your account.")
    next_step = N_(
        "With a link you write, browse and buy here as yourself: it takes a minute, once."
    )


class NotLinkedToLook(NotLinked):
    title = N_("See the shop with your game account")
    body = N_("The game shows its shop to players only.")


class LinkExpired(AccountError, code="link_expired"):
    title = N_("Your link has expired")
    body = N_("The game no longer accepts the access token you linked.")
    next_step = N_("Press “Link account” and paste a new one.")


class LinkUnreadable(AccountError, code="link_unreadable"):
    title = N_("Your access token can't be read")
    body = N_("The key it was encrypted with is not on this bot any more.")
    next_step = N_("Press “Link account” and paste it once more.")


class TokenRefused(AccountError):
    title = N_("The game refused this token")
    body = N_("Nothing was saved: the game doesn't know this access token.")
    next_step = N_("Check that you copied all of it, then try again.")


class NoToken(AccountError):
    title = N_("This is no access token")
    body = N_("Nothing was saved, and the game was not asked: a token has no spaces or accents.")
    next_step = N_("Copy it once more, and nothing else.")


class TokenNotChecked(AccountError):
    title = N_("The token could not be checked")
    body = N_("Nothing was saved: the game doesn't know the catalog Kiosk checks tokens with.")
    next_step = N_("Ask a moderator to name one with `/setup catalog`, then try again.")
    is_fault = True


class NothingNamed(KioskError, code="nothing_named"):
    title = N_("Nothing is set up here yet")
    body = N_("The game lists no threads or catalogs, so moderators name those that count here.")
    next_step = N_(
        "Ask a moderator to begin, or give the number of a thread or catalog in the game."
    )


class NoNamesKnown(KioskError, code="no_names_known"):
    title = N_("Kiosk knows no names here yet")
    body = N_("In direct messages, Kiosk knows the names of servers where you have used it.")
    next_step = N_(
        "Use a command of Kiosk's in a server first, or give the number of a thread or catalog in"
        " the game."
    )


class UnknownName(KioskError, step=Step.PLACES, code="unknown_name"):
    title = N_("Kiosk doesn't know that name")
    body = N_("Nothing here is called “%(name)s”.")
    next_step = N_("Pick one from the list while typing, or give its number in the game.")


class SeveralFit(KioskError, step=Step.CHOOSE, code="several_fit"):
    title = N_("Which one?")
    body = N_("Several fit “%(name)s”: %(known)s.")
    next_step = N_("Pick the one you mean, or give its number.")


class ChoiceNeeded(KioskError, step=Step.CHOOSE, code="choice_needed"):
    title = N_("Which one?")
    body = N_("There are several.")
    next_step = N_("Choose one, or use the command again with its name or number.")


class BadId(KioskError, step=Step.PLACES, code="bad_id"):
    title = N_("That is not a number")
    body = N_("“%(name)s” is not the number of anything in the game.")
    next_step = N_("Give a whole number such as 12. Each comment shows its own, such as #123.")


class BadName(KioskError, step=Step.SETUP):
    title = N_("That name can't be used")
    body = N_("A name needs 1 to %(limit)s characters and can't be a number alone.")
    next_step = N_("Choose another name.")


class NameIsTaken(KioskError, step=Step.SETUP):
    title = N_("That name is taken")
    body = N_("“%(name)s” already stands for number %(game_id)s here.")
    next_step = N_("Choose another name, or remove the old one first.")


class NotAManager(KioskError):
    is_over = True
    title = N_("That is for those who manage this server")
    body = N_("You need the permission Manage Server.")
    next_step = N_("Ask somebody who has it.")


class ServerOnly(KioskError):
    title = N_("This works in a server only")
    body = N_("Names are kept for each server.")
    next_step = N_("Use the command in a server's channel.")


class NotAMemberHere(KioskError, step=Step.PLACES):
    title = N_("Nothing can be posted here")
    body = N_("Kiosk is not in this server, so nobody could take back what it posts.")
    next_step = N_("Read it for yourself, or ask the server's managers to add Kiosk.")


class CannotSendHere(KioskError):
    title = N_("You can't share in this channel")
    body = N_("You may not send messages here, so nothing of yours is shared here, either.")
    next_step = N_("Share it in another channel.")


class NoSuchPlace(KioskError):
    title = N_("Kiosk can't post there")
    body = N_("Kiosk posts in text, announcement and forum channels, and in threads.")
    next_step = N_("Use the command again with such a channel.")


class SharedAlready(KioskError):
    title = N_("You have shared this already")
    body = N_("A card can be shared once.")
    next_step = N_("To share it again, use the command once more.")


class SharedByOther(KioskError):
    title = N_("Somebody else has shared this")
    body = N_("Only they can take it back.")
    next_step = N_("If it doesn't belong here, tell a moderator.")


class OldButton(KioskError):
    title = N_("This button no longer works")
    body = N_("It belongs to an older version of Kiosk.")
    next_step = N_("Use the command again to get a fresh card.")


class CommandChanged(KioskError):
    title = N_("This command has changed")
    body = N_("Discord still shows you an older form of it.")
    next_step = N_("Restart Discord, then try again.")


class FormTooLate(KioskError, step=Step.AGAIN):
    title = N_("The form came too late")
    body = N_("Discord opens one at once or not at all, and Kiosk's database was slow.")
    next_step = N_("Try again.")


class Restarting(KioskError, step=Step.AGAIN):
    title = N_("Kiosk is restarting")
    body = N_("There is no time left for this.")
    next_step = N_(
        "Wait a minute, then try again. What you had sent or confirmed is kept: look at"
        " `/forum unsent` or `/shop orders` first."
    )
