"""The game: whether it is one, at this address and with this token."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import aiohttp
from msgspec import Struct
from pydantic import SecretStr

from bot.game.client import check_base_url, comments_request, items_request
from bot.game.errors import BadAddress, GameError
from bot.game.models import Sort
from bot.game.transport import Answer, Caller, Limits, Request, Transport
from bot.program.checking.here import Finding, Places, fault
from bot.program.proxies import proxy_for
from bot.settings import Settings
from storage.names import PlaceKind

_SUBJECT = "game"
# Where no server has named any.
_ANY_PLACE = 1
# No game knows it: a catalog is refused to it, as it should be.
_NOBODYS_TOKEN = SecretStr("kiosk-check-this-is-nobodys-token")
_OK = 200
_UNAUTHORIZED = 401
_SERVER_ERROR = 500
_ENVELOPE = frozenset({"data", "links", "meta"})


class _Said(Struct, frozen=True):
    """An answer to `what`; `fields` are those of its JSON object, None where it is none."""

    what: str
    status: int
    fields: frozenset[str] | None

    @property
    def is_page(self) -> bool:
        return self.status == _OK and self.fields is not None and self.fields >= _ENVELOPE

    @property
    def is_refusal(self) -> bool:
        # Many servers refuse a token without a word.
        return self.status > _OK and (self.fields is not None or self.status == _UNAUTHORIZED)


async def examine_game(
    settings: Settings, places: Places, now: Callable[[], datetime]
) -> Sequence[Finding]:
    """Ask for a thread and a catalog, such as servers have named if there are any."""
    if settings.game_base_url is None:
        return [Finding(_SUBJECT, "the demo game will be served")]
    try:
        base_url = check_base_url(settings.game_base_url, plain_http=settings.game_plain_http)
    except BadAddress:
        return [fault(_SUBJECT, "can't be asked without its address: mend GAME_BASE_URL")]
    thread_id = places.get(PlaceKind.THREAD, _ANY_PLACE)
    catalog_id = places.get(PlaceKind.CATALOG, _ANY_PLACE)
    caller = Caller(0, settings.game_token or _NOBODYS_TOKEN)
    thread = comments_request(thread_id, Sort.LATEST, 1)
    catalog = items_request(caller, catalog_id, 1)
    try:
        async with aiohttp.ClientSession(proxy=proxy_for(base_url)) as session:
            game = Transport(session, base_url, Limits(), now)
            of_thread = await _ask(game, f"thread {thread_id}", thread)
            of_catalog = await _ask(game, f"catalog {catalog_id}", catalog)
    except GameError as error:
        mend = "is GAME_BASE_URL right, and the game up?"
        return [fault(_SUBJECT, f"can't be asked: {error}: {mend}")]
    if wrong := _what_is_wrong(of_thread, of_catalog):
        return [wrong]
    findings = [Finding(_SUBJECT, "answers as the interface says")]
    if settings.game_token is not None:
        findings.append(_on_token(of_catalog))
    return findings


def _what_is_wrong(thread: _Said, catalog: _Said) -> Finding | None:
    for said in (thread, catalog):
        answer = f"answers {said.status} to {said.what}"
        if said.status >= _SERVER_ERROR:
            return fault(_SUBJECT, f"{answer}: it fails; ask its operator")
        if not (said.is_page or said.is_refusal):
            mend = "is GAME_BASE_URL right, with its path?"
            return fault(_SUBJECT, f"{answer}, but not as the game does: {mend}")
    if thread.is_refusal and thread.status == catalog.status:
        return fault(
            _SUBJECT,
            f"answers {thread.status} to {thread.what} and {catalog.what} alike: is the path in"
            " GAME_BASE_URL right? If it is, name a thread with /setup thread, and check again",
            is_sure=False,
        )
    return None


def _on_token(catalog: _Said) -> Finding:
    if catalog.is_page:
        return Finding(_SUBJECT, "takes GAME_TOKEN")
    if catalog.status == _UNAUTHORIZED:
        return fault(_SUBJECT, "refuses GAME_TOKEN: get a new one")
    told = f"answers {catalog.status} to {catalog.what}, which says nothing about GAME_TOKEN"
    return fault(_SUBJECT, f"{told}: name a catalog with /setup catalog, and check again")


async def _ask(game: Transport, what: str, request: Request[Any]) -> _Said:
    """Ask, and return what is answered, whatever it is. Raises GameError where nothing is."""
    answer = await game.read(_AsItIs(request.method, request.path, request.read, request.caller))
    try:
        body = json.loads(answer.body)
    except (ValueError, RecursionError):
        body = None
    is_object = isinstance(body, dict)
    fields = frozenset(cast("Mapping[str, object]", body)) if is_object else None
    return _Said(what, answer.status, fields)


class _AsItIs(Request[Any], frozen=True):
    """A request whose answer is not judged."""

    def result(self, answer: Answer) -> Answer:
        return answer
