"""Walking through catalogs, as members meet it."""

import re
from typing import Any

import pytest

from bot.ui.markdown import escape
from tests.conversations.shop.conftest import browse
from tests.support.cards import answer_of, buttons_of, components, rows_of, selects_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.presses import press_again
from tests.support.rogue_game import RogueShop, item
from tests.support.steps import Steps
from tests.support.world import SUBSCRIBER, World

THUMBNAIL = 11


def pictures_of(card: Any) -> list[str]:
    return [
        component["media"]["url"]
        for component in components(card)
        if component["type"] == THUMBNAIL
    ]


async def test_a_screen_shows_eight_items_with_pictures_types_and_costs(world: World) -> None:
    await world.name_demo_places()
    await world.settle(world.member, SUBSCRIBER)

    shown = await world.slash("shop browse", catalog="season")

    assert shown.ephemeral
    text = text_of(shown)
    assert "## Season" in text
    assert "**Acorn Cap**\n40 Acorns · Hat" in text
    assert "🏷️ Clearance" in text
    assert "⭐ Subscribers only" in text
    assert len(pictures_of(shown)) == 8
    listed = selects_of(shown)[0]
    assert listed["placeholder"] == "Open, buy or watch…"
    assert len(listed["options"]) == 24
    for number, verb in enumerate(("Open", "Buy", "Watch")):
        assert listed["options"][number * 8]["label"] == f"{verb} Acorn Cap"
        assert listed["options"][number * 8]["description"] == "40 Acorns"


