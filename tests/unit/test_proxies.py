"""Kiosk behind a proxy that the environment names."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from aiohttp import ClientError
from discord.http import Route
from pydantic import SecretStr

from bot.app import open_bot
from bot.game.game_client import Caller
from bot.game.game_errors import Unreachable
from bot.program.checking import examine
from bot.program.first_settings import find_link
from bot.program.proxies import proxy_for
from bot.settings import Settings, SettingsError
from tests.support.bot_process import KEY

GAME, DISCORD = "CONNECT game.example:443", "CONNECT discord.example:443"


@pytest.fixture
async def asked(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[list[str]]:
    """What is asked of a proxy, which lets no one through."""
    lines: list[str] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append((await reader.readuntil(b"\r\n\r\n")).decode().partition(" HTTP/")[0])
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:hidden@127.0.0.1:{port}")
        monkeypatch.setattr(Route, "BASE", "https://discord.example/api/v10")
        yield lines


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    given = {"game_base_url": "https://game.example/api", "discord_token": "x", "kiosk_keys": KEY}
    return Settings.model_validate(given | {"database_url": f"sqlite:///{tmp_path / 'kiosk.db'}"})


async def test_the_game_and_discord_are_asked_through_it(
    asked: list[str], settings: Settings
) -> None:
    async with open_bot(settings) as bot:
        with pytest.raises(Unreachable, match="the proxy answers 502"):
            await bot.features.accounts.link(7, SecretStr("a-token"), [1])
        assert {*asked} == {GAME}
        asked.clear()
        with pytest.raises(Unreachable):
            await bot.features.threads.client.purchase(Caller(7, SecretStr("a-token")), 51)
        assert asked == [GAME]
        asked.clear()
        with pytest.raises(ClientError):
            await bot.login("x")
        assert {*asked} == {DISCORD}
    asked.clear()
    with pytest.raises(
        SettingsError, match=r"Discord can't be reached: 502, .*, url='http://me:•••@127"
    ):
        await find_link(settings)
    assert {*asked} == {DISCORD}


async def test_a_check_asks_through_it(asked: list[str], settings: Settings) -> None:
    findings = await examine(settings)

    assert {*asked} == {GAME, DISCORD}
    told = {finding.subject: finding.text for finding in findings if finding.is_fault}
    assert told.keys() == {"game", "discord"}
    assert told["discord"].endswith("'. Fix HTTPS_PROXY, or let the proxy connect to discord.com")
    assert "hidden" not in told["discord"]


@pytest.mark.parametrize(
    ("variables", "address", "proxy"),
    [
        ({}, "https://game.example/api", None),
        ({"HTTPS_PROXY": "http://a:3128"}, "https://game.example/api", "http://a:3128"),
        ({"https_proxy": "http://a:3128"}, "https://game.example", "http://a:3128"),
        ({"HTTPS_PROXY": "a:3128"}, "https://game.example", "http://a:3128"),
        ({"HTTPS_PROXY": "http://me:x@a:3128"}, "https://game.example", "http://me:x@a:3128"),
        ({"HTTPS_PROXY": "http://a:3128"}, "http://game.internal", None),
        ({"HTTPS_PROXY": "a", "NO_PROXY": "game.example"}, "https://game.example", None),
        ({"HTTPS_PROXY": "a", "NO_PROXY": "other.example"}, "https://game.example", "http://a"),
        ({"HTTPS_PROXY": "a", "NO_PROXY": "game.example:443"}, "https://game.example", None),
        ({"HTTPS_PROXY": "a", "NO_PROXY": "game.example:8443"}, "https://game.example", "http://a"),
        ({"HTTPS_PROXY": "a", "NO_PROXY": "x, .EXAMPLE"}, "https://game.example:8443", None),
        ({"HTTPS_PROXY": "a", "NO_PROXY": "*"}, "https://game.example", None),
        ({"HTTP_PROXY": "http://a:3128"}, "http://127.0.0.1:8000/api", None),
        ({"HTTP_PROXY": "http://a:3128"}, "http://localhost/api", None),
    ],
)
def test_whose_proxy_it_is(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], address: str, proxy: str | None
) -> None:
    _set(monkeypatch, variables)

    assert proxy_for(address) == proxy


@pytest.mark.parametrize("proxy", ["socks5://a:1080", "http://", "http://me:hidden@a:port"])
async def test_what_is_no_http_proxy_is_named(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, proxy: str
) -> None:
    _set(monkeypatch, {"HTTPS_PROXY": proxy})

    (wrong,) = [each for each in await examine(settings) if each.is_fault]

    assert wrong.subject == "HTTPS_PROXY"
    assert wrong.text == "enter an HTTP proxy's address, for example http://host:3128"
    with pytest.raises(SettingsError, match="HTTPS_PROXY: enter an HTTP proxy's address"):
        async with open_bot(settings):
            pass


def _set(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
