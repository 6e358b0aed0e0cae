"""What an error is called, and a line in the log under the reference that members are shown."""

import logging
import secrets
from collections.abc import Iterator, Mapping

import aiohttp
import discord
from discord import app_commands

from bot.error_words import WORDS
from bot.errors import KioskError
from bot.game import errors as game
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

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
_REFUSED = (KioskError, game.Refused, app_commands.AppCommandError)
_BAD_REQUEST = 400
# What happens to any program on a network; what is neither this nor _REFUSED is a fault of ours.
_TROUBLE = (
    game.GameError,
    DatabaseError,
    discord.DiscordException,
    # What discord.py lets through.
    aiohttp.ClientError,
    OSError,
)


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
    return not isinstance(error, _REFUSED) or key_of(error) in _FAULTS


def note(error: Exception) -> str:
    """Log an error; return the reference it is found under.

    What members are shown a reference for is logged at every level; a fault of ours comes with its
    traceback.
    """
    reference = secrets.token_hex(3).upper()
    log.log(
        logging.ERROR if is_fault(error) else logging.INFO,
        "an error: %s",
        in_words(error),
        exc_info=None if is_explained(error) else error,
        extra={"reference": reference, **_asked_of(error)},
    )
    return reference


def is_explained(error: Exception) -> bool:
    """Return whether its words are enough for whoever mends it."""
    is_our_mistake = isinstance(error, discord.HTTPException) and error.status == _BAD_REQUEST
    return isinstance(error, (*_REFUSED, *_TROUBLE)) and not is_our_mistake


def _asked_of(error: Exception) -> Mapping[str, object]:
    """Return what the game was asked, where it is the game that failed."""
    for cause in _causes(error):
        if isinstance(cause, game.GameError) and cause.asked is not None:
            method, path = cause.asked
            return {"method": method, "path": path, "status": cause.status}
    return {}


def in_words(error: Exception) -> str:
    """Return an error in one line, with what it came from."""
    said = ((type(cause).__name__, " ".join(str(cause).split())) for cause in _causes(error))
    return ", from ".join(
        f"{name}: {text}" if text not in ("", name) else name for name, text in said
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
