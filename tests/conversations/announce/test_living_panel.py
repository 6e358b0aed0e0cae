"""The panel says how many items are new in the catalogs that the server announces."""

from storage.names import PlaceKind
from tests.conversations.announce.conftest import announce_a_hat
from tests.support.panels import post_panel
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World


async def test_new_items_are_counted_for_a_week(town: World, shop: RogueShop) -> None:
    panel = await post_panel(town)
    await announce_a_hat(town, shop)
    assert "**Catalogs**\nSeason · 1 new this week" in await panel.after(minutes=11)
    shop.items.insert(0, item(98, name="Felt Hat"))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    assert "Season · 1 new this week" in await panel.after(minutes=9)
    assert "Season · 2 new this week" in await panel.after(minutes=2)

    wanted = await panel.times_wanted()
    assert "Season · 2 new this week" in await panel.after(days=6)
    assert await panel.times_wanted() == wanted
    assert "new" not in await panel.after(days=1)


async def test_a_german_server_reads_it_in_german(town: World, shop: RogueShop) -> None:
    panel = await post_panel(town)
    await town.bot.features.moderation.settings.change(town.guild.id, locale="de")
    await announce_a_hat(town, shop)
    assert "**Kataloge**\nSeason · 1 neu in dieser Woche" in await panel.after(minutes=11)
