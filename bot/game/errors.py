"""What can go wrong between Kiosk and the game; it may have happened after UnknownOutcome."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType


class GameError(Exception):
    """The game did not do what was asked.

    `key` is the name of its class; `detail` is one line for whoever runs the bot, without token
    and body; `message` is what the game says, plain text from outside; `retry_after` the seconds to
    wait, until `retry_at`; `asked` the method and path of the request; `path` the field at fault in
    a malformed answer, such as data.3.player.id.
    """

    asked: tuple[str, str] | None = None
    retry_at: datetime | None = None

    def __init__(
        self,
        detail: str = "",
        *,
        message: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        path: str = "",
    ) -> None:
        super().__init__(detail)
        self.key = type(self).__name__
        self.detail = detail
        self.message = message
        self.status = status
        self.retry_after = retry_after
        self.path = path


# fmt: off
class BadAddress(GameError, ValueError): ...  # the game's address can't be used
class InsecureAddress(BadAddress): ...  # neither https nor on this machine: tokens would be read
class Refused(GameError): ...  # the game said no (4xx but 408); nothing has happened
class Unauthorized(Refused): ...  # 401: the token is not, or no longer, valid
class BadToken(Unauthorized): ...  # the token can't be sent in a header, so it never was
class Forbidden(Refused): ...  # 403: the player may not do that
class NotFound(Refused): ...  # 404: the thread, comment, catalog or item is not there
class Conflict(Refused): ...  # 409: it contradicts how things stand, such as an item already owned
class RateLimited(Refused): ...  # 429, or the game asked for a pause
class OwnPace(RateLimited): ...  # the wait for our own turn would be too long; nothing was sent
class TooManyAtOnce(RateLimited): ...  # one member asks for too much at once; nothing was sent
class Unavailable(GameError): ...  # no usable answer; nothing has happened
class Unreachable(Unavailable): ...  # no connection could be made, so nothing was sent
class TooLate(Unreachable): ...  # the moment to send it by was over, so nothing was sent
class Disconnected(Unavailable): ...  # the connection was cut before the answer was whole
class Timeout(Unavailable): ...  # the answer took too long, or 408: the game gave up waiting
class ServerFault(Unavailable): ...  # 5xx
# fmt: on


class Invalid(Refused):
    """A field was refused; `errors` maps its name to the game's texts, where it gives them."""

    errors: Mapping[str, tuple[str, ...]] = MappingProxyType({})


# fmt: off
class MalformedResponse(GameError): ...  # the answer lacks the interface's shape
class NotJson(MalformedResponse): ...  # not JSON in UTF-8, or nothing at all
class TooLarge(MalformedResponse): ...  # more than 2 MiB
class TooDeep(MalformedResponse): ...  # nested deeper than the parser takes
class ForeignRedirect(MalformedResponse): ...  # to another host, one too many, or of a write
# fmt: on


class UnknownOutcome(GameError):
    """A write that may or may not have happened, and what came instead of an answer."""


# Of the statuses from 400 to 499 that mean more than a refusal.
BY_STATUS: Mapping[int, type[GameError]] = {
    **dict.fromkeys((400, 413, 415, 422), Invalid),
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    408: Timeout,
    409: Conflict,
    429: RateLimited,
}
