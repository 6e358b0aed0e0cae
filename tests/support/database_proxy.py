"""A proxy between Kiosk and PostgreSQL that refuses, holds up, loses and cuts what passes."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from psycopg.conninfo import conninfo_to_dict

from tests.support.gates import Gates, Happenings

# After its length, as PostgreSQL's protocol has it.
_SSL_REQUEST = (80877103).to_bytes(4)


@dataclass
class DatabaseProxy:
    """Carries connections to a server at a socket, except when it has been told to fail.

    `asking` holds what clients send before the server sees it, `answering` its answers before the
    client does. A client that sent one of `unanswered` is cut off from its answer, once.
    """

    address: str = ""
    is_down: bool = False
    # What it says to clients that connect, instead of letting them in.
    refusal: str = ""
    asking: Gates[bytes] = field(default_factory=Gates[bytes])
    answering: Gates[bytes] = field(default_factory=Gates[bytes])
    unanswered: set[bytes] = field(default_factory=set[bytes])
    refused: Happenings[None] = field(default_factory=Happenings[None])
    _open: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    def cut(self) -> None:
        for writer in tuple(self._open):
            # Now, and not once the loop comes to it.
            with suppress(OSError):
                writer.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
            writer.transport.abort()

    async def carry(
        self, server: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry one connection until either side ends it."""
        if self.is_down:
            self.refused.add(None)
            writer.transport.abort()
            return
        if self.refusal:
            self.refused.add(None)
            await _refuse(self.refusal, reader, writer)
            return
        ends = {writer}
        # A client is cut off, too, while its way to the server is being opened.
        self._open |= ends
        lost = asyncio.Event()
        try:
            answers, questions = await asyncio.open_unix_connection(server)
            ends.add(questions)
            self._open.add(questions)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._ask(reader, questions, lost))
                both.create_task(self._answer(answers, writer, lost))
        finally:
            self._open -= ends
            for end in ends:
                end.transport.abort()

    async def _ask(
        self, reader: asyncio.StreamReader, server: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                await self.asking.pass_by(data)
                for words in [words for words in self.unanswered if words in data]:
                    self.unanswered.remove(words)
                    lost.set()
                server.write(data)
        server.transport.abort()

    async def _answer(
        self, reader: asyncio.StreamReader, client: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        with suppress(ConnectionError):
            while (data := await reader.read(65536)) and not lost.is_set():
                await self.answering.pass_by(data)
                client.write(data)
        client.transport.abort()


async def _refuse(said: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say no as a server does, which has no SSL."""
    with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            size = int.from_bytes(await reader.readexactly(4))
            if await reader.readexactly(size - 4) != _SSL_REQUEST:
                break
            writer.write(b"N")
        fields = b"SFATAL\0C28000\0M" + said.encode() + b"\0\0"
        writer.write(b"E" + (len(fields) + 4).to_bytes(4) + fields)
        await writer.drain()


@asynccontextmanager
async def open_database_proxy(target: str) -> AsyncGenerator[DatabaseProxy]:
    """Listen on a free port of loopback; `target` is the address of a server at a socket."""
    proxy = DatabaseProxy()
    given = conninfo_to_dict(target)
    server = Path(str(given["host"])) / ".s.PGSQL.5432"
    carrying: set[asyncio.Task[None]] = set()

    def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(proxy.carry(server, reader, writer))
        carrying.add(task)

    listening = await asyncio.start_server(carry, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    options = urlencode({"options": given.get("options") or ""})
    proxy.address = f"postgresql://{given['user']}@127.0.0.1:{port}/{given['dbname']}?{options}"
    try:
        yield proxy
    finally:
        listening.close()
        for task in carrying:
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)
