"""Announcements on a Discord that refuses and loses answers, also while they are moved."""

from typing import Any

import pytest
import simcord

from storage.names import PlaceKind
from storage.subscriptions import NEWS_CHANNEL, PERSON, News, Subscription
from tests.support.announcing import catalog_in
from tests.support.cards import text_of
from tests.support.databases import run_beside
from tests.support.owed import tried
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop, item
from tests.support.wire import Wire, is_message
from tests.support.world import World

FORUM, TEXT = 15, 0
HAT, CAP = "Straw Hat", "Felt Cap"
AN_HOUR = 3600.0
# After it, a refusal that is met again counts.
_UNTIL_MET_AGAIN = 600.0
_TAG = 7


async def subscribe(
    town: World, channel: simcord.ChannelHandle, kind: int, **changes: Any
) -> Subscription:
    """Announce new items in a channel from now on."""
    guild = changes.pop("guild", town.guild)
    new = catalog_in(
        guild.id, channel.id, channel_kind=kind, news=frozenset({News.NEW}), tag_id=_TAG, **changes
    )
    added = await town.bot.features.announcing.add(new)
    assert await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)
    return added


async def stock(town: World, shop: RogueShop, name: str = HAT) -> None:
    """Let there be a new item, and have it found."""
    shop.items.insert(0, item(100 + len(shop.items), name=name))
    assert await town.bot.features.poller.poll(PlaceKind.CATALOG, 1)


async def announce(
    town: World, shop: RogueShop, channel: simcord.ChannelHandle, kind: int = TEXT
) -> Subscription:
    """Announce a new item in a channel, and try to send it."""
    added = await subscribe(town, channel, kind)
    await stock(town, shop)
    await tried(town)
    return added


def make_forum(town: World) -> simcord.ChannelHandle:
    """Make a forum channel with a tag."""
    forum = town.guild.create_forum_channel("finds")
    tags = town.env.backend.channels[forum.id].available_tags
    tags.append(
        {"id": str(_TAG), "name": "Shop", "moderated": False, "emoji_id": None, "emoji_name": None}
    )
    return forum


def shown(channel: simcord.ChannelHandle) -> list[str]:
    return [text_of(message) or str(message.embeds[0].description) for message in channel.history()]


def refuse(town: World, channel: simcord.ChannelHandle, status: int, code: int) -> None:
    path = f"/channels/{channel.id}/messages"
    town.env.inject_error("POST", path, status=status, code=code, times=None)


def states(town: World, kind: str = "announcement%") -> list[str]:
    sql = "SELECT state FROM messages WHERE kind LIKE :kind ORDER BY state"
    return [state for (state,) in run_beside(town.settings.database_url, sql, kind=kind)]


def open_system_channel(town: World) -> simcord.ChannelHandle:
    """Make the channel where Discord itself tells a server of things."""
    channel = town.guild.create_text_channel("system")
    town.env.backend.guilds[town.guild.id].system_channel_id = channel.id
    return channel


async def test_after_a_day_without_discord_one_message_tells_all_that_waits(
    town: World, shop: RogueShop
) -> None:
    refuse(town, town.channel, 403, 40333)
    await announce(town, shop, town.channel)
    await stock(town, shop, CAP)
    # Nothing else is tried as often as that.
    for _ in range(40):
        await town.pass_time(AN_HOUR)
    assert shown(town.channel) == []

    town.env.backend.faults.clear()
    await town.pass_time(AN_HOUR)

    (told,) = shown(town.channel)
    assert "for more than a day" in told
    assert [HAT in told, CAP in told] == [True, True]


@pytest.mark.parametrize(("is_answered", "state"), [(True, "sent"), (False, "unknown")])
async def test_a_forum_hears_of_an_item_as_one_post_answered_or_not(
    wire: Wire, town: World, shop: RogueShop, *, is_answered: bool, state: str
) -> None:
    forum = make_forum(town)
    if not is_answered:
        wire.lose_answer(f"/channels/{forum.id}/threads")
    await announce(town, shop, forum, FORUM)
    for seconds in (10, AN_HOUR):
        await town.pass_time(seconds)

    (post,) = forum.threads
    tags = town.env.backend.channels[post.id].applied_tags
    assert (post.name, tags) == (HAT, [_TAG])
    assert "🆕 New" in shown(post)[0]
    assert states(town) == [state]


async def test_a_post_whose_tag_was_deleted_has_none(town: World, shop: RogueShop) -> None:
    forum = town.guild.create_forum_channel("finds")
    await announce(town, shop, forum, FORUM)

    (post,) = forum.threads
    assert (post.name, town.env.backend.channels[post.id].applied_tags) == (HAT, [])


async def test_a_published_announcement_alone_is_repeated(town: World, shop: RogueShop) -> None:
    news = town.guild.create_news_channel("news")
    publishing = "/channels/*/messages/*/crosspost"
    town.env.inject_error("POST", publishing, status=503, times=1)
    await announce(town, shop, news, NEWS_CHANNEL)
    await town.pass_time(AN_HOUR)

    assert len(shown(news)) == 1
    assert states(town, "publish") == ["sent"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((404, 10008), ["dropped", "sent"]),
        ((403, 50024), ["dropped", "sent"]),
        # So many an hour are published, and any number may be posted.
        (None, ["owed", "owed"]),
    ],
)
async def test_what_is_not_published_holds_up_no_other_announcement(
    wire: Wire, town: World, shop: RogueShop, answer: tuple[int, int] | None, expected: list[str]
) -> None:
    news = town.guild.create_news_channel("news")
    publishing = "/channels/*/messages/*/crosspost"
    if answer is None:
        wire.limit(publishing, 3000.0)
    else:
        town.env.inject_error("POST", publishing, status=answer[0], code=answer[1], times=1)
    await announce(town, shop, news, NEWS_CHANNEL)
    await stock(town, shop, CAP)
    await tried(town)

    assert CAP in shown(news)[-1]
    assert states(town, "publish") == expected
    if answer is None:
        wire.take_all()
        await town.pass_time(AN_HOUR)
        assert states(town, "publish") == ["sent", "sent"]


