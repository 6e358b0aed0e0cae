"""Interactions over HTTP: signed and posted to the address that the operator has entered."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.discord_standin.objects import Payload
from tests.support.gates import PATIENCE_SECONDS

_PING = 1


@dataclass(eq=False)
class Posting:
    """Signs what it posts; without a `url`, the gateway tells of interactions."""

    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)
    url: str | None = None
    _session: aiohttp.ClientSession | None = None

    @property
    def verify_key(self) -> str:
        return self.key.public_key().public_bytes_raw().hex()

    def headers_for(self, body: bytes, timestamp: float | None = None) -> dict[str, str]:
        """Sign a body as of now, or of another moment."""
        moment = str(int(time.time() if timestamp is None else timestamp))
        signature = self.key.sign(moment.encode() + body).hex()
        return {
            "Content-Type": "application/json",
            "X-Signature-Ed25519": signature,
            "X-Signature-Timestamp": moment,
        }

    async def enter(self, url: str) -> None:
        """Let the operator enter an address, which is tried: with a forged signature, too."""
        ping = json.dumps({"type": _PING}).encode()
        headers = self.headers_for(ping)
        forged = {**headers, "X-Signature-Ed25519": "00" * 64}
        assert await self.send(url, ping, headers) == (200, '{"type":1}')
        assert await self.send(url, ping, forged) == (401, "")
        self.url = url

    async def post(self, payload: Payload) -> int:
        """Post a payload to the address; gives the answer's status, 0 for none."""
        assert self.url is not None
        body = json.dumps(payload).encode()
        try:
            status, _ = await self.send(self.url, body, self.headers_for(body))
        except (aiohttp.ClientError, TimeoutError):
            return 0
        return status

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0)
            timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        async with self._session.post(url, data=body, headers=headers) as answer:
            return answer.status, await answer.text()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
