"""The jobs of shopping with the presses that each may take, and back to where one came from."""

from typing import Any

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.rogue_shop import RogueShop, lose_the_answer, refuse
from tests.support.shopping import let_orders_age, let_the_bot_look
from tests.support.world import SUBSCRIBER, World


class Thumb:
    """Presses on one card and counts; a command and a choice from a list are a press each."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.presses = 0
        self.card: Any = None

    async def use(self, command: str, **options: Any) -> str:
        self.presses += 1
        self.card = answer_of(await self.world.slash(command, **options))
        return text_of(self.card)

    async def press(self, label: str) -> str:
        self.presses += 1
        pressed = buttons_of(self.card)[label]["custom_id"]
        await self.world.member.click(self.card, custom_id=pressed)
        return text_of(self.card)

    async def choose(self, label: str, among: int = 0) -> str:
        self.presses += 1
        listed = selects_of(self.card)[among]
        value = next(each["value"] for each in listed["options"] if each["label"] == label)
        await self.world.member.select(self.card, [value], custom_id=listed["custom_id"])
        return text_of(self.card)


SHOW, TYPE, SORT = 1, 2, 3


async def test_an_item_is_bought_by_name_with_two_presses_and_seen_to_be_bought_with_none(
    world: World,
) -> None:
    await world.link(world.member, SUBSCRIBER)
    thumb = Thumb(world)

    await thumb.use("shop buy", item="straw hat", catalog="1")
    told = await thumb.press("Buy it")

    assert "Straw Hat is yours" in told
    assert thumb.presses == 2


async def test_whether_a_lost_purchase_worked_is_seen_without_a_press(
    rogue_world: World, shop: RogueShop
) -> None:
    thumb, receipts = Thumb(rogue_world), Thumb(rogue_world)
    shop.before_order = lambda: setattr(shop, "is_down", True)
    shop.answers.append(lose_the_answer)
    await thumb.use("shop buy", item="3", catalog="1")
    assert "Not confirmed yet" in await thumb.press("Buy it")
    assert "🔎 Not confirmed yet" in await receipts.use("shop orders")

    shop.is_down = False
    await let_orders_age(rogue_world)
    await let_the_bot_look(rogue_world)

    assert "Hat number 3 is yours" in text_of(thumb.card)
    assert "✅ Bought" in text_of(receipts.card)


async def test_a_second_item_of_a_filtered_gallery_is_bought_with_three_presses(
    rogue_world: World,
) -> None:
    thumb = Thumb(rogue_world)
    await thumb.use("shop browse", catalog="1", show="not owned", sort="cost", max_cost=190)
    await thumb.press("Next")
    await thumb.choose("Buy Hat number 8")
    await thumb.press("Buy it")
    thumb.presses = 0

    gallery = await thumb.press("Back")
    assert "6 to 10 of 18 · up to 190" in gallery
    await thumb.choose("Buy Hat number 9")
    told = await thumb.press("Buy it")

    assert "Hat number 9 is yours" in told
    assert thumb.presses == 3


async def test_every_card_leads_back_to_the_screen_that_one_came_from(rogue_world: World) -> None:
    thumb = Thumb(rogue_world)
    for filters in ({}, {"sort": "name"}):
        await thumb.use("shop browse", catalog="1", **filters)
        for _ in range(3):
            await thumb.press("Next")
        gallery = text_of(thumb.card)
        third = selects_of(thumb.card)[0]["options"][2]["label"]

        await thumb.choose(f"Buy {third}")
        assert await thumb.press("Cancel") == gallery

        item = await thumb.choose(third)
        assert await thumb.press("Back") == gallery
        await thumb.choose(third)
        await thumb.press("Redeem")
        assert await thumb.press("Cancel") == item
        await thumb.press("Redeem")
        assert "is redeemed" in await thumb.press("Redeem it")
        await thumb.press("Open")
        assert await thumb.press("Back") == gallery


async def test_the_gallery_is_steered_on_its_card(rogue_world: World, shop: RogueShop) -> None:
    shop.items[17] |= {"item_type": {"id": 9, "name": "Kite", "image_url": None}}
    shop.items[3] |= {"is_clearance": True}
    thumb = Thumb(rogue_world)
    assert "1 to 5" in await thumb.use("shop browse", catalog="1")
    assert [each["label"] for each in selects_of(thumb.card)[TYPE]["options"]] == [
        "All types",
        "Hat",
        "Find all types…",
    ]

    gallery = await thumb.choose("Find all types…", TYPE)
    assert "1 to 5 of 20" in gallery
    kites = await thumb.choose("Kite", TYPE)
    assert "1 to 1 of 1\n" in kites
    assert "Hat number 18**" in kites
    assert "Nothing here fits" in await thumb.choose("Clearance", SHOW)
    await thumb.press("Show everything")
    assert text_of(thumb.card) == gallery

    cheapest = await thumb.choose("From A to Z", SORT)
    assert cheapest.index("Hat number 10**") < cheapest.index("Hat number 11**")
    chosen = [
        next(each["label"] for each in listed["options"] if each["default"])
        for listed in selects_of(thumb.card)[SHOW:]
    ]
    assert chosen == ["All items", "All types", "From A to Z"]


async def test_receipts_say_how_each_order_stands_and_lead_on(
    rogue_world: World, shop: RogueShop
) -> None:
    thumb = Thumb(rogue_world)
    shop.answers.append(refuse(409, "Your pockets are empty."))
    await thumb.use("shop buy", item="1", catalog="1")
    await thumb.press("Buy it")
    await thumb.use("shop buy", item="2", catalog="1")
    await thumb.press("Buy it")
    await thumb.use("shop redeem", item="2", catalog="1")
    await thumb.press("Redeem it")

    receipts = await thumb.use("shop orders")
    # What was refused was told.
    assert "Hat number 1" not in receipts
    assert "## Hat number 2" in await thumb.press("Open")
    assert await thumb.press("Back") == receipts
