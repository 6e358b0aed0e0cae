"""What stands in channels: announcements and published ones, and why they stand there."""

import re
from typing import Any, cast

import pytest

from playground.simulation import speak_language
from storage.database import Database
from storage.names import PlaceKind
from storage.purging import Purge
from storage.subscriptions import News
from tests.conversations.announce.conftest import ALL, add, announce_a_hat, edit, press, use
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import ACORNS, RogueShop, item
from tests.support.world import World


async def test_anybody_can_buy_a_new_announced_item(town: World, shop: RogueShop) -> None:
    await town.settle(town.member, "members-token")
    posted = await announce_a_hat(town, shop)

    assert "🆕 New" in text_of(posted)
    asked = await town.member.click(posted, label="Buy")
    assert asked.ephemeral
    assert "Buy Straw Hat?" in text_of(asked)


@pytest.mark.parametrize("typed", ["creme brul", "Crème BRÛLÉE", "crème brulée"])
async def test_an_item_is_found_by_the_key_that_every_version_stores(
    town: World, shop: RogueShop, typed: str
) -> None:
    shop.items[:0] = [item(98, name="ババ"), item(99, name="Crème brûlée")]
    shop.items.append(item(97, name="The “Big” Hat ١٢"))
    await add(town)
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    stored = "SELECT name_key FROM seen WHERE subject_id IN (98, 99) ORDER BY subject_id"
    keys = [
        row["name_key"]
        for row in await town.bot.features.announcing.following.database.fetch(stored)
    ]

    assert keys == ["ババ", "crème brûlée"]
    assert "### Crème brûlée" in text_of(await use(town, "history", item=typed))
    assert "### ババ" in text_of(await use(town, "history", item="ﾊﾞﾊﾞ"))
    assert "### ババ" not in text_of(await use(town, "history", item="ハハ"))
    assert "### The “Big” Hat ١٢" in text_of(await use(town, "history", item='the "big" hat 12'))


async def test_the_history_tells_why_an_item_was_announced_or_was_not(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    gems = ACORNS | {"id": 9, "name": "Gems", "singular_name": "Gem"}
    shop.items.append(item(90, currency=gems))
    await add(town, cost="50 Gems")
    await add(town, news=["new"])
    elsewhere = town.guild.create_text_channel("elsewhere")
    await add(town, channel=[elsewhere], news=["back"])
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items[:0] = [item(99, name="Straw Hat"), item(98, name="Straw Hat de luxe")]
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    sending = f"/channels/{town.channel.id}/messages"
    town.env.inject_error("POST", sending, status=500, times=None)
    shop.items.insert(0, item(100, name="Felt Cap"))
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)

    asked = await use(town, "history", item="stra")
    listing, (listed,) = text_of(asked), selects_of(asked)
    await town.moderator.select(answer_of(asked), [listed["options"][0]["value"]])
    whole = text_of(await use(town, "history", item="“straw hat”"))
    of_all = text_of(await use(town, "history"))
    of_one = text_of(await press(town, "History"))

    here = town.channel.mention
    assert "“stra” matches several names: Straw Hat and Straw Hat de luxe." in listing
    assert [option["description"] for option in listed["options"]] == ["#99", "#98"]
    assert text_of(answer_of(asked)) == whole
    assert re.search(r"### Straw Hat\nFirst seen <t:\d+:R> in Season\.\n🆕 New · <t:", whole)
    assert f"✅ Season (2) in {here}: posted <t:" in whole
    costs = "the price is 990 Acorns, and the announcement only includes prices in Gems"
    assert f"⚪ Season (1) in {here}: {costs}" in whole
    assert (
        f"⚪ Season in {elsewhere.mention}: the announcement doesn't include this kind of news"
        in whole
    )
    waits = f"⏳ Season (2) in {here}: Discord hasn't accepted it yet (Discord is having trouble)"
    assert of_all.startswith("### History\n**Felt Cap** · 🆕 New · <t:")
    assert waits in of_all
    assert of_one.count("the announcement only includes prices in Gems") == 3
    assert "Season (2)" not in of_one


