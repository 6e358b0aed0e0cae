"""What members do in the forum: read on, write, edit, delete, and ask to be told."""

from collections.abc import Sequence
from random import Random

from tests.simulation.door import Fault as GameFault
from tests.simulation.door import Kind, On
from tests.simulation.faults import NotNow
from tests.simulation.seen import Card, Control
from tests.simulation.steps import presses, step
from tests.simulation.steps.players import some_thread, write_in
from tests.simulation.steps.stories import member_again
from tests.simulation.steps.words import new_text
from tests.simulation.town import Deed, Person, Town

_WORDS = ("acorn", "hat*", "желудь", "park, acorn hat", "*cap")
# Of a thread's comments, the one that is answered.
_NEWEST = 4
_LEAVES = 0.3
_LONG = 40
_BREAKS = (2, 6)
_AFTER_A_LOSS = ("forum.look", "forum.ask_again")


@step(1, opens=1)
async def read_a_thread(town: Town, draw: Random) -> None:
    who = presses.some_person(town, draw)
    await _use(town, draw, who, "forum read", thread=_thread(town, draw))


@step(1.5)
async def turn_pages(town: Town, draw: Random) -> None:
    """Press Next or Previous some times, while players write."""
    who, card = _card_with(town, draw, "forum.screen")
    goes_back = draw.random() < 0.3
    for _ in range(draw.randint(1, 3)):
        turns = [control for control in card.controls if turns_by(control) == goes_back]
        if not turns:
            return
        if draw.random() < 0.4:
            await town.pass_time(draw.randint(1, 60))
            for _ in range(draw.choice((1, 1, 2, 5, 9))):
                await write_in(town, draw, int(turns[0].fields[0]), answers=0.2)
        deed = await town.press(who, card, turns[0])
        if deed.is_refused or not deed.answers:
            return
        card = deed.answers[-1]


@step(0.6)
async def come_back_to_a_thread(town: Town, draw: Random) -> None:
    """Read a long thread, come back when there is something new, and read on."""
    who = presses.some_person(town, draw)
    long = [each for each in town.game.threads() if len(town.game.comments(each)) >= _LONG]
    thread_id = draw.choice(long)
    await _use(town, draw, who, "forum read", thread=str(thread_id))
    await town.pass_time(draw.choice((60, 600, 4000)))
    for _ in range(draw.randint(1, 6)):
        await write_in(town, draw, thread_id, answers=0.3)
    deed = await _use(town, draw, who, "forum read", thread=str(thread_id))
    for _ in range(draw.randint(1, 3)):
        card = deed.answers[-1] if deed.answers else None
        turns = [each for each in card.controls if turns_by(each) is False] if card else []
        if card is None or not turns:
            return
        deed = await town.press(who, card, turns[0])


def turns_by(control: Control) -> bool | None:
    """Return whether a control leads to the screen before, None if it turns no page."""
    fields = control.fields
    if control.kind != "forum.screen":
        return None
    if len(fields) < 5 or not fields[4]:
        return None
    return len(fields) > 5 and fields[5] == "1"


@step(1.5, opens=1)
async def write_in_a_thread(town: Town, draw: Random) -> None:
    """Write a comment or a reply, and often ask to be told of replies to it."""
    who = _linked(town, draw)
    thread = _thread(town, draw)
    options = {"content": new_text(town, draw)} if draw.random() < 0.6 else {}
    command = "forum post"
    comments = town.game.comments(int(thread))
    if comments and draw.random() < 0.5:
        command = "forum reply"
        options["comment"] = str(draw.choice(comments[-_NEWEST:]).id)
    deed = await _use(town, draw, who, command, thread=thread, **options)
    await _ask_for_replies(town, draw, deed)


@step(0.7)
async def answer_somebody(town: Town, draw: Random) -> None:
    """Reply to what was written here, from a card that shows it."""
    who, card = _card_with(town, draw, "forum.write_form")
    forms = [each for each in card.controls if each.kind == "forum.write_form"]
    deed = await presses.press(town, draw, who, card, draw.choice(forms))
    await _ask_for_replies(town, draw, deed)


@step(0.8)
async def two_talk(town: Town, draw: Random) -> None:
    """Let one member answer another, soon after; each may ask to be told."""
    thread = _thread(town, draw)
    content = new_text(town, draw)
    deed = await _use(town, draw, _linked(town, draw), "forum post", thread=thread, content=content)
    await _ask_for_replies(town, draw, deed)
    written = [each for each in town.game.comments(int(thread)) if content in each.text]
    if not written or draw.random() < _LEAVES:
        return
    options = {"comment": str(written[0].id), "content": new_text(town, draw)}
    deed = await _use(town, draw, _linked(town, draw), "forum reply", thread=thread, **options)
    await _ask_for_replies(town, draw, deed)


