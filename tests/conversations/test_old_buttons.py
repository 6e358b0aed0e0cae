"""Every button that Kiosk ever gave away still leads somewhere."""

import tomllib
from pathlib import Path
from typing import Any

import simcord

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.presses import choose_forged, press_again, submit_forged
from tests.support.world import SUBSCRIBER, World

_IDS = Path(__file__).parents[1] / "support" / "custom_ids.toml"


# A channel's and a person's id in the fixture; the game's numbers are nobody's.
_SNOWFLAKE = "1499999999999999999"
# Answered with "no longer works": of an order that nobody has placed, and of what is gone.
_ENDED = {"anyway", "askanyway", "askagain", "cancel", "ordered"}


async def test_an_old_button_opens_what_it_opened_or_says_what_does(world: World) -> None:
    await world.name_demo_places()
    await world.settle(world.moderator, SUBSCRIBER)
    card = answer_of(await world.slash("help", world.moderator))

    ended: set[str] = set()
    for custom_id, how in _old_ids().items():
        pressed = await _press(world, card, custom_id, how)
        if pressed.modal:
            continue
        text = text_of(pressed)
        assert text, custom_id
        assert "Something went wrong" not in text, custom_id
        if "no longer works" in text:
            ended.add(custom_id.removeprefix("kiosk.").partition(":")[0])
            assert buttons_of(pressed), custom_id

    assert ended == _ENDED


def _old_ids() -> dict[str, dict[str, Any]]:
    """Return every id of the fixture, with what was chosen or filled in."""
    ids = tomllib.loads(_IDS.read_text(encoding="utf-8"))
    return {custom_id: {} for custom_id in ids["press"]} | {
        entry.pop("id"): entry for entry in ids["choose"] + ids["submit"]
    }


async def _press(
    world: World, card: Any, custom_id: str, how: dict[str, Any]
) -> simcord.InteractionResult:
    here = custom_id.replace(_SNOWFLAKE, str(world.channel.id))
    doing = (world.moderator, world.channel, card, here)
    match how:
        case {"value": value}:
            return await choose_forged(*doing, value)
        case {"fields": fields}:
            return await submit_forged(*doing, fields)
        case _:
            return await press_again(*doing)
