"""What managers do with what is followed, announced and pinned: several presses each."""

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.simulation.faults import NotNow
from tests.simulation.seen import Card
from tests.simulation.steps import step
from tests.simulation.steps.discord import give_back, take_permission
from tests.simulation.steps.makers import add_item
from tests.simulation.steps.presses import fill_in, press, press_on
from tests.simulation.steps.stories import drawn_again, guild_again
from tests.simulation.town import Deed, Person, Town

_PLACES = ("news", "talk", "board", "staff")
_NEWS = ("new", "clearance", "cheaper", "back", "members", "gone")
_NEWS_TOLD = (("new", "clearance"), ("new",), ("cheaper", "back"), ("new", "gone"), _NEWS)
# Each with how likely it is.
_DECISIONS = {"announce.resume": 6, "announce.pause": 3, "an.edit": 2, "announce.ask_remove": 1}
# Numbers that no thread and no catalog has.
_NOT_THERE = (71, 72, 73)
_GIVES_BACK = 0.8
# In seconds, after which news were seen and sent.
_A_LOOK = 400
_UNTIL_TRIED_AGAIN = 650
_OTHERS = ("announce.words_form", "announce.notify_form", "announce.newest", "announce.preview")


@step(0.8, opens=1)
async def follow_a_thread(town: Town, draw: Random) -> None:
    who, guild_id = _manager(town, draw)
    thread = draw.choice(list(town.game.threads()))
    channels = town.channels[guild_id]
    channel = channels[draw.choice(_PLACES)]
    at = channels["staff"]
    await town.use(who, guild_id, at, "announce thread", thread=str(thread), channel=channel)


@step(0.8, opens=1)
async def announce_a_catalog(town: Town, draw: Random) -> None:
    who, guild_id = _manager(town, draw)
    channels = town.channels[guild_id]
    catalog = draw.choice(list(town.game.catalogs()))
    opened = await town.use(who, guild_id, channels["staff"], "announce add", catalog=str(catalog))
    await fill_in(
        town,
        draw,
        opened,
        channel=[channels[draw.choice(_PLACES)]],
        news=list(draw.choice(_NEWS_TOLD)),
        role=_roles(town, draw, guild_id),
        cost=draw.choice(("", "", "", "100 Acorns")),
        type=None,
    )


@step(1.2)
async def change_what_is_announced(town: Town, draw: Random) -> None:
    """Open one of the list, and pause it, let it go on, move it or remove it."""
    who, card = await _open_one(town, draw)
    weights = {kind: weight for kind, weight in _DECISIONS.items() if card.control(kind)}
    if not weights:
        raise NotNow
    (kind,) = draw.choices([*weights], [*weights.values()])
    await _press_through(town, draw, who, card, kind)


@step(0.6)
async def adorn_what_is_announced(town: Town, draw: Random) -> None:
    """Open one of the list, and give it words or a role, look at it, or post the newest."""
    who, card = await _open_one(town, draw)
    kinds = [kind for kind in _OTHERS if card.control(kind)]
    if not kinds:
        raise NotNow
    await _press_through(town, draw, who, card, draw.choice(kinds))


@step(0.4, opens=1)
async def set_a_panel(town: Town, draw: Random) -> None:
    who, guild_id = _manager(town, draw)
    channels = town.channels[guild_id]
    shown = await town.use(who, guild_id, channels["staff"], "setup show")
    card = _last(shown)
    control = next(
        (one for one in card.controls if one.kind == "setup.form" and one.fields[0] == "Panel"),
        None,
    )
    if control is None:
        raise NotNow
    opened = await town.press(who, card, control)
    channel = channels[draw.choice(("talk", "news"))]
    await fill_in(town, draw, opened, panel_channel_id=[channel] if draw.random() < 0.9 else [])


@step(0.4)
async def follow_by_part_of_a_name(town: Town, draw: Random) -> None:
    """Follow a thread by a word that two names begin with, and say which is meant."""
    who, guild_id = _manager(town, draw)
    staff = town.channels[guild_id]["staff"]
    for number in draw.sample(list(town.game.threads()), 2):
        await town.use(who, guild_id, staff, "setup thread", id=str(number), name=f"Place {number}")
    channel = town.channels[guild_id][draw.choice(_PLACES)]
    deed = await town.use(who, guild_id, staff, "announce thread", thread="Place", channel=channel)
    await press_on(town, draw, deed, "forum.follow")


