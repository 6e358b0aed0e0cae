"""What members are told when something can't be done; the words are in bot.error_words.

KioskError                  has words: a title, a message, and what to do next
├── AccountError
│   ├── NotLinked           the command needs a game account
│   ├── LinkExpired         the game answered 401: it no longer takes the link's token
│   ├── LinkUnreadable      the token can't be opened with the operator's keys
│   ├── TokenRefused        the game refuses the token that was typed
│   └── TokenUnproven       the game's answer says nothing about the token
├── NamingError
│   ├── UnknownThread       no thread of that name here
│   ├── SeveralFit          several may be meant by what was typed
│   ├── UnknownCatalog      no catalog of that name here
│   ├── UnknownItem         no item of that name at hand
│   ├── UnknownComment      not the number of a comment
│   ├── BadId               what was typed is not a number of the game
│   ├── BadName             a name that can't be given
│   └── NameIsTaken         a name that another one has
├── GameDown                the game doesn't answer, or only with faults of its own
├── ServerOnly              the command needs a server
├── NotAMemberHere          Kiosk can take nothing back where it is not in the server
├── SharedAlready           the same press has shared this before
├── NotYourShare            somebody else has shared the card
├── OldButton               a button that this version doesn't know, or whose card is gone
├── ForumError              in bot.features.forum.errors
├── ModerationError         in bot.features.moderation.errors
└── ShopError               in bot.features.shop.errors
"""

from collections.abc import Sequence


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


# A table, which the tree above explains.
# fmt: off
class AccountError(KioskError): ...
class NotLinked(AccountError): ...
class LinkExpired(AccountError): ...
class LinkUnreadable(AccountError): ...
class TokenRefused(AccountError): ...
class TokenUnproven(AccountError): ...
class NamingError(KioskError): ...
class UnknownThread(NamingError): ...
class SeveralFit(NamingError): ...
class UnknownCatalog(NamingError): ...
class UnknownItem(NamingError): ...
class UnknownComment(NamingError): ...
class BadId(NamingError): ...
class BadName(NamingError): ...
class NameIsTaken(NamingError): ...
class GameDown(KioskError): ...
class ServerOnly(KioskError): ...
class NotAMemberHere(KioskError): ...
class SharedAlready(KioskError): ...
class NotYourShare(KioskError): ...
class OldButton(KioskError): ...
# fmt: on
