"""Accounts: tokens end, links are taken away, and people ask for what Kiosk keeps of them."""

import contextlib
from random import Random

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.stories import member_again
from tests.simulation.town import Deed, Person, Town

# An export takes some 20 ms.
_EXPORTING = 3


@step(0.2)
async def a_token_ends(town: Town, draw: Random) -> None:
    """End a token in the game, and give the member who had it another one."""
    who = draw.choice([person for person in town.people if person.token])
    player = town.game.player_of(who.token)
    if player is None:
        raise NotNow
    await town.game.end_token(who.token)
    new = f"{who.token.partition('+')[0]}+{town.texts}"
    town.texts += 1
    await town.game.give_token(player.id, new)
    who.token = new
    town.tell(f"the token of {who} ends; there is another one")


@step(0.4)
async def unlink(town: Town, draw: Random) -> None:
    await _press_through(town, draw, "unlink", "unlink_now")


@step(0.15)
async def erase_everything(town: Town, draw: Random) -> None:
    """Have all erased, and look what is left."""
    who, guild_id, deed = await _press_through(town, draw, "ask_erase", "erase")
    deed = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account show")
    await _press(town, who, deed, "export")


@step(0.3)
async def export(town: Town, draw: Random) -> None:
    await _press_through(town, draw, "export")


@step(0.1)
async def members_export(town: Town, draw: Random) -> None:
    """Let some ask for all that is kept of them."""
    there = [person for person in town.people if person.actors]
    for who in draw.sample(there, min(len(there), _EXPORTING)):
        guild_id = min(who.actors)
        deed = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account show")
        with contextlib.suppress(NotNow):
            await _press(town, who, deed, "export")


async def _press_through(town: Town, draw: Random, *kinds: str) -> tuple[Person, int, Deed]:
    who = member_again(town, draw, [person for person in town.people if person.actors])
    guild_id = draw.choice(sorted(who.actors))
    deed = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account show")
    for kind in kinds:
        deed = await _press(town, who, deed, kind)
    return who, guild_id, deed


async def _press(town: Town, who: Person, deed: Deed, kind: str) -> Deed:
    found = [(card, control) for card in deed.answers if (control := card.control(kind))]
    if not found:
        raise NotNow
    return await town.press(who, *found[0])
