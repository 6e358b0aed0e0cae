"""An item that a command names without a link is not to be named again."""

from typing import Any

from tests.support.cards import answer_of, selects_of, text_of
from tests.support.rogue_shop import RogueShop, item
from tests.support.world import World


def offered(card: Any) -> dict[str, str]:
    """Give what the card's list offers: labels, and the values they stand for."""
    (listed,) = selects_of(card)
    return {each["label"]: each["value"] for each in listed["options"]}


async def test_an_item_that_was_named_without_a_link_is_gone_on_with_after_linking(
    rogue_world: World, shop: RogueShop
) -> None:
    world, long_name = rogue_world, "Hat: with | 100% of " + "straw " * 20
    shop.items = [item(1, name=long_name.strip()), item(2)]
    await world.slash("setup catalog add", world.moderator, id="1", name="Season")

    async def name_and_link(command: str, name: str, **options: str) -> Any:
        await world.link(world.friend, "any-token")
        unlink = await world.slash("account unlink", world.friend)
        await world.friend.click(answer_of(unlink), label="Unlink")
        refused = answer_of(await world.slash(command, world.friend, item=name, **options))
        form = await world.friend.click(refused, label="Link account")
        linked = await world.friend.submit_modal(form, {"token": "any-token"})
        return linked.followups[-1] if linked.followups else refused

    assert "Buy Hat number 2?" in text_of(await name_and_link("shop buy", "number 2"))
    assert "Hat number 2" in text_of(await name_and_link("shop item", "2", catalog="Season"))
    watched = await name_and_link("shop watch", "hat number 2")
    assert "You watch Hat number 2" in text_of(watched)
    cut = await name_and_link("shop redeem", long_name)
    assert "Redeem Hat: with" in text_of(cut)
    several = await name_and_link("shop buy", "hat")
    assert len(offered(several)) == 2
