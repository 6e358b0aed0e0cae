"""What is posted of a catalog when it is announced: the newest of what is there already."""

from typing import Any, cast

from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, NOTHING, add, deny, opened, press, restock
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World


async def test_the_newest_are_posted_once_and_ping_nobody(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    role = town.guild.create_role("Shoppers")
    await add(town, news=["back"])
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    shop.items.append(item(0, name="Late Cap"))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)

    kept = answer_of(await add(town, role=[role]))
    await deny(town)
    await town.moderator.click(kept, label="Post newest items")
    assert "Kiosk needs these permissions there:\n- **Send Messages**" in text_of(kept)
    await deny(town, denied=NOTHING)
    await town.moderator.click(kept, label="Try again")
    assert "5 posts are on their way." in text_of(kept)
    assert "Post newest items" not in buttons_of(kept)
    await tried(town)

    posted = cast("Any", town.channel.last_message)
    highest = sorted((entry["id"] for entry in shop.items), reverse=True)[:4]
    names = ["Late Cap", *(f"Hat number {number}" for number in highest)]
    said = text_of(posted)
    assert "These items are already in the catalog." in said
    places = [said.index(f"**{name}**") for name in names]
    assert places == sorted(places)
    assert role.mention not in said
    # They are no news: none of them is in the history.
    assert "**Hat number" not in text_of(await press(town, "History"))


async def test_only_what_would_be_announced_is_posted(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    kept = answer_of(await add(town, cost="10 Acorns"))
    await town.moderator.click(kept, label="Post newest items")
    assert "1 post is on its way." in text_of(kept)
    await tried(town)
    assert "## Hat number 1\n" in text_of(town.channel.last_message)

    shop.items.clear()
    kept = answer_of(await add(town))
    await town.moderator.click(kept, label="Post newest items")
    assert "There are no matching items right now." in text_of(kept)


async def test_what_comes_as_news_is_not_among_the_newest(town: World, shop: RogueShop) -> None:
    let_discord_say(town, ALL)
    kept = answer_of(await add(town))
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    shop.items.append(item(0, name="Late Cap"))
    await town.moderator.click(kept, label="Post newest items")
    await tried(town)
    assert "Late Cap" not in text_of(town.channel.last_message)

    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    assert "Late Cap" in text_of(town.channel.last_message)


async def test_the_newest_are_posted_in_german_in_a_forum(town: World) -> None:
    let_discord_say(town, ALL)
    speak_language(town.env, "de")
    forum = town.guild.create_forum_channel("Neues")
    kept = answer_of(await add(town, channel=[forum]))
    await town.moderator.click(kept, label="Neueste Artikel posten")
    await tried(town)
    (post,) = forum.threads
    assert post.name == "Season: 5 Artikel"
    assert "Diese Artikel sind schon im Katalog." in text_of(post.last_message)


async def test_the_newest_are_offered_until_something_was_announced(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    await add(town)
    newest = "Post newest items"
    assert newest in buttons_of(await opened(town))
    # Nothing is posted there meanwhile.
    card = await press(town, "Pause")
    assert newest not in buttons_of(card)
    await town.moderator.click(card, label="Resume")
    assert newest in buttons_of(card)
    at_hand, shop.items = shop.items, []
    await town.moderator.click(card, label=newest)
    assert "There are no matching items right now." in text_of(card)
    assert newest in buttons_of(card)

    shop.items = at_hand
    await restock(town, shop, "Straw Hat")
    assert newest not in buttons_of(await opened(town))
