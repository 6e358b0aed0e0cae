"""Hours that pass in one jump: all that is due by then is there once Kiosk is idle."""

from pathlib import Path

from tests.conversations.announce.conftest import ALL
from tests.support.announcing import catalog_in
from tests.support.cards import text_of
from tests.support.clock import SteppedClock, utc_now
from tests.support.permissions import let_discord_say
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop, item
from tests.support.world import open_world


async def test_every_channel_has_the_news_of_an_hour(tmp_path: Path, shop: RogueShop) -> None:
    clock, shop.catalogs = SteppedClock(utc_now()), {1, 2, 3}
    every_minute = {"poll_interval": 60.0}
    async with open_world(tmp_path, shop.base_url, clock=clock, pages=every_minute) as world:
        let_discord_say(world, ALL)
        channels = {
            number: world.guild.create_text_channel(f"catalog-{number}") for number in shop.catalogs
        }
        for number, channel in channels.items():
            new = catalog_in(world.guild.id, channel.id, number)
            await world.bot.features.announcing.add(new)
        await until_idle(world.bot)
        for hour in range(3):
            shop.items.insert(0, item(90 + hour, name=f"Hat of hour {hour}"))
            await world.pass_time(3600)

            for channel in channels.values():
                assert f"Hat of hour {hour}" in text_of(channel.last_message)
                assert len(channel.history()) == hour + 1
