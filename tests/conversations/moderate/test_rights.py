"""No card offers a button that isn't for the member who sees it."""

from typing import Any

import pytest
import simcord
from discord import Permissions

from bot.ui.custom_ids import kind_of
from tests.conversations.moderate.conftest import Beat
from tests.support.cards import BUTTON, STRING_SELECT, answer_of, components, text_of
from tests.support.forms import fill_in
from tests.support.forum import EMPTY
from tests.support.presses import choose_forged, press_again
from tests.support.world import VISITOR

REFUSALS = ("Only moderators can do this", "Only server managers can do this")


async def let_much_happen(beat: Beat) -> None:
    """Let there be something of all that is decided or set in a server."""
    world = beat.world
    await world.name_demo_places()
    _, message = await beat.share()
    await beat.report(world.friend, message, "Rude")
    await beat.remove((await beat.share("Removed words"))[0])
    await beat.moderate("mute", player="Fern")
    await world.watch_words("toadstool")
    await beat.post("Toadstool")
    await beat.read(EMPTY, world.friend)
    await beat.settled()
    form = await world.slash("announce add", world.moderator, catalog="season")
    await fill_in(world.moderator, form, channel=[world.channel])
    await world.slash("announce thread", world.moderator, thread="2", channel=world.channel)


async def press_all(beat: Beat, actor: simcord.MemberActor) -> dict[str, str]:
    """Press all that /help and a thread lead to, each kind once; return what each answers."""
    world = beat.world
    told = dict[str, str]()
    opened = [
        await world.slash("help", actor),
        await world.slash("forum read", actor, thread=EMPTY),
    ]
    left = [way for card in opened for way in ways_on(card)]
    while left:
        card, part, custom_id = left.pop(0)
        kind = kind_of(custom_id)
        if kind in told:
            continue
        if part["type"] == BUTTON:
            answered = await press_again(actor, world.channel, card, custom_id)
        else:
            listed = str(part["custom_id"])
            answered = await choose_forged(actor, world.channel, card, listed, custom_id)
        told[kind] = ""
        # A form is as far as it goes, and what was taken back is gone.
        if answered.response or answered.followups:
            told[kind] = text_of(answered)
            left += ways_on(answered)
    return told


def ways_on(shown: simcord.InteractionResult) -> list[tuple[Any, dict[str, Any], str]]:
    """Return what can be pressed or chosen on a card, each with its custom id."""
    card = answer_of(shown)
    found = [(card, part, str(part.get("custom_id"))) for part in components(card)]
    return [way for way in found if way[1]["type"] == BUTTON and kind_of(way[2])] + [
        (card, part, option["value"])
        for _, part, _ in found
        if part["type"] == STRING_SELECT
        for option in part["options"]
        if kind_of(option["value"])
    ]


@pytest.mark.parametrize(
    ("rights", "leads_to"),
    [
        (Permissions(), {"forum.comment", "screen"}),
        (Permissions(manage_guild=True), {"setup.named", "announce.preview", "setup.permissions"}),
        (
            Permissions(manage_messages=True),
            {"moderate.rule", "moderate.next", "moderate.remove_form"},
        ),
        (None, {"moderate.rule", "moderate.next", "moderate.mute_form"}),
    ],
    ids=["member", "manager", "moderator", "moderators' role"],
)
async def test_whatever_a_card_offers_is_for_its_reader(
    beat: Beat, log_channel: simcord.ChannelHandle, rights: Permissions | None, leads_to: set[str]
) -> None:
    world = beat.world
    role = world.guild.create_role("Theirs", permissions=rights or Permissions())
    actor = world.guild.add_member(world.env.create_user("somebody"), roles=[role])
    if rights is None:
        await world.manage("Moderation", moderator_role_id=[role], log_channel_id=[log_channel])
    await world.settle(actor, VISITOR)
    await let_much_happen(beat)
    told = await press_all(beat, actor)
    assert [kind for kind, text in told.items() if any(words in text for words in REFUSALS)] == []
    assert leads_to <= told.keys()
