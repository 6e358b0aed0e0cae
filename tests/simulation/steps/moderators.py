"""What moderators do, and members and players who give them something to do."""

from collections.abc import Iterable
from random import Random
from typing import Any

from tests.simulation.faults import NotNow
from tests.simulation.game import Comment
from tests.simulation.seen import Card, Control
from tests.simulation.steps import step
from tests.simulation.steps.presses import fill_in, press, press_on
from tests.simulation.steps.stories import comment_again, drawn_again, guild_again
from tests.simulation.steps.words import new_text
from tests.simulation.town import Person, Town

# What is decided about is most often new.
_NEWEST = 12
_MAX_IN_A_QUEUE = 30
_WATCHED = ("acorn hat", "my hats!", "желудь", "the pole in the park", "two acorns and an acorn")
_NAMES = ("Acorn", "Hatty", "Robin", "Wren Park", "Birk")
# In seconds: after which what is posted was seen, and what is removed was tried to be deleted.
_A_LOOK = 330
_A_MOMENT = 10
_REPEATED = 3
# Discord's code for a channel that a bot doesn't see.
_MISSING_ACCESS = 50001
_DECISIONS = (
    "moderate.dismiss",
    "moderate.release",
    "moderate.remove_form",
    "moderate.mute_form",
    "moderate.mute_all",
    "moderate.next",
    "moderate.next_dismiss",
    "moderate.next_show",
    "moderate.ask_about",
    "moderate.ask_by",
    "moderate.dismiss_about",
    "moderate.dismiss_by",
)


@step(0.4, opens=1)
async def set_the_log_channel(town: Town, draw: Random) -> None:
    """Name a log channel, and now and then a role, reasons, or that one is needed."""
    who, guild_id = _moderator(town, draw)
    name = draw.choice(("staff", "staff", "staff", "talk"))
    await set_log(town, draw, who, guild_id, name)


async def set_log(
    town: Town, draw: Random, who: Person, guild_id: int, name: str = "staff", **others: Any
) -> None:
    shown = await town.use(who, guild_id, town.channels[guild_id]["staff"], "setup show")
    found = find(shown.answers, "setup.form", "Moderation")
    form = await town.press(who, *found)
    wanted: dict[str, Any] = {"log_channel_id": [town.channels[guild_id][name]]}
    if draw.random() < 0.7:
        wanted |= {"moderator_role_id": None, "reasons": None, "needs_reason": False}
        wanted["kept_days"] = "90"
    await fill_in(town, draw, form, **(wanted | others))


@step(0.6, opens=1)
async def watch_for_words(town: Town, draw: Random) -> None:
    who, guild_id = _moderator(town, draw)
    shown = await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate rules")
    form = await town.press(who, *find(shown.answers, "moderate.words_form"))
    words = draw.choice(("acorn", "hat*", "желудь\nacorn", "park, *ole*", "fool, hat*", ""))
    asked = await fill_in(town, draw, form, words=words)
    if asked.answers and (way := asked.answers[-1].control("moderate.no_words")):
        await town.press(who, asked.answers[-1], way)


@step(0.3)
async def switch_a_rule(town: Town, draw: Random) -> None:
    who, guild_id = _moderator(town, draw)
    shown = await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate rules")
    rule = draw.choice(("mutes_repeated", "tells_writers", "tells_writers"))
    await town.press(who, *find(shown.answers, "moderate.rule", rule))


@step(0.4, opens=1)
async def ask_to_hear_decisions(town: Town, draw: Random) -> None:
    who = draw.choice([person for person in town.people if person.token and person.actors])
    guild_id = draw.choice(sorted(who.actors))
    shown = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account show")
    await town.press(who, *find(shown.answers, "account.decisions"))


@step(0.4)
async def remove_what_a_member_wrote(town: Town, draw: Random) -> None:
    """Remove a comment, from its card, whose writer may want to know why."""
    who, guild_id = _moderator(town, draw)
    players = [town.game.player_of(person.token) for person in town.people if person.token]
    ids = {player.id for player in players if player}
    own = [comment for comment in _newest(town) if comment.player_id in ids]
    if not own:
        raise NotNow
    comment = draw.choice(own)
    staff = town.channels[guild_id]["staff"]
    await town.use(who, guild_id, staff, "forum read", thread=str(comment.thread_id))
    form = await town.use(who, guild_id, staff, "moderate remove", comment=f"#{comment.id}")
    await fill_in(town, draw, form, reason=new_text(town, draw), mute="")


