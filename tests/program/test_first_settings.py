"""`python -m bot init`, which asks two questions and writes `.env`."""

import asyncio
import os
import resource
import socket
import stat
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.settings import Settings, load_settings
from tests.support.bot_process import environment_of
from tests.support.discord_standin import Discord, open_discord
from tests.support.game import open_game_copy
from tests.support.gates import PATIENCE_SECONDS
from tests.support.program import Launcher, run_program
from tests.support.rogue_game import open_rogue_game, reply

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
async def discord() -> AsyncGenerator[Discord]:
    async with open_discord() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "of the bot"
    made.mkdir()
    return made


@pytest.fixture
async def game(demo: str, tmp_path: Path) -> AsyncGenerator[str]:
    async with open_game_copy(demo, tmp_path) as service:
        yield service.base_url


async def init(
    launcher: Launcher, folder: Path, discord: Discord, *, without: str = "", **settings: str
) -> tuple[int, list[str]]:
    """Run it without a terminal; return its exit status and its lines."""
    environment = environment_of(discord, NOWHERE, folder) | settings
    for name in ("KIOSK_KEYS", "DATABASE_URL", without):
        environment.pop(name, None)
    async with run_program(launcher, ["bot", "init"], environment, folder) as program:
        status = await program.ended()
        return status, program.output.splitlines()


def written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    return load_settings(folder / ".env")


async def test_without_a_terminal_the_environment_answers(
    launcher: Launcher, folder: Path, discord: Discord, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, lines = await init(launcher, folder, discord, GAME_BASE_URL=game)
    assert status == 0
    assert f"client_id={discord.state.application_id}" in "\n".join(lines)

    file = folder / ".env"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings = written(folder, monkeypatch)
    assert settings.discord_token is not None
    assert settings.discord_token.get_secret_value() == discord.state.token
    assert settings.game_base_url == game
    assert len(settings.kiosk_keys) == 1

    before = file.read_bytes()
    status, lines = await init(launcher, folder, discord, GAME_BASE_URL=game)
    assert status == 1
    assert lines == [".env is there already: change it by hand, or move it away"]
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DISCORD_TOKEN", None, "DISCORD_TOKEN: missing"),
        ("DISCORD_TOKEN", "wrong", "DISCORD_TOKEN: Discord refuses it"),
        ("DISCORD_TOKEN", "two words", "DISCORD_TOKEN: it has characters that no token has"),
        ("GAME_BASE_URL", None, "GAME_BASE_URL: missing"),
        ("GAME_BASE_URL", "http://game.example", "GAME_BASE_URL: the game's address must be https"),
        ("GAME_BASE_URL", NOWHERE, "game: can't be asked"),
    ],
)
async def test_without_a_terminal_one_sentence_says_what_is_wrong(
    launcher: Launcher, folder: Path, discord: Discord, name: str, value: str | None, sentence: str
) -> None:
    settings = {"GAME_BASE_URL": ""} | ({} if value is None else {name: value})
    without = name if value is None else ""
    status, lines = await init(launcher, folder, discord, without=without, **settings)

    assert status == 1
    (line,) = lines
    assert line.startswith(sentence)
    assert not (folder / ".env").exists()


async def test_no_address_is_the_demo_game(
    launcher: Launcher, folder: Path, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, _ = await init(launcher, folder, discord, GAME_BASE_URL="")

    assert status == 0
    assert written(folder, monkeypatch).game_base_url is None


async def test_a_game_that_shows_nothing_yet_is_taken(
    launcher: Launcher, folder: Path, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rogue_game() as game:
        game.answers(reply({"message": "Unknown."}, status=404))
        status, lines = await init(launcher, folder, discord, GAME_BASE_URL=game.base_url)

    assert status == 0
    assert "is the path in GAME_BASE_URL right?" in "\n".join(lines)
    assert written(folder, monkeypatch).game_base_url == game.base_url


async def test_a_disk_that_takes_nothing_is_left_without_a_file(
    launcher: Launcher, folder: Path, discord: Discord
) -> None:
    environment = environment_of(discord, "", folder)
    for name in ("KIOSK_KEYS", "DATABASE_URL"):
        del environment[name]
    async with (
        discord.state.gates.closed(lambda _: True) as gate,
        run_program(launcher, ["bot", "init"], environment, folder) as program,
    ):
        await gate.arrival()
        resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (0, 0))
        gate.open()
        assert await program.ended() == 1

    assert program.output.endswith("File too large")
    assert not (folder / ".env").exists()


async def test_at_a_terminal_what_is_refused_is_asked_again(
    launcher: Launcher, folder: Path, discord: Discord, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = environment_of(discord, NOWHERE, folder)
    for name in ("KIOSK_KEYS", "DATABASE_URL", "DISCORD_TOKEN", "GAME_BASE_URL"):
        del environment[name]
    terminal, its_end = os.openpty()
    control, its_control = socket.socketpair()
    with os.fdopen(terminal, "r+b", 0) as keys, os.fdopen(its_end, "wb") as screen:
        with control, its_control:
            ends = {"output": screen.fileno(), "errors": screen.fileno()}
            pid = launcher.start(
                ["bot", "init"], environment, folder, control=its_control.fileno(), **ends
            )
        shown = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(shown), keys
        )
        said = ""
        for question, answer in [
            # As an arrow key sends it.
            ("(you won't see it here): ", "wrong\x1b[D"),
            ("(you won't see it here): ", "wrong"),
            ("(you won't see it here): ", discord.state.token),
            ("(nothing: a demo game): ", "game.example"),
            ("(nothing: a demo game): ", game),
        ]:
            async with asyncio.timeout(PATIENCE_SECONDS):
                said += (await shown.readuntil(question.encode())).decode()
            keys.write(f"{answer}\n".encode())
        assert await asyncio.to_thread(launcher.wait, pid) == 0
        transport.close()

    assert "it has characters that no token has: copy it again" in said
    assert "DISCORD_TOKEN: Discord refuses it" in said
    assert "GAME_BASE_URL: the game's address is not of the form https://host/path" in said
    assert discord.state.token not in said
    assert written(folder, monkeypatch).game_base_url == game
