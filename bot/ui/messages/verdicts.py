"""Read from Discord's answer whether a message is sent, refused, or to be tried again."""

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
# Discord never takes these of anybody, such as a text with a link it takes for harmful.
_NEVER_THIS = {
    20009: "explicit content",
    200000: "blocked by AutoMod",
    200001: "title blocked by AutoMod",
    240000: "harmful link",
}
# How long Discord is left alone after these, and how loud the log says so.
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
# Neither Discord's fault nor that of one entry: order is worth the wait.
_MET_BY_OTHERS = (GameUnavailable, GameRateLimited, DatabaseError)
_FIRST_PAUSE = timedelta(seconds=2)
_LONGEST_PAUSE = timedelta(minutes=10)


class Settled(Struct, frozen=True):
    """The end of a message's sending; `message_id` is the message that it is by now.

    Of what is refused, `only_this_entry` says that something else may be taken there.
    """

    state: messages.MessageState
    reason: str | None = None
    message_id: int | None = None
    only_this_entry: bool = False

    @property
    def is_closed(self) -> bool:
        return self.state is messages.MessageState.REFUSED and not self.only_this_entry


class PutOff(Struct, frozen=True):
    """To be tried again, after `pause` where that is known.

    `is_doubtful` where it may have been sent all the same; `is_trouble` where it was Discord's
    fault, which others will meet as well; `is_ours` where it was none of Discord's; `unblocks_lane`
    where those after it in its lane need not wait. What Discord calls malformed is hardly ever
    taken later. What `is_gone` was deleted, and is posted again. With a `log_level`, the log says
    it once an hour.
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
    """It was not sent, through no fault, and can be once more, after `pause` where one is due."""

    def __init__(
        self, reason: str, pause: timedelta | None = None, *, is_gone: bool = False
    ) -> None:
        super().__init__(reason)
        self.pause = pause
        self.is_gone = is_gone


class NotYet(TryAgain):
    """Something else has to be there first; others need not wait for that."""

    def __init__(self, reason: str, pause: timedelta | None = None) -> None:
        super().__init__(f"{messages.NOT_YET}: {reason}", pause)


class HeldUp(Exception):
    """Kiosk itself refuses, until somebody fixes what the text says."""


def judge(error: Exception, *, is_doubtful: bool) -> Verdict:
    """Return what an error means; `is_doubtful` where a try may have been carried out anyway."""
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
    """Return how long no direct message is to be opened, None where others may be."""
    return _WAITS[error.code][1] if error.code in _WAITS else None


def is_token_refused(error: Exception) -> bool:
    """Return whether Discord does not know the bot's token: further requests count against it."""
    return isinstance(error, discord.HTTPException) and error.status == _UNAUTHORIZED


def is_refusal(error: discord.HTTPException) -> bool:
    """Return whether Discord will never take it, as far as an answer says."""
    return error.code in _NEVER


def is_unknown_message(error: Exception) -> bool:
    """Return whether a message is not there: as an answer to a nonce, that it was deleted."""
    return isinstance(error, discord.HTTPException) and error.code == _UNKNOWN_MESSAGE


def pause_after(tries: int) -> timedelta:
    """Return how long to wait after so many tries: longer each time, and for each differently."""
    longest = min(_FIRST_PAUSE * 2 ** min(tries - 1, 20), _LONGEST_PAUSE)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - no secret
