"""Items are announced as gone after a day, if the announcement includes gone items."""

from datetime import timedelta
from typing import Any, cast

import pytest

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, add
from tests.support.cards import buttons_of, selects_of, text_of
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World


async def let_go(town: World, shop: RogueShop, count: int, *more: dict[str, Any]) -> Any:
    """Let some items go and a day pass, then others come; give what was posted."""
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    del shop.items[:count]
    await poller.poll(PlaceKind.CATALOG, 1)
    await town.bot.features.announcing.following.database.execute(
        "UPDATE seen SET state = REPLACE(state, :today, :before)",
        today=f'"gone_at":"{town.bot.now():%Y-%m-%d}',
        before=f'"gone_at":"{town.bot.now() - timedelta(days=2):%Y-%m-%d}',
    )
    await town.bot.features.announcing.following.database.execute(
        "UPDATE followed SET version = version + 1"
    )
    shop.items[:0] = more
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    return cast("Any", town.channel.last_message)


@pytest.mark.parametrize(
    ("language", "words"), [("en-US", "👋 Gone · Season"), ("de", "👋 Nicht mehr da · Season")]
)
async def test_what_is_gone_is_told_without_buttons(
    town: World, shop: RogueShop, language: str, words: str
) -> None:
    let_discord_say(town, ALL)
    speak_language(town.env, language)
    await add(town, news=["gone"])

    posted = await let_go(town, shop, 1)

    assert f"{words}\n## Hat number 1\n" in text_of(posted)
    assert not buttons_of(posted)


async def test_what_is_gone_is_listed_beside_what_is_new(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town, news=["gone", "new"])

    posted = await let_go(town, shop, 2, item(99, name="Straw Hat"))

    assert "1 new · 2 gone" in text_of(posted)
    assert "**Hat number 1**\n10 Acorns · Hat\n-# 👋 Gone" in text_of(posted)
    labels = [entry["label"] for entry in selects_of(posted)[0]["options"]]
    assert labels
    assert all("Straw Hat" in label for label in labels)


async def test_where_it_is_not_wanted_it_is_not_told(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    await add(town)
    await let_go(town, shop, 1)
    assert town.channel.last_message is None
