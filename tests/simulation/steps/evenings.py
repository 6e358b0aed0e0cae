"""What moderators meet in a bad evening: raids, many mutes, what comes back and what is gone."""

from collections.abc import Callable
from random import Random

from tests.simulation.faults import NotNow
from tests.simulation.seen import Card, Control
from tests.simulation.steps import meetings, moderators, step
from tests.simulation.steps.players import some_thread
from tests.simulation.steps.presses import fill_in, press_on
from tests.simulation.steps.words import new_text
from tests.simulation.town import Deed, Person, Town

# In seconds, after which Kiosk has looked at what is followed; after a look that failed, too.
_A_LOOK = 400
_A_FAILED_LOOK = 1300
# So long Kiosk shows a comment from a page that it has at hand.
_AT_HAND = 650
_A_MOMENT = 10
_A_MINUTE = 60
_RAIDED = 3
# A page of the list of mutes has ten.
_MUTED = 12
_LENGTHS = ("30m", "2h", "2h", "1d")
_CASES_LOOKED_AT = 12
_STOPPED = 0.5
_REPORTED_TWICE = 0.5
_PRESSED_TWICE = 0.3
_UNMUTED = 0.5


@step(0.4)
async def a_raid_is_dismissed(town: Town, draw: Random) -> None:
    """Report many comments of a player, and let a moderator dismiss all about or by someone."""
    who, guild_id = meetings.somebody(town, draw, staff=True)
    await moderators.set_log(town, draw, who, guild_id, needs_reason=False)
    people = [each for each in town.people if guild_id in each.actors]
    raider, other = draw.sample(people, 2)
    thread = some_thread(town, draw)
    raided, beside = draw.sample([player.id for player in town.game.players()], 2)
    written = [
        await meetings.write(town, draw, thread, None, player_id)
        for player_id in (*[raided] * _RAIDED, beside)
    ]
    for comment in written:
        await meetings.report(town, draw, raider, guild_id, comment)
    if draw.random() < _REPORTED_TWICE:
        await meetings.report(town, draw, other, guild_id, draw.choice(written))
    asking = draw.choice(("moderate.ask_about", "moderate.ask_by"))
    asked = await press_on(
        town,
        draw,
        await _case(town, who, guild_id, lambda card: card.control(asking) is not None),
        asking,
    )
    if asking == "moderate.ask_about":
        await press_on(town, draw, asked, "moderate.dismiss_about")
        return
    if draw.random() < _STOPPED:
        asked = await press_on(town, draw, asked, "moderate.ask_by")
    await press_on(town, draw, asked, "moderate.dismiss_by")
    comment = await meetings.write(town, draw, thread, None, beside)
    await town.pass_time(_A_MINUTE)
    for reporter in (other, raider):
        await meetings.report(town, draw, reporter, guild_id, comment)


@step(0.2)
async def many_are_muted(town: Town, draw: Random) -> None:
    """More players are muted than a page of their list has, and some are unmuted there."""
    who, guild_id = meetings.somebody(town, draw, staff=True)
    staff = town.channels[guild_id]["staff"]
    for player in draw.sample(list(town.game.players()), _MUTED):
        meant = {"until": draw.choice(_LENGTHS), "reason": new_text(town, draw)}
        asked = await town.use(
            who, guild_id, staff, "moderate mute", player=str(player.id), **meant
        )
        ways = _all(asked, "moderate.mute_now")
        if ways:
            await town.press(who, *draw.choice(ways))
    listed = await town.use(who, guild_id, staff, "moderate unmute")
    listed = await press_on(town, draw, listed, "moderate.mutes")
    if draw.random() < _UNMUTED:
        await press_on(town, draw, listed, "moderate.unmute")


