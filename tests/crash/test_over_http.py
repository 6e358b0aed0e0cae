"""Interactions that Discord posts: each kind is answered as over the gateway, and none is lost."""

import asyncio
import re
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from bot.program.kiosk import Exit
from tests.crash.town import Town
from tests.support.bot_process import Listener, environment_of, run_listener
from tests.support.databases import RUN_ON
from tests.support.discord_standin import Discord
from tests.support.program import Launcher, run_program

NO_GAME = "http://127.0.0.1:9"
SOME = b" " * 0xFFFF


@asynccontextmanager
async def over_gateway(town: Town) -> AsyncGenerator[None]:
    async with town.bot():
        yield


@asynccontextmanager
async def over_http(town: Town) -> AsyncGenerator[Listener]:
    async with town.listener() as bot:
        await town.discord.state.posting.enter(bot.endpoint)
        yield bot


async def use_a_command(town: Town) -> None:
    ada = town.discord.add_member("ada")
    await (await town.discord.slash(ada, "help")).says("You post and shop as yourself")


async def press_a_button(town: Town) -> None:
    shopper = await town.shopper()
    exchange = await (await town.confirming(shopper)).press()
    assert await town.settled(shopper, exchange) == "done"


async def choose_from_a_list(town: Town) -> None:
    shopper = await town.shopper()
    shop = await town.discord.slash(shopper.member, "shop browse", catalog=str(shopper.catalog))
    card = await shop.says(shopper.item_name)
    chosen = await town.discord.choose(shopper.member, card, shopper.item_name)
    await chosen.says(f"## {shopper.item_name}")


