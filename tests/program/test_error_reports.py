"""What Sentry gets to know of a fault, over a real connection to a stand-in for it."""

import asyncio
import gzip
import json
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.program.error_reports import problem_with, reporting
from bot.ui.error_cards import log_error
from storage.vault import new_key
from tests.support.program import Launcher

TOKEN, TYPED = "a-players-token", "What a member typed"


class Sentry:
    """Takes what is reported, as text."""

    def __init__(self) -> None:
        self.reports: asyncio.Queue[str] = asyncio.Queue()
        self.dsn = SecretStr("")

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.reports.put_nowait(body.decode())
        return web.json_response({})


@pytest.fixture
async def sentry() -> AsyncGenerator[Sentry]:
    taking = Sentry()
    app = web.Application()
    app.router.add_post("/api/1/envelope/", taking.take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    taking.dsn = SecretStr(f"http://key@127.0.0.1:{runner.addresses[0][1]}/1")
    yield taking
    await runner.cleanup()


def fail() -> None:
    raise RuntimeError(f"{TYPED}, with {TOKEN}")


async def test_a_fault_is_told_by_its_place_and_reference_and_nothing_else(sentry: Sentry) -> None:
    def report() -> str:
        with reporting(sentry.dsn, "run"):
            logging.getLogger("bot.anything").error("member %s failed", 123456789)
            with pytest.raises(RuntimeError) as failed:
                fail()
            return log_error(failed.value)

    reference = await asyncio.to_thread(report)

    first, second = [await sentry.reports.get(), await sentry.reports.get()]
    assert "member %s failed" in first
    event: dict[str, Any] = json.loads(second.splitlines()[-1])
    tags = {"role": "run", "reference": reference, "kind": "RuntimeError"}
    assert event["tags"] == tags
    (exception,) = event["exception"]["values"]
    assert exception["type"] == "RuntimeError"
    assert exception["stacktrace"]["frames"][-1]["function"] == "fail"
    for secret in (TOKEN, TYPED, "123456789"):
        assert secret not in first + second


def test_a_dsn_that_is_none_ends_the_run_with_a_line(launcher: Launcher, tmp_path: Path) -> None:
    settings = {"DISCORD_TOKEN": "x", "KIOSK_KEYS": new_key(), "SENTRY_DSN": "sentry"}
    ended = launcher.run(["bot", "run"], settings, tmp_path)

    assert ended.status == 78
    assert "SENTRY_DSN: it is not a DSN" in ended.err


@pytest.mark.parametrize(
    "dsn",
    [
        *("sentry", "https://sentry.example", "ftp://key@sentry.example/1"),
        *("https://key@sentry.example:port/1", "https://key@[sentry/1"),
    ],
)
def test_what_is_no_dsn_is_told(dsn: str) -> None:
    assert "not a DSN" in problem_with(SecretStr(dsn))
    assert not problem_with(SecretStr("https://key@sentry.example/1"))
