"""Reading whole catalogs: how far it is, what stops it, and how it goes on."""

import asyncio
from pathlib import Path

from tests.conversations.shop.conftest import browse
from tests.support.bot_process import run_bot
from tests.support.cards import buttons_of, text_of
from tests.support.discord_standin import open_discord
from tests.support.presses import press_again
from tests.support.program import Launcher
from tests.support.rogue_game import RogueShop
from tests.support.world import World


async def test_reading_a_whole_catalog_shows_progress(rogue_world: World, shop: RogueShop) -> None:
    shop.stock(300)
    card = await browse(rogue_world, sort="cost")
    seen = [
        str(request) for request in rogue_world.env.http_requests if "pages read" in str(request)
    ]

    assert "Page 2: 1 of at least 2 pages read." in seen[0]
    assert len(seen) > 1
    assert "Stop" in seen[0]
    assert "of 300" in text_of(card)

    # Now it is known how long the catalog is.
    await rogue_world.member.click(card, label="Refresh")
    assert any("Page 2 of about 20. Done <t:" in str(r) for r in rogue_world.env.http_requests)


async def test_of_a_card_that_is_gone_one_new_message_shows_how_far_it_is(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.stock(300)
    gone = "/webhooks/*/messages/@original"
    rogue_world.env.inject_error("PATCH", gone, status=404, code=10008, times=None)

    told = await rogue_world.slash("shop browse", catalog="1", sort="cost")

    (only,) = told.followups
    assert "of 300" in text_of(only)


async def test_a_broken_off_catalog_is_read_on(rogue_world: World, shop: RogueShop) -> None:
    shop.stock(50)
    shop.failing_pages = {3, 4, 5}
    card = await browse(rogue_world, sort="cost")
    assert "of 30" in text_of(card)
    assert "The game stopped answering, so later items are missing" in text_of(card)

    shop.failing_pages = set()
    await rogue_world.member.click(card, label="Keep reading")

    assert "of 50" in text_of(card)
    assert "Keep reading" not in buttons_of(card)


async def test_a_stop_button_that_is_pressed_too_late_says_so(rogue_world: World) -> None:
    card = await browse(rogue_world)
    await press_again(rogue_world.member, rogue_world.channel, card, "kiosk.stop:0123456789abcdef")
    assert "Reading has already ended" in text_of(card)


async def test_a_reading_that_is_stopped_shows_what_it_has_and_reads_on_when_asked(
    launcher: Launcher, shop: RogueShop, tmp_path: Path
) -> None:
    shop.stock(300)
    shop.gate, shop.held_from = asyncio.Event(), 12
    async with open_discord() as discord, run_bot(launcher, discord, shop.base_url, tmp_path):
        ada = discord.add_member("ada")
        form = await (await discord.slash(ada, "account link")).modal()
        await (await discord.submit(ada, form, {"token": "any-token"})).says("Game account linked")

        browsing = await discord.slash(ada, "shop browse", catalog="1", sort="cost")
        progress = await browsing.says("pages read")
        await discord.press(ada, progress, "Stop")
        stopped = await browsing.says("You stopped before the end")
        shop.gate.set()
        await (await discord.press(ada, stopped, "Keep reading")).says("of 300")
