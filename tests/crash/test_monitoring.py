"""What a process tells of itself on its port, on the stand-in and with real requests."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.crash.town import Town
from tests.support.bot_process import environment_of, run_bot
from tests.support.program import run_program


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
        # Long enough for a busy machine: nobody is to take over from it.
        settings={"MONITORING_PORT": "0", "LEASE_SECONDS": "60"},
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
    nobody = town.discord.add_member("nobody")
    await (await town.discord.slash(nobody, "shop orders")).answer()

    measured = await watched.metrics()
    assert measured['kiosk_build_info{version="1.0.0"}'] == 1
    assert measured['kiosk_first_sign_seconds_count{command="shop buy"}'] == 1
    assert measured['kiosk_interactions_total{command="press ConfirmPurchase"}'] == 1
    purchase = 'endpoint="POST /items/{id}/purchase"'
    assert measured[f'kiosk_game_requests_total{{{purchase},outcome="ok"}}'] == 1
    assert measured['kiosk_orders{state="done"}'] == 1
    assert measured['kiosk_waiting{what="outbox"}'] == 0
    assert measured['kiosk_cache_reads_total{cache="items",result="miss"}'] >= 1
    assert measured['kiosk_database_seconds_count{operation="transaction"}'] > 0
    assert measured["kiosk_worker_active"] == 1
    assert measured["kiosk_identifies_left"] > 0
    assert measured['kiosk_discord_answers_total{status="200"}'] > 0
    labels = " ".join(re.findall(r"\{.*\}", "\n".join(measured)))
    assert str(shopper.member.id) not in labels
    assert not re.findall(r"\d{5,}|items/\d", labels)


async def test_a_process_says_that_it_lives_and_whether_it_is_ready(
    town: Town, watched: Watched
) -> None:
    alive, facts = await watched.ask("/livez")
    assert (alive, facts["worker"]) == (200, "active")
    status, facts = await watched.ask("/readyz")
    assert (status, facts["shards_connected"]) == (200, 1)

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
    assert "Address already in use: name another one" in second.output


async def test_a_process_that_discord_does_not_let_in_lives_and_is_not_ready(town: Town) -> None:
    environment = environment_of(
        town.discord, town.game_proxy.base_url, town.folder, "http://127.0.0.1:9"
    )
    environment["MONITORING_PORT"] = "0"
    async with run_program(town.launcher, ["bot", "run"], environment, town.folder) as waiting:
        watched = Watched(address_in(await waiting.says("/readyz")))

        assert (await watched.ask("/livez"))[0] == 200
        status, facts = await watched.ask("/readyz")
        assert (status, facts["faults"]) == (503, ["not every shard is connected"])
        measured = await watched.metrics()
        shards = [measured[f'kiosk_shards{{state="{each}"}}'] for each in ("connected", "wanted")]
        assert shards == [0, 1]