async def test_of_few_items_or_owned_ones_the_list_redeems_each(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.owned.update({2, 5})
    entries = selects_of(await browse(rogue_world))[0]["options"]
    # Redeeming has no price.
    assert [each["label"] for each in entries if "description" not in each] == [
        "Redeem Hat number 2",
        "Redeem Hat number 5",
    ]
    assert "Buy Hat number 2" not in [each["label"] for each in entries]

    few = selects_of(await browse(rogue_world, max_cost=60))[0]
    assert few["placeholder"] == "Open, buy, redeem or watch…"
    assert [each["label"].split()[0] for each in few["options"]] == (
        ["Open"] * 6 + ["Buy"] * 4 + ["Redeem"] * 6 + ["Watch"] * 4
    )


async def test_costs_and_flags_are_told_in_words(rogue_world: World, shop: RogueShop) -> None:
    shop.items = [item(1, cost=1), item(2, cost=1234), item(3, cost=0, is_coin_code_item=True)]
    shop.owned.add(1)

    text = text_of(await browse(rogue_world))
    assert "✅ Yours" in text
    assert "Coin code" in text

    assert "1 Acorn · Hat" in text
    assert "1,234 Acorns" in text
    assert "Free · Hat" in text


async def test_walking_asks_once_for_a_page_and_once_when_it_is_left(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.pages_asked.clear()
    card = await browse(rogue_world)
    assert "Hat number 8**" in text_of(card)
    for first in (9, 16):
        await rogue_world.member.click(card, label="Next")
        assert f"Hat number {first}**" in text_of(card)
    assert "16 to 20 of 20" in text_of(card)
    assert buttons_of(card)["Next"]["disabled"]
    for last in (15, 8):
        await rogue_world.member.click(card, label="Previous")
        assert f"Hat number {last}**" in text_of(card)

    assert buttons_of(card)["Previous"]["disabled"]
    assert shop.pages_asked == [1, 2, 1, 2]


async def test_refreshing_counts_the_items_anew(rogue_world: World, shop: RogueShop) -> None:
    # Reads the whole catalog.
    await browse(rogue_world, show="clearance")
    card = await browse(rogue_world)
    assert "1 to 8 of 20" in text_of(card)

    shop.items = shop.items[:9]
    await rogue_world.member.click(card, label="Refresh")
    assert "1 to 8 of 9" in text_of(card)

    shop.items = []
    await rogue_world.member.click(card, label="Refresh")
    assert "empty right now" in text_of(card)
    assert "of 9" not in text_of(card)


async def test_browsing_starts_at_the_asked_page(rogue_world: World, shop: RogueShop) -> None:
    """A page of the game's makes two of Kiosk's; what is picked is one long page."""
    assert "9 to 15" in text_of(await browse(rogue_world, page=2))
    assert "16 to 20 of 20" in text_of(await browse(rogue_world, page=3))
    assert "9 to 16 of 20" in text_of(await browse(rogue_world, page=2, sort="cost"))


async def test_an_unusable_picture_is_left_out(rogue_world: World, shop: RogueShop) -> None:
    shop.items[0]["icon_url"] = "javascript:alert(1)"
    shop.items[1]["icon_url"] = "https://my_assets.example/hat.png"

    assert len(pictures_of(await browse(rogue_world))) == 6


async def test_the_first_and_the_last_page_are_a_press_away(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(70)
    card = await browse(rogue_world)
    turning = [["Previous", "Next", "Last"], ["Filter", "Go to page", "Refresh"]]
    assert rows_of(card) == turning
    # No one knows the catalog's end yet.
    await rogue_world.member.click(card, label="Last")
    assert "69 to 70 of 70" in text_of(card)
    assert rows_of(card)[0] == ["First", "Previous", "Next"]
    await rogue_world.member.click(card, label="First")

    # Reads it whole.
    await browse(rogue_world, show="clearance")
    await rogue_world.member.click(card, label="Refresh")
    assert rows_of(card) == turning
    await rogue_world.member.click(card, label="Last")
    assert "69 to 70 of 70" in text_of(card)
    assert "Last" not in buttons_of(card)
    await rogue_world.member.click(card, label="First")
    assert "1 to 8 of 70" in text_of(card)
    assert "First" not in buttons_of(card)

    picked = await browse(rogue_world, sort="cost")
    await rogue_world.member.click(picked, label="Last")
    assert "65 to 70 of 70" in text_of(picked)
    await rogue_world.member.click(picked, label="First")
    assert "1 to 8 of 70" in text_of(picked)


async def test_a_catalog_of_two_pages_needs_no_more_than_next(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(14)
    card = await browse(rogue_world)
    assert list(buttons_of(card)) == ["Previous", "Next", "Filter", "Refresh"]
    await rogue_world.member.click(card, label="Next")
    assert "9 to 14 of 14" in text_of(card)
    assert list(buttons_of(card)) == ["Previous", "Next", "Filter", "Refresh"]


@pytest.mark.parametrize("is_blind", [False, True])
@pytest.mark.parametrize(
    ("count", "page", "shown", "said"),
    [
        (20, 4, "16 to 20 of 20", "The catalog has 3 pages."),
        (20, 99, "16 to 20 of 20", "The catalog has 3 pages."),
        (5, 2, "1 to 5 of 5", "The catalog has 1 page."),
        (15, 3, "9 to 15 of 15", "The catalog has 2 pages."),
        (70, 1234567, "69 to 70 of 70", "The catalog has 10 pages."),
        (20, 3, "16 to 20 of 20", ""),
    ],
)
async def test_beyond_its_end_a_catalog_shows_its_last_page(
    rogue_world: World,
    shop: RogueShop,
    is_blind: bool,
    count: int,
    page: int,
    shown: str,
    said: str,
) -> None:
    shop.stock(count)
    shop.is_blind_after_end = is_blind
    last = text_of(await browse(rogue_world, page=page))
    assert shown in last
    assert said in last
    assert said or "The catalog has" not in last


async def test_an_empty_catalog_has_no_number_of_pages(rogue_world: World, shop: RogueShop) -> None:
    shop.items = []
    shown = text_of(await browse(rogue_world, page=7))
    assert "This catalog is empty right now." in shown
    assert "The catalog has" not in shown


async def test_a_filtered_catalog_says_how_many_of_its_pages_fit(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(20)
    last = text_of(await browse(rogue_world, page=9, sort="cost"))
    assert "**The list has 3 pages.**\n17 to 20 of 20" in last
    assert "The list has" not in text_of(await browse(rogue_world, page=3, sort="cost"))


@pytest.mark.parametrize("options", [{}, {"show": "not owned"}])
async def test_a_page_is_opened_by_its_number(
    rogue_world: World, shop: RogueShop, options: dict[str, str]
) -> None:
    shop.stock(70)
    card = await browse(rogue_world, page=3, **options)
    first = text_of(card)
    form = await rogue_world.member.click(card, label="Go to page")
    assert form.modal is not None
    assert form.modal["components"][0]["description"] == (
        "You're on page 3. Each page has up to eight items."
    )

    await fill_in(rogue_world.member, form, page=" #2 ")
    assert ("9 to 16" if options else "9 to 15") in text_of(card)
    form = await rogue_world.member.click(card, label="Go to page")
    await fill_in(rogue_world.member, form, page="3")
    assert text_of(card) == first
    form = await rogue_world.member.click(card, label="Go to page")
    await fill_in(rogue_world.member, form, page="9999999")
    assert ("65 to 70" if options else "69 to 70") in text_of(card)
    assert ("The list has 9 pages." if options else "The catalog has 10 pages.") in text_of(card)


@pytest.mark.parametrize("typed", ["0", "-1", "two", "1.5", "#0"])
async def test_what_is_no_number_of_a_page_is_typed_again(rogue_world: World, typed: str) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    await steps.use("shop browse", catalog="1")
    await steps.press("Go to page")
    refused = await steps.send(page=typed)
    assert "That page doesn't exist" in refused
    assert f"“{escape(typed)}” isn't a page number." in refused

    await steps.press("Try again")
    assert "9 to 15" in await steps.send(page="2")


async def test_who_has_seen_a_whole_catalog_knows_how_much_of_it_they_own(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.owned.update({2, 17})
    steps = Steps(rogue_world, rogue_world.member)
    assert "You own" not in await steps.use("shop browse", catalog="1")
    assert "You own" not in await steps.press("Next")
    assert "16 to 20 of 20 · You own 2 of 20\n" in await steps.press("Next")

    buying = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    await rogue_world.member.click(buying, label="Buy item")
    shop.owned.discard(3)
    # The game shows late what was bought.
    assert "9 to 15 of 20 · You own 3 of 20\n" in await steps.press("Previous")


async def test_of_a_part_of_a_catalog_nothing_is_counted(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items[3]["cost"] = 10**30
    shop.owned.add(2)
    await browse(rogue_world, sort="cost")
    card = await browse(rogue_world)
    assert "Kiosk can't read some items that the game sent." in text_of(card)
    assert "You own" not in text_of(card)


async def test_owning_nothing_is_said(rogue_world: World, shop: RogueShop) -> None:
    shop.stock(3)
    assert "1 to 3 of 3 · You own 0 of 3\n" in text_of(await browse(rogue_world))


async def test_long_addresses_of_pictures_leave_the_last_ones_out(
    rogue_world: World, shop: RogueShop
) -> None:
    for number, each in enumerate(shop.items):
        each["icon_url"] = f"https://assets.example/{number}?key={'k' * 1500}"
    card = await browse(rogue_world)
    pictures = pictures_of(card)
    assert 3 <= len(pictures) < 8
    assert [url.split("?")[0][-1] for url in pictures] == list("01234567"[: len(pictures)])
    assert "Hat number 8**" in text_of(card)


async def test_each_filter_shows_what_fits(rogue_world: World, shop: RogueShop) -> None:
    shop.items[15] |= {"is_clearance": True}
    shop.items[16] |= {"is_member_item": True}
    shop.items[17] |= {"item_type": {"id": 9, "name": "Kite", "image_url": None}}
    shop.owned.update(range(1, 18))

    expected = {
        ("show", "clearance"): {16},
        ("show", "members"): {17},
        ("show", "not owned"): {18, 19, 20},
        ("type", "kite"): {18},
        ("type", "9"): {18},
        ("max_cost", 20): {1, 2},
    }
    for (option, value), fitting in expected.items():
        text = text_of(await browse(rogue_world, **{option: value}))
        assert {n for n in range(1, 21) if f"Hat number {n}**" in text} == fitting, option


@pytest.mark.parametrize(
    ("cost", "told", "is_forgotten"),
    [
        ("100.50", "Kiosk can't read “100\\.50” as a price.", True),
        ("up to 100", "Kiosk can't read “up to 100” as a price.", False),
        ("1 million", "This catalog uses: Acorns.", True),
        ("1kk", "This catalog uses: Acorns.", False),
    ],
)
async def test_a_filter_that_is_refused_opens_as_it_was_filled_in(
    rogue_world: World, shop: RogueShop, cost: str, told: str, *, is_forgotten: bool
) -> None:
    shop.items[17] |= {"item_type": {"id": 9, "name": "Kite", "image_url": None}}
    steps = Steps(rogue_world, rogue_world.member)
    await steps.use("shop browse", catalog="1")
    await steps.press("Filter")
    # Only the first page is at hand: a list would lack what comes later.
    assert told in await steps.send(type="kite, hat", cost=cost, name="number 1")

    if is_forgotten:
        await rogue_world.settle(rogue_world.member, "any-token")
    await steps.press("Try again")
    filled = presets(rogue_world.member, steps.form)
    assert (filled["cost"], filled["name"]) == (cost, "number 1")
    assert filled["type"] == ("kite, hat" if is_forgotten else ["kite, hat"])
    shown = await steps.send(cost="0.2k acorns")

    assert "“number 1” · Hat · Kite · up to 200 Acorns" in shown
    if not is_forgotten:
        await steps.press("Filter")
        assert presets(rogue_world.member, steps.form)["type"] == ["Hat", "Kite"]
        await steps.send(type=["Hat", "Kite"], cost="a lot")
        await rogue_world.settle(rogue_world.member, "any-token")
        await steps.press("Try again")
        assert presets(rogue_world.member, steps.form)["type"] == "Hat, Kite"


# A filter as 1.0.0 has drawn it: which items, a number of a type, a highest cost, and the order.
# Behind it are the words on its card, and the items it shows, in order.
FILTERS_OF_ONE_ZERO = [
    ("0.9..0", "Kite", [3, 18]),
    ("0..20.0", "up to 20 Acorns", [1, 2, 3]),
    ("1...0", "not owned yet", [3, 18, 19, 20]),
    ("2...0", "on clearance", [3, 16]),
    ("3...0", "subscribers only", [17]),
    ("2...1", "on clearance · Cheapest first", [3, 16]),
    ("0.9..2", "Kite · From A to Z", [18, 3]),
    ("1.9.20.1", "Kite · not owned yet · up to 20 Acorns · Cheapest first", [3]),
]


@pytest.mark.parametrize(("picked", "words", "numbers"), FILTERS_OF_ONE_ZERO)
async def test_a_filter_that_one_zero_has_drawn_opens_what_it_opened(
    rogue_world: World, shop: RogueShop, picked: str, words: str, numbers: list[int]
) -> None:
    for number in (3, 18):
        shop.items[number - 1] |= {"item_type": {"id": 9, "name": "Kite", "image_url": None}}
    shop.items[2] |= {"is_clearance": True, "cost": 5}
    shop.items[15] |= {"is_clearance": True}
    shop.items[16] |= {"is_member_item": True}
    shop.owned.update({1, 2, *range(4, 18)})
    member, channel = rogue_world.member, rogue_world.channel
    card = await browse(rogue_world)

    async def press(custom_id: str) -> Any:
        return await press_again(member, channel, card, f"kiosk.{custom_id}:{picked}")

    def shows_what_fits() -> bool:
        listed = re.findall(r"Hat number (\d+)\*\*", text_of(card))
        return f"· **{words}**" in text_of(card) and list(map(int, listed)) == numbers

    for mode in ("s", "r", "c"):
        await press_again(member, channel, card, f"kiosk.screen:1:1:0:{picked}:{mode}")
        assert shows_what_fits(), mode
    await member.click(card, label="Show all")
    form = await press("filter:1:1:0")
    await fill_in(member, form)
    assert shows_what_fits()
    await press(f"at:1:1:{numbers[0]}:0")
    assert f"## Hat number {numbers[0]}\n" in text_of(card)
    await member.click(card, label="Back")
    assert shows_what_fits()


async def test_a_screen_of_five_that_was_drawn_before_opens_where_it_opened(
    rogue_world: World,
) -> None:
    card = await browse(rogue_world)
    # The last one leads on from an error, and counts from the first page.
    for place, first in (("1:5", "6 to 13"), ("1:10", "11 to 15"), ("1:15", "16 to 20 of 20")):
        for end in ("", "::s"):
            custom_id = f"kiosk.screen:1:{place}{end}"
            await press_again(rogue_world.member, rogue_world.channel, card, custom_id)
            assert f"\n{first}" in text_of(card)
    await press_again(rogue_world.member, rogue_world.channel, card, "kiosk.screen:1:1:10")
    await rogue_world.member.click(card, label="Previous")
    assert "\n3 to 10" in text_of(card)
    await rogue_world.member.click(card, label="Previous")
    assert "\n1 to 2" in text_of(card)


async def test_a_selection_is_sorted(rogue_world: World, shop: RogueShop) -> None:
    shop.items = [item(1, name="Cap", cost=5), item(2, name="beret", cost=9), item(3, name="Ascot")]

    by_cost = text_of(await browse(rogue_world, sort="cost"))
    by_name = text_of(await browse(rogue_world, sort="name"))

    assert by_cost.index("Cap") < by_cost.index("beret") < by_cost.index("Ascot")
    assert by_name.index("Ascot") < by_name.index("beret") < by_name.index("Cap")


async def test_an_unknown_type_is_told_with_those_there_are(rogue_world: World) -> None:
    shown = await rogue_world.slash("shop browse", catalog="1", type="Spaceship")
    assert "“Spaceship” isn't one of the choices\nYou can use: Hat." in text_of(shown)
