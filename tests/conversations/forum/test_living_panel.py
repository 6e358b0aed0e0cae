"""The panel says when someone last wrote in the threads that the server follows."""

import re
from typing import Any

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.support.cards import answer_of, selects_of
from tests.support.forum import EMPTY, ForumTown
from tests.support.panels import post_panel

A_COMMENT = re.compile(r"^Quiet corner · <t:(\d+):R>\nPark life · Patch notes$", re.MULTILINE)
NOTHING = "**Threads**\nPark life · Patch notes · Quiet corner\n"


async def poll(town: ForumTown) -> None:
    assert await town.world.bot.features.poller.poll(PlaceKind.THREAD, int(EMPTY))


async def test_a_followed_threads_last_comment_is_on_the_panel(linked: ForumTown) -> None:
    world = linked.world
    panel = await post_panel(world)
    assert NOTHING in await panel.after()
    talk = world.guild.create_text_channel("talk")
    await linked.post("Good morning")
    await world.slash("announce thread", world.moderator, thread=EMPTY, channel=talk)
    await poll(linked)

    assert NOTHING in await panel.after(minutes=9)
    first = A_COMMENT.search(await panel.after(minutes=2))
    assert first
    wanted = await panel.times_wanted()
    # Nothing has changed, so that nothing is drawn.
    await poll(linked)
    await panel.after(minutes=60)
    assert await panel.times_wanted() == wanted

    await linked.post("Good evening")
    await poll(linked)
    now = A_COMMENT.search(await panel.after(minutes=11))
    assert now
    assert int(now[1]) >= int(first[1])
    await linked.post("Good night")
    await poll(linked)
    assert A_COMMENT.search(await panel.after(minutes=9))
    assert await panel.times_wanted() == wanted + 1


async def test_what_is_followed_no_more_is_said_no_more(linked: ForumTown) -> None:
    world = linked.world
    panel = await post_panel(world)
    talk = world.guild.create_text_channel("talk")
    await linked.post("Good morning")
    await world.slash("announce thread", world.moderator, thread=EMPTY, channel=talk)
    await poll(linked)
    speak_language(world.env, "de")
    assert A_COMMENT.search(await panel.after(minutes=11))

    card: Any = answer_of(await world.slash("announce list", world.moderator))
    (entry,) = selects_of(card)[0]["options"]
    await world.moderator.select(card, [entry["value"]])
    for label in ("Nicht mehr ankündigen…", "Nicht mehr ankündigen"):
        await world.moderator.click(card, label=label)
    assert NOTHING in await panel.after()
