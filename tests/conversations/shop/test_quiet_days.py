"""Whose token Kiosk uses to ask the game on a day when no one does anything."""

from collections import Counter, defaultdict
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cogs.roles.service import RoleService
from game_service.app import KIOSK_TOKEN
from playground.scene import MODERATOR
from storage.names import PlaceKind
from storage.roles import NewRule, RuleKind
from tests.conversations.announce.conftest import ALL
from tests.support.cards import text_of
from tests.support.forms import fill_in
from tests.support.game_samples import comment
from tests.support.owed import tried
from tests.support.permissions import let_discord_say
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World, open_world

MEMBER, FRIEND, OWNER, ELSEWHERE = "members", "friends", "owners", "elsewhere"
NOBODY = ""
THREAD = "/threads/1/comments"
FIRST, SECOND = (f"/catalogs/1/items{page}" for page in ("", "?page=2"))


@dataclass
class Days:
    """Two servers that announce a catalog, one with a role for an item, and three who watch."""

    world: World
    shop: RogueShop

    async def pass_one(self) -> dict[str, Counter[str]]:
        """Let 24 hours pass; give how often each path was asked for meanwhile, by token."""
        self.shop.asked.clear()
        features = self.world.bot.features
        for _ in range(24):
            await self.world.pass_time(3600)
            for kind in PlaceKind:
                for place_id in await features.announcing.following.due(kind, 100):
                    assert await features.poller.poll(kind, place_id)
            await tried(self.world)
        asked = defaultdict[str, Counter[str]](Counter)
        for each in self.shop.asked:
            token = each.headers.get("authorization", "").removeprefix("Bearer ")
            asked[token][each.path.removeprefix("/api").partition("?sort")[0]] += 1
        return dict(asked)


@pytest.fixture
async def days(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Days]:
    shop.comments = [comment(id=31)]
    async with open_world(tmp_path, shop.base_url) as world:
        elsewhere = world.env.create_guild("Elsewhere")
        manager = elsewhere.create_role("Moderator", permissions=MODERATOR)
        stranger = elsewhere.add_member(world.env.create_user("stranger"), roles=[manager])
        news = elsewhere.create_text_channel("news")
        let_discord_say(world, ALL)
        people = (world.member, world.friend, world.moderator)
        tokens = (MEMBER, FRIEND, OWNER, ELSEWHERE)
        for actor, token in zip((*people, stranger), tokens, strict=True):
            await world.settle(actor, token)
        for manager, channel in ((world.moderator, world.channel), (stranger, news)):
            form = await manager.slash(channel, "announce add", catalog="1")
            assert "Announcement added. Kiosk posts news from now on." in text_of(
                await fill_in(manager, form, channel=[channel])
            )
        await world.slash("announce thread", world.moderator, thread="1", channel=world.channel)
        for actor in people:
            await world.slash("shop watch", actor, name="straw", catalog="1")
        await world.slash("shop watch", item="2", catalog="1")
        rule = NewRule(
            guild_id=world.guild.id,
            kind=RuleKind.OWNS,
            catalog_id=1,
            item_id=3,
            item_name="Hat number 3",
            role_id=world.guild.create_role("Collector").id,
            created_by=world.moderator.id,
        )
        await world.bot.services[RoleService].rules.add(rule)
        yield Days(world, shop)


async def test_while_nothing_happens_tokens_are_used_for_roles_alone(days: Days) -> None:
    asked = await days.pass_one()

    assert asked.pop(NOBODY).keys() == {THREAD}
    assert asked.pop(KIOSK_TOKEN).keys() == {FIRST, SECOND}
    # Other servers have no rules for roles. The first page has the item of the rule.
    assert asked.keys() == {MEMBER, FRIEND, OWNER}
    for pages in asked.values():
        assert pages == {FIRST: 1}


async def test_what_is_new_is_looked_at_once_with_the_token_of_each_who_waits_for_it(
    days: Days,
) -> None:
    await days.pass_one()
    days.shop.items.insert(0, item(99, name="Straw Hat"))
    days.shop.comments.insert(
        0, comment(id=32, content="Have you seen it?", created_at="2024-05-02T10:00:00Z")
    )
    days.shop.owned_by = {OWNER: {99}}

    asked = await days.pass_one()

    assert asked.pop(NOBODY).keys() == {THREAD}
    assert asked.pop(KIOSK_TOKEN).keys() == {FIRST, SECOND}
    assert asked.keys() == {MEMBER, FRIEND, OWNER}
    for pages in asked.values():
        assert pages == {FIRST: 2}
    world = days.world
    people: list[Any] = [world.member, world.friend, world.moderator]
    told = ["".join(map(text_of, actor.user.dm_channel.history())) for actor in people]
    assert ["Straw Hat" in each for each in told] == [True, True, False]
    posted = "".join(text_of(message) for message in world.channel.history())
    assert ["Straw Hat" in posted, "Have you seen it?" in posted] == [True, True]
