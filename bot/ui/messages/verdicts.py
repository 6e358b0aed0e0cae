"""Decide from Discord's answer whether a message is sent, refused, or to be tried again."""

import logging
import random
from datetime import timedelta

import aiohttp
import discord
from msgspec import Struct

from bot.game.game_errors import RateLimited as GameRateLimited
from bot.game.game_errors import Unavailable as GameUnavailable
from storage import messages
from storage.storage_errors import DatabaseError

UNKNOWN_CHANNEL = 10003
UNKNOWN_GUILD = 10004
UNKNOWN_MEMBER = 10007
UNKNOWN_ROLE = 10011
UNKNOWN_USER = 10013
MISSING_ACCESS = 50001
# By Discord's code alone: a 403 has also meant Discord's own trouble (40333).
_NEVER = {
    UNKNOWN_CHANNEL: "unknown channel",
    UNKNOWN_GUILD: "unknown guild",
    UNKNOWN_ROLE: "unknown role",
    UNKNOWN_USER: "unknown user",
    40067: "a post in this forum needs a tag",
    MISSING_ACCESS: "missing access",
    50007: "takes no direct messages",
    50008: "wrong kind of channel",
    50013: "missing permissions",
    50083: "archived thread",
    50278: "no server in common",
    60003: "the bot's owner needs two-factor authentication",
    160005: "locked thread",
}
# Discord takes these from no one: for example, a text with a link that it considers harmful.
_NEVER_THIS = {
    20009: "explicit content",
    200000: "blocked by AutoMod",
    200001: "title blocked by AutoMod",
    240000: "harmful link",
}
# How long to send nothing after these, and the level of the log line.
_WAITS = {
    20026: ("the bot is flagged (docs/operators.md)", timedelta(hours=1), logging.ERROR),
    40003: ("direct messages are opened too fast", timedelta(minutes=10), logging.WARNING),
}
_UNKNOWN_MESSAGE = 10008
_INVALID_FORM = 50035
_UNAUTHORIZED = 401
_FORBIDDEN = 403
_TOO_MANY = 429
_SERVER_ERRORS = 500
# Neither Discord's fault nor that of one message, so the lane waits and keeps its order.
_MET_BY_OTHERS = (GameUnavailable, GameRateLimited, DatabaseError)
_FIRST_PAUSE = timedelta(seconds=2)
_MAX_PAUSE = timedelta(minutes=10)


class Settled(Struct, frozen=True):
    """The end of sending a message. `message_id` is the id of the message on Discord.

    If it is refused, `only_this_entry` says that Discord may take other messages there.
    """

    state: messages.MessageState
    reason: str | None = None
    message_id: int | None = None
    only_this_entry: bool = False

    @property
    def is_closed(self) -> bool:
        return self.state is messages.MessageState.REFUSED and not self.only_this_entry


class PutOff(Struct, frozen=True):
    """A message to be tried again, after `pause` if that is known.

    `is_doubtful` if it may have been sent anyway. `is_trouble` if it was Discord's fault, which
    others will also meet. `is_ours` if it wasn't Discord's fault. `unblocks_lane` if the messages
    after it in its lane need not wait. Discord hardly ever takes later what it calls malformed. A
    message that `is_gone` was deleted and is posted again. With a `log_level`, the log says it
    once an hour.
    """

    reason: str
    pause: timedelta | None = None
    is_doubtful: bool = False
    is_trouble: bool = False
    is_ours: bool = False
    unblocks_lane: bool = False
    is_malformed: bool = False
    is_gone: bool = False
    log_level: int = logging.NOTSET


Verdict = Settled | PutOff


class TryAgain(Exception):
    """It wasn't sent, through no fault, and can be sent again, after `pause` if there is one."""

    def __init__(
        self, reason: str, pause: timedelta | None = None, *, is_gone: bool = False
    ) -> None:
        super().__init__(reason)
        self.pause = pause
        self.is_gone = is_gone


class NotYet(TryAgain):
    """Something else has to be there first. Other messages need not wait for that."""

    def __init__(self, reason: str, pause: timedelta | None = None) -> None:
        super().__init__(f"{messages.NOT_YET}: {reason}", pause)


class HeldUp(Exception):
    """Kiosk itself refuses, until someone fixes what the text says."""


def judge(error: Exception, *, is_doubtful: bool) -> Verdict:
    """Return an error's verdict. `is_doubtful` if a try may have been carried out anyway."""
    if isinstance(error, discord.RateLimited):
        pause = timedelta(seconds=error.retry_after)
        return PutOff("429 rate limited", pause, is_doubtful=is_doubtful)
    if isinstance(error, HeldUp):
        return Settled(messages.MessageState.REFUSED, str(error))
    if not isinstance(error, discord.HTTPException):
        if isinstance(error, TryAgain):
            return PutOff(
                str(error),
                error.pause,
                is_doubtful=is_doubtful,
                unblocks_lane=isinstance(error, NotYet),
                is_gone=error.is_gone,
            )
        is_trouble = isinstance(error, OSError | aiohttp.ClientError)
        reason = f"{messages.NO_CONNECTION if is_trouble else type(error).__name__}: {error}"
        return PutOff(
            reason,
            is_doubtful=is_doubtful,
            is_trouble=is_trouble,
            is_ours=not is_trouble,
            unblocks_lane=not is_trouble and not isinstance(error, _MET_BY_OTHERS),
        )
    if is_token_refused(error):
        return PutOff("token refused", is_doubtful=is_doubtful)
    if why := _NEVER.get(error.code) or _NEVER_THIS.get(error.code):
        state = messages.MessageState.UNKNOWN if is_doubtful else messages.MessageState.REFUSED
        return Settled(state, f"{error.code} {why}", only_this_entry=error.code in _NEVER_THIS)
    if error.code in _WAITS:
        why, pause, level = _WAITS[error.code]
        reason = f"{error.code} {why}"
        return PutOff(reason, pause, is_doubtful=is_doubtful, log_level=level)
    is_trouble = error.status >= _SERVER_ERRORS or error.status in (_FORBIDDEN, _TOO_MANY)
    reason = f"{error.status} {error.code}"
    is_malformed = error.code == _INVALID_FORM
    return PutOff(
        reason,
        is_doubtful=is_doubtful,
        is_trouble=is_trouble,
        is_ours=is_malformed,
        unblocks_lane=not is_trouble,
        is_malformed=is_malformed,
        log_level=logging.NOTSET if is_malformed else logging.WARNING,
    )


def pause_of_openings(error: discord.HTTPException) -> timedelta | None:
    """Return how long to open no direct channels, None if others can be opened."""
    return _WAITS[error.code][1] if error.code in _WAITS else None


def is_token_refused(error: Exception) -> bool:
    """Return whether Discord doesn't know the bot's token: further requests count against it."""
    return isinstance(error, discord.HTTPException) and error.status == _UNAUTHORIZED


def is_refusal(error: discord.HTTPException) -> bool:
    """Return whether Discord will never take a message, according to its answer."""
    return error.code in _NEVER


def is_unknown_message(error: Exception) -> bool:
    """Return whether a message isn't there. As an answer to a nonce: it was deleted."""
    return isinstance(error, discord.HTTPException) and error.code == _UNKNOWN_MESSAGE


def pause_after(tries: int) -> timedelta:
    """Return how long to wait after some tries: longer each time, with a random part."""
    longest = min(_FIRST_PAUSE * 2 ** min(tries - 1, 20), _MAX_PAUSE)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - no secret
