"""Where two features meet in one thing, which chance alone brings together too seldom."""

from random import Random

from tests.simulation.door import Fault as GameFault
from tests.simulation.door import Kind, On
from tests.simulation.faults import NotNow
from tests.simulation.game import Item
from tests.simulation.steps import step
from tests.simulation.steps.moderators import find, set_log, watch
from tests.simulation.steps.players import some_thread
from tests.simulation.steps.presses import fill_in, press, press_on
from tests.simulation.steps.roles import set_rule
from tests.simulation.steps.words import new_text
from tests.simulation.town import Deed, Person, Town

# In seconds, after which Kiosk has looked at what is followed.
_A_LOOK = 400
_REFUSALS = (Kind.LIMITS, Kind.LIMITS, Kind.REFUSES_TOKEN, Kind.FORBIDS)


@step(1.2)
async def a_followed_comment_changes(town: Town, draw: Random) -> None:
    """What stands in channels is edited, answered or deleted, in the game or on Discord."""
    cards = [
        (card, int(form.fields[1]))
        for guild in town.guilds
        for card in town.sight.public(guild.id)
        if (form := card.control("forum.write_form")) and int(form.fields[1]) > 0
    ]
    if not cards:
        raise NotNow
    for card, comment in draw.sample(cards, min(len(cards), draw.choice((1, 1, 3)))):
        # It may have gone with the one that it answers.
        if comment in town.game.deleted:
            continue
        match draw.randrange(5):
            case 0 | 1:
                await _edit(town, draw, comment)
            case 2:
                await town.game.delete(comment)
                town.tell(f"{comment} is deleted")
            case 3:
                await write(town, draw, town.game.comment(comment).thread_id, comment)
            case _:
                town.tell(f"a message is deleted: {card.text.partition(chr(10))[0]}")
                town.env.backend.delete_message(card.channel_id, card.message_id)
                town.note_deleted(card)
                await _edit(town, draw, comment)


async def _edit(town: Town, draw: Random, comment: int) -> None:
    text = new_text(town, draw)
    await town.game.edit(comment, text)
    town.tell(f"{comment} is edited: {text!r}")


@step(0.5)
async def a_case_is_gone(town: Town, draw: Random) -> None:
    """Let a writer delete a reported comment before a moderator opens the queue."""
    reporter, guild_id = somebody(town, draw)
    who, guild_id = somebody(town, draw, staff=True, guild_id=guild_id)
    thread = some_thread(town, draw)
    comment = await write(town, draw, thread)
    staff = town.channels[guild_id]["staff"]
    await report(town, draw, reporter, guild_id, comment)
    await town.game.delete(comment)
    town.tell(f"{comment} is deleted")
    await town.pass_time(_A_LOOK)
    deed = await town.use(who, guild_id, staff, "moderate queue")
    ways = [
        (card, control)
        for card in deed.answers
        for control in card.controls
        if control.kind == "comment" or control.kind.startswith("moderate.")
    ]
    if ways:
        opening = [way for way in ways if way[1].kind == "comment"]
        await press(town, draw, who, *draw.choice(opening or ways))
        await town.use(who, guild_id, staff, "moderate queue")


@step(0.5)
async def a_word_comes_back(town: Town, draw: Random) -> None:
    """A player takes a watched word out of a comment, and puts it back once that was seen."""
    reader, guild_id = somebody(town, draw)
    who, guild_id = somebody(town, draw, staff=True, guild_id=guild_id)
    await watch(town, draw, who, guild_id, "acorn")
    thread = some_thread(town, draw)
    talk = town.channels[guild_id]["talk"]
    mark = new_text(town, draw).partition(" ")[0]
    player_id = draw.choice(town.game.players()).id
    number = await town.game.write(player_id, thread, f"{mark} acorn")
    for word in ("hat", "acorn", "acorn", "acorn"):
        text = f"{mark} {word}"
        await town.pass_time(_A_LOOK)
        await town.use(reader, guild_id, talk, "forum read", thread=str(thread))
        await town.game.edit(number, text)
        town.tell(f"{number} says {text!r}")
    await town.pass_time(_A_LOOK)
    await town.use(who, guild_id, town.channels[guild_id]["staff"], "moderate queue")


@step(0.3)
async def a_comment_is_removed_again(town: Town, draw: Random) -> None:
    """A removal is undone in a server that wants a reason, and done again without one."""
    who, guild_id = somebody(town, draw, staff=True)
    staff = town.channels[guild_id]["staff"]
    await set_log(town, draw, who, guild_id, needs_reason=True, reasons="Rude")
    comment = f"#{await write(town, draw, some_thread(town, draw))}"
    for reason in (new_text(town, draw), ""):
        form = await town.use(who, guild_id, staff, "moderate remove", comment=comment)
        usual = ["Rude" if reason else "…"]
        removed = await fill_in(town, draw, form, reason=reason, usual=usual, mute="")
        if reason:
            await press_on(town, draw, removed, "moderate.restore")


