"""Announcements that are changed, moved and removed."""

from typing import Any

from storage.names import PlaceKind
from tests.conversations.announce.conftest import ALL, add, use
from tests.support.cards import answer_of, text_of
from tests.support.owed import tried, try_again
from tests.support.permissions import let_discord_say
from tests.support.rogue_shop import RogueShop, item
from tests.support.world import World


async def test_an_announcement_is_changed_and_removed(town: World) -> None:
    let_discord_say(town, ALL)
    await add(town, max_cost=50)

    changed = text_of(
        await use(town, "edit", announcement="1", what="everything", without="max_cost")
    )
    assert "back again" in changed
    assert "up to 50" not in changed
    removed = await use(town, "remove", announcement="2")
    assert "Kiosk doesn't know that announcement" in text_of(removed)
    assert "Nothing more is announced" in text_of(await use(town, "remove", announcement="1"))
    assert "none yet" in text_of(await use(town, "list"))


async def test_once_it_is_changed_an_announcement_speaks_the_language_of_its_server(
    town: World,
) -> None:
    let_discord_say(town, ALL)
    await add(town)

    def speak_german(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["guild_locale"] = "de"

    town.env.backend.subscribers.insert(0, speak_german)
    await use(town, "edit", announcement="1", what="everything")
    await use(town, "test", announcement="1")
    await tried(town)

    assert "🆕 Neu" in text_of(town.channel.last_message)


async def test_a_channel_that_is_gone_stops_its_announcement_until_it_is_mended(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    await add(town)
    poller = town.bot.features.poller
    await poller.poll(PlaceKind.CATALOG, 1)
    shop.items.insert(0, item(99, name="Straw Hat"))
    gone = "POST", f"/channels/{town.channel.id}/messages"
    town.env.inject_error(*gone, status=404, code=10003)
    await poller.poll(PlaceKind.CATALOG, 1)
    await tried(town)
    assert "the channel is gone" not in text_of(await use(town, "list"))
    town.env.inject_error(*gone, status=404, code=10003)
    await try_again(town)

    listed = text_of(await use(town, "list"))
    assert "the channel is gone" in listed
    assert "`/announce edit`" in listed
    assert "⛔" in text_of(await use(town, "why", item="99"))
    elsewhere = town.guild.create_text_channel("elsewhere")
    await use(town, "edit", announcement="1", channel=elsewhere)
    resumed = await use(town, "resume", announcement="1")
    await town.moderator.click(answer_of(resumed), label="Announce them now")
    await tried(town)
    assert "Straw Hat" in text_of(elsewhere.last_message)


async def test_an_announcement_is_moved_while_the_game_is_down(
    town: World, shop: RogueShop
) -> None:
    let_discord_say(town, ALL)
    await add(town)
    elsewhere = town.guild.create_text_channel("elsewhere")
    shop.is_down = True

    moved = text_of(await use(town, "edit", announcement="1", channel=elsewhere))
    typed = text_of(await use(town, "edit", announcement="1", type="hat"))

    assert f"is announced in <#{elsewhere.id}>" in moved
    assert "so there is no preview" in moved
    assert "is announced in" not in typed
