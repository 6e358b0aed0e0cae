"""What members are told when something can't be done; the words are in bot.error_words."""

from collections.abc import Sequence

from msgspec import Struct


class TokenSource(Struct, frozen=True):
    """Where members get their access token, in the operator's words; either may be empty."""

    text: str = ""
    url: str = ""


class KioskError(Exception):
    """Something can't be done; `key`, the name of its class, finds the words for it.

    `values` fill their places and may hold what a member typed: whoever shows them escapes them.
    `candidates` are what may be meant, to be offered in a list.
    """

    def __init__(self, *, candidates: Sequence[object] = (), **values: object) -> None:
        self.key = type(self).__name__
        self.values = values
        self.candidates = candidates
        super().__init__(self.key)


# fmt: off
class AccountError(KioskError): ...
class NotLinked(AccountError): ...  # the command needs a game account
class LinkExpired(AccountError): ...  # the game answered 401: it no longer takes the link's token
class LinkUnreadable(AccountError): ...  # the token can't be opened with the operator's keys
class TokenRefused(AccountError): ...  # the game refuses the token that was typed
class TokenUnproven(AccountError): ...  # the game's answer says nothing about the token
class NamingError(KioskError): ...
class NothingNamed(NamingError): ...  # the server has named nothing of the kind
class UnknownThread(NamingError): ...  # no thread of that name here
class SeveralFit(NamingError): ...  # several may be meant by what was typed
class UnknownCatalog(NamingError): ...  # no catalog of that name here
class UnknownItem(NamingError): ...  # no item of that name at hand
class UnknownComment(NamingError): ...  # not the number of a comment
class BadId(NamingError): ...  # what was typed is not a number of the game
class BadName(NamingError): ...  # a name that can't be given
class NameIsTaken(NamingError): ...  # a name that another one has
class GameDown(KioskError): ...  # the game doesn't answer, or only with faults of its own
class NotAManager(KioskError): ...  # who may not set the server up
class ServerOnly(KioskError): ...  # the command needs a server
class OperatorOnly(KioskError): ...  # the command is for the application's owner
class NotAMemberHere(KioskError): ...  # Kiosk can take nothing back where it is not in the server
class MayNotWrite(KioskError): ...  # who may not write in a channel shares nothing there
class SharedAlready(KioskError): ...  # the same press has shared this before
class NotYourShare(KioskError): ...  # somebody else has shared the card
class OldButton(KioskError): ...  # a button that this version doesn't know, or whose card is gone
class NoSuchPlace(KioskError): ...  # nothing can be posted in such a channel
# fmt: on
