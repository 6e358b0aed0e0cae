"""What goes when its days are over, what grows, and what is counted."""

import logging
import re
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace
from pydantic import SecretStr

import storage
from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.features.following.comparing import subscription_key
from bot.program.housekeeping import keep_house
from bot.rest import Rest
from storage import MIGRATIONS
from storage.cases import Cases
from storage.claims import Claims
from storage.database import Database, Transaction, load_queries, open_database, postgres, sqlite
from storage.database.steps import tables_of
from storage.deliveries import Deliveries
from storage.following import Following
from storage.installation import Backlog, Installation
from storage.links import Links
from storage.member_reports import among_reports
from storage.messages import Messages, NewMessage, Priority
from storage.names import PlaceKind
from storage.purging import Purge
from storage.retention import AT_ONCE, RETENTION, SERVER_DAYS, TableRetention, query
from storage.rows import to_micros
from storage.subscriptions import Event, News, Subscriptions
from storage.vault import Vault
from storage.writes import WriteKind, Writes, WriteState
from tests.storage.conftest import MEMBER, NOW, Kept
from tests.support.announcing import an_item, catalog_in, news_of
from tests.support.clock import ManualClock
from tests.support.databases import address_at
from tests.support.gates import Happenings
from tests.support.kept_rows import OWED, add_order, counts, fill, fill_server
from tests.support.orders import STRAW_HAT

DOCS = Path(__file__).parents[2] / "docs"
OPERATORS, PRIVACY = DOCS / "operators.md", DOCS / "privacy.md"

OF_MEMBERS = ("links", "writes", "messages", "direct_channels", "threads_read")


async def left_after(kept: Kept, days: float) -> dict[str, int]:
    await Purge(kept.database).purge(NOW + timedelta(days=days))
    return await counts(kept.database, *OF_MEMBERS)


async def test_every_table_is_named_with_its_columns(kept: Kept) -> None:
    told = {kept.table for kept in RETENTION}
    assert told == set(await tables_of(kept.database)), (
        "Say in storage/retention.py of each table whose its rows are, and how long they stay."
    )


async def test_every_column_that_says_whom_a_row_is_about_is_named(kept: Kept) -> None:
    for row in RETENTION:
        columns = set(await kept.database.columns(row.table))
        said = ("member_id", "about_member", "moderator_id", "created_by")
        about = {name for name in columns if name in said}
        sealed = {name for name in columns if name.startswith("sealed_")}

        assert about <= {*re.findall(r"\w+", row.member or ""), *row.acting}, row.table
        assert ("guild_id" in columns) == (row.server == "guild_id"), row.table
        assert sealed <= ({row.sealed.column} if row.sealed else set()), row.table
        assert {*row.key, *row.secret, row.age or row.key[0]} <= columns, row.table


def rows_by_table(page: Path, heading: str) -> dict[str, str]:
    """Return the rows below a heading that name each table of the database; several may."""
    section = page.read_text(encoding="utf-8").partition(f"# {heading}\n")[2].partition("\n#")[0]
    said: dict[str, str] = {}
    for row in re.findall(r"^\| .+ \|$", section, re.MULTILINE):
        for table in re.findall(r"`(\w+)`", row):
            said[table] = said.get(table, "") + row
    return said


def require_days(said: dict[str, str], kept: TableRetention) -> None:
    if kept.days:
        assert ("a day" if kept.days == 1 else f"{kept.days} days") in said[kept.table], kept.table
    if kept.server:
        assert f"{SERVER_DAYS} days after" in said[kept.table], kept.table


def test_the_docs_say_of_each_table_how_long_it_is_kept() -> None:
    said = rows_by_table(OPERATORS, "Data retention")

    assert said.keys() == {kept.table for kept in RETENTION}, (
        "Say in docs/operators.md what each table stores, and when Kiosk deletes it."
    )
    for kept in RETENTION:
        require_days(said, kept)


def test_the_privacy_policy_names_all_that_is_kept_about_members() -> None:
    said = rows_by_table(PRIVACY, "What is stored, and for how long")

    about_members = [kept for kept in RETENTION if kept.member or kept.acting]
    assert said.keys() == {kept.table for kept in about_members}, (
        "Say in docs/privacy.md what each table stores about members, and for how long."
    )
    for kept in about_members:
        require_days(said, kept)


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
    assert await left_after(kept, 90) == everything
    del everything["threads_read"]
    assert await left_after(kept, 90.01) == everything
    assert await left_after(kept, 365) == everything
    assert await left_after(kept, 365.01) == {"links": 1, "direct_channels": 1}