@step(0.4)
async def all_replies_are_heard(town: Town, draw: Random) -> None:
    """Let someone ask for all replies, write, and be answered by another member."""
    who, guild_id = somebody(town, draw, is_linked=True)
    other, _ = somebody(town, draw, is_linked=True, guild_id=guild_id)
    for each in (who, other):
        await _link(town, draw, each, guild_id)
    talk = town.channels[guild_id]["talk"]
    where = draw.choice(((guild_id, talk), (None, who.user.dm_channel)))
    shown = await town.use(who, *where, "account show")
    await press_on(town, draw, shown, "account.replies")
    thread = some_thread(town, draw)
    text = new_text(town, draw)
    await town.use(who, *where, "forum post", thread=str(thread), content=text)
    written = [each.id for each in town.game.comments(thread) if each.text == text]
    if not written:
        raise NotNow
    said = {"comment": str(written[0]), "content": new_text(town, draw)}
    await town.use(other, guild_id, talk, "forum reply", thread=str(thread), **said)


@step(0.4)
async def an_item_is_rewarded_everywhere(town: Town, draw: Random) -> None:
    """Several servers have a role for the same item, which a member of all of them buys."""
    who, guild_id = somebody(town, draw, is_linked=True)
    await _link(town, draw, who, guild_id)
    catalog = draw.choice(town.game.catalogs())
    item = draw.choice(town.game.items(catalog) or [None])
    if item is None:
        raise NotNow
    for guild_id in sorted(who.actors):
        manager, _ = somebody(town, draw, staff=True, guild_id=guild_id)
        await _link(town, draw, manager, guild_id)
        staff = town.channels[guild_id]["staff"]
        named = {"id": str(catalog), "name": f"Place {catalog}"}
        await town.use(manager, guild_id, staff, "setup catalog", **named)
        name = draw.choice(("fan", "gold"))
        await set_rule(town, draw, manager, guild_id, name, item_id=item.id)
        await town.use(who, guild_id, town.channels[guild_id]["talk"], "forum read", thread="3")
    guild_id = draw.choice(sorted(who.actors))
    deed = await _ask_to_buy(town, who, guild_id, item)
    await press_on(town, draw, deed, "buy")


@step(0.5)
async def a_link_comes_back(town: Town, draw: Random) -> None:
    """Give or take the role that linking gives by hand, while someone links again or unlinks."""
    who, guild_id = somebody(town, draw, is_linked=True)
    manager, _ = somebody(town, draw, staff=True, guild_id=guild_id)
    name = draw.choice(("fan", "gold"))
    await set_rule(town, draw, manager, guild_id, name)
    role_id = town.roles[guild_id][name].id
    backend = town.env.backend
    is_theirs = draw.random() < 0.4
    if is_theirs:
        backend.add_member_role(guild_id, who.id, role_id)
        town.tell(f"{who} is given {name} by hand")
    for _ in range(2):
        await _link(town, draw, who, guild_id)
        await town.pass_time(_A_LOOK)
        has_role = role_id in backend.guilds[guild_id].members[who.id].role_ids
        if has_role and not is_theirs and draw.random() < 0.6:
            backend.remove_member_role(guild_id, who.id, role_id)
            town.tell(f"{who} loses {name} by hand")
            await town.pass_time(_A_LOOK)
    if draw.random() < 0.5:
        shown = await town.use(who, guild_id, town.channels[guild_id]["talk"], "account show")
        await press_on(town, draw, shown, "unlink", "unlink_now")


@step(0.5)
async def an_order_is_asked_for_again(town: Town, draw: Random) -> None:
    """The game takes no order, and the same is asked for from the list of orders."""
    who, guild_id = somebody(town, draw, is_linked=True)
    await _link(town, draw, who, guild_id)
    items = town.game.items(draw.choice(town.game.catalogs()))
    if not items:
        raise NotNow
    deed = await _ask_to_buy(town, who, guild_id, draw.choice(items))
    fault = town.game.door.suffer(GameFault(draw.choice(_REFUSALS), on=On.WRITES, times=4))
    await press_on(town, draw, deed, "buy")
    town.game.door.recover(*[each for each in town.game.door.faults if each is fault])
    await town.pass_time(_A_LOOK)
    talk = town.channels[guild_id]["talk"]
    listed = await town.use(who, guild_id, talk, "shop orders")
    await press_on(town, draw, listed, "askagain", "buy")


