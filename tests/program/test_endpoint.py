"""Whether Discord reaches this Kiosk, as Kiosk itself can find out."""

import asyncio
import datetime as dt
import re
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import discord
import pytest
from discord.http import Route

from bot.program.checking import examine
from bot.program.checking.endpoint import examine_endpoint
from bot.program.checking.machine import Finding
from bot.settings import Settings
from tests.support.bot_process import environment_of, quick_bot
from tests.support.certificates import serve_with_own
from tests.support.clock import utc_now
from tests.support.discord_standin import Discord, open_discord
from tests.support.program import Launcher, run_program

NO_GAME = "http://127.0.0.1:9"
LEADS = "leads to this Kiosk"


@pytest.fixture
async def standin(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Discord]:
    async with open_discord() as opened:
        monkeypatch.setattr(Route, "BASE", opened.state.api_url)
        yield opened


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@asynccontextmanager
async def answering(answer: str, tls: ssl.SSLContext | None = None) -> AsyncGenerator[str]:
    """Answer every request so; gives the address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer.encode())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}/interactions"


async def looked_at(standin: Discord, url: str | None) -> Finding:
    standin.state.posting.url = url
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(standin.state.token)
        assert client.application is not None
        return await examine_endpoint(client.application, 8080)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("HTTP/1.1 401 No\r\nX-Kiosk-Application: {own}\r\n\r\n", LEADS),
        ("HTTP/1.1 401 No\r\nX-Kiosk-Application: 7\r\n\r\n", "the Kiosk of the application 7. It"),
        ("HTTP/1.1 200 Ok\r\nX-Kiosk-Application: {own}\r\n\r\n", "of the application {own}. It"),
        ("HTTP/1.1 401 No\r\n\r\n", "answers 401. It isn't this Kiosk"),
        ("HTTP/1.1 404 No\r\n\r\n", "Check that its path is /interactions"),
        ("HTTP/1.1 302 No\r\nLocation: /elsewhere\r\n\r\n", "answers 302. It isn't"),
        ("SSH-2.0-Kiosk\r\n", "closes the connection (400"),
        ("", "closes the connection (Server disconnected)"),
    ],
)
async def test_only_kiosks_own_refusal_is_an_answer(
    standin: Discord, answer: str, says: str
) -> None:
    own = standin.state.application_id
    async with answering(answer.format(own=own)) as url:
        found = await looked_at(standin, url)

    assert says.format(own=own) in found.text
    assert found.is_fault == (says is not LEADS)


async def test_a_bad_certificate_is_a_fault_and_no_connection_a_note(
    standin: Discord, tmp_path: Path
) -> None:
    expired = serve_with_own(tmp_path / "expired.pem", utc_now() - dt.timedelta(days=1))
    async with answering("", expired) as url:
        bad = await looked_at(standin, url)
    unreachable = await looked_at(standin, url)
    missing = await looked_at(standin, None)

    assert (bad.is_fault, "refuses its certificate, too" in bad.text) == (True, True)
    assert (unreachable.is_fault, unreachable.is_sure) == (False, False)
    assert unreachable.text.endswith("The cause may be this machine's network")
    assert (missing.is_fault, "posts nothing" in missing.text) == (True, True)


async def test_run_and_check_say_whether_discord_reaches_kiosk(
    launcher: Launcher, standin: Discord, tmp_path: Path
) -> None:
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}/interactions"
    environment = environment_of(standin, NO_GAME, tmp_path)
    environment |= {"INTERACTIONS_PORT": str(port), "MONITORING_PORT": "0"}
    given = {name.lower(): value for name, value in environment.items()}
    settings = Settings.model_validate(given)

    async def checked() -> list[tuple[bool, str]]:
        found = [each for each in await examine(settings) if each.subject == "interactions"]
        return [(each.is_fault, each.text) for each in found]

    for path, says in (("", LEADS), ("/elsewhere", "Discord might not reach Kiosk: ")):
        standin.state.posting.url = endpoint + path
        looking = [*quick_bot(), "0.1"]
        async with run_program(launcher, looking, environment, tmp_path) as program:
            line = await program.says("/metrics")
            assert endpoint + path in await program.says(says)
            ((is_fault, text),) = await checked()
            assert (is_fault, endpoint + path in text) == (says is not LEADS, True)
            address = re.findall(r"http://127\.0\.0\.1:\d+", line)[0]
            async with (
                aiohttp.ClientSession() as session,
                session.get(f"{address}/metrics") as answer,
            ):
                wrong = f"kiosk_endpoint_wrong {float(is_fault)}"
                assert wrong in (await answer.text()).splitlines()
            await program.kill()
    # If no Kiosk answers on this machine, no one says more than that it is entered.
    assert await checked() == []
