"""Linking again: what of the link before holds on, and what goes with it."""

import pytest
import simcord

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forum import number_of
from tests.support.shopping import buy
from tests.support.world import NEWCOMER, SUBSCRIBER, World

THREAD = "3"


async def post(world: World, text: str) -> simcord.InteractionResult:
    posted = await world.slash("forum post", thread=THREAD, content=text)
    assert "Your comment is posted" in text_of(posted)
    return posted


async def edits_offered(world: World) -> int:
    """Return how many comments of the thread the member is offered to change."""
    card = answer_of(await world.slash("forum read", thread=THREAD))
    count = 0
    for entry in selects_of(card)[0]["options"]:
        if entry["value"].startswith("open"):
            await world.member.select(card, [entry["value"]])
            count += "Edit" in buttons_of(card)
            await world.member.click(card, label="Thread")
    return count


@pytest.mark.usefixtures("on_both_engines")
async def test_the_comments_of_the_player_before_are_no_longer_ones_own(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    mine = await post(world, "As Juniper")
    assert await edits_offered(world) == 1

    await world.link(world.member, NEWCOMER)

    assert await edits_offered(world) == 0
    await post(world, "As Sprig")
    assert await edits_offered(world) == 1
    refused = await world.slash("forum edit", comment=str(number_of(mine)))
    assert "This comment isn't yours" in text_of(refused)


async def test_a_player_who_is_linked_again_is_known_again_once_they_write(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    await post(world, "Before")

    await world.link(world.member, SUBSCRIBER)
    await post(world, "After")

    assert await edits_offered(world) == 2


async def test_items_are_marked_as_the_player_of_the_moment_has_them(world: World) -> None:
    async def owns() -> bool:
        card = await world.slash("shop item", item="1", catalog="1")
        return buttons_of(card)["Buy"].get("disabled", False)

    await world.link(world.member, SUBSCRIBER)
    assert "is yours" in await buy(world, "1")
    assert await owns()

    await world.link(world.member, NEWCOMER)
    assert not await owns()
    await world.link(world.member, SUBSCRIBER)
    assert await owns()


async def test_linking_again_is_nothing_to_others(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    await world.link(world.friend, NEWCOMER)
    await post(world, "Mine")

    await world.link(world.friend, NEWCOMER)

    assert await edits_offered(world) == 1
