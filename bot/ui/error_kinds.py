"""Under which key the words of an error stand, and whether members are told a reference."""

from discord import app_commands

from bot.error_words import WORDS
from bot.errors import KioskError
from bot.game import errors as game
from storage.errors import DatabaseError

# What is told in the words of another error; a class stands for those below it.
_TOLD_AS: dict[type[Exception], str] = {
    game.Unauthorized: "LinkExpired",
    game.Unavailable: "GameDown",
    game.TooManyAtOnce: "OneAtATime",
    app_commands.NoPrivateMessage: "ServerOnly",
    app_commands.CommandSignatureMismatch: "CommandChanged",
    app_commands.CommandNotFound: "CommandChanged",
}
# Of those that are ours to tell members of, the faults: of Kiosk, its operator or the game.
_FAULTS = (
    *("KioskError", "GameDown", "Outdated", "LinkUnreadable", "TokenUnproven", "DraftUnreadable"),
    *("NotKept", "NotArrived", "ArrivalUnknown", "MayStillArrive", "IsItYours"),
)
# Ordinary mistakes, which are nobody's fault to look for.
REFUSED = (KioskError, game.Refused, app_commands.AppCommandError)


def key_of(error: Exception) -> str:
    """Return where an error's words are; those of a class stand for what is below it."""
    is_ours = isinstance(error, (KioskError, game.GameError, DatabaseError))
    for kind in type(error).__mro__:
        key = _TOLD_AS.get(kind, kind.__name__ if is_ours else "")
        if key in WORDS:
            return key
    return "Unexpected"


def is_fault(error: Exception) -> bool:
    """Return whether members are shown a reference for it."""
    return not isinstance(error, REFUSED) or key_of(error) in _FAULTS