async def test_a_token_that_nobody_uses_goes_a_month_after_its_member_is_told(
    kept: Kept, vault: Vault
) -> None:
    now = NOW
    links = Links(kept.database, vault, lambda: now)
    await links.save(MEMBER, SecretStr("token"))
    told: list[int] = []
    for days in (334, 336, 340, 675, 677, 706, 708):
        now = NOW + timedelta(days=days)
        for _ in range(2):
            await links.end_unused()
        await Purge(kept.database).purge(now)
        told.append(len(await kept.database.fetch("SELECT * FROM messages")))
        assert bool(await links.find(MEMBER)) == (days < 708), days
        if days == 340:
            await links.note_use(MEMBER)

    assert told == [0, 1, 1, 1, 2, 2, 2]


async def test_of_a_token_that_the_game_refuses_nobody_is_told(kept: Kept, vault: Vault) -> None:
    now = NOW
    links = Links(kept.database, vault, lambda: now)
    await links.save(MEMBER, SecretStr("token"))
    link = await links.find(MEMBER)
    assert link is not None
    await links.mark_refused(link)

    for days in (336, 367):
        now = NOW + timedelta(days=days)
        await links.end_unused()
        await Purge(kept.database).purge(now)

    assert not await counts(kept.database, "links", "messages")


async def test_what_is_not_over_is_never_too_old(kept: Kept) -> None:
    await add_order(kept.database, MEMBER, 1, NOW, is_open=True)
    owed = {"due_at": to_micros(NOW), "state": "owed", "kept_until": None}
    await kept.database.execute(OWED, key="k", member_id=None, now=to_micros(NOW), **owed)

    await Purge(kept.database).purge(NOW + timedelta(days=4000))

    assert await counts(kept.database, "writes", "messages") == {"writes": 1, "messages": 1}


# Of catalogs, and of what announces each.
STOPPED, OWED_IN = 2, 3


async def test_events_go_after_a_year_unless_they_can_still_be_told(kept: Kept) -> None:
    following = Following(kept.database)
    subscribed = Subscriptions(kept.database)
    deliveries = Deliveries(kept.database)
    for catalog_id in (1, 2, 3):
        new = catalog_in(1, 20, catalog_id)
        subscription = await subscribed.add(new, subscription_key(new), now=NOW)
        assert subscription is not None
        if catalog_id == STOPPED:
            await subscribed.stop(subscription.id, "person", now=NOW)

        async def owe(transaction: Transaction, events: Sequence[Event]) -> None:
            if events[0].place_id == OWED_IN:
                message = NewMessage("announcement", "news", Priority.ANNOUNCEMENT, channel_id=20)
                await kept.messages.want(transaction, message)
                await deliveries.tell(transaction, [(OWED_IN, events, "news")])

        place = await following.place(PlaceKind.CATALOG, catalog_id)
        assert place is not None
        assert await following.record(place, [], [news_of(an_item(), News.NEW)], now=NOW, owe=owe)

    async def left() -> list[int]:
        rows = await kept.database.fetch("SELECT place_id FROM events ORDER BY place_id")
        return [row["place_id"] for row in rows]

    await Purge(kept.database).purge(NOW + timedelta(days=365))
    assert await left() == [1, STOPPED, OWED_IN]
    await Purge(kept.database).purge(NOW + timedelta(days=365.01))
    assert await left() == [STOPPED, OWED_IN]
    async with kept.database.transaction() as transaction:
        await subscribed.resume(transaction, STOPPED)
    await Purge(kept.database).purge(NOW + timedelta(days=365.01))
    assert await left() == [OWED_IN]


# Lets no one delete a row of a table, on each engine.
LOCKS = {
    "sqlite": "CREATE TRIGGER locked BEFORE DELETE ON writes"
    " BEGIN SELECT RAISE(ABORT, 'not these'); END",
    "postgresql": "CREATE RULE locked AS ON DELETE TO writes DO INSTEAD SELECT 1 / 0",
}


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told = Happenings[str]()

    def emit(self, record: logging.LogRecord) -> None:
        self.told.add(record.getMessage())


