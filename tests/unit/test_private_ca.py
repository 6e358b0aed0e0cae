"""A certificate that no CA of the system's has signed: what is said, and what fixes it."""

import asyncio
import datetime as dt
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from aiohttp import web
from discord.http import Route

from bot.program.checking import examine
from bot.settings import Settings
from tests.support.bot_process import KEY
from tests.support.certificates import HOST, serve_with_own
from tests.support.clock import utc_now
from tests.support.game_samples import comment, item, page
from tests.support.program import ROOT


async def show(request: web.Request) -> web.Response:
    sample = comment(id=1) if "threads" in request.path else item(id=1)
    return web.json_response(page(sample))


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return tmp_path / "own-ca.pem"


@pytest.fixture
async def base_url(certificate: Path) -> AsyncGenerator[str]:
    """The address of a game behind that certificate."""
    app = web.Application()
    app.router.add_get("/{path:.*}", show)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    tls = serve_with_own(certificate, utc_now() + dt.timedelta(days=1))
    await web.TCPSite(runner, HOST, 0, ssl_context=tls).start()
    yield f"https://{HOST}:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_it_is_named_with_the_variable_that_mends_it(
    base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Route, "BASE", base_url)
    given = {"game_base_url": base_url, "discord_token": "x", "kiosk_keys": KEY}
    database = f"sqlite:///{tmp_path / 'kiosk.db'}"

    findings = await examine(Settings.model_validate({**given, "database_url": database}), utc_now)

    of_game, of_discord = [finding.text for finding in findings if finding.is_fault]
    assert of_game == (
        "can't be reached: its certificate can't be verified: self-signed certificate. If your own"
        " CA signed its certificate, set SSL_CERT_FILE to that CA's file"
    )
    assert of_discord.endswith("set SSL_CERT_FILE to that CA's file")


@pytest.mark.soak
async def test_the_variable_mends_it(base_url: str, certificate: Path, tmp_path: Path) -> None:
    check = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "check"),
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "GAME_BASE_URL": base_url, "SSL_CERT_FILE": str(certificate)},
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await check.communicate()

    assert "answers as expected" in told.decode()
