"""Verify the interactions that Discord posts over HTTP, answer them, and hand them to the bot."""

import logging
import re
import typing
from collections import abc
from datetime import datetime

import discord
import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct, ValidationError, convert

from bot.log import describe
from bot.program.payloads import USED, User
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

# The header with the application's id, which only Kiosk's own refusals have, not those of whatever
# is in front of it.
APPLICATION = "X-Kiosk-Application"
# A form of five fields of 4,000 letters of four bytes each, as \uXXXX, is half of it. The message
# that it was opened from comes with it.
MAX_BODY_BYTES = 512_000
# How far a signature's time may be off, in seconds, either way: clocks differ, but not endlessly.
_SIGNATURE_SECONDS = 300.0
_SIGNATURE = "X-Signature-Ed25519"
_TIMESTAMP = "X-Signature-Timestamp"
# How many of the last interactions Kiosk knows again if they are posted once more.
_MAX_TAKEN = 10_000

T = typing.TypeVar("T")


class RefusedRequest(Exception):
    """A request is refused with an HTTP status. The text says why, in a few words."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class HttpReply(Struct, frozen=True):
    """An HTTP status, and JSON or nothing."""

    status: int
    body: bytes = b""


_ACCEPTED = HttpReply(202)
_NO_CONTENT = HttpReply(204)
_PONG = HttpReply(200, b'{"type":1}')
_LATER = HttpReply(503)


class Interactions:
    """Answers requests by HTTP's rules, and hands interactions on so that members get answers.

    `verify_key` is the application's, in hexadecimal. `hand_on` gets what a member used, and
    `unlink` gets a member who removed the bot from their account.
    """

    def __init__(
        self,
        verify_key: str,
        hand_on: abc.Callable[[abc.Mapping[str, typing.Any]], None],
        unlink: abc.Callable[[int], abc.Awaitable[object]],
        now: abc.Callable[[], datetime],
    ) -> None:
        self._key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(verify_key))
        self._hand_on = hand_on
        self._unlink = unlink
        self._now = now
        # By their ids, the last one last.
        self._taken: dict[str, None] = {}

    def check(self, headers: abc.Mapping[str, str]) -> None:
        """Check if Discord may have sent a request, before reading it. Raises RefusedRequest."""
        timestamp = headers.get(_TIMESTAMP, "")
        is_signed = re.fullmatch("[0-9a-fA-F]{128}", headers.get(_SIGNATURE, ""))
        if not (is_signed and re.fullmatch("[0-9]{1,20}", timestamp)):
            raise RefusedRequest(401, "not signed")
        if abs(self._now().timestamp() - int(timestamp)) > _SIGNATURE_SECONDS:
            raise RefusedRequest(401, "signed at another time")
        if "Content-Encoding" in headers:
            raise RefusedRequest(415, "compressed")
        if int(headers.get("Content-Length", "0")) > MAX_BODY_BYTES:
            raise RefusedRequest(413, "too large")

    async def answer(self, body: bytes, headers: abc.Mapping[str, str]) -> HttpReply:
        """Answer a request that was checked. Raises RefusedRequest."""
        try:
            signature = bytes.fromhex(headers[_SIGNATURE])
            self._key.verify(signature, headers[_TIMESTAMP].encode() + body)
        except InvalidSignature as error:
            raise RefusedRequest(401, "signed by another") from error
        try:
            payload = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise RefusedRequest(400, "not understood") from error
        match payload:
            case {"type": 1, "event": {"type": "APPLICATION_DEAUTHORIZED", "data": {"user": user}}}:
                return await self._forget(int(_understood(user, User).id))
            case {"type": 0} | {"type": 1, "event": _}:
                # Any other webhook event, and the test whether they arrive.
                return _NO_CONTENT
            case {"type": 1}:
                return _PONG
            case {"type": 2 | 3 | 4 | 5 as kind}:
                return self._take(_understood(payload, USED[kind]).id, payload)
            case _:
                raise RefusedRequest(400, "not understood")

    def _take(self, interaction_id: str, payload: abc.Mapping[str, typing.Any]) -> HttpReply:
        """Hand on what a member used, once: a proxy may post it again."""
        if interaction_id not in self._taken:
            try:
                self._hand_on(payload)
            except Exception as error:
                raise _not_understood(error) from error
            self._taken[interaction_id] = None
            if len(self._taken) > _MAX_TAKEN:
                del self._taken[next(iter(self._taken))]
        return _ACCEPTED

    async def _forget(self, member_id: int) -> HttpReply:
        try:
            await self._unlink(member_id)
        except DatabaseError as error:
            # Discord sends it again.
            log.warning("Can't delete the token of a member who removed Kiosk: %s", error)
            return _LATER
        log.info("A member removed Kiosk from their account. Their token is deleted")
        return _NO_CONTENT


def _understood(payload: object, shape: type[T]) -> T:
    try:
        return convert(payload, shape)
    except ValidationError as error:
        raise _not_understood(error) from error


def _not_understood(error: Exception) -> RefusedRequest:
    log.warning("Can't read an interaction from Discord: %s", describe(error))
    return RefusedRequest(400, "not understood")


def hand_on(client: discord.Client, payload: abc.Mapping[str, typing.Any]) -> None:
    """Let a client that has logged in answer what a member used, as if its gateway had said it."""
    # discord.py has no public name for it.
    typing.cast("typing.Any", client)._connection.parse_interaction_create(payload)


def delivery_problem(application: discord.AppInfo | None, port: int | None) -> str:
    """Return what to fix if an application's client would get no interactions, or ""."""
    url = application and application.interactions_endpoint_url
    place = "“Interactions Endpoint URL” in the developer portal, under General Information"
    if url and port is None:
        return f"Discord posts interactions to {url}. Empty {place}, or set INTERACTIONS_PORT"
    if port is not None and not url:
        own = "https://YOUR-HOST/interactions"
        return (
            f"Discord posts nothing to INTERACTIONS_PORT. While Kiosk runs, enter {own} as {place}"
        )
    return ""
