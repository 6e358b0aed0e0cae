"""A game that answers what a test tells it to, down to the bytes, and keeps what it was asked."""

import asyncio
import json
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat

Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Asked:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class RogueGame:
    """Answers with the scripted replies in turn, the last one for ever.

    `asked` holds every request so far; `arrivals` is for waiting for the next one.
    """

    base_url: str
    replies: list[Reply] = field(default_factory=list["Reply"])
    asked: list[Asked] = field(default_factory=list["Asked"])
    arrivals: asyncio.Queue[Asked] = field(default_factory=asyncio.Queue[Asked])
    connections: int = 0

    def answers(self, *replies: Reply) -> None:
        self.replies = list(replies)

    def next_reply(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def reply(body: object = b"", status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Answer with a body: bytes as they are, anything else as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(status, {"Content-Length": str(len(content)), **(headers or {})}))
        writer.write(content)

    return send


def raw(content: bytes) -> Reply:
    """Answer with exactly these bytes, then cut the connection."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()
        writer.close()

    return send


def cut_short(status: int = 200) -> Reply:
    """Promise more than comes before the connection is cut."""
    return raw(_head(status, {"Content-Length": "1000"}) + b'{"data": [')


def redirect(location: str, status: int = 302) -> Reply:
    return reply(status=status, headers={"Location": location})


def held(reply: Reply, gate: asyncio.Event) -> Reply:
    """Answer once the gate opens."""

    async def send(writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        await reply(writer)

    return send


def zip_bomb(megabytes: int) -> Reply:
    """Answer with a small body that swells when it is unpacked."""

    async def send(writer: asyncio.StreamWriter) -> None:
        packer = zlib.compressobj(1, wbits=31)
        packed = b"".join(packer.compress(part) for part in repeat(b" " * 2**20, megabytes))
        await reply(packed + packer.flush(), headers={"Content-Encoding": "gzip"})(writer)

    return send


async def endless(writer: asyncio.StreamWriter) -> None:
    """Begin an answer and never end it."""
    writer.write(_head(200, {"Connection": "close"}))
    while True:
        writer.write(b" " * 2**16)
        await writer.drain()


async def silence(writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def cut(writer: asyncio.StreamWriter) -> None:
    """Cut the connection instead of answering."""
    writer.close()


@asynccontextmanager
async def open_rogue_game() -> AsyncGenerator[RogueGame]:
    game = RogueGame("")
    talks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        game.connections += 1
        talks.add(asyncio.create_task(_talk(game, reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    game.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api"
    try:
        yield game
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await server.wait_closed()


async def _talk(
    game: RogueGame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while not writer.is_closing():
            game.asked.append(await _request(reader))
            game.arrivals.put_nowait(game.asked[-1])
            await game.next_reply()(writer)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def _request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
