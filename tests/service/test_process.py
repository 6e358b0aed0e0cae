"""The service as a program: serving, stopping, and administering its database."""

import asyncio
import re
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import aiohttp
import orjson
import pytest

from tests.service.conftest import Api
from tests.support.databases import everything_in, game_address_at
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import Ended, Launcher, Program, run_program

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Administer = Callable[..., Ended]
Serving = Callable[..., AbstractAsyncContextManager[tuple[Program, str]]]


def port_of(base_url: str) -> int:
    return int(base_url.split(":")[2].split("/")[0])


@pytest.fixture
def database(tmp_path: Path) -> str:
    return game_address_at(tmp_path / "g.db")


@pytest.fixture
def administer(launcher: Launcher, tmp_path: Path) -> Administer:
    """Run a subcommand, or a service that can't start, to its end."""
    return lambda *arguments: launcher.run(["game_service", *arguments], {}, tmp_path)


@pytest.fixture
def serving(launcher: Launcher, tmp_path: Path) -> Serving:
    """Start the service; gives the process and its base address once it says so."""

    @asynccontextmanager
    async def serve(*arguments: str) -> AsyncGenerator[tuple[Program, str]]:
        command = ["game_service", "--port", "0", *arguments]
        async with run_program(launcher, command, {}, tmp_path) as program:
            line = await program.says("")
            found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+/api/v1)", line)
            assert found, line
            yield program, found[1]

    return serve


async def test_it_accepts_requests_once_it_says_so(
    session: aiohttp.ClientSession, serving: Serving, database: str
) -> None:
    async with serving("--database", database, "--demo") as (_, base_url):
        assert len((await Api(session, base_url).get("/threads/1/comments")).data) == 15


@asynccontextmanager
async def connected(base_url: str) -> AsyncGenerator[Connection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(base_url))
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            yield reader, writer
    finally:
        writer.close()


async def refuses_connections(base_url: str) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port_of(base_url))
                writer.close()
                await writer.wait_closed()
            except ConnectionRefusedError:
                return
            except ConnectionResetError:
                # It came in between, and was dropped with the others that waited to be accepted.
                continue


async def announce_comment(connection: Connection, length: int) -> None:
    """Send a request without its body, and wait until the service has it in hand."""
    reader, writer = connection
    writer.write(
        b"POST /api/v1/threads/3/comments HTTP/1.1\r\nHost: game\r\n"
        b"Authorization: Bearer demo-newcomer\r\nContent-Type: application/json\r\n"
        b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % length
    )
    assert b" 100 " in await reader.readuntil(b"\r\n\r\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_after_the_requests_in_flight(
    serving: Serving, database: str, number: signal.Signals
) -> None:
    body = orjson.dumps({"content": "Last words"})
    async with (
        serving("--database", database, "--demo") as (program, base_url),
        connected(base_url) as busy,
    ):
        await announce_comment(busy, len(body))
        program.send(number)
        await refuses_connections(base_url)
        busy[1].write(body)
        assert (await busy[0].readline()).startswith(b"HTTP/1.1 201 ")
        assert await program.ended() == 0


async def test_an_endless_request_does_not_hold_it(serving: Serving, database: str) -> None:
    async with (
        serving("--database", database, "--demo") as (program, base_url),
        connected(base_url) as busy,
    ):
        await announce_comment(busy, 99)
        assert await program.stop() == 0


async def test_what_keeps_it_from_starting_is_one_line(
    administer: Administer, database: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("These are notes, and not a database. " * 99)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, reason in (
            (("--database", database, "--port", port), port),
            (("--database", database, "--host", "203.0.113.7"), "203.0.113.7"),
            (("--database", "mysql://me:secret@game"), "sqlite:///kiosk.db"),
            (("--database", f"sqlite:///{tmp_path}/notes.txt"), "notes.txt"),
            (("token", "7", "--database", database), "no player 7"),
        ):
            ended = administer(*arguments)
            assert (ended.status, ended.out) == (1, ""), arguments
            assert len(ended.err.splitlines()) == 1, ended.err
            assert reason in ended.err


async def test_a_game_is_built_by_its_subcommands(
    session: aiohttp.ClientSession, administer: Administer, serving: Serving, database: str
) -> None:
    async def command(*arguments: str) -> str:
        ended = administer(*arguments, "--database", database)
        assert (ended.status, ended.err) == (0, ""), ended.err
        return ended.out.strip()

    thread = await command("add-thread", "News")
    catalog = await command("add-catalog", "Stall")
    await command("add-currency", "Shells", "Shell")
    hat = await command(
        *("add-item", catalog, "Hat", "--cost", "30", "--currency", "Shells", "--type", "Hat"),
        *("--clearance", "--coin-code", "--park", "4", "--park", "5"),
    )
    kite = await command("add-item", catalog, "Kite", "--cost", "5", "--currency", "Shells")
    player = await command("add-player", "Wren", "--park", "5", "--balance", "Shells=20")
    token = await command("token", player)
    await command("set-item", hat, "--cost", "20", "--no-clearance", "--member")
    await command("set-item", kite, "--gone")

    async with serving("--database", database) as (_, base_url):
        api = Api(session, base_url)
        comment = await api.write(thread=int(thread), token=token)
        assert [each["id"] for each in await api.walk(f"/threads/{thread}/comments")] == [comment]
        (item,) = await api.walk(f"/catalogs/{catalog}/items", token)
        assert (item["id"], item["name"], item["cost"]) == (int(hat), "Hat", 20)
        assert item["currency"]["singular_name"] == "Shell"
        flags = ("is_clearance", "is_member_item", "is_coin_code_item")
        assert [item[flag] for flag in flags] == [False, True, True]
        refused = await api.post(f"/items/{hat}/purchase", token)
        assert refused.code == "members_only"
        # The running service meets what is changed beside it.
        await command("set-item", hat, "--no-member")
        assert (await api.post(f"/items/{hat}/purchase", token)).status == 200
        assert (await api.post(f"/items/{hat}/redeem", token)).status == 200
    assert "Wren" in everything_in(database)
    assert token not in everything_in(database)