async def _ask_for_replies(town: Town, draw: Random, deed: Deed) -> None:
    if deed.answers and draw.random() < 0.6:
        card = deed.answers[-1]
        if control := card.control("forum.tell"):
            await town.press(deed.who, card, control)


@step(0.3)
async def a_change_is_lost(town: Town, draw: Random) -> None:
    """Let the game break off a few times, from a change on."""
    fault = draw.choice((Kind.LOSES, Kind.CUTS))
    town.game.door.suffer(GameFault(fault, on=On.WRITES, times=draw.choice(_BREAKS)))
    town.tell(f"the game {fault} at the next changes")
    await change_what_one_wrote(town, draw)


@step(0.7)
async def change_what_one_wrote(town: Town, draw: Random) -> None:
    who = _linked(town, draw)
    player = town.game.player_of(who.token)
    own = [
        comment
        for thread_id in town.game.threads()
        for comment in town.game.comments(thread_id)[-40:]
        if player is not None and comment.player_id == player.id
    ]
    if not own:
        raise NotNow
    number = str(draw.choice(own).id)
    if draw.random() < 0.5:
        await _use(town, draw, who, "forum edit", comment=number, content=new_text(town, draw))
        return
    deed = await _use(town, draw, who, "forum delete", comment=number)
    for card in deed.answers:
        if control := card.control("forum.delete"):
            await town.press(who, card, control)


@step(0.7, opens=1)
async def watch_for_words(town: Town, draw: Random) -> None:
    who = presses.some_person(town, draw)
    options = {} if draw.random() < 0.2 else {"thread": _thread(town, draw)}
    await _use(town, draw, who, "forum watch", words=draw.choice(_WORDS), **options)


@step(0.4)
async def hear_of_all_replies(town: Town, draw: Random) -> None:
    who = _linked(town, draw)
    deed = await _use(town, draw, who, "account show")
    for card in deed.answers:
        if control := card.control("account.replies"):
            await town.press(who, card, control)


@step(0.3)
async def stop_being_told(town: Town, draw: Random) -> None:
    who = presses.some_person(town, draw)
    deed = await _use(town, draw, who, "account watches")
    for kind in ("unwatch", "unwatch.sure"):
        ways = [each for card in deed.answers for each in card.controls if each.kind == kind]
        if not ways:
            return
        deed = await town.press(who, deed.answers[-1], draw.choice(ways))


@step(0.4)
async def look_at_unsent(town: Town, draw: Random) -> None:
    await _use(town, draw, _linked(town, draw), "forum unsent")


@step(0.6)
async def a_text_is_lost(town: Town, draw: Random) -> None:
    """Let the game break off while someone writes. They have it looked for, or send it again."""
    who = _linked(town, draw)
    lost = GameFault(draw.choice((Kind.LOSES, Kind.CUTS)), on=On.WRITES, times=1)
    unseen = GameFault(Kind.FAILS, on=On.READS)
    town.game.door.suffer(lost)
    town.game.door.suffer(unseen)
    try:
        content = new_text(town, draw)
        await _use(town, draw, who, "forum post", thread=_thread(town, draw), content=content)
        await town.pass_time(draw.choice((1, 120)))
        deed = await _use(town, draw, who, "forum unsent")
        deed = await presses.press_on(town, draw, deed, "forum.draft")
        ways = [kind for kind in _AFTER_A_LOSS if any(card.control(kind) for card in deed.answers)]
        if not ways:
            raise NotNow
        kind = draw.choice(ways)
        if draw.random() < 0.5:
            town.game.door.recover(unseen)
        deed = await presses.press_on(town, draw, deed, kind)
        if kind == "forum.ask_again":
            await presses.press_on(town, draw, deed, "forum.send_again")
    finally:
        town.game.door.recover(*[each for each in (lost, unseen) if each in town.game.door.faults])


async def _use(town: Town, draw: Random, who: Person, command: str, /, **options: str) -> Deed:
    guild_id, channel = presses.some_place(town, draw, who)
    deed = await town.use(who, guild_id, channel, command, **options)
    return await presses.fill_in(town, draw, deed)


def _thread(town: Town, draw: Random) -> str:
    return str(some_thread(town, draw))


def _linked(town: Town, draw: Random) -> Person:
    people = [who for who in town.people if who.token]
    if not people:
        raise NotNow
    return member_again(town, draw, people)


def _card_with(town: Town, draw: Random, kind: str) -> tuple[Person, Card]:
    """Return someone, and a card that they see with such a control."""
    people: Sequence[Person] = town.people
    found = [
        (who, card)
        for who in people
        for channel_id in town.readable_channels(who)
        for card in town.sight.looked_at(channel_id, who.id)
        if card.control(kind)
    ]
    if not found:
        raise NotNow
    return draw.choice(found)
