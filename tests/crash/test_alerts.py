"""The alert rules on a real Prometheus that collects from a real process: real faults fire them."""

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import yaml

from tests.support.bot_process import run_bot
from tests.support.discord_standin import Discord
from tests.support.program import ROOT, Launcher

PROMETHEUS = shutil.which("prometheus")
NO_GAME = "http://127.0.0.1:9/api/v1"

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(PROMETHEUS is None, reason="there is no Prometheus on this machine"),
]


class Alerts:
    """What a Prometheus fires."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def firing(self) -> set[str]:
        async with aiohttp.ClientSession() as session:
            try:
                async with session.get(f"{self._address}/api/v1/alerts") as answer:
                    told = await answer.json()
            except aiohttp.ClientConnectorError:
                return {"Prometheus starts"}
        alerts = told["data"]["alerts"]
        return {each["labels"]["alertname"] for each in alerts if each["state"] == "firing"}

    async def become(self, expected: set[str]) -> None:
        """Wait until these are what fires."""
        seen: set[str] = set()
        try:
            async with asyncio.timeout(60):
                while (seen := await self.firing()) != expected:  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.2)
        except TimeoutError:
            pytest.fail(f"{sorted(seen)} fire, not {sorted(expected)}")


@asynccontextmanager
async def watching(folder: Path, port: int) -> AsyncGenerator[Alerts]:
    """Run a Prometheus in a hurry on the rules as they are, but for how long it has to be so."""
    rules = (ROOT / "deploy/prometheus/alerts.yml").read_text()
    rules = re.sub(r"for: \d+m", "for: 2s", rules).replace("[5m]", "[10s]")
    (folder / "alerts.yml").write_text(rules)
    config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["scrape_configs"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{port}"]}]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    own_port = free_port()
    assert PROMETHEUS
    process = await asyncio.create_subprocess_exec(
        PROMETHEUS,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'prometheus'}",
        f"--web.listen-address=127.0.0.1:{own_port}",
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield Alerts(f"http://127.0.0.1:{own_port}")
    finally:
        process.kill()
        await process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


async def test_real_faults_fire_their_alerts_and_nothing_else_does(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    port = free_port()
    settings = {"MONITORING_PORT": str(port)}
    ada = discord.add_member("ada")
    async with watching(tmp_path, port) as alerts:
        async with run_bot(launcher, discord, NO_GAME, tmp_path, settings=settings) as bot:
            await alerts.become(set())
            for thread in range(20):
                read = await discord.slash(ada, "forum read", thread=str(thread + 1))
                await read.answer()
            await alerts.become({"KioskGameFailing"})
            await bot.kill()
        await alerts.become({"KioskDown"})

        async with run_bot(launcher, discord, NO_GAME, tmp_path, shards="0/1", settings=settings):
            await alerts.become({"KioskWithoutWorker"})