@step(1.2)
async def report_a_comment(town: Town, draw: Random) -> None:
    """Read a thread, open a comment, and report it."""
    who = draw.choice([person for person in town.people if person.actors])
    guild_id = guild_again(town, draw, sorted(who.actors))
    talk = town.channels[guild_id]["talk"]
    thread = str(_comment(town, draw).thread_id)
    read = await town.use(who, guild_id, talk, "forum read", thread=thread)
    ways = _all(read.answers, "forum.comment")
    if not ways:
        raise NotNow
    numbers = {int(way[1].fields[3]): way for way in ways}
    number = drawn_again(town, draw, "comment", draw.choice([*numbers]), numbers.__contains__)
    opened = await town.press(who, *numbers[number])
    form = await town.press(who, *find(opened.answers, "moderate.report_form"))
    await fill_in(town, draw, form, reason=new_text(town, draw))


@step(0.5)
async def use_a_messages_menu(town: Town, draw: Random) -> None:
    """Report or remove what a public message shows."""
    name = draw.choice(("Report comment", "Remove comment"))
    who = draw.choice([person for person in town.people if person.actors])
    guild_id = draw.choice(sorted(who.actors))
    if name == "Remove comment":
        who, guild_id = _moderator(town, draw)
    places = [
        (channel, card)
        for channel in town.channels[guild_id].values()
        for card in town.sight.of_channel(channel.id)
        if any(control.kind.startswith("forum.") for control in card.controls)
    ]
    if not places:
        raise NotNow
    channel, card = draw.choice(places)
    deed = await town.use_menu(who, guild_id, channel, name, card)
    kinds = ("moderate.report_form", "moderate.remove_form")
    if deed.form is None:
        controls = [
            (card, control)
            for card in deed.answers
            for control in card.controls
            if control.kind in kinds
        ]
        if not controls:
            return
        deed = await town.press(who, *draw.choice(controls))
    await fill_in(town, draw, deed, reason=new_text(town, draw))


@step(0.8)
async def remove_a_comment(town: Town, draw: Random) -> None:
    who, guild_id = _moderator(town, draw)
    options = {"comment": f"#{_comment(town, draw).id}"}
    if draw.random() < 0.5:
        options["reason"] = new_text(town, draw)
    staff = town.channels[guild_id]["staff"]
    form = await town.use(who, guild_id, staff, "moderate remove", **options)
    mute = draw.choice(("", "", "2h", "3d", "yesterday"))
    await fill_in(town, draw, form, reason=new_text(town, draw), mute=mute)


@step(0.6)
async def mute_a_player(town: Town, draw: Random) -> None:
    who, guild_id = _moderator(town, draw)
    options = {"player": str(_comment(town, draw).player_id)}
    if draw.random() < 0.7:
        options["until"] = draw.choice(("1m", "2h", "1d", "3d"))
    if draw.random() < 0.7:
        options["reason"] = new_text(town, draw)
    staff = town.channels[guild_id]["staff"]
    asked = await town.use(who, guild_id, staff, "moderate mute", **options)
    ways = _all(asked.answers, "moderate.mute_now")
    if ways:
        await town.press(who, *draw.choice(ways))


@step(0.5)
async def undo_what_was_decided(town: Town, draw: Random) -> None:
    """Press Restore or Unmute in the log or in the list, or type what is to be shown again."""
    who, guild_id = _moderator(town, draw)
    staff = town.channels[guild_id]["staff"]
    cards = [card for card in town.sight.public(guild_id) if card.control("moderate.restore")]
    if cards and draw.random() < 0.7:
        await town.press(who, *find([draw.choice(cards)], "moderate.restore"))
    elif draw.random() < 0.5:
        player = str(_comment(town, draw).player_id)
        options = {"player": player} if draw.random() < 0.5 else {}
        listed = await town.use(who, guild_id, staff, "moderate unmute", **options)
        if ways := _all(listed.answers, "moderate.unmute"):
            await town.press(who, *draw.choice(ways))
    else:
        number = str(_comment(town, draw).id)
        await town.use(who, guild_id, staff, "moderate restore", removed=number)


