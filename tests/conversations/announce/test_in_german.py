"""An admin who has Discord in German: announcements, and their cards, are in German."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, add, opened, use
from tests.support.cards import rows_of, selects_of, text_of
from tests.support.languages import english_shown
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World, open_world


@pytest.fixture
async def german(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """Everyone has Discord in German, and a catalog is announced. Nothing is said in English."""
    async with open_world(tmp_path, shop.base_url) as world:
        speak_language(world.env, "de")
        await world.settle(world.moderator, "any-token")
        await world.slash("setup catalog", world.moderator, id="1", name="Season")
        let_discord_say(world, ALL)
        role = world.guild.create_role("Einkauf")
        kept = await add(world, role=[role])
        told = "**Ankündigung hinzugefügt. Ab jetzt postet Kiosk Neues.**"
        assert f"## Season in {world.channel.mention}\n{told}" in text_of(kept)
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


async def test_what_was_missed_is_announced_and_told_of_in_german(
    german: World, shop: RogueShop
) -> None:
    card = await press(german, await opened(german), "Pausieren")
    await restock(german, shop)
    assert "2 Artikel wurden verpasst." in text_of(await use(german, "list"))
    card = await opened(german)
    assert rows_of(card) == [
        ["Fortsetzen", "Bearbeiten", "Eigener Text", "Vorschau", "Verlauf"],
        ["Benachrichtigung ändern…", "Nicht mehr ankündigen…", "Zurück"],
    ]
    await press(german, card, "Fortsetzen")
    missed = "- **Strohhut** · 990 Acorns · 🆕 Neu · ⭐ Nur mit Abo\n"
    assert f"### 2 Artikel wurden verpasst.\n{missed}" in text_of(card)
    await press(german, card, "Ankündigen")
    await tried(german)
    news = text_of(german.channel.last_message)
    assert "## Neues aus Season\n2 neu" in news
    assert "**Strohhut**\n990 Acorns · Hat\n-# 🆕 Neu · ⭐ Nur mit Abo" in news
    history = text_of(await use(german, "history", item="Kappe"))
    assert f"✅ Season in {german.channel.mention}: <t:" in history

    await press(
        german, card, "Verlauf", "Zurück", "Nicht mehr ankündigen…", "Nicht mehr ankündigen"
    )
    assert "Dieser Server hat noch keine Ankündigungen." in text_of(card)


async def test_a_wrong_announcement_is_updated_and_deleted(german: World, shop: RogueShop) -> None:
    await restock(german, shop)
    del shop.items[0]
    card = await press(german, await opened(german), "Verlauf")
    (listed,) = selects_of(card)
    assert listed["placeholder"] == "Nachricht öffnen…"
    (entry,) = listed["options"]
    assert entry["description"] == "#game-talk · 2 Artikel"
    await german.moderator.select(card, [entry["value"]])
    assert f"✅ {german.channel.mention}: <t:" in text_of(card)
    assert rows_of(card)[0][:2] == ["Nachricht öffnen", "Nachricht aktualisieren"]

    await press(german, card, "Nachricht aktualisieren")
    left_out = "1 Artikel ist gerade nicht im Katalog und bleibt, wie er ist."
    assert f"**Kiosk aktualisiert die Nachricht. {left_out}**" in text_of(card)
    await press(german, card, "Nachricht löschen…")
    assert "### Diese Nachricht löschen?\nKiosk löscht die Nachricht in" in text_of(card)
    assert "endgültig und postet diese Neuigkeit dort nicht noch einmal." in text_of(card)
    await press(german, card, "Nachricht löschen")
    assert "wird gerade gelöscht" in text_of(card)
    await tried(german)

    assert german.channel.history() == []
    history = text_of(await use(german, "history", item="Kappe"))
    assert f"🗑️ Season in {german.channel.mention}: gepostet, dann gelöscht" in history
    log = text_of(await german.slash("moderate log", german.moderator))
    assert re.search(r"hat <t:\d+:\w> eine Nachricht einer Ankündigung gelöscht:", log)
    assert re.search(r"hat <t:\d+:\w> eine Nachricht einer Ankündigung aktualisiert:", log)
