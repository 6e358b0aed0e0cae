"""Every first card of a command is taken, whatever script the game and the server write in."""

from pathlib import Path

import pytest

from bot.features.directory import MAX_NAME_LENGTH
from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.support.announcing import catalog_in
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.rogue_game import RogueShop
from tests.support.world import open_world

COMMANDS = ["help", "account show", "setup show", "announce list", "forum read", "shop browse"]


@pytest.mark.parametrize("language", ["en-US", "de"])
@pytest.mark.parametrize("letter", ["я", "雨", "ไ", "🌰"])
async def test_a_server_of_any_script_is_shown(
    tmp_path: Path, shop: RogueShop, letter: str, language: str
) -> None:
    async with open_world(tmp_path, shop.base_url) as world:
        speak_language(world.env, language)
        await world.settle(world.moderator, "any-token")
        for number in range(1, 31):
            name = f"{number:02}" + letter * (MAX_NAME_LENGTH - 2)
            for kind in PlaceKind:
                await world.bot.features.directory.add(world.guild.id, kind, number, name)
        for number in range(1, 10):
            new = catalog_in(
                world.guild.id, world.channel.id, number, created_by=world.moderator.id
            )
            await world.bot.features.announcing.add(new)

        for command in COMMANDS:
            card = answer_of(await world.slash(command, world.moderator))
            names_places = letter * 20 in f"{text_of(card)}{selects_of(card)}"
            assert names_places == (command not in {"help", "account show"}), command
