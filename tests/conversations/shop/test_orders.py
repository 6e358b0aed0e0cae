"""What members see of their orders afterwards: open cards and the list."""

from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.rogue_shop import RogueShop
from tests.support.shopping import ask, buy
from tests.support.world import NEWCOMER, SUBSCRIBER, World


def drawings(world: World) -> set[str]:
    """Return which messages were drawn anew."""
    return {request.path for request in world.env.http_requests if request.method == "PATCH"}


async def test_a_purchase_draws_no_other_card_anew(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.settle(world.friend, NEWCOMER)
    theirs = answer_of(await world.slash("shop item", world.friend, item="1", catalog="1"))
    await world.slash("forum read", thread="1")
    card = await ask(world, item="1")
    before = drawings(world)

    await world.member.click(card, label="Buy it")

    # The card that was pressed.
    assert len(drawings(world) - before) <= 1
    assert not buttons_of(theirs)["Buy"].get("disabled")


async def test_a_card_that_has_moved_on_is_not_drawn_over(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    gallery = answer_of(await world.slash("shop browse", catalog="1"))
    await world.member.click(gallery, label="Next")
    shown = text_of(gallery)

    await buy(world, "1")

    assert text_of(gallery) == shown


async def test_orders_are_listed_five_at_a_time(rogue_world: World) -> None:
    for number in range(1, 11):
        await buy(rogue_world, str(number))
    listed = answer_of(await rogue_world.slash("shop orders"))
    assert "Hat number 10" in text_of(listed)
    assert "Hat number 5**" not in text_of(listed)

    await rogue_world.member.click(listed, label="Next")

    assert "Hat number 5**" in text_of(listed)


async def test_without_any_order_the_list_says_so_and_leads_on(world: World) -> None:
    nothing = await world.slash("shop orders")

    assert "You have not ordered anything yet" in text_of(nothing)
    assert list(buttons_of(nothing)) == ["Choose a catalog"]


async def test_orders_are_private(rogue_world: World) -> None:
    await buy(rogue_world)

    assert (await rogue_world.slash("shop orders")).ephemeral
    friends = await rogue_world.slash("shop orders", rogue_world.friend)
    assert "You have not ordered anything yet" in text_of(friends)


async def test_an_item_with_absurd_numbers_is_neither_shown_nor_sold(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items[0]["cost"] = 10**30

    for command in ("shop item", "shop buy"):
        shown = await rogue_world.slash(command, item="1", catalog="1")
        assert "makes no sense" in text_of(shown)
