"""A game that wants to be left alone by one member."""

from tests.support.cards import text_of
from tests.support.rogue_shop import RogueShop
from tests.support.world import World


async def test_one_members_pause_keeps_nobody_else_from_the_shop(
    rogue_world: World, shop: RogueShop
) -> None:
    world = rogue_world
    await world.settle(world.friend, "another-token")
    shop.busy_pages = {1}
    paused = await world.slash("shop browse", catalog="1")
    shop.busy_pages = set()
    asked = len(shop.pages_asked)

    others = await world.slash("shop browse", world.friend, catalog="1")
    still_paused = await world.slash("shop browse", catalog="1")

    assert "The game asks for patience" in text_of(paused)
    assert "Hat number 1" in text_of(others)
    assert "The game asks for patience" in text_of(still_paused)
    assert len(shop.pages_asked) == asked + 1