@step(0.8)
async def decide_in_the_queue(town: Town, draw: Random) -> None:
    """Go through the queue, and decide about some of it."""
    who, guild_id = _moderator(town, draw)
    staff = town.channels[guild_id]["staff"]
    deed = await town.use(who, guild_id, staff, "moderate queue")
    for _ in range(draw.randint(0, _MAX_IN_A_QUEUE)):
        kinds = (*_DECISIONS, "moderate.mute_now")
        ways = [way for kind in kinds for way in _all(deed.answers, kind)]
        if not ways:
            return
        after = await press(town, draw, who, *draw.choice(ways))
        if after.form is None:
            deed = after


@step(0.8)
async def decide_in_the_log(town: Town, draw: Random) -> None:
    """Press what stands on a card of the log channel."""
    who, guild_id = _moderator(town, draw)
    kinds = (*_DECISIONS, "moderate.again", "moderate.queue")
    ways = [
        (card, control)
        for card in town.sight.public(guild_id)
        for control in card.controls
        if control.kind in kinds
    ]
    if not ways:
        raise NotNow
    await press(town, draw, who, *draw.choice(ways))


@step(0.4)
async def look_at_the_log(town: Town, draw: Random) -> None:
    who, guild_id = _moderator(town, draw)
    await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate log")


@step(0.6)
async def a_player_writes_what_is_watched(town: Town, draw: Random) -> None:
    """Let someone write a watched word, in a new comment or one from before."""
    await town.pass_time(draw.randint(1, 20))
    player = draw.choice(town.game.players())
    mark = new_text(town, draw).partition(" ")[0]
    text = f"{mark} {draw.choice(_WATCHED)}"
    own = [comment for comment in _newest(town) if comment.player_id == player.id]
    if own and draw.random() < 0.4:
        comment_id = draw.choice(own).id
        await town.game.edit(comment_id, text)
    else:
        thread_id = draw.choice(town.game.threads())
        comment_id = await town.game.write(player.id, thread_id, text)
    town.tell(f"player {player.id} writes in {comment_id}: {text}")


@step(0.15)
async def a_player_takes_another_name(town: Town, draw: Random) -> None:
    await town.pass_time(draw.randint(1, 20))
    player = draw.choice(town.game.players())
    town.texts += 1
    name = f"qp{town.texts}z {draw.choice(_NAMES)}"
    await town.game.rename(player.id, name)
    town.tell(f"player {player.id} is called {name}")


@step(0.4)
async def a_message_stays(town: Town, draw: Random) -> None:
    """Remove what a message shows that Kiosk can't reach, and press Try again once it can."""
    who, guild_id = _moderator(town, draw)
    staff, talk = town.channels[guild_id]["staff"], town.channels[guild_id]["talk"]
    reader = draw.choice([person for person in town.people if guild_id in person.actors])
    thread = str(_comment(town, draw).thread_id)
    await set_log(town, draw, who, guild_id)
    deed = await town.use(reader, guild_id, talk, "forum read", thread=thread)
    deed = await press_on(town, draw, deed, "forum.comment")
    number = deed.fields[3]
    await press_on(town, draw, deed, "forum.share")
    # simcord lets a bot delete its messages even in a channel that it can't see.
    path = f"/channels/{talk.id}/messages/*"
    town.env.inject_error("DELETE", path, status=403, code=_MISSING_ACCESS, times=1)
    town.note_trouble(talk.id)
    form = await town.use(who, guild_id, staff, "moderate remove", comment=f"#{number}")
    await fill_in(town, draw, form, reason=new_text(town, draw), mute="")
    await town.pass_time(_A_MOMENT)
    await town.press(who, *find(town.sight.public(guild_id), "moderate.again"))


@step(0.4)
async def a_name_is_held_back(town: Town, draw: Random) -> None:
    """A player has a name that is watched for, which is shown, or changed to another one."""
    who, guild_id = _moderator(town, draw)
    staff = town.channels[guild_id]["staff"]
    await watch(town, draw, who, guild_id, "acorn")
    player = draw.choice(town.game.players())
    thread = draw.choice(town.game.threads())
    for name in ("Acorn", "Robin"):
        await town.pass_time(draw.randint(1, 20))
        town.texts += 1
        called = f"qp{town.texts}z {name}"
        await town.game.rename(player.id, called)
        await town.game.write(player.id, thread, new_text(town, draw))
        town.tell(f"player {player.id} is called {called}, and writes in {thread}")
        await town.pass_time(_A_LOOK)
        await town.use(who, guild_id, staff, "forum read", thread=str(thread))
        if draw.random() < 0.5:
            deed = await town.use(who, guild_id, staff, "moderate queue")
            await press_on(town, draw, deed, "moderate.next_show")
            return


