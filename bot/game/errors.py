"""What can go wrong between Kiosk and the game.

GameError
├── BadAddress                the game's address can't be used
│   └── InsecureAddress       it is neither https nor on this machine
├── Refused                   the game said no (4xx); nothing has happened
│   ├── Unauthorized          401: the token is not, or no longer, valid
│   │   └── BadToken          the token can't be sent in a header, so it never was
│   ├── Forbidden             403
│   ├── NotFound              404
│   ├── Conflict              409
│   ├── Invalid               400, 413, 415, 422: a field was refused
│   └── RateLimited           429, or the wait for our own turn would be too long
│       └── TooManyAtOnce     one member asks for too much at the same time; nothing was sent
├── Unavailable               no usable answer; nothing has happened
│   ├── Unreachable           no connection could be made
│   ├── Disconnected          the connection was cut before the answer was whole
│   ├── Timeout               the answer took too long
│   └── ServerFault           5xx
├── MalformedResponse         an answer that does not have the interface's shape
│   ├── NotJson
│   │   └── NoBody            nothing at all came with the status
│   ├── TooLarge              more than 2 MiB
│   ├── TooDeep               nested deeper than 64
│   └── ForeignRedirect       a redirect that is not followed
└── UnknownOutcome            a write that may or may not have happened

For a write this holds: UnknownOutcome is the only error after which it may have happened.
"""

from collections.abc import Mapping
from types import MappingProxyType


class GameError(Exception):
    """The game did not do what was asked.

    `detail` is one line for whoever runs the bot and holds neither token nor body; `message` is
    what the game says, plain text from outside, to be quoted; `status` is the HTTP status and
    `retry_after` the seconds to wait, where known.
    """

    def __init__(
        self,
        detail: str = "",
        *,
        message: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.message = message
        self.status = status
        self.retry_after = retry_after


class BadAddress(GameError, ValueError):
    """The game's address can't be used."""


class InsecureAddress(BadAddress):
    """The game's address would send tokens over the network unencrypted."""


class Refused(GameError):
    """The game answered 4xx: what was asked has not happened."""


class Unauthorized(Refused):
    """The token is not, or no longer, valid."""


class BadToken(Unauthorized):
    """The token has characters that a header can't carry; nothing was sent."""


class Forbidden(Refused):
    """The player may not do that."""


class NotFound(Refused):
    """The thread, comment, catalog or item is not there."""


class Conflict(Refused):
    """It contradicts how things stand, such as an item already owned."""


class Invalid(Refused):
    """A field was refused; `errors` maps its name to the game's texts, where it gives them."""

    errors: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class RateLimited(Refused):
    """Too many requests; try again after `retry_after` seconds. Nothing has happened."""


class TooManyAtOnce(RateLimited):
    """One member asks for too much at the same time; nothing was sent."""


class Unavailable(GameError):
    """No usable answer; for a write, this means that nothing has happened."""


class Unreachable(Unavailable):
    """No connection could be made, so nothing was sent."""


class Disconnected(Unavailable):
    """The connection was cut before the answer was whole."""


class Timeout(Unavailable):
    """The answer took too long."""


class ServerFault(Unavailable):
    """The game answered 5xx."""


class MalformedResponse(GameError):
    """The answer lacks the interface's shape; `path` names the field, such as data.3.player.id."""

    def __init__(self, detail: str = "", *, path: str = "", status: int | None = None) -> None:
        super().__init__(detail, status=status)
        self.path = path


class NotJson(MalformedResponse):
    """The body is not JSON in UTF-8."""


class NoBody(NotJson):
    """The body is empty."""


class TooLarge(MalformedResponse):
    """The body is larger than any page of the game can be."""


class TooDeep(MalformedResponse):
    """The body is nested deeper than any page of the game can be."""


class ForeignRedirect(MalformedResponse):
    """The game redirects to another host, too often, or away from a write."""


class UnknownOutcome(GameError):
    """A write whose answer never came or can't be read: it may or may not have happened.

    `cause` is what came instead. `status` is set when the game answered; a 2xx there says that
    it took the write and only its answer could not be read.
    """

    def __init__(self, cause: GameError) -> None:
        super().__init__(
            f"outcome unknown: {cause.detail}",
            message=cause.message,
            status=cause.status,
            retry_after=cause.retry_after,
        )
        self.cause = cause


_BY_STATUS: Mapping[int, type[GameError]] = MappingProxyType(
    {
        400: Invalid,
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        409: Conflict,
        413: Invalid,
        415: Invalid,
        422: Invalid,
        429: RateLimited,
    }
)


def error_type(status: int) -> type[GameError]:
    """Return the error for a status outside 2xx."""
    if status >= 500:
        return ServerFault
    if status >= 400:
        return _BY_STATUS.get(status, Refused)
    return MalformedResponse