async def test_the_history_says_when_it_no_longer_knows_where_news_were_posted(
    town: World, shop: RogueShop
) -> None:
    await announce_a_hat(town, shop)
    elsewhere = town.guild.create_text_channel("elsewhere")
    await add(town, channel=[elsewhere])
    database = town.bot.features.announcing.following.database
    told: list[str] = []
    for days in (89, 2):
        await pass_days(database, days)
        await Purge(database).purge(town.bot.now())
        told.append(text_of(await use(town, "history", item="99")))

    before, after = told
    forgotten = "⚪ After 90 days, Kiosk no longer knows where this was posted"
    assert f"✅ Season in {town.channel.mention}: posted <t:" in before
    assert forgotten not in before
    assert forgotten in after
    assert town.channel.mention not in after
    assert f"⚪ Season in {elsewhere.mention}: announcement added later" in after
    assert not await database.fetch("SELECT 1 FROM message_events")


async def pass_days(database: Database, days: int) -> None:
    """Let all that was announced, and what announces it, be older by so many days."""
    for table, columns in {
        "events": ["happened_at"],
        "messages": ["kept_until", "settled_at"],
        "subscriptions": ["created_at"],
    }.items():
        for column in columns:
            passed = f"UPDATE {table} SET {column} = {column} - :micros"
            await database.execute(passed, micros=days * 86_400_000_000)


@pytest.mark.parametrize(
    ("locale", "is_expired", "title"),
    [
        ("en-US", False, "The shop needs your game account"),
        ("de", False, "Der Shop braucht dein Spielkonto"),
        ("en-US", True, "Your account link expired"),
        ("de", True, "Deine Verknüpfung ist abgelaufen"),
    ],
)
async def test_who_has_no_link_opens_what_is_announced_as_it_stands(
    town: World, shop: RogueShop, locale: str, title: str, *, is_expired: bool
) -> None:
    posted = await announce_a_hat(town, shop)
    if is_expired:
        await town.settle(town.friend, "expired")
        shop.expired = {"expired"}
    speak_language(town.env, locale)

    opened = await town.friend.click(posted, label="Open")

    assert opened.ephemeral
    (*item, invitation) = text_of(opened).split("\n### ")
    assert "## Straw Hat" in item[0]
    assert "990 Acorns" in item[0]
    assert invitation.startswith(title)
    linking = next(iter(buttons_of(opened)))
    form = await town.friend.click(answer_of(opened), label=linking)
    seen = await town.friend.submit_modal(form, {"token": "friends-token"})
    assert "## Straw Hat" in text_of(seen)
    assert title not in text_of(seen)


@pytest.mark.parametrize("pings", [True, False])
async def test_what_is_published_says_everything_without_its_buttons(
    town: World, shop: RogueShop, *, pings: bool
) -> None:
    let_discord_say(town, ALL)
    news = town.guild.create_news_channel("news")
    roles = [town.guild.create_role("Shoppers")] if pings else []
    await add(town, channel=[news], role=roles)
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)

    posted = cast("Any", news.last_message)
    (embed,) = posted.embeds
    assert "🆕 New" in embed.description
    assert "Straw Hat" in embed.description
    assert "990 Acorns" in embed.description
    url = f"https://discord.com/channels/{town.guild.id}/{news.id}"
    assert embed.description.endswith(f"\n\n[Open, buy or redeem items in the server]({url})")
    assert "Only you see" not in embed.description
    assert embed.image.url == "https://assets.example/99.png"
    sent = [
        request.json for request in town.env.http_requests if f"/{news.id}/messages" in request.path
    ]
    assert cast("Any", sent[0]).get("content") == (f"<@&{roles[0].id}>" if pings else None)
    assert not posted.flags.components_v2
    asked = await town.moderator.click(posted, label="Buy")
    assert "Buy Straw Hat?" in text_of(asked)


async def test_a_changed_announcement_speaks_its_servers_language(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town)

    def speak_german(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["guild_locale"] = "de"

    town.env.backend.subscribers.insert(0, speak_german)
    await edit(town, news=[kind.value for kind in News])

    assert "🆕 Neu" in text_of(await press(town, "Preview"))
