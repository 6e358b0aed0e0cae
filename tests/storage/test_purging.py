"""What is kept how long is one table, in code and in the docs, and the purge holds it."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.database import Database
from storage.following import Following
from storage.keeping import RETENTION, SERVER_DAYS, TableRetention
from storage.messages import Messages, MessageState, NewMessage, Priority
from storage.retention import AT_ONCE, Purge
from storage.rows import to_micros
from storage.vault import Vault
from tests.storage.conftest import MEMBER, NOW, Kept
from tests.support.announcing import thread_in, watch_of
from tests.support.kept_rows import OWED, add_order, counts, fill, fill_server

DOCS = Path(__file__).parents[2] / "docs"
OPERATORS, PRIVACY = DOCS / "operators.md", DOCS / "privacy.md"

OF_MEMBERS = ("links", "writes", "messages", "direct_channels")


async def left_after(kept: Kept, days: float) -> dict[str, int]:
    await Purge(kept.database).purge(NOW + timedelta(days=days))
    return await counts(kept.database, *OF_MEMBERS)


def test_every_table_is_named_with_its_columns() -> None:
    tables = set(re.findall(r"^CREATE TABLE (\w+)", MIGRATIONS.read_text(), re.MULTILINE))

    assert {kept.table for kept in RETENTION} == tables


async def test_every_column_that_says_whom_a_row_is_about_is_named(kept: Kept) -> None:
    for row in RETENTION:
        columns = set(await kept.database.columns(row.table))
        about = {name for name in columns if name in ("member_id", "moderator_id", "created_by")}
        sealed = {name for name in columns if name.startswith("sealed_")}

        assert about <= {row.member, *row.acting}, row.table
        assert ("guild_id" in columns) == (row.server == "guild_id"), row.table
        assert sealed <= ({row.sealed.column} if row.sealed else set()), row.table
        assert {*row.key, *row.secret, row.age or row.key[0]} <= columns, row.table


async def test_a_new_table_needs_one_row_for_its_servers_to_be_looked_for_and_forgotten(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    postcards = TableRetention("postcards", key=("guild_id",), server="guild_id")
    monkeypatch.setattr("storage.retention.RETENTION", [postcards, *RETENTION])
    async with kept.database.transaction() as transaction:
        await transaction.execute("CREATE TABLE postcards (guild_id BIGINT PRIMARY KEY)")
        await transaction.execute("INSERT INTO postcards VALUES (8), (9)")

    await Purge(kept.database).save_servers({8}, NOW)
    assert (await Purge(kept.database).gone_servers()).keys() == {9}
    await Purge(kept.database).forget_servers(NOW + timedelta(days=31))

    rows = await kept.database.fetch("SELECT guild_id FROM postcards")
    assert [row["guild_id"] for row in rows] == [8]


def told_of_tables() -> dict[str, str]:
    """What operators read of each table: what it holds, and for how long."""
    told = OPERATORS.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`.*?) (\| .* \| .* \|)$", told, re.MULTILINE)
    return {table: told for names, told in rows for table in re.findall(r"\w+", names)}


def test_the_docs_say_of_each_table_how_long_it_is_kept() -> None:
    told = told_of_tables()

    assert told.keys() == {kept.table for kept in RETENTION}
    for kept in RETENTION:
        if kept.days:
            assert ("a day" if kept.days == 1 else f"{kept.days} days") in told[kept.table]
        if kept.server:
            assert f"{SERVER_DAYS} days after" in told[kept.table]
            assert "after Kiosk has left the server" in told[kept.table]


def test_the_privacy_policy_names_all_that_is_kept_about_members() -> None:
    policy, told = PRIVACY.read_text(encoding="utf-8"), told_of_tables()

    about_members = [kept.table for kept in RETENTION if kept.member or kept.acting]
    assert about_members
    for table in about_members:
        assert told[table] in policy


async def test_each_thing_goes_when_its_days_are_over(kept: Kept, vault: Vault) -> None:
    await fill(kept.database, vault, MEMBER, NOW)
    everything = {**dict.fromkeys(OF_MEMBERS, 1), "writes": 3}

    assert await left_after(kept, 1) == everything
    # A text that was not sent goes; a comment and an order stay.
    everything["writes"] = 2
    assert await left_after(kept, 1.01) == everything
    assert await left_after(kept, 7) == everything
    del everything["messages"]
    assert await left_after(kept, 7.01) == everything
    assert await left_after(kept, 365) == everything
    assert await left_after(kept, 365.01) == {"links": 1, "direct_channels": 1}


async def test_what_a_member_could_not_be_told_waits_ninety_days(kept: Kept) -> None:
    outbox = Messages(kept.database, lambda: NOW)
    owed = NewMessage("post", "a", Priority.DIRECT_MESSAGE, member_id=MEMBER)
    async with kept.database.transaction() as transaction:
        await outbox.want(transaction, owed)
        await outbox.take_back(transaction, "a", MessageState.REFUSED)

    assert await left_after(kept, 90) == {"messages": 1}
    assert not await left_after(kept, 90.01)


async def test_what_is_not_over_is_never_too_old(kept: Kept) -> None:
    await add_order(kept.database, MEMBER, 1, NOW, is_open=True)
    owed = {"due_at": to_micros(NOW), "state": "owed", "kept_until": None}
    await kept.database.execute(OWED, key="k", member_id=None, now=to_micros(NOW), **owed)

    await Purge(kept.database).purge(NOW + timedelta(days=4000))

    assert await counts(kept.database, "writes", "messages") == {"writes": 1, "messages": 1}


async def test_more_than_a_batch_goes_at_once(kept: Kept) -> None:
    rows = [
        {"shard_id": shard, "identified_at": to_micros(NOW)} for shard in range(AT_ONCE * 2 + 1)
    ]
    async with kept.database.transaction() as transaction:
        await transaction.execute_many(
            "INSERT INTO identifies VALUES (:shard_id, :identified_at)", rows
        )

    assert await Purge(kept.database).purge(NOW + timedelta(days=2)) == len(rows)
    assert not await counts(kept.database, "identifies")


async def test_a_server_that_is_gone_for_thirty_days_is_forgotten(kept: Kept) -> None:
    database = kept.database
    for server in (1, 2, 3):
        await fill_server(database, server)
    await Purge(database).save_servers({2, 3}, NOW)
    await Purge(database).save_servers({2}, NOW + timedelta(days=20))
    purge = Purge(database)

    await purge.forget_servers(NOW + timedelta(days=29.9))
    assert await servers(database) == {1, 2, 3}
    await purge.forget_servers(NOW + timedelta(days=30.1))

    assert await servers(database) == {2, 3}
    assert await counts(database, "subscriptions", "followed") == {
        "subscriptions": 2,
        "followed": 2,
    }
    assert (await Purge(database).gone_servers()).keys() == {3}
    assert len(await database.fetch("SELECT * FROM message_comments")) == 4


async def test_a_server_that_only_follows_a_thread_is_known_to_be_gone(
    kept: Kept,
) -> None:
    follow = thread_in(9, 90, 0, 1)
    await Following(kept.database).add(follow, now=NOW)

    await Purge(kept.database).save_servers(set(), NOW)

    assert (await Purge(kept.database).gone_servers()).keys() == {9}


async def test_a_catalog_that_somebody_watches_outlasts_the_servers_that_followed_it(
    kept: Kept,
) -> None:
    database = kept.database
    await fill_server(database, 1)
    (row,) = await database.fetch("SELECT game_id FROM followed")
    hat = watch_of(7, row["game_id"], "de", item_id=1, name="Straw hat")
    await Following(database).add(hat, now=NOW, most=1)

    await Purge(database).save_servers(set(), NOW)
    await Purge(database).forget_servers(NOW + timedelta(days=31))

    left = await counts(database, "subscriptions", "followed")
    assert left == {"subscriptions": 1, "followed": 1}


async def servers(database: Database) -> set[int]:
    rows = await database.fetch("SELECT guild_id FROM names UNION SELECT guild_id FROM messages")
    return {row["guild_id"] for row in rows}
