"""Shopping with few presses, and watching what may come."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.owed import tried
from tests.support.presses import press_again
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop, item, lose_the_answer, refuse
from tests.support.steps import Steps
from tests.support.world import World, open_world


async def test_a_lost_purchase_shows_without_a_press(rogue_world: World, shop: RogueShop) -> None:
    steps, receipts = Steps(rogue_world, rogue_world.member), Steps(rogue_world, rogue_world.member)
    shop.before_order = lambda: setattr(shop, "is_down", True)
    shop.outcomes.append(lose_the_answer)
    await steps.use("shop buy", item="3", catalog="1")
    assert "Not confirmed yet" in await steps.press("Buy item")
    assert "\nNot confirmed yet" in await receipts.use("shop orders")

    shop.is_down = False
    await rogue_world.pass_time(36)

    assert "Hat number 3 is yours" in text_of(steps.card)
    assert "✅ Bought" in text_of(receipts.card)


async def test_every_card_leads_back_to_the_screen_that_one_came_from(rogue_world: World) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    for filters in ({}, {"sort": "name"}):
        await steps.use("shop browse", catalog="1", **filters)
        for _ in range(2):
            await steps.press("Next")
        gallery = text_of(steps.card)
        opening = selects_of(steps.card)[0]["options"][2]["label"]
        third = opening.removeprefix("Open ")

        for verb in ("Buy", "Redeem"):
            await steps.choose(f"{verb} {third}")
            assert await steps.press("Cancel") == gallery

        item = await steps.choose(opening)
        assert await steps.press("Back") == gallery
        await steps.choose(opening)
        await steps.press("Redeem")
        assert await steps.press("Cancel") == item
        await steps.press("Redeem")
        assert f"{third} redeemed" in await steps.press("Redeem item")
        await steps.press("Open")
        assert await steps.press("Back") == gallery


async def test_a_filter_is_a_form_and_stands_on_the_card(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items[17] |= {"item_type": {"id": 9, "name": "Kite", "image_url": None}}
    shop.items[3] |= {"is_clearance": True}
    steps = Steps(rogue_world, rogue_world.member)
    gallery = await steps.use("shop browse", catalog="1")
    known = gallery.replace("1 to 8", "1 to 8 of 20 · You own 0 of 20")

    async def send(label: str, **changes: Any) -> str:
        await steps.press(label)
        return await steps.send(**changes)

    # The kite is on the page that no one has opened.
    assert "1 to 1 of 1 · **Kite**" in await send("Filter", type="kite")
    assert await steps.press("Show all") == known
    refused = await send("Filter", sort="name", cost="a lot")
    assert "Kiosk can't read “a lot” as a price." in refused
    assert "Kiosk can't read “100\\.50” as a price." in await send("Try again", cost="100.50")
    assert "This catalog uses: Acorns." in await send("Try again", cost="1 Gem")
    by_name = await send("Try again", cost="150 Acorns")
    assert "**up to 150 Acorns · From A to Z**" in by_name
    assert by_name.index("Hat number 10**") < by_name.index("Hat number 11**")
    assert "1 to 1 of 1 · **on clearance · up to 150 Acorns" in await send(
        "Filter", show="clearance"
    )
    assert await steps.press("Show all") == known
    assert "Nothing matches." in await send("Filter", show="clearance", type=["Kite"])
    assert list(buttons_of(steps.card)) == ["Show all", "Filter", "Watch this filter", "Refresh"]
    kites = await send("Filter", show="all")
    assert "1 to 1 of 1 · **Kite**" in kites
    assert "1 to 1 of 1 · **“number 18” · Kite · up to 300 Acorns**" in await send(
        "Filter", name="number 18", cost="300"
    )
    assert "“number 18” · Kite" in await steps.press("Refresh")
    too_long = await send("Filter", name="%" * 40)
    assert "That filter is too long" in too_long


async def test_an_empty_catalog_can_be_watched(rogue_world: World, shop: RogueShop) -> None:
    steps, shop.items = Steps(rogue_world, rogue_world.member), []
    assert "## Catalog 1\nThis catalog is empty right now." in await steps.use(
        "shop browse", catalog="1"
    )
    assert list(buttons_of(steps.card)) == ["Watch", "Refresh"]
    assert "You're watching all items" in await steps.press("Watch")


async def test_an_item_is_watched_and_no_longer_from_the_list(rogue_world: World) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    await steps.use("shop browse", catalog="1")
    watched = await steps.choose("Watch Hat number 2")
    assert (
        "🔔 You're watching this item. You get a direct message when something changes."
    ) in watched
    assert "your first direct message from Kiosk can take hours." in watched
    assert "🔔 Watching" in await steps.press("Back")
    assert "You're watching" not in await steps.choose("Stop watching Hat number 2")
    await steps.press("Watch")
    assert "You're watching" not in await steps.press("Stop watching")
    assert "Nothing yet" in await steps.use("account watches")


async def test_receipts_tell_of_each_order(rogue_world: World, shop: RogueShop) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    shop.outcomes.append(refuse(409, "Your pockets are empty."))
    await steps.use("shop buy", item="1", catalog="1")
    await steps.press("Buy item")
    await steps.use("shop buy", item="2", catalog="1")
    await steps.press("Buy item")
    await steps.use("shop redeem", item="2", catalog="1")
    await steps.press("Redeem item")

    receipts = await steps.use("shop orders")
    assert "**Hat number 1** · 10 Acorns\nNot bought: you weren't charged" in receipts
    assert "## Hat number 2" in await steps.choose("Open Hat number 2")
    assert await steps.press("Back") == receipts


@pytest.fixture
async def town(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """A member who is linked to the rogue game, and a moderator who named its catalog."""
    async with open_world(tmp_path, shop.base_url) as opened:
        await opened.link(opened.member, "any-token")
        await opened.slash("setup catalog", opened.moderator, id="1", name="Season")
        yield opened


@pytest.mark.parametrize(
    ("locale", "buy", "told", "nothing"),
    [
        ("en-US", ("Buy", "Buy item"), "🔕 You're no longer watching this item.", "Nothing yet."),
        (
            "de",
            ("Kaufen", "Artikel kaufen"),
            "🔕 Du beobachtest diesen Artikel nicht mehr.",
            "Noch nichts.",
        ),
    ],
)
async def test_what_is_bought_is_watched_no_longer(
    rogue_world: World, locale: str, buy: tuple[str, str], told: str, nothing: str
) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    await rogue_world.slash("shop watch", item="3", catalog="1")
    await rogue_world.slash("shop watch", item="2", catalog="1")
    speak_language(rogue_world.env, locale)
    await steps.use("shop item", item="3", catalog="1")

    await steps.press(buy[0])
    bought = await steps.press(buy[1])

    assert told in bought
    watches = text_of(await rogue_world.slash("account watches"))
    assert "Hat number 3" not in watches
    assert "Hat number 2" in watches
    assert nothing not in watches


async def test_a_watch_ends_when_a_lost_purchase_turns_out_to_be_done(
    rogue_world: World, shop: RogueShop
) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    await rogue_world.slash("shop watch", item="3", catalog="1")
    shop.before_order = lambda: setattr(shop, "is_down", True)
    shop.outcomes.append(lose_the_answer)
    await steps.use("shop buy", item="3", catalog="1")
    assert "Not confirmed yet" in await steps.press("Buy item")
    assert "Hat number 3" in text_of(await rogue_world.slash("account watches"))

    shop.is_down = False
    await rogue_world.pass_time(36)

    assert "Nothing yet." in text_of(await rogue_world.slash("account watches"))


async def test_the_orders_lead_back_to_what_was_bought(rogue_world: World) -> None:
    steps = Steps(rogue_world, rogue_world.member)
    for number in range(1, 7):
        await steps.use("shop buy", item=str(number), catalog="1")
        await steps.press("Buy item")

    await steps.press("Your orders")
    assert list(buttons_of(steps.card))[2:] == ["Filter", "Bought, not redeemed", "Back"]
    await steps.press("Next")
    item = await steps.press("Back")

    assert "## Hat number 6" in item
    assert "✅ Yours" in item
    await steps.use("shop orders")
    assert "Back" not in buttons_of(steps.card)


async def poll(world: World) -> None:
    await world.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(world)


def told(world: World) -> list[Any]:
    member: Any = world.member
    return list(member.user.dm_channel.history())


async def test_watches_are_told_of_and_ended(town: World, shop: RogueShop) -> None:
    watched = await town.slash("shop watch", item="2")
    assert watched.ephemeral
    assert "🔔 You're watching this item." in text_of(watched)
    assert (
        "when a matching item gets cheaper, is put on clearance or appears in Season."
        in text_of(await town.slash("shop watch", name="straw", max_cost=50))
    )
    await poll(town)
    shop.items[1]["cost"] = 5
    shop.items.insert(0, item(98, name="Straw Hat", cost=60))
    await poll(town)

    (news,) = told(town)
    assert "Cheaper" in text_of(news)
    assert "Hat number 2" in text_of(news)
    assert {"Buy", "Redeem", "Open"} <= buttons_of(news).keys()
    end = buttons_of(news)["Stop watching…"]["custom_id"]
    # There is no pressing in direct messages here.
    asked = await press_again(town.member, town.channel, answer_of(watched), end)
    assert text_of(asked) == "### Stop watching Hat number 2?\nSeason"
    kept = await town.slash("account watches")
    assert "Hat number 2" in text_of(kept)
    ended = await town.member.click(answer_of(asked), label="Stop watching")
    assert "You no longer watch **Hat number 2**." in text_of(ended)

    listed = await town.slash("account watches")
    assert "“straw” · up to 50" in text_of(listed)
    assert "Hat number 2" not in text_of(listed)
    (choice,) = selects_of(listed)[0]["options"]
    asked = await town.member.select(answer_of(listed), [choice["value"]])
    await town.member.click(answer_of(asked), label="Cancel")
    assert "“straw” · up to 50" in text_of(listed)
    await town.member.select(answer_of(listed), [choice["value"]])
    gone = await town.member.click(answer_of(listed), label="Stop watching")
    assert "You no longer watch **“straw” · up to 50**." in text_of(gone)
    assert "Nothing yet" in text_of(gone)
    again = await press_again(town.member, town.channel, answer_of(watched), end)
    assert "You aren't watching that" in text_of(again)


async def test_a_closed_dm_is_told_at_the_next_command(town: World, shop: RogueShop) -> None:
    card = await town.slash("shop item", item="2")
    await town.member.click(answer_of(card), label="Watch")
    assert "🔔 You're watching this item." in text_of(card)
    await poll(town)
    town.env.inject_error("POST", "/channels/*/messages", status=403, code=50007, times=1)
    shop.items[1]["is_clearance"] = True
    await poll(town)
    assert told(town) == []

    listed = await town.slash("account watches")

    (late,) = listed.followups
    assert late.ephemeral
    for words in ("Hat number 2", "On clearance", "Kiosk doesn't know if it reached you then."):
        assert words in text_of(late)
    assert not (await town.slash("account watches")).followups


@pytest.mark.parametrize("is_down", [False, True], ids=["who has unlinked", "a game that fails"])
async def test_a_watch_ends_whether_its_item_can_be_shown(
    town: World, shop: RogueShop, is_down: bool
) -> None:
    card = answer_of(await town.slash("shop watch", item="2", catalog="1"))
    if is_down:
        shop.is_down = True
        await town.restart()
    else:
        await town.bot.features.accounts.unlink(town.member.id)

    told = answer_of(await town.member.click(card, label="Stop watching"))

    assert "You're no longer watching this item." in text_of(told)
    assert "Nothing yet." in text_of(await town.member.click(told, label="Your watches"))


async def test_a_search_without_a_catalog_is_for_all_of_them(town: World) -> None:
    await town.slash("setup catalog", town.moderator, id="2", name="Outlet")
    of_a_type = await town.slash("shop watch", name="straw", type="hat")
    assert "You're watching “straw” · Hat\n" in text_of(of_a_type)
    assert "Outlet and Season" in text_of(of_a_type)
    refused = await town.slash("shop watch", town.friend, name="100% straw", max_cost=50)
    assert "The game only shows its shop to players." in text_of(refused)

    form = await town.friend.click(answer_of(refused), label="Link account")
    await town.friend.submit_modal(form, {"token": "any-token"})

    watching = await town.slash("account watches", town.friend)
    assert "**“100% straw” · up to 50** · Outlet and Season" in text_of(watching)
    (ending,) = selects_of(watching)[0]["options"]
    assert ending["description"] == "Outlet and Season"
    await town.friend.select(answer_of(watching), [ending["value"]])
    gone = await town.friend.click(answer_of(watching), label="Stop watching")
    assert "Nothing yet" in text_of(gone)


@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en-US", ("items up to 20", "items of type Hat", "items of type Hat · up to 20")),
        ("de", ("Artikel bis 20", "Artikel vom Typ Hat", "Artikel vom Typ Hat · bis zu 20")),
    ],
)
async def test_what_is_watched_reads_as_things_and_not_as_a_limit(
    town: World, locale: str, told: tuple[str, ...]
) -> None:
    speak_language(town.env, locale)
    wishes: list[dict[str, Any]] = [
        {"max_cost": 20},
        {"type": "Hat"},
        {"type": "Hat", "max_cost": 20},
    ]

    for wish, words in zip(wishes, told, strict=True):
        watched = text_of(await town.slash("shop watch", catalog="Season", **wish))
        assert watched.startswith(("### You're watching ", "### Du beobachtest: "))
        assert watched.splitlines()[0].endswith(f" {words}")


async def test_a_search_of_all_catalogs_takes_one_of_the_places_for_watches(town: World) -> None:
    await town.slash("setup catalog", town.moderator, id="2", name="Outlet")
    for cost in range(24):
        await town.slash("shop watch", max_cost=cost, catalog="Season")
    assert "You're watching “straw”" in text_of(await town.slash("shop watch", name="straw"))

    refused = await town.slash("shop watch", name="felt")

    assert "You can watch up to 25 things." in text_of(refused)
    listed = await town.member.click(answer_of(refused), label="Your watches")
    assert "felt" not in text_of(listed)
    # What is watched already takes no room.
    again = await town.slash("shop watch", name="straw", catalog="Outlet")
    assert "You're already watching “straw”\nOutlet and Season" in text_of(again)


async def test_what_a_watch_promises_is_what_is_new(town: World, shop: RogueShop) -> None:
    watched = await town.slash("shop watch", clearance=True)
    assert "You're watching items on clearance\n" in text_of(watched)
    assert "when a matching item gets cheaper or appears in Season." in text_of(watched)
    assert "your first direct message from Kiosk can take hours" in text_of(watched)
    again = text_of(await town.slash("shop watch", clearance=True))
    assert again == "### You're already watching items on clearance\nSeason"
    await town.slash("setup catalog", town.moderator, id="2", name="Outlet")
    both = await town.slash("shop watch", clearance=True)
    assert "when a matching item gets cheaper or appears in Outlet and Season." in text_of(both)
    assert "You're watching “straw” · on clearance" in text_of(
        await town.slash("shop watch", name="straw", clearance=True)
    )
    shop.owned.add(3)
    refused = await town.slash("shop watch", item="3")
    assert "You already own Hat number 3" in text_of(refused)


async def test_what_the_member_owns_is_not_told(town: World, shop: RogueShop) -> None:
    await town.slash("shop watch", item="2")
    await poll(town)
    shop.items[1]["cost"] = 5
    shop.owned.add(2)
    await poll(town)

    assert told(town) == []


async def test_items_that_one_page_has_are_looked_at_in_one_request(
    town: World, shop: RogueShop
) -> None:
    await town.slash("shop watch", max_cost=50)
    await poll(town)
    shop.items[:0] = [item(number, cost=5) for number in range(100, 112)]
    shop.owned.add(105)
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    before = len(shop.pages_asked)
    await tried(town)

    (news,) = told(town)
    assert text_of(news).count("🆕") == 11
    assert len(shop.pages_asked) - before == 1


async def test_there_must_be_something_to_watch(town: World) -> None:
    assert "You didn't choose what to watch" in text_of(await town.slash("shop watch"))
    both = await town.slash("shop watch", item="2", name="straw")
    assert "You entered an item and filters" in text_of(both)
    assert {"Buy", "Redeem", "Watch"} <= buttons_of(
        answer_of(await town.slash("shop item", item="2"))
    ).keys()


async def test_a_watch_made_in_a_direct_message_keeps_its_catalogs_name(
    town: World, shop: RogueShop
) -> None:
    await town.slash("shop browse", catalog="Season")
    await until_idle(town.bot)

    watched = await town.member.user.slash("shop watch", item="2")
    assert "Season · number 2" in text_of(watched)
    assert "**Hat number 2** · Season" in text_of(await town.slash("account watches"))
    assert "**Hat number 2** · Season" in text_of(await town.member.user.slash("account watches"))
    await poll(town)
    shop.items[1]["cost"] = 5
    await poll(town)
    assert "Season" in text_of(told(town)[-1])


@pytest.mark.parametrize(
    ("filled", "told"),
    [
        ({"name": "straw"}, "You're watching “straw”"),
        ({"show": "clearance"}, "You're watching items on clearance"),
        (
            {"show": "members", "cost": "50"},
            "You're watching items for subscribers only · up to 50",
        ),
        ({"show": "not owned"}, "You're watching all items"),
        (
            {"type": "Hat", "cost": "100 Acorns", "name": "Hat", "show": "clearance"},
            "You're watching “Hat” · Hat · on clearance · up to 100",
        ),
    ],
)
async def test_what_a_catalog_was_filtered_by_can_be_watched(
    town: World, shop: RogueShop, filled: dict[str, Any], told: str
) -> None:
    shop.stock(40)
    steps = Steps(town, town.member)
    await steps.use("shop browse", catalog="1")
    assert "Watch this filter" not in buttons_of(steps.card)
    await steps.press("Filter")
    filtered = await steps.send(**filled)
    assert told in await steps.press("Watch this filter")
    assert await steps.press("Back") == filtered
    assert "You're already watching" in await steps.press("Watch this filter")
    await steps.press("Stop watching…")
    assert "You no longer watch" in await steps.press("Stop watching")
    await steps.use("shop browse", catalog="1", sort="cost")
    assert "Watch this filter" not in buttons_of(steps.card)


async def test_a_filter_that_is_watched_tells_of_what_fits(town: World, shop: RogueShop) -> None:
    steps = Steps(town, town.member)
    await steps.use("shop browse", catalog="1", show="not owned", type="Hat")
    await steps.press("Watch this filter")
    await poll(town)
    scarf = shop.items[0]["item_type"] | {"id": 9, "name": "Scarf"}
    shop.items[:0] = [item(98, name="Straw Hat"), item(97, name="Red Scarf", item_type=scarf)]
    await poll(town)
    (news,) = told(town)
    assert "Straw Hat" in text_of(news)
    assert "Scarf" not in text_of(news)
