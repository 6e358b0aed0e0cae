"""`python -m bot invite` and `--version`, as an operator types them."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot import __version__
from tests.support.bot_process import environment_of
from tests.support.discord_standin import open_discord
from tests.support.program import Launcher, run_program


async def test_the_link_names_this_application_and_what_it_needs(
    launcher: Launcher, tmp_path: Path
) -> None:
    async with open_discord() as discord:
        environment = environment_of(discord, "http://127.0.0.1:9", tmp_path)
        async with run_program(launcher, ["bot", "invite"], environment, tmp_path) as told:
            assert await told.ended() == 0
        wrong = environment | {"DISCORD_TOKEN": "wrong"}
        async with run_program(launcher, ["bot", "invite"], wrong, tmp_path) as refused:
            assert await refused.ended() == 1

    link = told.output.splitlines()[-1]
    asked = parse_qs(urlsplit(link).query)
    assert asked["client_id"] == [str(discord.state.application_id)]
    assert asked["scope"] == ["bot applications.commands"]
    send_messages, manage_server = 1 << 11, 1 << 5
    assert int(asked["permissions"][0]) & send_messages
    assert int(asked["permissions"][0]) & manage_server
    assert refused.output.splitlines()[-1].startswith("DISCORD_TOKEN: Discord refuses it")


@pytest.mark.parametrize("command", [["--version"], ["run", "--help"]])
def test_what_asks_for_nothing_needs_no_settings(
    launcher: Launcher, tmp_path: Path, command: list[str]
) -> None:
    ended = launcher.run(["bot", *command], {}, tmp_path)

    assert ended.status == 0
    assert command != ["--version"] or ended.out == f"kiosk {__version__}\n"
