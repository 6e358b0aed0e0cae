"""Bots behind the Caddy that is deployed: it leaves none for what all of them lack."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
import yarl

from tests.support.bot_process import Listener, run_listener
from tests.support.caddy import run_caddy
from tests.support.database_proxy import open_database_proxy
from tests.support.databases import address_at, locked
from tests.support.discord_standin import Discord, Exchange
from tests.support.faulty_proxy import FaultyProxy, open_proxy
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import Launcher

NO_GAME = "http://127.0.0.1:9"
DATABASE = "the database doesn't answer, or can't be written"
NO_RECORDS = "Kiosk can't use its database"
# In seconds, for which the database is away, and of members who press all the time.
AWAY, MEMBERS = 60.0, 12
# Bodies of strangers that never end, and how much memory in bytes they may cost.
HELD, COST = 1500, 150 << 20


async def readiness(bot: Listener) -> tuple[int, list[str]]:
    async with aiohttp.ClientSession(bot.base_url) as session, session.get("/readyz") as answer:
        return answer.status, (await answer.json())["faults"]


async def is_looked_at(looks: FaultyProxy) -> None:
    await looks.passed(lambda passing: passing.path == "/readyz")


async def status_with(faults: list[str], bot: Listener, looks: FaultyProxy) -> int:
    """Wait until a bot has these faults and Caddy has seen it; gives the status."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await readiness(bot))[1] != faults:
            await is_looked_at(looks)
        await is_looked_at(looks)
    return (await readiness(bot))[0]


async def test_a_bot_without_its_database_goes_on_answering(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")
    async with (
        run_listener(launcher, discord, NO_GAME, tmp_path) as bot,
        open_proxy(bot.base_url) as looks,
        run_caddy(tmp_path, urlsplit(looks.base_url).netloc) as caddy,
    ):
        await discord.state.posting.enter(f"{caddy}/interactions")
        async with locked(address_at(tmp_path / "kiosk.db")):
            await status_with([DATABASE], bot, looks)
            exchange = await discord.slash(ada, "help")
            assert exchange.status == 202
            await exchange.says("You post and shop as yourself")


@pytest.mark.soak
@pytest.mark.parametrize("on_both_engines", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("on_both_engines")
async def test_every_press_is_answered_while_the_database_is_away(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    pressed: list[Exchange] = []

    async def press(name: str, until: float) -> None:
        ada = discord.add_member(name)
        while asyncio.get_running_loop().time() < until:
            pressed.append(exchange := await discord.slash(ada, "account show"))
            await exchange.says(NO_RECORDS)

    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(
            open_database_proxy(address_at(tmp_path / "kiosk.db"))
        )
        settings = {"DATABASE_URL": proxy.address}
        bots = [
            await stack.enter_async_context(
                run_listener(launcher, discord, NO_GAME, tmp_path, settings=settings)
            )
            for _ in range(3)
        ]
        targets = (urlsplit(bot.base_url).netloc for bot in bots)
        caddy = await stack.enter_async_context(run_caddy(tmp_path, *targets))
        await discord.state.posting.enter(f"{caddy}/interactions")
        proxy.is_down = True
        proxy.cut()
        until = asyncio.get_running_loop().time() + AWAY
        async with asyncio.TaskGroup() as group:
            for number in range(MEMBERS):
                group.create_task(press(f"member-{number}", until))
        assert [await readiness(bot) for bot in bots] == [(200, [DATABASE])] * len(bots)
        proxy.is_down = False

    assert pressed
    assert {exchange.status for exchange in pressed} == {202}


@pytest.mark.soak
@pytest.mark.parametrize("on_both_engines", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("on_both_engines")
async def test_a_bot_that_cannot_reach_discord_is_left_until_it_can(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")
    where = launcher, discord, NO_GAME, tmp_path
    async with (
        open_proxy(discord.state.api_url) as road,
        run_listener(*where, api_url=road.base_url) as cut_off,
        run_listener(*where) as other,
        open_proxy(cut_off.base_url) as looks,
        run_caddy(tmp_path, *(urlsplit(each.base_url).netloc for each in (looks, other))) as caddy,
    ):
        await discord.state.posting.enter(f"{caddy}/interactions")
        async with road.closed():
            # One of the two can't be answered.
            for _ in range(2):
                await discord.slash(ada, "help")
            assert await status_with(["no connection to Discord"], cut_off, looks) == 503
            for _ in range(4):
                await (await discord.slash(ada, "help")).says("You post and shop as yourself")
        assert await status_with([], cut_off, looks) == 200


def memory_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) << 10


@pytest.mark.soak
@pytest.mark.parametrize("is_formed", [False, True], ids=["unsigned", "forged"])
async def test_bodies_that_never_end_cost_little_and_members_are_answered(
    launcher: Launcher, discord: Discord, tmp_path: Path, *, is_formed: bool
) -> None:
    ada = discord.add_member("ada")
    headers = {"Content-Length": "500000"}
    if is_formed:
        headers |= discord.state.posting.headers_for(b"")
    async with (
        run_listener(launcher, discord, NO_GAME, tmp_path) as bot,
        run_caddy(tmp_path, urlsplit(bot.base_url).netloc) as caddy,
        AsyncExitStack() as stack,
    ):
        await discord.state.posting.enter(f"{caddy}/interactions")
        before = most = memory_of(bot.program.pid)
        url = yarl.URL(caddy)
        headers["Host"] = url.authority
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST /interactions HTTP/1.1\r\n{lines}\r\n".encode()
        for number in range(2 * HELD):
            if number < HELD:
                held, _ = await asyncio.get_running_loop().create_connection(
                    asyncio.Protocol, url.host or "", url.port or 0
                )
                stack.callback(held.abort)
                held.write(head + b" " * 499_999)
            elif number % 20 == 0:
                exchange = await discord.slash(ada, "help")
                assert exchange.status == 202
                await exchange.says("You post and shop as yourself")
            most = max(most, memory_of(bot.program.pid))

    assert most - before < COST
