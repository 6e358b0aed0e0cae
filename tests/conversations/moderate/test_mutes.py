"""Who is muted: a list with Unmute beside each, and what the option suggests."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.conversations.moderate.conftest import Beat, second_moderator
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.clock import ManualClock
from tests.support.forum import EMPTY
from tests.support.world import World, open_world

SHOWN_ON_A_PAGE = 10


async def muted(world: World) -> Any:
    return answer_of(await world.slash("moderate unmute", world.moderator))


async def mute(world: World, player: int, **options: str) -> None:
    await world.slash("moderate mute", world.moderator, player=str(player), **options)


def unmute_beside(card: Any, name: str) -> str:
    """Return the custom id of the button beside a name."""
    (frame,) = card.components
    (pressed,) = (
        part["accessory"]["custom_id"]
        for part in frame["components"]
        if "accessory" in part and f"**{name}**" in part["components"][0]["content"]
    )
    return str(pressed)


async def test_one_of_twelve_is_unmuted_in_two_presses(world: World) -> None:
    for player in range(901, 913):
        await mute(world, player, reason=f"Spam {player}")

    card = await muted(world)
    first = text_of(card)
    await world.moderator.click(card, label="Next")
    await world.moderator.click(card, custom_id=unmute_beside(card, "Player 901"))

    assert "## 12 players are muted here" in first
    assert first.count("is muted permanently.") == SHOWN_ON_A_PAGE
    assert f"**Player 912** is muted permanently.\n{world.moderator.mention} · <t:" in first
    assert "Spam 912" in first
    after = text_of(card)
    assert "## 11 players are muted here\n**Player 901** is no longer muted." in after
    assert "Spam 901" not in after
    assert "Spam 902" in after
    assert "Player 901" not in text_of(await muted(world)).replace("Spam 901", "")


async def test_a_page_whose_last_mute_ends_gives_way_to_the_one_before(world: World) -> None:
    for player in range(901, 912):
        await mute(world, player)

    card = await muted(world)
    await world.moderator.click(card, label="Next")
    await world.moderator.click(card, label="Unmute")

    assert text_of(card).count("is muted permanently.") == SHOWN_ON_A_PAGE
    assert "Next" not in buttons_of(card)


async def test_what_another_moderator_has_undone_is_said(beat: Beat) -> None:
    world = beat.world
    second = await second_moderator(beat)
    await mute(world, 901)
    card = await muted(world)
    await world.slash("moderate unmute", second, player="901")
    await mute(world, 901, reason="Again")

    await world.moderator.click(card, label="Unmute")

    shown = text_of(card)
    assert f"Undone by {second.mention} <t:" in shown
    assert "**Player 901** is muted permanently." in shown
    assert "Again" in shown


async def test_a_mute_that_has_ended_or_was_undone_is_not_listed(tmp_path: Path, demo: str) -> None:
    clock = ManualClock()
    async with open_world(tmp_path, demo=demo, clock=clock) as world:
        await mute(world, 901, until="2h")
        await mute(world, 902, until="7d")
        card = await muted(world)
        assert "**Player 901** is muted until <t:" in text_of(card)
        clock.moment += timedelta(hours=3)

        late = text_of(await muted(world))
        await world.moderator.click(card, custom_id=unmute_beside(card, "Player 901"))

        assert "## 1 player is muted here\n**Player 902** is muted until <t:" in late
        assert "\nThe mute of Player 901 ended <t:" in text_of(card)
        await world.moderator.click(card, label="Unmute")
        assert "## No one is muted here\n**Player 902** is no longer muted." in text_of(card)


async def test_a_mute_by_a_rule_says_so(beat: Beat) -> None:
    world = beat.world
    await world.watch_words("unkind")
    rules = await world.slash("moderate rules", world.moderator)
    await world.moderator.click(answer_of(rules), custom_id="kiosk.moderate.rule:mutes_repeated:1")
    for number in range(3):
        await beat.post(f"Unkind words {number}")
    await beat.read_here()

    shown = text_of(await muted(world))

    assert "**Juniper** is muted until <t:" in shown
    assert "A rule of this server · <t:" in shown
    assert "3 comments held back within an hour" in shown


async def test_only_those_who_are_muted_are_suggested(beat: Beat) -> None:
    world = beat.world
    await beat.post("Kind words", thread=EMPTY)
    await beat.read_here()
    await mute(world, 901)
    await beat.moderate("mute", player="Juniper")

    async def suggest(typed: str) -> list[str]:
        entries = await world.moderator.autocomplete(
            world.channel, "moderate unmute", "player", typed
        )
        return [entry["name"] for entry in entries]

    assert sorted(await suggest("")) == ["901", "Juniper"]
    assert await suggest("jun") == ["Juniper"]
    assert "Juniper is no longer muted here" in await beat.moderate("unmute", player="Juniper")
    assert await suggest("") == ["901"]
    assert "There's nothing to undo" in await beat.moderate("unmute", player="Juniper")
