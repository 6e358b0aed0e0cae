"""What is asked of one thing is done to it alone, and tells of it alone, however like another is.

On one engine: what is one and what is another does not depend on it.
"""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.features.following.comparing import subscription_key
from storage.following import Following, SeenComment
from storage.installation import Installation
from storage.messages import MessageState, NewMessage, Priority
from storage.moderation import Subject
from storage.names import MemberServers, Named, Names, PlaceKind, first_named
from storage.subscriptions import Subscriptions
from storage.vault import Vault
from tests.storage.conftest import MEMBER, NOW, STRANGER
from tests.support.announcing import thread_in, watch_of
from tests.support.databases import address_at
from tests.support.moderating import COMMENT, ELSEWHERE, HERE, REMOVAL, Bench, open_bench

MINUTE = timedelta(minutes=1)
ACCOUNT, OTHER_ACCOUNT = 10, 11
NEWCOMER = 12


@pytest.fixture
async def bench(tmp_path: Path, vault: Vault) -> AsyncGenerator[Bench]:
    async with open_bench(address_at(tmp_path / "kiosk.db"), vault) as opened:
        yield opened


async def test_what_waits_for_one_member_is_told_to_nobody_else(bench: Bench) -> None:
    messages = bench.outbox
    for member_id, key in ((MEMBER, "1"), (STRANGER, "2"), (MEMBER, "3"), (MEMBER, "4")):
        owed = NewMessage("post", key, Priority.DIRECT_MESSAGE, member_id=member_id)
        async with bench.database.transaction() as transaction:
            await messages.want(transaction, owed)

    assert [each.key for each in await messages.untold(MEMBER, 2)] == ["1", "3"]
    async with bench.database.transaction() as transaction:
        assert await messages.take_back(transaction, "1", MessageState.REFUSED)
        assert await messages.take_back(transaction, "1", MessageState.SENT)

    assert [each.key for each in await messages.untold(MEMBER, 9)] == ["3", "4"]
    assert [each.key for each in await messages.untold(STRANGER, 9)] == ["2"]


async def test_facts_are_told_apart(bench: Bench) -> None:
    installation = Installation(bench.database)
    await installation.save_fact("one", "1")
    await installation.save_fact("two", "2")

    assert [await installation.find_fact(name) for name in ("one", "two", "three")] == [
        "1",
        "2",
        None,
    ]


async def test_names_are_of_a_kind_and_servers_as_recent_as_their_last_use(bench: Bench) -> None:
    names = Names(bench.database, bench.outbox)
    for guild_id, kind, game_id in (
        (HERE, PlaceKind.CATALOG, 2),
        (ELSEWHERE, PlaceKind.CATALOG, 2),
        (HERE, PlaceKind.THREAD, 3),
        (HERE, PlaceKind.CATALOG, 5),
    ):
        await names.save(guild_id, kind, Named(game_id, f"Place {game_id}"), f"place {game_id}")
    servers = MemberServers(bench.database, bench.clock)
    for guild_id in (HERE, ELSEWHERE, HERE):
        await servers.note(guild_id, MEMBER)
        bench.clock.advance(timedelta(days=1))

    assert await first_named(bench.database, PlaceKind.CATALOG) == 2
    assert await first_named(bench.database, PlaceKind.THREAD) == 3
    assert await servers.of_member(MEMBER, 9) == [HERE, ELSEWHERE]


async def test_removals_are_listed_the_newest_first_and_with_their_players(bench: Bench) -> None:
    for guild_id, comment_id, player in (
        (HERE, 7, "Juniper"),
        (ELSEWHERE, 8, "Hazel"),
        (HERE, 9, "Sorrel"),
        (HERE, 10, ""),
    ):
        subject = Subject(comment_id, 3, comment_id, player)
        await bench.removals.add(replace(REMOVAL, guild_id=guild_id, subject=subject))
        bench.clock.advance(1)

    found = await bench.removals.in_force(HERE, 9)
    assert [each.subject.comment_id for each in found] == [10, 9, 7]
    assert await bench.removals.players(HERE) == [("Sorrel", 9), ("Juniper", 7)]


async def test_a_removal_that_is_over_hides_nothing_from_what_is_posted(bench: Bench) -> None:
    await bench.removals.add(replace(REMOVAL, until=bench.clock() + MINUTE))
    bench.clock.advance(MINUTE)
    assert await bench.post(500, COMMENT)


async def test_what_was_removed_while_it_was_posted_is_deleted_once_it_has_a_number(
    bench: Bench,
) -> None:
    first, _ = [await bench.post(None, COMMENT) for _ in range(2)]
    await bench.removals.add(REMOVAL)
    assert await bench.owed() == []

    await bench.shown.complete(first, 500, HERE)

    assert await bench.owed() == [first]


async def test_a_thread_and_a_catalog_of_one_number_are_two(bench: Bench) -> None:
    following = Following(bench.database)
    subscribed = Subscriptions(bench.database)
    thread = thread_in(HERE, 30, 0, 3)
    for catalog_id in (3, 4):
        watch = watch_of(MEMBER, catalog_id, "en", subject_id=7)
        await subscribed.add(watch, subscription_key(watch), now=NOW)
    await subscribed.add(thread, subscription_key(thread), now=NOW)

    found = await following.place(PlaceKind.THREAD, 3)
    assert found is not None
    assert found.kind is PlaceKind.THREAD
    assert await following.record(found, [SeenComment(7, 7, 1, "digest", NOW)], now=NOW)
    assert await following.items(3) == {}
    # As if a member was forgotten.
    await bench.database.execute(
        "DELETE FROM subscriptions WHERE kind = 'catalog' AND place_id = 3"
    )
    assert await following.due(PlaceKind.CATALOG, 9) == {4: NOW}
    assert await following.due(PlaceKind.THREAD, 9) == {3: NOW}
