"""Check the game: whether it is one, at this address and with this token."""

import json
import typing
from collections import abc

import aiohttp
from msgspec import Struct
from pydantic import SecretStr

from bot.clock import Clock
from bot.game import game_client, game_errors, transport
from bot.game.models import Sort
from bot.program.checking import machine
from bot.program.proxies import proxy_for
from bot.settings import Settings
from storage.names import PlaceKind

_SUBJECT = "game"
# If no server has named any.
_ANY_PLACE = 1
# No game knows it: a catalog is refused to it, as it should be.
_NOBODYS_TOKEN = SecretStr("kiosk-check-this-is-nobodys-token")
_OK = 200
_UNAUTHORIZED = 401
_TOO_MANY = 429
_SERVER_ERROR = 500
_ENVELOPE = frozenset({"data", "links", "meta"})


class _Said(Struct, frozen=True):
    """An answer to `what`. `fields` are those of its JSON object, or None if it isn't one.

    Many servers refuse a token without a word: such an answer has no fields.
    """

    what: str
    status: int
    fields: frozenset[str] | None

    @property
    def is_page(self) -> bool:
        return self.status == _OK and self.fields is not None and self.fields >= _ENVELOPE

    @property
    def is_refusal(self) -> bool:
        return self.status > _OK and self.fields is not None


async def examine_game(settings: Settings, places: machine.Places) -> abc.Sequence[machine.Finding]:
    """Ask for a thread and a catalog, such as servers have named if there are any."""
    if settings.game_base_url is None:
        return [machine.Finding(_SUBJECT, "Kiosk will serve the demo game")]
    try:
        base_url = game_client.check_base_url(
            settings.game_base_url, plain_http=settings.game_plain_http
        )
    except game_errors.BadAddress:
        return [machine.fault(_SUBJECT, "can't be checked without its address. Fix GAME_BASE_URL")]
    try:
        async with aiohttp.ClientSession(proxy=proxy_for(base_url)) as session:
            game = transport.Transport(session, base_url, transport.Limits(), Clock())
            return await _examine(game, settings.game_token, places)
    except game_errors.RateLimited:
        text = "limits this machine's requests. Check again in a few minutes"
        return [machine.fault(_SUBJECT, text, is_sure=False)]
    except game_errors.GameError as error:
        mend = "Check GAME_BASE_URL, and that the game is up"
        if isinstance(error, game_errors.Untrusted):
            mend = "If your own CA signed its certificate, set SSL_CERT_FILE to that CA's file"
        return [machine.fault(_SUBJECT, f"can't be reached: {error}. {mend}")]


async def _examine(
    game: transport.Transport, token: SecretStr | None, places: machine.Places
) -> abc.Sequence[machine.Finding]:
    thread_id = places.get(PlaceKind.THREAD, _ANY_PLACE)
    catalog_id = places.get(PlaceKind.CATALOG, _ANY_PLACE)

    async def ask_for_catalog(secret: SecretStr) -> _Said:
        request = game_client.items_request(transport.Caller(0, secret), catalog_id, 1)
        return await _ask(game, f"catalog {catalog_id}", request)

    request = game_client.comments_request(thread_id, Sort.LATEST, 1)
    of_thread = await _ask(game, f"thread {thread_id}", request)
    of_catalog = await ask_for_catalog(token or _NOBODYS_TOKEN)
    wrong = _what_is_wrong(of_thread, of_catalog)
    if wrong and not wrong.is_sure and token and of_thread.status != _UNAUTHORIZED:
        # A game at the right path refuses a token that it doesn't know.
        is_path = (await ask_for_catalog(_NOBODYS_TOKEN)).status == _UNAUTHORIZED
        wrong = None if is_path else wrong
    if wrong:
        return [wrong]
    findings = [machine.Finding(_SUBJECT, "answers as expected")]
    if token is not None:
        findings.append(_on_token(of_catalog))
    return findings


def _what_is_wrong(thread: _Said, catalog: _Said) -> machine.Finding | None:
    for said in (thread, catalog):
        answer = f"answers {said.status} to {said.what}"
        if said.status >= _SERVER_ERROR:
            return machine.fault(_SUBJECT, f"{answer}: it fails. Ask the game's operator")
        if not (said.is_page or said.is_refusal):
            mend = "Check GAME_BASE_URL and its path"
            return machine.fault(_SUBJECT, f"{answer}, but not as the game would. {mend}")
    if thread.is_refusal and thread.status == catalog.status:
        return machine.fault(
            _SUBJECT,
            f"answers {thread.status} to both {thread.what} and {catalog.what}. Check the path in"
            " GAME_BASE_URL. If it is right, add a thread with /setup thread, and check again",
            is_sure=False,
        )
    return None


def _on_token(catalog: _Said) -> machine.Finding:
    if catalog.is_page:
        return machine.Finding(_SUBJECT, "accepts GAME_TOKEN")
    if catalog.status == _UNAUTHORIZED:
        return machine.fault(_SUBJECT, "refuses GAME_TOKEN. Get a new token")
    told = f"answers {catalog.status} to {catalog.what}, which says nothing about GAME_TOKEN"
    mend = "Add a catalog with /setup catalog, and check again"
    return machine.Finding(_SUBJECT, f"{told}. {mend}", is_sure=False)


async def _ask(
    game: transport.Transport, what: str, request: transport.Request[typing.Any]
) -> _Said:
    """Ask the game, and return its answer, whatever it is.

    Raises GameError if there is none, or if the game wants to be asked less often.
    """
    answer = await game.read(_AsItIs(request.method, request.path, request.read, request.caller))
    if answer.status == _TOO_MANY:
        raise game_errors.RateLimited
    is_wordless = answer.status == _UNAUTHORIZED and not answer.body.strip()
    try:
        body: object = json.loads(b"{}" if is_wordless else answer.body)
    except (ValueError, RecursionError):
        body = None
    is_object = isinstance(body, dict)
    fields = frozenset(typing.cast("abc.Mapping[str, object]", body)) if is_object else None
    return _Said(what, answer.status, fields)


class _AsItIs(transport.Request[typing.Any], frozen=True):
    """A request whose answer is not judged."""

    def result(self, answer: transport.GameAnswer) -> transport.GameAnswer:
        return answer
