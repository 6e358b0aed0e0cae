"""Linking an account, as members meet it."""

from tests.support.cards import text_of
from tests.support.world import SUBSCRIBER, World


async def test_a_member_links_an_account_and_sees_that_it_is_linked(world: World) -> None:
    linked = await world.link(world.member, SUBSCRIBER)

    assert linked.ephemeral
    assert "Your game account is linked" in text_of(linked)
    assert "Your game account is linked" in text_of(await world.slash("account show"))