async def test_what_can_not_be_deleted_is_told_and_holds_up_nothing_else(
    kept: Kept, vault: Vault
) -> None:
    await fill(kept.database, vault, MEMBER, NOW)
    await kept.database.execute(LOCKS[kept.database.engine])
    await kept.database.execute("INSERT INTO claims VALUES ('old', 'nobody', 0)")

    clock = ManualClock(NOW + timedelta(days=400))
    links, claims = Links(kept.database, vault, clock), Claims(kept.database)
    cases = Cases(kept.database, vault, kept.messages, clock)
    lines = Lines()
    logging.getLogger("bot.program.housekeeping").addHandler(lines)
    async with BackgroundTasks(Clock()) as tasks:
        tasks.start(keep_house(Purge(kept.database), links, cases, claims, clock, Rest(clock)))
        told = await lines.told.first(lambda _: True)
    logging.getLogger("bot.program.housekeeping").removeHandler(lines)

    assert told.startswith("Housekeeping failed, trying again in an hour: can't delete")
    assert re.findall(r"(\w+) \(", told) == ["writes"]
    left = await counts(kept.database, *OF_MEMBERS)
    assert left == {"links": 1, "writes": 3, "direct_channels": 1}
    assert not await kept.database.fetch("SELECT 1 FROM claims WHERE name = 'old'")


async def test_more_than_a_batch_goes_at_once(kept: Kept) -> None:
    rows = [{"member_id": each, "used_at": to_micros(NOW)} for each in range(AT_ONCE * 2 + 1)]
    async with kept.database.transaction() as transaction:
        await transaction.execute_many(
            "INSERT INTO member_servers (member_id, guild_id, used_at)"
            " VALUES (:member_id, 1, :used_at)",
            rows,
        )

    assert await Purge(kept.database).purge(NOW + timedelta(days=91)) == len(rows)
    assert not await counts(kept.database, "member_servers")


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


async def servers(database: Database) -> set[int]:
    rows = await database.fetch("SELECT guild_id FROM names UNION SELECT guild_id FROM messages")
    return {row["guild_id"] for row in rows}


QUERIES = Path(storage.__file__).parent / "sql"
# Tables whose rows are few, however many members there are.
FEW = {"claims"}
# Statements that may read all of something, and why.
ALL = {
    **dict.fromkeys(
        (
            *(
                "following.last_reads",
                "following.bring_forward",
                "subscriptions.unfollow_unwished",
                "installation.orders",
            ),
            *("installation.waiting", "links.end_unused", "cases.forget_texts"),
            "cases.forget_held_texts",
            *("roles.due_members", "roles.lost", "roles.refused"),
        ),
        "a worker looks around, and nobody waits",
    ),
    "names.first_named": "an operator checks the settings",
    "messages.outside_states": "tests alone ask for that",
}
# Filled in for each table.
TEMPLATES = {"retention"}


# How each engine is asked for its plan of a statement, without values.
Explain = Callable[[str], Iterator[str]]


@pytest.fixture
def scanned_by(
    request: pytest.FixtureRequest, on_both_engines: None, tmp_path: Path
) -> Generator[Explain]:
    """Tell of which tables an engine would read every row for a statement."""
    address = address_at(tmp_path / "kiosk.db")
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as file:
            yield partial(_scanned_by_sqlite, file)
    else:
        with psycopg.connect(address, autocommit=True) as server:
            # However few rows there are, it is to look for them as among many.
            server.execute("SET enable_seqscan = off")
            server.execute("SET enable_hashjoin = off")
            yield partial(_scanned_by_postgres, server)


def _scanned_by_sqlite(file: sqlite3.Connection, sql: str) -> Iterator[str]:
    sql = sql.replace("{clock}", sqlite.SqliteDatabase.clock)
    plan = file.execute(f"EXPLAIN QUERY PLAN {sql}", dict.fromkeys(_names(sql))).fetchall()
    return (row[3].split()[1] for row in plan if row[3].startswith("SCAN "))


def _scanned_by_postgres(server: psycopg.Connection, sql: str) -> Iterator[str]:
    sql = sql.replace("{clock}", postgres.PostgresDatabase.clock)
    for number, name in enumerate(_names(sql), start=1):
        sql = re.sub(rf"(?<!:):{name}\b", f"${number}", sql)
    ((plan,),) = server.execute(f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}".encode()).fetchall()
    return _without_condition(plan[0]["Plan"])


