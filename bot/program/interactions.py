"""Verify the interactions that Discord posts over HTTP, answer them, and hand them to the bot."""

import logging
import typing
from collections import abc
from datetime import datetime

import discord
import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from storage.errors import DatabaseError

log = logging.getLogger(__name__)

# The header that tells Kiosk's own refusal from that of whatever is in front of it: whose it is.
APPLICATION = "X-Kiosk-Application"
# In bytes.
LARGEST_BODY_BYTES = 1_000_000
# In seconds, after which what was signed is refused: somebody may post it again.
_SIGNATURE_SECONDS = 300.0


class Reply(Struct, frozen=True):
    """A status of HTTP, and JSON or nothing."""

    status: int
    body: bytes = b""


_ACCEPTED = Reply(202)
_NO_CONTENT = Reply(204)
_PONG = Reply(200, b'{"type":1}')
_MALFORMED = Reply(400)
_NOT_SIGNED = Reply(401)
_TOO_LARGE = Reply(413)
_LATER = Reply(503)


class Interactions:
    """Answers requests by HTTP's rules alone; members are answered by whom they are handed on to.

    `verify_key` is the application's, in hexadecimal; `hand_on` is given what a member used, and
    `unlink` who has taken the bot off their account.
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

    async def answer(self, body: bytes, signature: str, timestamp: str) -> Reply:
        """Answer a request; the other two are its headers, "" for one that it lacks."""
        if len(body) > LARGEST_BODY_BYTES:
            return _TOO_LARGE
        if not self._is_signed(body, signature, timestamp):
            return _NOT_SIGNED
        try:
            payload = orjson.loads(body)
        except orjson.JSONDecodeError:
            return _MALFORMED
        match payload:
            case {
                "type": 1,
                "event": {
                    "type": "APPLICATION_DEAUTHORIZED",
                    "data": {"user": {"id": str(member_id)}},
                },
            }:
                return await self._forget(int(member_id))
            case {"type": 0} | {"type": 1, "event": _}:
                # Any other webhook event, and the try whether they are heard.
                return _NO_CONTENT
            case {"type": 1}:
                return _PONG
            case {"type": int()}:
                self._hand_on(payload)
                return _ACCEPTED
            case _:
                return _MALFORMED

    def _is_signed(self, body: bytes, signature: str, timestamp: str) -> bool:
        try:
            self._key.verify(bytes.fromhex(signature), timestamp.encode() + body)
            age = self._now().timestamp() - int(timestamp)
        except (ValueError, InvalidSignature):
            return False
        if age > _SIGNATURE_SECONDS:
            log.warning(
                "refused what Discord signed %.0f s ago: is this machine's clock right?", age
            )
        return age <= _SIGNATURE_SECONDS

    async def _forget(self, member_id: int) -> Reply:
        try:
            await self._unlink(member_id)
        except DatabaseError as error:
            # Discord sends it again.
            log.warning("a member's token is to be deleted, and can't be yet: %s", error)
            return _LATER
        log.info("a member took Kiosk off their account: their token is deleted")
        return _NO_CONTENT


def hand_on(client: discord.Client, payload: abc.Mapping[str, typing.Any]) -> None:
    """Let a client that has logged in answer what a member used, as if its gateway had said it."""
    # discord.py has no public name for it.
    typing.cast("typing.Any", client)._connection.parse_interaction_create(payload)


def why_unheard(application: discord.AppInfo | None, port: int | None) -> str:
    """Return what to mend where the client of an application would hear nothing, or ""."""
    url = application and application.interactions_endpoint_url
    place = "“Interactions Endpoint URL” in the developer portal, under General Information"
    if url and port is None:
        return f"Discord posts what members use to {url}: empty {place}, or set INTERACTIONS_PORT"
    if port is not None and not url:
        own = "https://YOUR-HOST/interactions"
        return (
            f"Discord posts nothing to INTERACTIONS_PORT: while Kiosk runs, enter {own} as {place}"
        )
    return ""
