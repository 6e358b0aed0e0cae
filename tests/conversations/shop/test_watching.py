"""Watching items, and hearing of them by direct message."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from storage import MIGRATIONS
from storage.database import open_database
from storage.names import PlaceKind
from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.commits import until_none
from tests.support.owed import tried
from tests.support.presses import press_again
from tests.support.rogue_shop import RogueShop, item
from tests.support.world import World, open_world


@pytest.fixture
async def town(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[World]:
    """A member who is linked to the rogue game, and a moderator who named its catalog."""
    async with open_world(tmp_path, shop.base_url) as opened:
        await opened.link(opened.member, "any-token")
        await opened.slash("setup catalog add", opened.moderator, id="1", name="Season")
        yield opened


async def poll(world: World) -> None:
    await world.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    await tried(world)


def told(world: World) -> list[Any]:
    member: Any = world.member
    return list(member.user.dm_channel.history())


async def test_a_watched_item_and_a_search_are_told_of_and_can_be_ended(
    town: World, shop: RogueShop
) -> None:
    watched = await town.slash("shop watch", item="2")
    assert watched.ephemeral
    assert "You watch Hat number 2" in text_of(watched)
    assert "such an item appears" in text_of(
        await town.slash("shop watch", name="straw", max_cost=50)
    )
    await poll(town)
    shop.items[1]["cost"] = 5
    shop.items.insert(0, item(98, name="Straw Hat", cost=60))
    await poll(town)

    (news,) = told(town)
    assert "Cheaper" in text_of(news)
    assert "Hat number 2" in text_of(news)
    assert {"Buy", "Redeem", "Open"} <= buttons_of(news).keys()
    end = buttons_of(news)["Stop watching"]["custom_id"]
    # There is no pressing in direct messages here.
    ended = await press_again(town.member, town.channel, answer_of(watched), end)
    assert "You no longer watch Hat number 2" in text_of(ended)

    listed = await town.slash("shop watching")
    assert "“straw” · up to 50" in text_of(listed)
    assert "Hat number 2" not in text_of(listed)
    (choice,) = selects_of(listed)[0]["options"]
    gone = await town.slash("shop unwatch", watched=choice["value"])
    assert "You no longer watch “straw” · up to 50" in text_of(gone)
    assert "Nothing yet" in text_of(await town.slash("shop watching"))


async def test_a_watch_made_in_a_direct_message_keeps_its_catalogs_name(
    town: World, shop: RogueShop
) -> None:
    await town.slash("shop browse", catalog="Season")
    async with open_database(town.settings.database_url, MIGRATIONS) as database:
        await until_none(database, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM member_servers)")

    watched = await town.member.user.slash("shop watch", item="2")
    assert "when it comes back to Season" in text_of(watched)
    assert "**Hat number 2** · Season" in text_of(await town.slash("shop watching"))
    assert "**Hat number 2** · Season" in text_of(await town.member.user.slash("shop watching"))
    await poll(town)
    shop.items[1]["cost"] = 5
    await poll(town)
    assert "Season" in text_of(told(town)[-1])


async def test_a_watch_is_ended_by_a_part_of_what_is_watched(town: World) -> None:
    await town.slash("shop watch", item="2")
    await town.slash("shop watch", name="straw", max_cost=50)
    await town.slash("shop watch", name="strawberry")

    assert "You no longer watch Hat number 2" in text_of(
        await town.slash("shop unwatch", watched="hat numer 2")
    )
    asked = await town.slash("shop unwatch", watched="stra")
    assert "Several fit “stra”: " in text_of(asked)
    (choice, _) = selects_of(asked)[0]["options"]
    gone = await town.member.select(answer_of(asked), [choice["value"]])
    assert "You no longer watch “straw” · up to 50" in text_of(gone)
    assert "It is not on the list" in text_of(await town.slash("shop unwatch", watched="kite"))


async def test_what_a_closed_dm_refuses_is_told_at_the_next_command(
    town: World, shop: RogueShop
) -> None:
    card = await town.slash("shop item", item="2")
    assert "You watch Hat number 2" in text_of(
        await town.member.click(answer_of(card), label="Watch")
    )
    await poll(town)
    town.env.inject_error("POST", "/channels/*/messages", status=403, code=50007, times=1)
    shop.items[1]["is_clearance"] = True
    await poll(town)
    assert told(town) == []

    listed = await town.slash("shop watching")

    (late,) = listed.followups
    assert late.ephemeral
    for words in ("Hat number 2", "On clearance", "my message may not have reached you"):
        assert words in text_of(late)
    assert not (await town.slash("shop watching")).followups


async def test_a_search_is_gone_on_with_after_linking_and_once_it_is_clear_where(
    town: World,
) -> None:
    await town.slash("setup catalog add", town.moderator, id="2", name="Outlet")
    asked = await town.slash("shop watch", town.friend, name="100% straw", max_cost=50)
    (listed,) = selects_of(asked)
    season = next(each["value"] for each in listed["options"] if each["label"] == "Season")
    refused = await town.friend.select(answer_of(asked), [season], custom_id=listed["custom_id"])
    assert "Link your game account first" in text_of(refused)

    form = await town.friend.click(answer_of(refused), label="Link account")
    await town.friend.submit_modal(form, {"token": "any-token"})

    watching = text_of(await town.slash("shop watching", town.friend))
    assert "“100% straw” · up to 50" in watching
    assert "Season" in watching


async def test_what_the_member_owns_is_not_told(town: World, shop: RogueShop) -> None:
    await town.slash("shop watch", item="2")
    await poll(town)
    shop.items[1]["cost"] = 5
    shop.owned.add(2)
    await poll(town)

    assert told(town) == []


@pytest.mark.parametrize("is_down", [False, True])
async def test_the_game_is_asked_once_whether_much_that_is_watched_is_owned(
    town: World, shop: RogueShop, *, is_down: bool
) -> None:
    await town.slash("shop watch", max_cost=50)
    await poll(town)
    shop.items[:0] = [item(number, cost=5) for number in range(100, 112)]
    shop.owned.add(105)
    await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    before, shop.is_down = len(shop.pages_asked), is_down
    await tried(town)

    asked = len(shop.pages_asked) - before
    (news,) = told(town)
    assert text_of(news).count("🆕") == (12 if is_down else 11)
    assert asked < 6


async def test_there_must_be_something_to_watch(town: World) -> None:
    assert "What would you like to watch?" in text_of(await town.slash("shop watch"))
    assert "You don't watch that" in text_of(await town.slash("shop unwatch", watched="7"))
    assert {"Buy", "Redeem", "Watch"} <= buttons_of(
        answer_of(await town.slash("shop item", item="2"))
    ).keys()
