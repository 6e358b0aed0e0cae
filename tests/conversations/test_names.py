"""Naming threads and catalogs as people type, in servers and in direct messages."""

from typing import Any

from storage import MIGRATIONS
from storage.database import open_database
from tests.support.cards import answer_of, selects_of, text_of
from tests.support.commits import until_none
from tests.support.world import SUBSCRIBER, World


def offered(card: Any) -> dict[str, str]:
    """Give what the card's list offers: labels, and the values they stand for."""
    (listed,) = selects_of(card)
    return {each["label"]: each["value"] for each in listed["options"]}


async def test_a_thread_is_found_as_people_type_it(world: World) -> None:
    await world.name_demo_places()

    for typed in ("PARK LIFE", "park", "prak life"):
        assert "## Park life" in text_of(await world.slash("forum read", thread=typed))


async def test_what_several_threads_may_be_is_a_list_that_goes_on_with_the_command(
    world: World,
) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)

    card = answer_of(await world.slash("forum read", thread="pa", sort="hottest"))
    assert "Several fit “pa”: Park life, Patch notes." in text_of(card)
    assert list(offered(card)) == ["Park life", "Patch notes"]
    await world.member.select(card, [offered(card)["Patch notes"]])
    assert "## Patch notes\n-# Hottest first" in text_of(card)

    unsent = answer_of(await world.slash("forum post", thread="pa", content="My very own words"))
    assert "My very own words" in text_of(unsent)
    form = await world.member.select(unsent, [offered(unsent)["Park life"]])
    assert form.modal is not None

    unknown = answer_of(await world.slash("forum read", thread="Nowhere"))
    assert list(offered(unknown)) == ["Park life", "Patch notes", "Quiet corner"]


async def test_what_several_catalogs_may_be_keeps_the_filter(world: World) -> None:
    await world.name_demo_places()
    await world.link(world.member, SUBSCRIBER)

    assert "## Season" in text_of(await world.slash("shop browse", catalog="seson"))
    card = answer_of(await world.slash("shop browse", catalog="t", show="clearance"))
    await world.member.select(card, [offered(card)["Outlet"]])

    assert "## Outlet\n-# 1 to 1 of 1" in text_of(card)


async def test_names_of_servers_that_the_member_has_used_work_in_direct_messages(
    world: World,
) -> None:
    await world.name_demo_places()
    direct = world.member.user
    assert "Nothing here is called" in text_of(await direct.slash("forum read", thread="park"))

    await world.slash("forum read", thread="park")
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await until_none(database, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM member_servers)")

    assert "## Park life" in text_of(await direct.slash("forum read", thread="park"))
    found = await direct.autocomplete("shop browse", "catalog", "sea")
    assert [entry["name"] for entry in found] == ["Season"]
    stranger = world.friend.user
    assert "Nothing here is called" in text_of(await stranger.slash("forum read", thread="park"))


async def test_what_several_names_may_be_goes_on_with_following_and_announcing(
    world: World,
) -> None:
    moderator, channel = world.moderator, world.channel
    await world.settle(moderator, SUBSCRIBER)
    await world.name_demo_places()

    followed = answer_of(await world.slash("forum follow", moderator, thread="pa", channel=channel))
    await moderator.select(followed, [offered(followed)["Patch notes"]])
    assert "New comments in Patch notes come to" in text_of(followed)
    ended = answer_of(await world.slash("forum unfollow", moderator, thread="pa", channel=channel))
    await moderator.select(ended, [offered(ended)["Patch notes"]])
    assert "no longer come to" in text_of(ended)

    card = answer_of(
        await world.slash(
            "announce add", moderator, catalog="t", channel=channel, max_cost=50, what="back"
        )
    )
    chosen = offered(card)["Outlet"]
    await moderator.select(card, [chosen])
    assert "Outlet is announced in" in text_of(card)
    assert "back again · up to 50" in text_of(await world.slash("announce list", moderator))
