"""What a process tells of itself, and the alerts that fire."""

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from bot import __version__
from tests.crash.town import Town
from tests.support.bot_process import environment_of, run_bot, run_standby
from tests.support.discord_standin import Discord
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import ROOT, Launcher, run_program


@dataclass
class Watched:
    """A bot whose port is open, and what it says there."""

    address: str

    async def ask(self, path: str) -> tuple[int, Any]:
        async with aiohttp.ClientSession() as session, session.get(self.address + path) as answer:
            return answer.status, await answer.json()

    async def metrics(self) -> dict[str, float]:
        metrics = f"{self.address}/metrics"
        async with aiohttp.ClientSession() as session, session.get(metrics) as answer:
            lines = (await answer.text()).splitlines()
        pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}


@pytest.fixture
async def watched(town: Town) -> AsyncGenerator[Watched]:
    """A bot in town whose port is open."""
    async with run_bot(
        town.launcher,
        town.discord,
        town.game_proxy.base_url,
        town.folder,
        api_url=town.discord_proxy.base_url,
        settings={"MONITORING_PORT": "0"},
        # Long enough for a busy machine: no one is to take over from it.
        claim_term=60.0,
    ) as bot:
        yield Watched(address_in(await bot.program.says("/readyz")))


def address_in(line: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    assert found
    return found[0]


async def test_an_evening_shows_in_the_metrics(town: Town, watched: Watched) -> None:
    shopper = await town.shopper()
    pressed = await (await town.confirming(shopper)).press()
    assert await town.settled(shopper, pressed) == "done"
    nobody = town.discord.add_member("not set")
    await (await town.discord.slash(nobody, "shop orders")).answer()

    measured = await watched.metrics()
    assert measured[f'kiosk_build_info{{version="{__version__}"}}'] == 1
    assert measured['kiosk_first_sign_seconds_count{command="shop buy"}'] == 1
    assert measured['kiosk_interactions_total{command="press buy"}'] == 1
    purchase = 'endpoint="POST /items/{id}/purchase"'
    assert measured[f'kiosk_game_requests_total{{{purchase},outcome="ok"}}'] == 1
    assert measured['kiosk_orders{state="done"}'] == 1
    assert measured['kiosk_waiting{what="outbox"}'] == 0
    assert measured['kiosk_database_seconds_count{operation="transaction"}'] > 0
    assert measured["kiosk_worker_active"] == 1
    assert measured["kiosk_connected"] == 1
    assert measured['kiosk_discord_answers_total{status="200"}'] > 0
    labels = " ".join(re.findall(r"\{.*\}", "\n".join(measured)))
    assert str(shopper.member.id) not in labels
    assert not re.findall(r"\d{5,}|items/\d", labels)


async def test_a_process_says_whether_it_is_ready(town: Town, watched: Watched) -> None:
    alive, facts = await watched.ask("/livez")
    assert (alive, facts["worker"]) == (200, "active")
    status, facts = await watched.ask("/readyz")
    assert (status, facts["gateway"]) == (200, "connected")

    async with run_program(
        town.launcher,
        ["bot", "run"],
        {
            "DISCORD_TOKEN": "x",
            "KIOSK_KEYS": "dGVzdHMgb25seTogdGhpcyBrZXkgc2VhbHMgbm90aGk=",
            "GAME_BASE_URL": "http://127.0.0.1:9",
            "MONITORING_PORT": watched.address.rpartition(":")[2],
        },
        town.folder,
    ) as second:
        assert await second.ended() == 78
    assert "MONITORING_PORT: port" in second.output
    assert "Address already in use. Choose another port" in second.output


async def test_a_process_that_discord_does_not_let_in_lives_and_is_not_ready(town: Town) -> None:
    environment = environment_of(
        town.discord, town.game_proxy.base_url, town.folder, "http://127.0.0.1:9"
    )
    environment["MONITORING_PORT"] = "0"
    async with run_program(town.launcher, ["bot", "run"], environment, town.folder) as waiting:
        watched = Watched(address_in(await waiting.says("/readyz")))

        assert (await watched.ask("/livez"))[0] == 200
        status, facts = await watched.ask("/readyz")
        assert (status, facts["faults"]) == (503, ["no connection to Discord"])
        assert (await watched.metrics())["kiosk_connected"] == 0


async def test_a_process_that_stands_by_lives_and_is_ready_to_take_over(
    town: Town, watched: Watched
) -> None:
    settings = {"MONITORING_PORT": "0"}
    where = town.launcher, town.discord, town.game_proxy.base_url, town.folder
    async with run_standby(*where, settings=settings) as program:
        standby = Watched(address_in(await program.says("/readyz")))

        for path in ("/livez", "/readyz"):
            status, facts = await standby.ask(path)
            assert (status, facts["gateway"]) == (200, "standby")
        alive = await standby.ask("/livez")
        assert alive[1]["worker"] == "standby"
        assert [(await each.metrics())["kiosk_connected"] for each in (watched, standby)] == [1, 0]


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
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    async def become(self, expected: set[str]) -> None:
        """Wait until these are what fires."""
        seen: set[str] = set()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while (seen := await self.firing()) != expected:  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.2)
        except TimeoutError:
            pytest.fail(f"{sorted(seen)} fire, not {sorted(expected)}")


@asynccontextmanager
async def watching(folder: Path, port: int) -> AsyncGenerator[Alerts]:
    """Run a Prometheus in a hurry on the rules as they are, except for how long it has to be so."""
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
