"""`python -m bot init`, which asks three questions and writes `.env`."""

import resource
import stat
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.settings import Settings, load_settings
from game_service.app import KIOSK_TOKEN
from tests.support.bot_process import environment_of
from tests.support.discord_standin import Discord, open_discord
from tests.support.game import open_game_copy
from tests.support.game_samples import comment, page
from tests.support.program import Launcher, at_a_terminal, run_program
from tests.support.rogue_game import Reply, open_rogue_game, reply

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
    environment = environment_of(discord, NOWHERE, folder)
    for name in ("KIOSK_KEYS", "DATABASE_URL", "GAME_TOKEN"):
        del environment[name]
    environment |= settings
    environment.pop(without, None)
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
    account = {"GAME_BASE_URL": game, "GAME_TOKEN": "wrong"}
    status, lines = await init(launcher, folder, discord, **account)
    assert (status, lines) == (1, ["game: refuses GAME_TOKEN. Get a new token"])
    account["GAME_TOKEN"] = KIOSK_TOKEN
    status, lines = await init(launcher, folder, discord, **account)
    assert status == 0
    assert f"client_id={discord.state.application_id}" in "\n".join(lines)

    file = folder / ".env"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings = written(folder, monkeypatch)
    assert settings.discord_token is not None
    assert settings.discord_token.get_secret_value() == discord.state.token
    assert settings.game_base_url == game
    assert settings.game_token == SecretStr(KIOSK_TOKEN)
    assert len(settings.kiosk_keys) == 1

    before = file.read_bytes()
    status, lines = await init(launcher, folder, discord, GAME_BASE_URL=game)
    assert status == 1
    assert lines == [".env already exists. Edit it, or move it away"]
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DISCORD_TOKEN", None, "DISCORD_TOKEN: missing"),
        ("DISCORD_TOKEN", "wrong", "DISCORD_TOKEN: Discord refuses it"),
        ("DISCORD_TOKEN", "two words", "DISCORD_TOKEN: it has characters that tokens never have"),
        ("GAME_BASE_URL", None, "GAME_BASE_URL: missing"),
        ("GAME_BASE_URL", "http://game.example", "GAME_BASE_URL: the game's address must be https"),
        ("GAME_BASE_URL", NOWHERE, "game: can't be reached"),
        ("GAME_TOKEN", "two words", "GAME_TOKEN: it has characters that tokens never have"),
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


@pytest.mark.parametrize(
    ("thread", "sentence"),
    [
        (reply({"message": "Unknown."}, status=404), "Check the path in GAME_BASE_URL."),
        (reply(page(comment(id=1))), "answers 404 to catalog 1, which says nothing about GAME_TO"),
    ],
)
async def test_a_game_that_shows_nothing_yet_is_taken_with_the_account(
    launcher: Launcher,
    folder: Path,
    discord: Discord,
    monkeypatch: pytest.MonkeyPatch,
    thread: Reply,
    sentence: str,
) -> None:
    async with open_rogue_game() as game:
        game.answers(thread, reply({"message": "Unknown."}, status=404))
        account = {"GAME_BASE_URL": game.base_url, "GAME_TOKEN": "ours"}
        status, lines = await init(launcher, folder, discord, **account)

    assert status == 0
    assert sentence in "\n".join(lines)
    settings = written(folder, monkeypatch)
    assert (settings.game_base_url, settings.game_token) == (game.base_url, SecretStr("ours"))


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


async def init_at_a_terminal(
    launcher: Launcher, folder: Path, discord: Discord, answers: Sequence[tuple[str, str]]
) -> str:
    environment = environment_of(discord, NOWHERE, folder)
    for name in ("KIOSK_KEYS", "DATABASE_URL", "DISCORD_TOKEN", "GAME_BASE_URL", "GAME_TOKEN"):
        del environment[name]
    status, said = await at_a_terminal(launcher, ["bot", "init"], environment, folder, answers)
    assert status == 0
    return said


TOKEN, ADDRESS = "The token (you won't see it here): ", "(leave empty for a demo game): "
ACCOUNT = "The account's token (you won't see it here): "


async def test_at_a_terminal_what_is_refused_is_asked_again(
    launcher: Launcher, folder: Path, discord: Discord, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [
        # As an arrow key sends it.
        (TOKEN, "wrong\x1b[D"),
        (TOKEN, "wrong"),
        (TOKEN, discord.state.token),
        (ADDRESS, "game.example"),
        (ADDRESS, game),
        (ACCOUNT, "wrong\x1b[D"),
        (ACCOUNT, "wrong"),
        (ACCOUNT, KIOSK_TOKEN),
    ]
    said = await init_at_a_terminal(launcher, folder, discord, answers)

    assert said.count("it has characters that tokens never have. Copy only the token") == 2
    assert "DISCORD_TOKEN: Discord refuses it" in said
    assert "GAME_BASE_URL: the game's address must have the form https://host/path" in said
    assert said.count(" in public") == 1
    assert "game: refuses GAME_TOKEN" in said
    for token in (discord.state.token, KIOSK_TOKEN):
        assert token not in said
    settings = written(folder, monkeypatch)
    assert settings.game_base_url == game
    assert settings.game_token == SecretStr(KIOSK_TOKEN)


@pytest.mark.parametrize("is_demo", [True, False])
async def test_at_a_terminal_kiosk_may_do_without_an_account_and_the_demo_game_has_one(
    launcher: Launcher,
    folder: Path,
    discord: Discord,
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_demo: bool,
) -> None:
    answers = [(TOKEN, discord.state.token), (ADDRESS, "" if is_demo else game)]
    answers += [] if is_demo else [(ACCOUNT, "")]

    await init_at_a_terminal(launcher, folder, discord, answers)

    settings = written(folder, monkeypatch)
    assert settings.game_base_url == (None if is_demo else game)
    assert settings.game_token is None
