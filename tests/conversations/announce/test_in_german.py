"""An admin who has Discord in German: announcements, and their cards, are in German."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, add, opened, use
from tests.support.cards import answer_of, rows_of, text_of
from tests.support.languages import english_shown
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World, open_world


@pytest.fixture
async def german(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """Everybody has Discord in German, and a catalog is announced; nothing is said in English."""
    async with open_world(tmp_path, shop.base_url) as world:
        speak_language(world.env, "de")
        await world.settle(world.moderator, "any-token")
        await world.slash("setup catalog", world.moderator, id="1", name="Season")
        let_discord_say(world, ALL)
        role = world.guild.create_role("Einkauf")
        kept = await add(world, role=[role])
        assert f"## Season in {world.channel.mention}\n**Wird ab jetzt angekündigt.**" in text_of(
            kept
        )
        assert f"\nNeue Artikel und Sonderangebot\nPingt {role.mention}" in text_of(kept)
        await world.bot.features.poller.poll(PlaceKind.CATALOG, 1)
        yield world
        assert not english_shown(world.env, "de")


async def restock(world: World, shop: RogueShop) -> None:
    shop.items[:0] = [item(99, name="Strohhut", is_member_item=True), item(98, name="Kappe")]
    await world.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(world)


async def press(world: World, card: Any, *labels: str) -> Any:
    for label in labels:
        await world.moderator.click(card, label=label)
    return card


async def test_several_news_say_which_are_for_subscribers(german: World, shop: RogueShop) -> None:
    await restock(german, shop)

    news = text_of(german.channel.last_message)
    assert "## Neues aus Season\n2 neu" in news
    assert "**Strohhut**\n990 Acorns · Hat\n-# 🆕 Neu · ⭐ Nur mit Abo" in news
    assert "**Kappe**\n980 Acorns · Hat\n-# 🆕 Neu\n" in news
    why = text_of(await use(german, "why", item="Kappe"))
    assert f"✅ {german.channel.mention}: <t:" in why


async def test_what_was_missed_is_listed_and_announced(german: World, shop: RogueShop) -> None:
    card = await press(german, await opened(german), "Anhalten")
    await restock(german, shop)

    assert "· 2 verpasst" in text_of(await use(german, "list"))
    card = await opened(german)
    assert (
        ". Seitdem verpasst:\n- **Strohhut** · 990 Acorns · 🆕 Neu · ⭐ Nur mit Abo\n"
        in text_of(card)
    )
    assert rows_of(card) == [
        ["Fortsetzen", "Die 2 ankündigen", "Die 2 verwerfen"],
        ["Bearbeiten", "Verlauf", "Entfernen…", "Zurück"],
    ]
    await press(german, card, "Fortsetzen", "Die 2 ankündigen")
    await tried(german)
    assert "Strohhut" in text_of(german.channel.last_message)


async def test_a_test_is_posted_and_taken_back(german: World) -> None:
    card = await press(german, await opened(german), "Test senden")

    assert f"Ein Test steht in {german.channel.mention}" in text_of(card)
    posted = german.channel.last_message
    assert "🧪 Ein Test von" in text_of(posted)
    await press(german, card, "Zurücknehmen")
    assert "Der Test ist zurückgenommen" in text_of(card)
    await press(german, card, "Zurück", "Verlauf", "Zurück", "Entfernen…", "Entfernen")
    assert "Hier wird noch nichts angekündigt." in text_of(card)


async def test_who_lost_their_reader_is_told_and_takes_over(german: World) -> None:
    log = german.guild.create_text_channel("log")
    await german.manage("Moderation", log_channel_id=[log])
    await german.bot.features.accounts.unlink(german.moderator.id)
    assert not await german.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(german)

    (told,) = log.history()
    unlinked = f"{german.moderator.mention} hat die Verknüpfung aufgehoben."
    title = f"### Season in {german.channel.mention} wird nicht mehr angekündigt"
    assert text_of(told) == f"{title}\nNiemand liest ihn: {unlinked}"
    asked = await german.moderator.click(told, label="Mit meinem Konto lesen")
    form = await german.moderator.click(answer_of(asked), label="Konto verknüpfen")
    goes_on = await german.moderator.submit_modal(form, {"token": "any-token"})
    assert "Kiosk liest ihn mit deinem Konto." in text_of(goes_on)


async def test_the_form_says_that_nobody_is_pinged(german: World) -> None:
    form = await german.moderator.click(await opened(german), label="Bearbeiten")

    fields = [each["component"] for each in cast("Any", form.modal)["components"]]
    assert [each["placeholder"] for each in fields if each["custom_id"] == "role"] == ["Niemand"]
