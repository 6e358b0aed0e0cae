"""Errors between Kiosk and the game. Only after UnknownOutcome, a write may have happened."""

from collections import abc
from datetime import datetime

from bot import errors
from bot.i18n import N_


class GameError(errors.ExplainedError):
    """The game did not do what was asked.

    `detail` is one line for the bot's operator, without token and body. `message` is what the game
    says, plain text from outside. `retry_after` is the seconds to wait, until `retry_at`. `asked`
    is the method and path of the request.
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
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.message = message
        self.status = status
        self.retry_after = retry_after


class BadAddress(GameError, ValueError):
    """The game's address can't be used, such as one where others could read the tokens."""


class Refused(GameError, step=errors.Step.HELP, code="refused_by_game"):
    """The game said no (4xx except 408, in JSON or without a body). Nothing has happened."""

    title = N_("The game didn't accept this")
    body = N_("The game rejected what you sent, so nothing was changed.")
    next_step = N_("Change what you entered, then try again.")
    is_fault = False


class Invalid(Refused, code="invalid"):
    """The game refused some `fields`, if it names them."""

    fields: abc.Set[str] = frozenset()


class Unauthorized(Refused, step=errors.LinkExpired.step, code="unauthorized"):
    """401: the token isn't valid (any more), or wasn't sent because no header can carry it."""

    title = errors.LinkExpired.title
    body = errors.LinkExpired.body
    next_step = errors.LinkExpired.next_step


class Forbidden(Refused, code="forbidden"):
    """403: the player may not do that."""

    title = N_("The game doesn't allow this")
    body = N_(
        "Your game account can't do this, so nothing was changed. Some things are only for"
        " subscribers or authors."
    )
    next_step = N_("Check your account in the game.")


class NotFound(Refused, step=errors.Step.PLACES, code="not_found"):
    """404, 410: the thread, comment, catalog or item is not there."""

    title = N_("The game can't find this")
    body = N_("It doesn't exist in the game, or it was deleted.")
    next_step = N_("Check the number, or pick from the list while you type.")


class Conflict(Refused, code="conflict"):
    """409: it contradicts what the game has, such as an item that is already owned."""

    title = N_("The game refused this")
    body = N_("This conflicts with something in the game, so nothing was changed.")
    next_step = N_("Check your account in the game, then try again.")


class RateLimited(Refused, step=errors.Step.AGAIN, code="rate_limited"):
    """429, the game asked for a pause, or the wait for our own turn would be too long."""

    title = N_("The game is limiting requests")
    body = N_("The game only accepts a few requests in a short time. Nothing was changed.")
    next_step = N_("Wait a minute, then try again.")


class TooManyAtOnce(RateLimited, code="too_many_at_once"):
    """One member asks for too much at once. Nothing was sent."""

    title = N_("You're going too fast")
    body = N_("You have too many requests running at once, so this request wasn't sent.")
    next_step = N_("Wait until your other requests finish, then try again.")


class Unavailable(GameError, code="unavailable"):
    """No usable answer, or the connection was cut before its end. Nothing has happened."""

    title = N_("The game isn't answering")
    body = N_("The game is down or very slow right now. Nothing was changed.")
    next_step = N_("Try again in a few minutes.")
    is_fault = False


class Unreachable(Unavailable, code="unreachable"):
    """No connection could be made, so nothing was sent."""


class Untrusted(Unreachable):
    """The game's certificate can't be verified, so nothing was sent."""


class TooLate(Unreachable, code="too_late"):
    """The moment to send it by was over, so nothing was sent."""


class Timeout(Unavailable, code="timeout"):
    """The answer took too long, or 408: the game gave up waiting."""


class ServerFault(Unavailable, code="server_fault"):
    """5xx, or a 4xx that isn't JSON: something in front of the game has answered."""


class MalformedResponse(GameError, code="malformed_answer"):
    """The answer lacks the interface's shape: no JSON in UTF-8, too deep, or more than 2 MiB."""

    title = N_("Kiosk can't read the game's answer")
    body = N_("The game sent something unexpected, so nothing was changed.")
    next_step = N_(
        "Try again later. If it keeps happening, give the bot's operator the reference below."
    )


class ForeignRedirect(MalformedResponse, code="foreign_redirect"):
    """The game redirects to another host, once too often, or redirects a write."""


class UnknownOutcome(GameError, step=errors.Step.HELP, code="unknown_outcome"):
    """A write that may or may not have happened, and what came instead of an answer."""

    title = N_("Kiosk doesn't know if this went through")
    body = N_("Kiosk sent this to the game, but didn't get a usable answer.")
    next_step = N_("Check in the game before you try again.")
    is_fault = False


# Of the statuses from 400 to 499 that mean more than a refusal.
BY_STATUS: abc.Mapping[int, type[GameError]] = {
    **dict.fromkeys((400, 413, 415, 422), Invalid),
    401: Unauthorized,
    403: Forbidden,
    **dict.fromkeys((404, 410), NotFound),
    408: Timeout,
    409: Conflict,
    429: RateLimited,
}
