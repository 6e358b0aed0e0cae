"""The game: whether it is one, at this address and with this token."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import aiohttp
from msgspec import Struct
from pydantic import SecretStr

from bot.game.client import check_base_url, comments_request, items_request
from bot.game.errors import BadAddress, GameError, MalformedResponse
from bot.game.models import Sort
from bot.game.transport import Answer, Caller, Limits, Request, Transport
from bot.program.checking.here import Finding, Places, fault
from bot.settings import Settings
from storage.names import PlaceKind

_SUBJECT = "game"
# Where no server has named any.
_ANY_PLACE = (1,)
# No game knows it, and it shows what the game says to such.
_NOBODYS_TOKEN = SecretStr("kiosk-check-this-is-nobodys-token")
_NO_ENDPOINT = "/threads/1/kiosk-check-there-is-no-such-list"
_UNAUTHORIZED, _SERVER_ERROR = 401, 500
_NOT_ALLOWED = (_UNAUTHORIZED, 403)
_ENVELOPE = frozenset({"data", "links", "meta"})
# Where a refusal says what it means, as far as the usual servers go.
_WORDS = frozenset({"message", "code", "error", "detail", "title", "type"})
_ADDRESS = re.compile(r"/\S*")


class _Look(Struct, frozen=True):
    """An endpoint's answer; `error` is None for a page in the interface's envelope."""

    status: int
    error: GameError | None = None
    # What it says, without the addresses in it; None where that is no JSON object.
    refusal: Mapping[str, str] | None = None

    def is_like(self, other: "_Look") -> bool:
        is_refused = self.error is not None and other.error is not None
        return is_refused and (self.status, self.refusal) == (other.status, other.refusal)


async def examine_game(
    settings: Settings, places: Places, now: Callable[[], datetime]
) -> Sequence[Finding]:
    """Ask for a thread and a catalog, some that servers use if there are any."""
    if settings.game_base_url is None:
        return [Finding(_SUBJECT, "the demo game will be served")]
    try:
        base_url = check_base_url(settings.game_base_url, plain_http=settings.game_plain_http)
    except BadAddress:
        return [fault(_SUBJECT, "can't be asked without its address: mend GAME_BASE_URL")]
    async with aiohttp.ClientSession() as session:
        game = Transport(session, base_url, Limits(), now)
        try:
            if wrong := await _what_is_wrong(game, places):
                return [wrong]
            findings = [Finding(_SUBJECT, "answers as the interface says")]
            if settings.game_token is not None:
                findings.append(await _examine_token(game, places, settings.game_token))
        except GameError as error:
            mend = "is GAME_BASE_URL right, and the game up?"
            return [fault(_SUBJECT, f"can't be asked: {error}: {mend}")]
    return findings


async def _what_is_wrong(game: Transport, places: Places) -> Finding | None:
    # The game shows pages, or refuses in JSON, and otherwise than it refuses a wrong path.
    threads = [
        await _look(game, comments_request(thread, Sort.LATEST, 1))
        for thread in places.get(PlaceKind.THREAD) or _ANY_PLACE
    ]
    items = await _items(game, (places.get(PlaceKind.CATALOG) or _ANY_PLACE)[0], _NOBODYS_TOKEN)
    for look in (*threads, items):
        if look.status >= _SERVER_ERROR:
            return fault(_SUBJECT, f"answers {look.status}: it fails; ask its operator")
        # Many servers refuse a token without a word.
        if look.error and look.refusal is None and look.status not in _NOT_ALLOWED:
            mend = "is GAME_BASE_URL right, with its path?"
            return fault(_SUBJECT, f"answers, but not as the game does ({look.error}): {mend}")
    stray = await _look(game, Request("GET", _NO_ENDPOINT, bytes))
    stray_caller = await _look(game, Request("GET", _NO_ENDPOINT, bytes, Caller(0, _NOBODYS_TOKEN)))
    if items.is_like(stray_caller) and all(look.is_like(stray) for look in threads):
        return fault(
            _SUBJECT,
            f"answers {stray.status} to what there may be and to what there can't be alike: is"
            " the path in GAME_BASE_URL right? If it is, name a thread with /setup thread,"
            " and check again",
            is_sure=False,
        )
    return None


async def _examine_token(game: Transport, places: Places, token: SecretStr) -> Finding:
    catalogs = places.get(PlaceKind.CATALOG) or _ANY_PLACE
    for catalog in catalogs:
        look = await _items(game, catalog, token)
        if look.error is None:
            return Finding(_SUBJECT, "takes GAME_TOKEN")
        if look.status == _UNAUTHORIZED:
            return fault(_SUBJECT, "refuses GAME_TOKEN: get a new one")
        nobodys = await _items(game, catalog, _NOBODYS_TOKEN)
        if nobodys.status == _UNAUTHORIZED:
            return Finding(_SUBJECT, f"takes GAME_TOKEN, and knows no catalog {catalog}")
    return fault(
        _SUBJECT,
        f"says nothing about GAME_TOKEN, since it knows no catalog {catalogs[-1]}: name one"
        " that it knows with /setup catalog, and check again",
    )


async def _items(game: Transport, catalog_id: int, token: SecretStr) -> _Look:
    return await _look(game, items_request(Caller(0, token), catalog_id, 1))


async def _look(game: Transport, request: Request[Any]) -> _Look:
    """Ask, and keep what is answered, whatever it is. Raises GameError where nothing is."""
    answer = await game.read(_AsItIs(request.method, request.path, request.read, request.caller))
    said = _said_in(answer)
    try:
        request.result(answer)
        if not said.keys() >= _ENVELOPE:
            raise MalformedResponse("the page has no links and meta")
    except MalformedResponse as error:
        return _Look(answer.status, error)
    except GameError as error:
        words = {name: _ADDRESS.sub("", str(said[name])) for name in _WORDS & said.keys()}
        return _Look(answer.status, error, words if said else None)
    return _Look(answer.status)


class _AsItIs(Request[Any], frozen=True):
    """A request whose answer is not judged."""

    def result(self, answer: Answer) -> Answer:
        return answer


def _said_in(answer: Answer) -> Mapping[str, object]:
    """Return an answer's JSON object, an empty one where it is none."""
    try:
        body = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", body) if isinstance(body, dict) else {}