@step(0.4)
async def a_rule_mutes(town: Town, draw: Random) -> None:
    """A player is held back so often that a rule mutes them; it may be for good then, or end."""
    who, guild_id = _moderator(town, draw)
    staff = town.channels[guild_id]["staff"]
    await watch(town, draw, who, guild_id, "acorn")
    shown = await town.use(who, guild_id, staff, "moderate rules")
    way = find(shown.answers, "moderate.rule", "mutes_repeated")
    if way[1].fields[1] == "1":
        await town.press(who, *way)
    player = draw.choice(town.game.players())
    thread = draw.choice(town.game.threads())
    for _ in range(_REPEATED):
        await town.pass_time(draw.randint(1, 20))
        comment = await town.game.write(player.id, thread, f"{new_text(town, draw)} acorn")
        town.tell(f"player {player.id} writes {comment} with acorn in {thread}")
    await town.pass_time(_A_LOOK)
    await town.use(who, guild_id, staff, "forum read", thread=str(thread))
    deed = await town.use(who, guild_id, staff, "moderate mute", player=str(player.id))
    if ways := _all(deed.answers, "moderate.mute_now"):
        await town.press(who, *draw.choice(ways))
    if draw.random() < 0.5:
        await town.use(who, guild_id, staff, "moderate unmute", player=str(player.id))


@step(0.4)
async def a_writer_hears_why(town: Town, draw: Random) -> None:
    """Remove what a member wrote with Kiosk, who wants to know, in a server that says why."""
    who, guild_id = _moderator(town, draw)
    people = [one for one in town.people if one.token and guild_id in one.actors and one is not who]
    if not people:
        raise NotNow
    writer = draw.choice(people)
    talk, staff = town.channels[guild_id]["talk"], town.channels[guild_id]["staff"]
    shown = await town.use(writer, guild_id, talk, "account show")
    way = find(shown.answers, "account.decisions")
    if way[1].fields[0] == "1":
        await town.press(writer, *way)
    shown = await town.use(who, guild_id, staff, "moderate rules")
    way = find(shown.answers, "moderate.rule", "tells_writers")
    if way[1].fields[1] == "1":
        await town.press(who, *way)
    text = new_text(town, draw)
    thread = str(draw.choice(town.game.threads()))
    await town.use(writer, guild_id, talk, "forum post", thread=thread, content=text)
    written = [each for each in town.game.comments(int(thread)) if each.text == text]
    if not written:
        raise NotNow
    number = f"#{written[0].id}"
    form = await town.use(who, guild_id, staff, "moderate remove", comment=number)
    await fill_in(town, draw, form, reason=new_text(town, draw), mute="")


async def watch(town: Town, draw: Random, who: Person, guild_id: int, words: str) -> None:
    shown = await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate rules")
    form = await town.press(who, *find(shown.answers, "moderate.words_form"))
    await fill_in(town, draw, form, words=words)


def _moderator(town: Town, draw: Random) -> tuple[Person, int]:
    """Return someone who may moderate, and a server."""
    who = draw.choice([person for person in town.people if person.is_staff and person.actors])
    return who, guild_again(town, draw, sorted(who.actors))


def _newest(town: Town) -> list[Comment]:
    return [
        comment
        for thread_id in town.game.threads()
        for comment in town.game.comments(thread_id)[-_NEWEST:]
    ]


def _comment(town: Town, draw: Random) -> Comment:
    newest = _newest(town)
    if not newest:
        raise NotNow
    return comment_again(town, draw, draw.choice(newest).id)


def _all(cards: Iterable[Card], kind: str) -> list[tuple[Card, Control]]:
    return [(card, control) for card in cards for control in card.controls if control.kind == kind]


def find(
    cards: Iterable[Card], kind: str, field: str = "", *, draw: Random | None = None
) -> tuple[Card, Control]:
    """Return the first control of a kind, or any, and its card."""
    ways = [way for way in _all(cards, kind) if field in ("", *way[1].fields[:1])]
    if not ways:
        raise NotNow
    return draw.choice(ways) if draw else ways[0]
