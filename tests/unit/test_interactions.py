"""What Discord posts, without a socket: only what it signed a moment ago is read."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import discord
import pytest
from pydantic import SecretStr

from bot.program.interactions import HttpReply, Interactions, RefusedRequest, hand_on
from tests.support.clock import ManualClock
from tests.support.databases import address_at, locked
from tests.support.discord_standin.posting import Posting
from tests.support.wiring import Wiring, open_wiring

NO_GAME = "http://127.0.0.1:9"
MEMBER = 700
USER = {"id": str(MEMBER), "username": "ada", "discriminator": "0", "avatar": None}
COMMAND = {"name": "help", "type": 1}
FORM = {"custom_id": "x", "components": [{"component": {"custom_id": "text", "value": "Hello"}}]}
USED = {2: COMMAND, 3: {"custom_id": "x", "component_type": 2}, 4: COMMAND, 5: FORM}


def used(kind: int, **others: object) -> dict[str, Any]:
    """Give what a member used, as Discord posts it, except for `others`."""
    place = {"application_id": "2", "version": 1, "attachment_size_limit": 0, "user": USER}
    payload = {"id": "1", "type": kind, "token": "t", "locale": "de", "data": USED[kind], **place}
    return payload | others


PRESS = json.dumps(used(3)).encode()
FORGED = (401, "signed by another")
NOT_SIGNED = (401, "not signed")
OLD = (401, "signed at another time")


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
        self.hand_on = self.handed_on.append
        self._interactions = Interactions(
            key, lambda payload: self.hand_on(payload), unlink, self.clock
        )

    def sign(self, body: bytes) -> dict[str, str]:
        return self.posting.headers_for(body, self.clock().timestamp())

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> HttpReply:
        headers = self.sign(body) if headers is None else headers
        self._interactions.check(headers)
        return await self._interactions.answer(body, headers)

    async def refuses(
        self, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        with pytest.raises(RefusedRequest) as refusal:
            await self.post(body, headers)
        return refusal.value.status, refusal.value.why

    def refuses_unread(self, **others: str) -> tuple[int, str]:
        """Tell how a signed request is refused before its body is read, with these headers."""
        named = {name.replace("_", "-"): value for name, value in others.items()}
        with pytest.raises(RefusedRequest) as refusal:
            self._interactions.check(self.sign(PRESS) | named)
        return refusal.value.status, refusal.value.why


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
    ],
)
async def test_what_is_not_for_members_is_answered_by_itself(
    endpoint: Endpoint, body: bytes, status: int, answer: bytes
) -> None:
    assert await endpoint.post(body) == HttpReply(status, answer)
    assert endpoint.handed_on == []


@pytest.mark.parametrize(
    "body", [b'{"type": "press"}', b'[{"type": 3}]', b'{"type": 3', b"\xff", b"[" * 5000, b""]
)
async def test_what_cannot_be_understood_is_refused(endpoint: Endpoint, body: bytes) -> None:
    assert await endpoint.refuses(body) == (400, "not understood")
    assert endpoint.handed_on == []


@pytest.mark.parametrize("kind", [2, 3, 4, 5])
async def test_what_a_member_used_is_taken_and_handed_on(endpoint: Endpoint, kind: int) -> None:
    payload = used(kind)

    assert await endpoint.post(json.dumps(payload).encode()) == HttpReply(202)
    assert endpoint.handed_on == [payload]


async def test_what_a_proxy_posts_again_is_taken_and_handed_on_once(endpoint: Endpoint) -> None:
    for number in ("1", "1", "2", "1"):
        body = json.dumps(used(3, id=number)).encode()
        assert await endpoint.post(body) == HttpReply(202)

    assert [payload["id"] for payload in endpoint.handed_on] == ["1", "2"]


@pytest.mark.parametrize(
    "payload",
    [
        used(3, id="no number"),
        used(3, id=1),
        used(3, id="9" * 40),
        used(3, token=None),
        used(3, locale={}),
        used(3, user=None),
        used(3, user=None, member={"user": USER}),
        used(3, user={"id": []}),
        used(3, data=COMMAND),
        used(2, data=FORM),
        used(2, data=COMMAND | {"type": 7}),
        used(4, data=COMMAND | {"options": [{"name": "thread"}]}),
        used(5, data={"custom_id": "x", "components": [None]}),
        # Kinds that there aren't yet.
        used(3, type=6),
        used(3, type=2**70),
        {"type": 1, "event": {"type": "APPLICATION_DEAUTHORIZED", "data": {"user": {"id": "x"}}}},
    ],
)
async def test_what_discord_signs_and_nobody_can_answer_is_refused_in_one_line(
    endpoint: Endpoint, payload: Mapping[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    assert await endpoint.refuses(json.dumps(payload).encode()) == (400, "not understood")

    assert endpoint.handed_on == []
    assert [record for record in caplog.records if record.exc_info] == []
    assert len(caplog.records) <= 1


async def test_what_discord_py_cannot_read_is_refused(endpoint: Endpoint) -> None:
    async with discord.Client(intents=discord.Intents.none()) as client:
        endpoint.hand_on = partial(hand_on, client)
        unreadable = json.dumps(used(3, authorizing_integration_owners=7)).encode()

        assert await endpoint.refuses(unreadable) == (400, "not understood")
        assert await endpoint.refuses(unreadable) == (400, "not understood")
        assert await endpoint.post(PRESS) == HttpReply(202)


async def test_what_is_not_signed_is_refused_before_its_body_is_read(endpoint: Endpoint) -> None:
    signature, timestamp = "0a" * 64, str(int(endpoint.clock().timestamp()))
    refused = [
        {"X_Signature_Ed25519": signature[:-2]},
        {"X_Signature_Ed25519": f"{signature}00"},
        {"X_Signature_Ed25519": f"{signature[:-1]}g"},
        {"X_Signature_Ed25519": "\udcff" * 128},
        {"X_Signature_Ed25519": ""},
        {"X_Signature_Timestamp": ""},
        {"X_Signature_Timestamp": f"{timestamp}.0"},
        {"X_Signature_Timestamp": f"-{timestamp}"},
        {"X_Signature_Timestamp": "٣" * 10},
        {"X_Signature_Timestamp": "1" * 5000},
        {"X_Signature_Timestamp": "\udcff"},
    ]
    assert [endpoint.refuses_unread(**headers) for headers in refused] == [NOT_SIGNED] * len(
        refused
    )
    assert await endpoint.refuses(PRESS, {}) == NOT_SIGNED


async def test_a_body_is_as_small_as_discords_and_comes_as_it_is(endpoint: Endpoint) -> None:
    assert endpoint.refuses_unread(Content_Length="512001") == (413, "too large")
    assert endpoint.refuses_unread(Content_Encoding="gzip") == (415, "compressed")
    # What a form of five fields holds, in letters of four bytes that are written as \uXXXX.
    field = {"component": {"custom_id": "text", "value": "\N{GRINNING FACE}" * 4000}}
    data = {"custom_id": "x", "components": [field] * 5}
    form = json.dumps(used(5, data=data)).encode()
    assert await endpoint.post(form.ljust(2 * len(form))) == HttpReply(202)


async def test_nothing_is_read_but_what_discord_signed(endpoint: Endpoint) -> None:
    signed = endpoint.sign(PRESS)
    later = str(int(signed["X-Signature-Timestamp"]) + 1)
    requests = [
        (PRESS, Posting().headers_for(PRESS, endpoint.clock().timestamp())),
        (PRESS, signed | {"X-Signature-Ed25519": "00" * 64}),
        (PRESS, signed | {"X-Signature-Timestamp": later}),
        (PRESS[:-1], signed),
        (PRESS + b" ", signed),
        (b"", signed),
    ]

    assert [await endpoint.refuses(*request) for request in requests] == [FORGED] * len(requests)
    assert endpoint.handed_on == []
    assert await endpoint.post(PRESS, signed) == HttpReply(202)


async def test_what_was_signed_five_minutes_ago_or_ahead_is_refused(endpoint: Endpoint) -> None:
    signed = endpoint.sign(PRESS)

    for moved in (299, -598):
        endpoint.clock.advance(moved)
        assert await endpoint.post(PRESS, signed) == HttpReply(202)
    for moved in (-2, 602):
        endpoint.clock.advance(moved)
        assert await endpoint.refuses(PRESS, signed) == OLD


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
        assert await endpoint.post(body) == HttpReply(503)
    assert await wired.accounts.find(MEMBER)
    assert await endpoint.post(body) == HttpReply(204)

    assert not await wired.accounts.find(MEMBER)
    assert await wired.accounts.find(MEMBER + 1)
    assert str(MEMBER) not in caplog.text


async def test_discord_py_takes_what_is_handed_on() -> None:
    client = discord.Client(intents=discord.Intents.none())
    heard = asyncio.get_running_loop().create_future()

    async def on_interaction(interaction: discord.Interaction) -> None:
        heard.set_result(interaction.user.id)

    client.event(on_interaction)
    async with client:
        hand_on(client, used(3))

        assert await heard == MEMBER
