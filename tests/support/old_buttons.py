"""Press every button that ever stood in a chat, as tests/support/custom_ids.toml has them."""

import tomllib
from pathlib import Path
from typing import Any

import simcord

from tests.support.presses import choose_forged, press_again, submit_forged
from tests.support.world import World

_IDS = Path(__file__).parent / "custom_ids.toml"
# A channel's and a person's id in the fixture. The game's numbers are no one's.
_SNOWFLAKE = "1499999999999999999"


def old_ids() -> list[tuple[str, dict[str, Any]]]:
    """Return every id of the fixture, with what was chosen or filled in."""
    ids = tomllib.loads(_IDS.read_text(encoding="utf-8"))
    pressed = [(custom_id, dict[str, Any]()) for custom_id in ids["press"]]
    return [*pressed, *((entry.pop("id"), entry) for entry in ids["choose"] + ids["submit"])]


async def press_old(
    world: World, card: Any, custom_id: str, how: dict[str, Any]
) -> simcord.InteractionResult:
    def meant(text: str) -> str:
        return text.replace(_SNOWFLAKE, str(world.channel.id))

    doing = (world.moderator, world.channel, card, meant(custom_id))
    match how:
        case {"value": value}:
            return await choose_forged(*doing, value)
        case {"fields": fields}:
            texts = {name: meant(text) for name, text in fields.items()}
            return await submit_forged(*doing, texts)
        case _:
            return await press_again(*doing)