def _without_condition(plan: dict[str, Any], above: str = "") -> Iterator[str]:
    kind = plan["Node Type"]
    # Of an index that is read in order, a limit takes the first ones.
    are_first = above == "Limit" and "Filter" not in plan
    if kind == "Seq Scan" or (
        kind.startswith("Index") and "Index Cond" not in plan and not are_first
    ):
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from _without_condition(part, kind)


def _names(sql: str) -> list[str]:
    return sorted(set(re.findall(r"(?<!:):([a-z_]\w*)", sql)))


def statements() -> Iterator[tuple[str, str]]:
    for file in QUERIES.glob("*.sql"):
        for name, sql in load_queries(file).items():
            if file.stem not in TEMPLATES:
                yield f"{file.stem}.{name}", among_reports(sql)


def growing(tables: Iterable[str]) -> set[str]:
    return (set(tables) & {kept.table for kept in RETENTION}) - FEW


def test_no_statement_reads_a_whole_table(scanned_by: Explain) -> None:
    found = {name for name, sql in statements() if growing(scanned_by(sql))}
    assert found - ALL.keys() == set()


def test_no_panel_goes_through_all_that_was_ever_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE", raising=False)
    sql = load_queries(QUERIES / "panels.sql")["stale"]
    with closing(sqlite3.connect(sqlite.database_path(address_at(tmp_path / "kiosk.db")))) as file:
        plan = file.execute(f"EXPLAIN QUERY PLAN {sql}", dict.fromkeys(_names(sql))).fetchall()
    reads = [row[3] for row in plan if " events " in row[3] or " messages " in row[3]]

    assert len(reads) == 3
    assert [read for read in reads if not re.search("happened_at[><]|wanted_at<", read)] == []


def test_no_hour_goes_through_all_that_was_ever_told(scanned_by: Explain) -> None:
    for kept in RETENTION:
        if kept.table in ("writes", "messages", "events"):
            too_old = f"{kept.age} < :oldest AND ({kept.may_go})"
            assert not growing(scanned_by(query("throw_out", kept, rows=too_old))), kept.table


def test_a_statement_that_reads_a_whole_table_is_seen(scanned_by: Explain) -> None:
    sql = "SELECT item FROM writes WHERE created_at > :least"
    assert growing(scanned_by(sql)) == {"writes"}


MINUTE = timedelta(minutes=1)
SOON = NOW + 5 * MINUTE


async def test_what_is_under_way_is_counted_with_its_age(address: str, vault: Vault) -> None:
    async with open_database(address, MIGRATIONS) as database:
        outbox = Messages(database, lambda: NOW)
        installation = Installation(database)
        empty = await installation.count(SOON)
        assert (empty.orders, empty.open_orders, empty.outbox) == (
            {},
            Backlog(0, None),
            Backlog(0, None),
        )

        writes = Writes(database, vault, outbox)
        for order, state in (
            (STRAW_HAT, WriteState.DONE),
            # No one waits to know what happened to it: it can't be looked up.
            (replace(STRAW_HAT, id=2, card_id=2, kind=WriteKind.REDEEM), WriteState.UNKNOWN),
            (replace(STRAW_HAT, id=3, card_id=3, item_id=4), WriteState.UNKNOWN),
            (replace(STRAW_HAT, id=4, card_id=4, item_id=5), None),
        ):
            held = await writes.keep_order(order, now=NOW, since=NOW)
            assert held is not None
            if state is not None:
                reason = "unanswered" if state is WriteState.UNKNOWN else None
                settled = await writes.save_write(replace(held, state=state, reason=reason))
                assert settled is not None
                # Told, what is done is counted with those of the last day, and no more as open.
                await writes.release_write(settled, due_in=None)
        async with database.transaction() as transaction:
            await outbox.want(
                transaction, NewMessage("post", "a", Priority.ANNOUNCEMENT, channel_id=5)
            )
            await outbox.want(transaction, NewMessage("watch", "b", Priority.WATCH, member_id=6))
        waiting = await outbox.find("b")
        assert waiting is not None
        async with database.transaction() as transaction:
            held = await outbox.hold_message(transaction, waiting, now=NOW)
            assert held is not None
            reason = "not yet: its member has no valid link"
            await outbox.put_off(transaction, held, SOON, reason, is_doubtful=False)

        numbers = await installation.count(SOON)
        assert numbers.orders == {"done": 1, "unknown": 2, "kept": 1}
        assert numbers.open_orders == Backlog(2, NOW)
        assert numbers.outbox == Backlog(1, NOW)
        assert numbers.texts == Backlog(0, None)
