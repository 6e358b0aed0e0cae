"""A bot that was killed, one that loses its database, and one that can only read it."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.database import open_database
from storage.vault import new_key
from tests.support.bot_process import run_bot
from tests.support.database_proxy import open_database_proxy
from tests.support.databases import address_at
from tests.support.discord_standin import Discord, open_discord
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import Launcher
from tests.support.rogue_game import RogueShop

# In seconds: longer than a test waits, so that anything that waits for it would be late.
LONG_TERM = 2 * PATIENCE_SECONDS
# Tries of the driver's, in the seconds that everything takes to find out; nothing is decided by it.
MANY_TRIES = 12
# Of SQLite's header: which versions may write the file, and one that is none.
WRITTEN_BY, NOBODY = 18, b"\3"


@pytest.fixture
async def discord() -> AsyncGenerator[Discord]:
    async with open_discord() as opened:
        yield opened


async def test_after_a_kill_it_is_back_at_once_and_warns_of_nothing(
    launcher: Launcher, discord: Discord, shop: RogueShop, tmp_path: Path
) -> None:
    ada = discord.add_member("ada")
    async with run_bot(launcher, discord, shop.base_url, tmp_path, claim_term=LONG_TERM) as killed:
        await killed.program.says("the active worker")
        await killed.kill()
        async with run_bot(launcher, discord, shop.base_url, tmp_path, claim_term=LONG_TERM) as bot:
            await bot.program.says("the active worker")
            await (await discord.slash(ada, "help")).says("You post and shop as yourself")
            lines = map(json.loads, bot.program.output.splitlines())
            assert {line["level"] for line in lines} == {"info"}, bot.program.output


async def test_a_lost_database_is_two_lines(
    launcher: Launcher,
    discord: Discord,
    shop: RogueShop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    ada = discord.add_member("ada")
    async with (
        open_database_proxy(address_at(tmp_path / "kiosk.db")) as proxy,
        run_bot(
            launcher,
            discord,
            shop.base_url,
            tmp_path,
            database_url=proxy.address,
            # Long enough that no claim is lost meanwhile on a slow machine.
            claim_term=20.0,
        ) as bot,
    ):
        for beginning in ("the active worker", "Kiosk is ready"):
            await bot.program.says(beginning)
        before = len(bot.program.output.splitlines())
        proxy.is_down = True
        proxy.cut()
        await bot.program.says("Can't use the database")
        await proxy.refused.until(lambda: len(proxy.refused.past) > MANY_TRIES)
        proxy.is_down = False
        await bot.program.says("The database works again")
        naming = await discord.slash(ada, "setup thread", id="12", name="Patch notes")
        await naming.says("Patch notes")

        lines = bot.program.output.splitlines()[before:]
        events = [json.loads(line)["event"] for line in lines]
        assert events[1:] == ["The database works again"], events
        assert events[0].startswith("Can't use the database: ")


async def test_a_file_that_can_only_be_read_is_one_sentence(
    launcher: Launcher, tmp_path: Path
) -> None:
    path = tmp_path / "kiosk.db"
    async with open_database(f"sqlite:///{path}", MIGRATIONS):
        pass
    with path.open("r+b") as file:
        file.seek(WRITTEN_BY)
        file.write(NOBODY)
    settings = {
        "DISCORD_TOKEN": "x",
        "KIOSK_KEYS": new_key(),
        "GAME_BASE_URL": "http://127.0.0.1:9",
    }
    ended = launcher.run(["bot", "run"], settings | {"LOG_LEVEL": "ERROR"}, tmp_path)

    assert ended.status == 78
    assert f"DATABASE_URL: {path} can't be used: attempt to write a readonly" in ended.err
    assert ended.err.count("\n") == 1


async def test_a_bot_on_a_file_makes_its_backups_by_itself(
    launcher: Launcher, discord: Discord, shop: RogueShop, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    settings = {"BACKUP_DIR": str(folder), "DATABASE_URL": f"sqlite:///{tmp_path / 'kiosk.db'}"}
    async with run_bot(launcher, discord, shop.base_url, tmp_path, settings=settings) as bot:
        await bot.program.says("Backed up the database to")
        assert len(list(folder.iterdir())) == 1
