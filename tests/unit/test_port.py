"""A port that anyone may connect to: which connections stay if there are too many."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import web

from bot.program import port as program_port
from bot.program.port import Port

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(runner: web.ServerRunner) -> AsyncGenerator[Connection]:
    reader, writer = await asyncio.open_connection(*runner.addresses[0])
    try:
        yield reader, writer
    finally:
        writer.close()


async def is_answered(connection: Connection, path: str = "/") -> bool:
    reader, writer = connection
    writer.write(f"GET {path} HTTP/1.1\r\nHost: kiosk\r\n\r\n".encode())
    return (await reader.read(1000)).startswith(b"HTTP/1.1 200")


async def test_of_too_many_the_one_goes_that_asked_for_nothing_for_longest_and_discords_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program_port, "MAX_CONNECTIONS", 4)
    refused: list[str] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        if request.path == "/discord":
            port.welcome(request)
        return web.Response()

    port = Port(answer, refused.append)
    runner = web.ServerRunner(port, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with AsyncExitStack() as stack:

        async def come(path: str = "/") -> Connection:
            connection = await stack.enter_async_context(connected(runner))
            assert await is_answered(connection, path)
            return connection

        discords = [await come("/discord"), await come("/discord")]
        asking, idle = [await come(), await come()]
        assert await is_answered(asking)

        newest = await come()
        assert refused == ["too many connections"]
        assert not await is_answered(idle)
        assert await is_answered(asking)
        # Where all are Discord's, the one goes that has sent nothing for longest.
        for connection in (asking, newest):
            assert await is_answered(connection, "/discord")
        assert await is_answered(discords[0])
        await come()
        assert not await is_answered(discords[1])
        assert await is_answered(discords[0])
    await runner.cleanup()