async def test_a_server_without_a_log_is_told_once_that_its_channel_is_closed(
    town: World, shop: RogueShop
) -> None:
    closed, system = town.guild.create_text_channel("closed"), open_system_channel(town)
    refuse(town, closed, 403, 50013)
    await announce(town, shop, closed)
    await town.pass_time(_UNTIL_MET_AGAIN)
    await stock(town, shop, CAP)
    await town.pass_time(_UNTIL_MET_AGAIN)

    (told,) = shown(system)
    refused = "A permission is missing there. Try again to see which one."
    assert f"Kiosk can't post Season in <#{closed.id}>\n{refused}" in told
    assert states(town) == ["refused"]


async def test_a_server_is_not_told_of_what_goes_on_by_then(town: World, shop: RogueShop) -> None:
    announcing, system = town.bot.features.announcing, open_system_channel(town)
    one = await subscribe(town, town.channel, TEXT)
    refuse(town, system, 503, 0)
    async with announcing.outbox.transaction() as transaction:
        await announcing.owing.stop(transaction, one, 50013)
    await tried(town)
    await announcing.resume([one], tells_missed=False)
    town.env.backend.faults.clear()
    await town.pass_time(AN_HOUR)

    assert shown(system) == []


async def test_no_server_waits_for_what_another_one_is_to_be_told(
    town: World, shop: RogueShop
) -> None:
    guilds = [town.guild, town.env.create_guild("Elsewhere")]
    logs = [guild.create_text_channel("log") for guild in guilds]
    refuse(town, logs[0], 403, 40333)
    for guild, log in zip(guilds, logs, strict=True):
        settings = town.bot.features.moderation.settings
        await settings.change(guild.id, log_channel_id=log.id)
        closed = guild.create_text_channel("closed")
        refuse(town, closed, 403, 50013)
        await subscribe(town, closed, TEXT, guild=guild)
    await stock(town, shop)
    await tried(town)
    await town.pass_time(_UNTIL_MET_AGAIN)

    assert shown(logs[0]) == []
    assert "Kiosk can't post " in shown(logs[1])[-1]


async def test_a_refusal_that_is_over_within_ten_minutes_stops_no_announcement(
    town: World, shop: RogueShop
) -> None:
    system = open_system_channel(town)
    refuse(town, town.channel, 403, 50013)
    await announce(town, shop, town.channel)
    town.env.backend.faults.clear()
    await town.pass_time(_UNTIL_MET_AGAIN)

    (told,) = shown(town.channel)
    assert HAT in told
    assert states(town) == ["sent"]
    assert shown(system) == []


async def test_a_channel_that_is_gone_stops_no_announcement_that_has_left_it(
    wire: Wire, town: World, shop: RogueShop
) -> None:
    old, new = (town.guild.create_text_channel(name) for name in ("old", "new"))
    role = town.guild.create_role("Shoppers")
    announcing = town.bot.features.announcing
    refuse(town, old, 404, 10003)
    one = await subscribe(town, old, TEXT, role_ids=frozenset({role.id}))
    async with wire.gates.closed(is_message) as gate:
        await stock(town, shop)
        await gate.arrival()
        await announcing.change(one.id, channel_id=new.id, channel_kind=TEXT)
        gate.open()
        await until_idle(town.bot)
    await town.pass_time(_UNTIL_MET_AGAIN)

    assert (await announcing.find(town.guild.id, one.id)).stopped_at is None
    (told,) = shown(new)
    assert HAT in told
    assert f"<@&{role.id}>" in told


async def test_what_waited_at_a_pause_is_missed(town: World, shop: RogueShop) -> None:
    announcing = town.bot.features.announcing
    refuse(town, town.channel, 403, 40333)
    one = await announce(town, shop, town.channel)
    await announcing.subscribed.stop(one.id, PERSON, now=announcing.now())
    await stock(town, shop, CAP)
    town.env.backend.faults.clear()
    await town.pass_time(AN_HOUR)
    assert shown(town.channel) == []

    assert await announcing.resume([one], tells_missed=True) == 2
    await tried(town)

    (told,) = shown(town.channel)
    assert [HAT in told, CAP in told] == [True, True]


async def test_a_removed_post_is_forgotten(
    wire: Wire, town: World, shop: RogueShop, caplog: pytest.LogCaptureFixture
) -> None:
    forum = make_forum(town)
    one = await subscribe(town, forum, FORUM)
    wire.lose_answer(f"/channels/{forum.id}/threads")
    async with wire.gates.closed(is_message) as gate:
        await stock(town, shop)
        await gate.arrival()
        await town.bot.features.announcing.subscribed.remove(one)
        gate.open()
        await until_idle(town.bot)
    await town.pass_time(AN_HOUR)

    assert len(forum.threads) == 1
    assert "NoLongerWanted" not in caplog.text