@step(0.5)
async def a_member_writes_in_the_game(town: Town, draw: Random) -> None:
    """Let a member who waits for replies, or for words, write them in the game themselves."""
    who, guild_id = somebody(town, draw, is_linked=True)
    await _link(town, draw, who, guild_id)
    player = town.game.player_of(who.token)
    if player is None:
        raise NotNow
    thread = some_thread(town, draw)
    talk = town.channels[guild_id]["talk"]
    await town.use(who, guild_id, talk, "forum watch", thread=str(thread), words="acorn")
    text = new_text(town, draw)
    deed = await town.use(who, guild_id, talk, "forum post", thread=str(thread), content=text)
    written = [each for each in town.game.comments(thread) if each.text == text]
    if not written:
        raise NotNow
    if any(card.control("forum.tell") for card in deed.answers):
        await press_on(town, draw, deed, "forum.tell")
    await town.pass_time(draw.randint(1, 20))
    for words in ("acorn", ""):
        content = f"{new_text(town, draw)} {words}"
        number = await town.game.write(player.id, thread, content, written[0].id)
        town.tell(f"{who} writes {number} in the game, below {written[0].id}: {content!r}")


@step(0.5)
async def a_muted_player_stands_in_chat(town: Town, draw: Random) -> None:
    """What a player wrote is shared and reported; a moderator mutes and closes all, or undoes."""
    reporter, guild_id = somebody(town, draw)
    who, guild_id = somebody(town, draw, staff=True, guild_id=guild_id)
    thread = some_thread(town, draw)
    staff = town.channels[guild_id]["staff"]
    player_id = draw.choice(town.game.players()).id
    for comment in [await write(town, draw, thread, None, player_id) for _ in range(2)]:
        opened = await report(town, draw, reporter, guild_id, comment)
        if draw.random() < 0.6:
            await press_on(town, draw, opened, "forum.share")
    deed = await town.use(who, guild_id, staff, "moderate queue")
    if any(card.control("moderate.mute_all") for card in deed.answers):
        await press_on(town, draw, deed, "moderate.mute_all")
    else:
        await press_on(town, draw, deed, "moderate.next", "moderate.mute_all")
    if draw.random() < 0.5:
        await town.use(who, guild_id, staff, "moderate unmute", player=str(player_id))


async def report(town: Town, draw: Random, who: Person, guild_id: int, comment: int) -> Deed:
    """Report a comment of its thread's newest; return its card."""
    talk = town.channels[guild_id]["talk"]
    thread = town.game.comment(comment).thread_id
    read = await town.use(who, guild_id, talk, "forum read", thread=str(thread))
    ways = [
        (card, control)
        for card in read.answers
        for control in card.controls
        if control.kind == "forum.comment" and control.fields[3] == str(comment)
    ]
    if not ways:
        raise NotNow
    opened = await town.press(who, *ways[0])
    form = await town.press(who, *find(opened.answers, "moderate.report_form"))
    await fill_in(town, draw, form, reason=new_text(town, draw))
    return opened


async def _ask_to_buy(town: Town, who: Person, guild_id: int, item: Item) -> Deed:
    player = town.game.player_of(who.token)
    if player is not None:
        await town.game.give_coins(player.id, item.cost, item.currency)
    meant = {"item": str(item.id), "catalog": str(item.catalog_id)}
    return await town.use(who, guild_id, town.channels[guild_id]["talk"], "shop buy", **meant)


async def _link(town: Town, draw: Random, who: Person, guild_id: int) -> None:
    talk = town.channels[guild_id]["talk"]
    opened = await town.use(who, guild_id, talk, "account link")
    if who.token:
        await fill_in(town, draw, opened, token=who.token)


async def write(
    town: Town, draw: Random, thread: int, parent: int | None = None, player_id: int = 0
) -> int:
    await town.pass_time(draw.randint(1, 5))
    player_id = player_id or draw.choice(town.game.players()).id
    text = new_text(town, draw)
    number = await town.game.write(player_id, thread, text, parent)
    town.tell(f"player {player_id} writes {number} below {parent}: {text!r}")
    return number


def somebody(
    town: Town,
    draw: Random,
    *,
    staff: bool = False,
    is_linked: bool = False,
    guild_id: int | None = None,
) -> tuple[Person, int]:
    """Return someone who is in a server, and the server. Someone who `is_linked` has a token."""
    people = [
        who
        for who in town.people
        if who.actors
        and (guild_id is None or guild_id in who.actors)
        and (who.is_staff or not staff)
        and (who.token or not is_linked)
    ]
    if not people:
        raise NotNow
    who = draw.choice(people)
    return who, guild_id if guild_id is not None else draw.choice(sorted(who.actors))