@step(0.5)
async def a_comment_is_posted_again(town: Town, draw: Random) -> None:
    """What stood in a channel is removed, restored, and posted there again."""
    who, guild_id = meetings.somebody(town, draw, staff=True)
    staff = town.channels[guild_id]["staff"]
    thread = some_thread(town, draw)
    channel = town.channels[guild_id][draw.choice(("talk", "news"))]
    await town.use(who, guild_id, staff, "announce thread", thread=str(thread), channel=channel)
    await town.pass_time(_A_LOOK)
    comment = await meetings.write(town, draw, thread)
    await town.pass_time(_A_LOOK)
    form = await town.use(who, guild_id, staff, "moderate remove", comment=f"#{comment}")
    await fill_in(town, draw, form, reason=new_text(town, draw), mute="")
    await town.pass_time(_A_MOMENT)
    restored = await town.use(who, guild_id, staff, "moderate restore", removed=str(comment))
    way = moderators.find(restored.answers, "moderate.post", draw=draw)
    for _ in range(1 + (draw.random() < _PRESSED_TWICE)):
        await town.press(who, *way)
        await town.pass_time(_A_MOMENT)


@step(0.3)
async def a_followed_place_goes(town: Town, draw: Random) -> None:
    """A thread or a catalog is followed, and then the game has it no more."""
    who, guild_id = meetings.somebody(town, draw, staff=True)
    channels = town.channels[guild_id]
    staff, channel = channels["staff"], channels[draw.choice(("talk", "news"))]
    await moderators.set_log(town, draw, who, guild_id)
    kind = draw.choice(("thread", "thread", "catalog"))
    town.texts += 1
    name = f"qg{town.texts}z corner"
    is_thread = kind == "thread"
    number = await (town.game.add_thread(name) if is_thread else town.game.add_catalog(name))
    await town.use(who, guild_id, staff, f"setup {kind}", id=str(number), name=name)
    if is_thread:
        meant = {"thread": str(number), "channel": channel}
        await town.use(who, guild_id, staff, "announce thread", **meant)
    else:
        form = await town.use(who, guild_id, staff, "announce add", catalog=str(number))
        wanted = {"news": ["new"], "role": [], "cost": "", "type": None}
        await fill_in(town, draw, form, channel=[channel], **wanted)
    await town.pass_time(_A_LOOK)
    if is_thread:
        await meetings.write(town, draw, number)
        await town.pass_time(_A_LOOK)
    town.game.lose(kind, number)
    town.tell(f"{kind} {number} is gone")
    for seconds in (_A_LOOK, _A_FAILED_LOOK, _A_FAILED_LOOK):
        await town.pass_time(seconds)
    await town.use(who, guild_id, staff, "announce list")


@step(0.3)
async def a_gone_case_is_opened(town: Town, draw: Random) -> None:
    """A moderator opens, in the queue, what its writer has deleted since it was reported."""
    who, guild_id = meetings.somebody(town, draw, staff=True)
    reporter, _ = meetings.somebody(town, draw, guild_id=guild_id)
    await moderators.set_log(town, draw, who, guild_id)
    # Of a long thread, Kiosk doesn't read every page to know.
    thread = min(town.game.threads(), key=lambda each: len(town.game.comments(each)))
    comment = await meetings.write(town, draw, thread)
    await meetings.report(town, draw, reporter, guild_id, comment)
    await town.game.delete(comment)
    town.tell(f"{comment} is deleted")
    await town.pass_time(_AT_HAND)

    def is_it(card: Card) -> bool:
        control = card.control("moderate.remove_form")
        return control is not None and control.fields[1] == str(comment)

    shown = await _case(town, who, guild_id, is_it)
    await press_on(town, draw, shown, "comment")
    await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate queue")


async def _case(town: Town, who: Person, guild_id: int, is_meant: Callable[[Card], bool]) -> Deed:
    """Go through the queue, towards the newest, to the case that is meant."""
    deed = await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate queue")
    for _ in range(_CASES_LOOKED_AT):
        if any(is_meant(card) for card in deed.answers):
            return deed
        ways = [way for way in _all(deed, "moderate.next") if way[1].value is None]
        if not ways:
            break
        deed = await town.press(who, *max(ways, key=lambda way: int(way[1].fields[0])))
    raise NotNow


def _all(deed: Deed, kind: str) -> list[tuple[Card, Control]]:
    return [
        (card, control)
        for card in deed.answers
        for control in card.controls
        if control.kind == kind
    ]
