"""Ways through Kiosk's cards to what few presses meet by chance."""

from collections.abc import Mapping
from random import Random

from tests.simulation.faults import NotNow
from tests.simulation.steps import step
from tests.simulation.steps.presses import fill_in, press, rarest
from tests.simulation.town import Town

_ANY_THREAD = "3"

Way = tuple[str, Mapping[str, str], tuple[str, ...]]
# A command with its options, and then what is pressed on each answer.
_OF_STAFF: tuple[Way, ...] = (
    ("setup show", {}, ("setup.roles", "setup.role", "setup.role_takes")),
    ("setup show", {}, ("setup.roles", "setup.role", "setup.ask_role_off", "setup.role_off")),
    ("setup show", {}, ("setup.form", "setup.off")),
    ("setup show", {}, ("setup.off",)),
    ("announce history", {"item": "hat"}, ("announce.why",)),
    ("announce history", {}, ("announce.posted", "announce.update")),
    ("announce history", {}, ("announce.posted", "announce.ask_delete", "announce.delete")),
    ("moderate log", {}, ("moderate.page",)),
)
_OF_MEMBERS: tuple[Way, ...] = (
    ("shop orders", {}, ("orders.filter",)),
    ("shop orders", {}, ("ordered",)),
    ("shop orders", {}, ("ordered", "askagain")),
    ("forum read", {"thread": _ANY_THREAD}, ("forum.find_form", "more")),
    ("forum read", {"thread": _ANY_THREAD}, ("forum.find_form", "forum.found")),
    ("forum read", {"thread": _ANY_THREAD}, ("forum.find_form", "forum.watch_form")),
)


@step(1.2)
async def go_down_a_path(town: Town, draw: Random) -> None:
    """Use a command, and press one thing after the other on the cards that answer."""
    is_staff = draw.random() < 0.5
    paths = _OF_STAFF if is_staff else _OF_MEMBERS
    end = rarest(town, draw, sorted({path[-1][-1] for path in paths}))
    command, options, presses = draw.choice([path for path in paths if path[-1][-1] == end])
    who = draw.choice([each for each in town.people if each.is_staff or not is_staff])
    if not who.actors:
        raise NotNow
    guild_id = draw.choice(sorted(who.actors))
    channel = town.channels[guild_id]["staff" if is_staff else "talk"]
    deed = await town.use(who, guild_id, channel, command, **options)
    for kind in presses:
        found = [(card, control) for card in deed.answers if (control := card.control(kind))]
        if not found:
            return
        deed = await press(town, draw, who, *found[-1])
        deed = await fill_in(town, draw, deed)
