"""What Discord posts, without a socket: only what it signed a moment ago is read."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import discord
import pytest
from pydantic import SecretStr

from bot.program.interactions import LARGEST_BODY_BYTES, Interactions, Reply, hand_on
from tests.support.clock import ManualClock
from tests.support.databases import address_at, locked
from tests.support.discord_standin.posting import Posting
from tests.support.wiring import Wiring, open_wiring

NO_GAME = "http://127.0.0.1:9"
MEMBER = 700
PRESS = b'{"type": 3, "id": "1"}'
REFUSED = Reply(401)


@dataclass
class Endpoint:
    """One application's, with what was handed on there."""

    wired: Wiring
    clock: ManualClock = field(default_factory=ManualClock)
    posting: Posting = field(default_factory=Posting)
    handed_on: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    def __post_init__(self) -> None:
        unlink = self.wired.accounts.unlink
        key = self.posting.verify_key
        self._interactions = Interactions(key, self.handed_on.append, unlink, self.clock)

    def sign(self, body: bytes) -> tuple[str, str]:
        headers = self.posting.headers_for(body, self.clock().timestamp())
        return headers["X-Signature-Ed25519"], headers["X-Signature-Timestamp"]

    async def post(self, body: bytes, *signed: str) -> Reply:
        return await self._interactions.answer(body, *(signed or self.sign(body)))


@pytest.fixture
async def endpoint(tmp_path: Path) -> AsyncGenerator[Endpoint]:
    async with open_wiring(tmp_path, NO_GAME, patience=0.1) as wired:
        yield Endpoint(wired)


@pytest.mark.parametrize(
    ("body", "status", "answer"),
    [
        (b'{"type": 1, "version": 1}', 200, b'{"type":1}'),
        (b'{"type": 0, "version": 1}', 204, b""),
        (b'{"type": 1, "event": {"type": "ENTITLEMENT_CREATE", "data": {}}}', 204, b""),
        (b'{"type": "press"}', 400, b""),
        (b'[{"type": 3}]', 400, b""),
        (b'{"type": 3', 400, b""),
        (b"\xff", 400, b""),
        (b"[" * 5000, 400, b""),
        (b"", 400, b""),
    ],
)
async def test_what_is_not_for_members_is_answered_by_itself(
    endpoint: Endpoint, body: bytes, status: int, answer: bytes
) -> None:
    assert await endpoint.post(body) == Reply(status, answer)
    assert endpoint.handed_on == []


@pytest.mark.parametrize("kind", [2, 3, 4, 5])
async def test_what_a_member_used_is_taken_and_handed_on(endpoint: Endpoint, kind: int) -> None:
    payload = {"type": kind, "id": "1"}

    assert await endpoint.post(json.dumps(payload).encode()) == Reply(202)
    assert endpoint.handed_on == [payload]


async def test_nothing_is_read_but_what_discord_signed(endpoint: Endpoint) -> None:
    signature, timestamp = endpoint.sign(PRESS)
    forger = Posting().headers_for(PRESS, float(timestamp))
    requests = [
        (PRESS, forger["X-Signature-Ed25519"], timestamp),
        (PRESS, "00" * 64, timestamp),
        (PRESS, signature[:-2], timestamp),
        (PRESS, signature + "00", timestamp),
        (PRESS, "no hexadecimal", timestamp),
        (PRESS, "\udcff" * 128, timestamp),
        (PRESS, "", timestamp),
        (PRESS, signature, ""),
        (PRESS, signature, str(int(timestamp) + 1)),
        (PRESS, signature, f"{timestamp}.0"),
        (PRESS, signature, "\udcff"),
        (PRESS[:-1], signature, timestamp),
        (PRESS + b" ", signature, timestamp),
        (b"", signature, timestamp),
    ]

    assert [await endpoint.post(*request) for request in requests] == [REFUSED] * len(requests)
    assert endpoint.handed_on == []
    assert await endpoint.post(PRESS, signature, timestamp) == Reply(202)


async def test_what_was_signed_five_minutes_ago_is_refused(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    signed = endpoint.sign(PRESS)

    endpoint.clock.advance(299)
    assert await endpoint.post(PRESS, *signed) == Reply(202)
    endpoint.clock.advance(2)
    assert await endpoint.post(PRESS, *signed) == REFUSED
    assert "is this machine's clock right?" in caplog.text


async def test_a_body_that_is_too_large_is_refused(endpoint: Endpoint) -> None:
    body = PRESS.ljust(LARGEST_BODY_BYTES)

    assert await endpoint.post(body) == Reply(202)
    assert await endpoint.post(body + b" ") == Reply(413)


async def test_who_takes_kiosk_off_their_account_has_their_token_deleted(
    endpoint: Endpoint, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wired, event = endpoint.wired, {"type": "APPLICATION_DEAUTHORIZED"}
    body = json.dumps(
        {"type": 1, "event": {**event, "data": {"user": {"id": str(MEMBER)}}}}
    ).encode()
    for member in (MEMBER, MEMBER + 1):
        await wired.links.save(member, SecretStr("a-token"))

    async with locked(address_at(tmp_path / "kiosk.db")):
        assert await endpoint.post(body) == Reply(503)
    assert await wired.accounts.find(MEMBER)
    assert await endpoint.post(body) == Reply(204)

    assert not await wired.accounts.find(MEMBER)
    assert await wired.accounts.find(MEMBER + 1)
    assert str(MEMBER) not in caplog.text


async def test_discord_py_takes_what_is_handed_on() -> None:
    client = discord.Client(intents=discord.Intents.none())
    heard = asyncio.get_running_loop().create_future()
    user = {"id": str(MEMBER), "username": "ada", "discriminator": "0", "avatar": None}

    async def on_interaction(interaction: discord.Interaction) -> None:
        heard.set_result(interaction.user.id)

    client.event(on_interaction)
    async with client:
        payload = {"id": "1", "application_id": "2", "type": 6, "token": "", "version": 1}
        hand_on(client, {**payload, "user": user, "attachment_size_limit": 0})

        assert await heard == MEMBER