@step(0.3)
async def name_what_is_not_in_the_game(town: Town, draw: Random) -> None:
    """Give a name to a number that the game doesn't have yet, and keep it."""
    who, guild_id = _manager(town, draw)
    command = draw.choice(("setup thread", "setup catalog"))
    number = draw.choice(_NOT_THERE)
    staff = town.channels[guild_id]["staff"]
    deed = await town.use(who, guild_id, staff, command, id=str(number), name=f"Place {number}")
    await press_on(town, draw, deed, "keep")


@step(0.5)
async def members_may_be_notified(town: Town, draw: Random) -> None:
    """Let members take the role that is pinged. Something new comes, and someone takes it."""
    who, card = await _open_one(town, draw)
    guild_id = card.guild_id or 0
    control = card.control("announce.notify_form")
    if control is None:
        raise NotNow
    opened = await town.press(who, card, control)
    await fill_in(town, draw, opened, role=[town.roles[guild_id][draw.choice(("fan", "gold"))]])
    for number in town.game.catalogs():
        await add_item(town, draw, number)
    await town.pass_time(_A_LOOK)
    await press_notify_me(town, draw)


@step(0.3)
async def press_notify_me(town: Town, draw: Random) -> None:
    """Press "Notify me" on what is announced."""
    cards = [
        (card, control)
        for guild in town.guilds
        for card in town.sight.public(guild.id)
        if (control := card.control("announce.notify_me"))
    ]
    if not cards:
        raise NotNow
    card, control = draw.choice(cards)
    who = draw.choice([each for each in town.people if (card.guild_id or 0) in each.actors])
    await town.press(who, card, control)


@step(0.4)
async def set_again_what_was_refused(town: Town, draw: Random) -> None:
    """Take from Kiosk what it needs in a channel, give it back, and press what posts it again."""
    who, guild_id = _manager(town, draw)
    channels = [town.channels[guild_id][name] for name in ("talk", "news", "staff")]
    for channel in channels:
        take_permission(town, channel, "send_messages")
    deed = await town.use(who, guild_id, channels[-1], "setup show")
    if draw.random() < _GIVES_BACK:
        give_back(town, [channel.id for channel in channels])
    await press_on(town, draw, deed, "setup.again")


@step(0.3)
async def a_channel_takes_no_news(town: Town, draw: Random) -> None:
    """Something new comes that Kiosk may not post, once and once more."""
    guild = draw.choice(town.guilds)
    for name in _PLACES:
        take_permission(town, town.channels[guild.id][name], "send_messages")
    for number in town.game.catalogs():
        await add_item(town, draw, number)
    for seconds in (_A_LOOK, _UNTIL_TRIED_AGAIN):
        await town.pass_time(seconds)


async def _open_one(town: Town, draw: Random) -> tuple[Person, Card]:
    who, guild_id = _manager(town, draw)
    listed = await town.use(who, guild_id, town.channels[guild_id]["staff"], "announce list")
    card = _last(listed)
    controls = [control for control in card.controls if control.kind == "announce.open"]
    if not controls:
        raise NotNow
    numbers = {int(control.fields[0]): control for control in controls}
    number = draw.choice([*numbers])
    number = drawn_again(town, draw, "subscription", number, numbers.__contains__)
    return who, _last(await town.press(who, card, numbers[number]))


async def _press_through(town: Town, draw: Random, who: Person, card: Card, kind: str) -> None:
    """Press something on a card, and what it asks then."""
    control = card.control(kind)
    if control is None:
        raise NotNow
    deed = await press(town, draw, who, card, control)
    for _ in range(2):
        answer = deed.answers[-1] if deed.answers else None
        asked = answer and (
            answer.control("announce.remove")
            or answer.control("announce.keep_words")
            or next((one for one in answer.controls if one.kind == "announce.decide_missed"), None)
        )
        if answer is None or asked is None:
            return
        if asked.kind == "announce.decide_missed":
            asked = draw.choice([one for one in answer.controls if one.kind == asked.kind])
        deed = await town.press(who, answer, asked)


def _manager(town: Town, draw: Random) -> tuple[Person, int]:
    who = draw.choice([person for person in town.people if person.is_staff and person.actors])
    return who, guild_again(town, draw, sorted(who.actors))


def _roles(town: Town, draw: Random, guild_id: int) -> Sequence[Any]:
    roles = town.roles[guild_id]
    return [roles[name] for name in ("fan", "gold") if draw.random() < 0.3]


def _last(deed: Deed) -> Card:
    if not deed.answers:
        raise NotNow
    return deed.answers[-1]