async def fill_in_a_form(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    writer = await town.shopper()
    opening = await town.discord.slash(writer.member, "forum post", thread=str(thread))
    posting = await town.discord.submit(writer.member, await opening.modal(), {"text": "Hello"})
    await posting.says("Comment posted")
    assert town.books.texts() == ["Hello"]


async def type_for_suggestions(town: Town) -> None:
    shopper = await town.shopper()
    catalog = str(shopper.catalog)
    await (await town.discord.slash(shopper.member, "shop browse", catalog=catalog)).answer()
    typing = await town.discord.suggest(
        shopper.member, "shop item", "item", "straw", catalog=catalog
    )
    names = [entry["name"] for entry in await typing.suggestions()]
    assert any(shopper.item_name in name for name in names)


async def use_a_menu(town: Town) -> None:
    ada = town.discord.add_member("ada")
    card = await (await town.discord.slash(ada, "help")).answer()
    used = await town.discord.use_on(ada, card, "Remove comment")
    await used.says("This message shows no comment")


@pytest.mark.parametrize("way", [over_gateway, over_http])
@pytest.mark.parametrize(
    "converse",
    [
        use_a_command,
        press_a_button,
        choose_from_a_list,
        fill_in_a_form,
        type_for_suggestions,
        use_a_menu,
    ],
)
async def test_each_kind_of_interaction_is_answered_either_way(
    town: Town,
    way: Callable[[Town], AbstractAsyncContextManager[object]],
    converse: Callable[[Town], Awaitable[None]],
) -> None:
    async with way(town):
        await converse(town)
    is_posted = way is over_http
    assert bool(town.discord.state.gateway.sessions.past) is not is_posted
    assert {exchange.status for exchange in town.discord.state.exchanges.values()} == {
        202 if is_posted else None
    }


async def test_the_port_has_what_it_is_for_and_refuses_all_else_unread_and_unlogged(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    form = discord.state.posting.headers_for(b"not this")
    cases = {
        "not signed": (401, {"Content-Length": "900000"}, b""),
        "signed at another time": (401, form | {"X-Signature-Timestamp": "1"}, b""),
        "compressed": (415, form | {"Content-Encoding": "gzip", "Content-Length": "9"}, b"no gzip"),
        "too large": (413, form | {"Transfer-Encoding": "chunked"}, b"ffff\r\n%s\r\n" % SOME * 8),
        "too slow": (408, form | {"Content-Length": "9"}, b"{"),
        "signed by another": (401, form | {"Content-Length": "2"}, b"{}"),
        "not HTTP": (400, {"": "no name"}, b""),
    }
    settings = {"MONITORING_PORT": "0"}
    async with (
        run_listener(launcher, discord, NO_GAME, tmp_path, settings=settings) as bot,
        aiohttp.ClientSession(bot.base_url) as session,
    ):
        for path in ("/livez", "/readyz"):
            async with session.get(path) as answer:
                assert (answer.status, (await answer.json())["ok"]) == (200, True)
        for path in ("/", "/metrics", "/interactions", "/interactions/"):
            async with session.get(path) as answer:
                assert answer.status == 404

        async def status(headers: dict[str, str], body: bytes, *, is_cut_off: bool = False) -> int:
            url = urlsplit(bot.base_url)
            reader, writer = await asyncio.open_connection(url.hostname, url.port)
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            head = f"POST /interactions HTTP/1.1\r\nHost: kiosk\r\n{lines}\r\n"
            writer.write(head.encode() + body)
            if is_cut_off:
                writer.write_eof()
            # It ends, however much was to come.
            answer = await reader.read()
            writer.close()
            return int(answer.split()[1]) if answer else 0

        assert await status(form | {"Content-Length": "9"}, b"{", is_cut_off=True) == 0
        sent = [status(headers, body) for _, headers, body in cases.values()]
        assert await asyncio.gather(*sent) == [expected for expected, *_ in cases.values()]
        assert not re.search(r'"logger":"(aiohttp|asyncio|bot.program.port)', bot.program.output)
        (address,) = re.findall(r"http://127.0.0.1:\d+", await bot.program.says("/metrics"))
        async with session.get(f"{address}/metrics") as answer:
            counts = re.findall(r'_refused_total\{reason="(.+)"\} (.+)', await answer.text())
        once = dict.fromkeys([*cases, "cut off"], "1.0")
        assert dict(counts) == {"another path": "4.0", **once}


async def test_a_request_that_is_posted_again_does_nothing_twice(town: Town) -> None:
    thread = await town.books.add_thread("Quiet corner")
    async with over_http(town) as bot:
        shopper, posting = await town.shopper(), town.discord.state.posting
        opening = await town.discord.slash(shopper.member, "forum post", thread=str(thread))
        form, confirming = await opening.modal(), await town.confirming(shopper)

        helped = await town.discord.slash(shopper.member, "help")
        await helped.says("You post and shop as")
        written = await town.discord.submit(shopper.member, form, {"text": "Said once"})
        bought = await confirming.press()
        for exchange in (helped, written, bought):
            for _ in range(2):
                assert await posting.post(exchange.payload) == 202
        await written.says("Comment posted")

        assert await town.settled(shopper, bought) == "done"
        await town.let_arrive()
    assert town.books.texts() == ["Said once"]
    assert "another bot" not in bot.program.output


async def test_a_stop_is_seen_by_the_balancer_and_answers_what_comes_until_then(town: Town) -> None:
    ada = town.discord.add_member("ada")
    async with over_http(town) as bot, aiohttp.ClientSession(bot.base_url) as session:
        bot.program.send(signal.SIGTERM)
        await bot.program.says("Stopping because of")
        async with session.get("/readyz") as answer:
            assert (answer.status, (await answer.json())["faults"]) == (
                503,
                ["this process is stopping"],
            )
        late = await town.discord.slash(ada, "help")
        await late.says("You post and shop as yourself")
        assert await bot.program.ended() == Exit.STOPPED
    assert "Traceback" not in bot.program.output


async def test_a_run_that_nobody_would_reach_says_what_to_mend(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    async with run_listener(launcher, discord, NO_GAME, tmp_path) as bot:
        assert "While Kiosk runs, enter https://YOUR-HOST/interactions" in bot.program.output
        await discord.state.posting.enter(bot.endpoint)
    environment = environment_of(discord, NO_GAME, tmp_path)
    async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
        assert await program.ended() == Exit.TO_MEND
    (last,) = program.output.splitlines()[-1:]
    assert f"Discord posts interactions to {bot.endpoint}. Empty “Interactions" in last
    async with run_listener(launcher, discord, NO_GAME, tmp_path) as bot:
        assert "YOUR-HOST" not in bot.program.output
        # discord.py knows of the gateway alone.
        assert "will not be received" not in bot.program.output


@pytest.mark.skipif(RUN_ON == "postgresql", reason="there is no file")
async def test_on_a_file_only_the_process_that_has_it_listens(town: Town) -> None:
    async with town.listener() as first:
        port = first.base_url.rpartition(":")[2]
        async with town.standby({"INTERACTIONS_PORT": port}) as second:
            assert "may post" not in second.output
            await first.program.kill()
            await second.says(f"Ready for Discord's interactions at port {port}")


async def test_a_port_that_is_taken_is_told_in_one_line(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    with socket.create_server(("0.0.0.0", 0)) as taken:
        environment = environment_of(discord, NO_GAME, tmp_path)
        environment["INTERACTIONS_PORT"] = str(taken.getsockname()[1])
        async with run_program(launcher, ["bot", "run"], environment, tmp_path) as program:
            assert await program.ended() == Exit.TO_MEND
    assert "INTERACTIONS_PORT: can't use port" in program.output.splitlines()[-1]
