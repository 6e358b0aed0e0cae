"""A database's tables change by numbered steps, each once, all of it or nothing."""

import asyncio
import hashlib
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from bot.errors import ExplainedError
from bot.features.item_queries import item_of
from bot.features.writing.outcomes import GIVEN_UP, LOOKED_FOR, Reason
from game_service.admin import MIGRATIONS as GAME_STEPS
from storage import MIGRATIONS, copying, retention
from storage.copying import back_up, move_database, restore
from storage.database import open_database, open_existing_database
from storage.database.sqlite import database_path
from storage.database.steps import read_steps
from storage.deliveries import Deliveries
from storage.following import Following
from storage.links import Links
from storage.member_watches import MemberWatches
from storage.names import PlaceKind
from storage.purging import MemberData, Purge
from storage.retention import RETENTION, TableRetention
from storage.rows import to_micros
from storage.storage_errors import DatabaseOlder, DatabaseUnusable
from storage.subscriptions import PERSON, ItemQuery, Subscriptions
from storage.vault import Vault
from tests.storage.backing_up import content_of
from tests.storage.conftest import BACKED_UP, MEMBER, NOW
from tests.storage.steps import NOTES, kiosk_with, steps_in
from tests.support.clock import utc_now
from tests.support.databases import empty_at, everything_in, run_beside
from tests.support.gates import PATIENCE_SECONDS
from tests.support.message_states import assert_states_are_described
from tests.support.one_zero import LAST_IDS, SCHEMA, database_of_one_zero

MARK_OF_THE_GAME = "b94fd848d9c95430e0290e98649f3a52a1643ea36efbea3159e5d4b937d3aedb"
OTHER = (
    "another version of Kiosk made its tables. Start that version, or restore a backup that this"
)
SELECT = "SELECT text FROM notes"
ADD_DATES = "ALTER TABLE notes ADD COLUMN written_at BIGINT;\nUPDATE notes SET written_at = 5;\n"
ADD_TAGS = (
    "CREATE TABLE tags (text TEXT REFERENCES notes (text), name TEXT);\n"
    "INSERT INTO tags VALUES ('a; b', 'short');\n"
)


@pytest.fixture
def address(empty_address: str) -> str:
    return empty_address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "steps"


def file_is_there(path: Path) -> bool:
    return path.exists()


async def bring_up(address: str, steps: Path) -> None:
    async with open_database(address, steps):
        pass


async def test_a_first_step_that_fails_leaves_nothing_behind(address: str, folder: Path) -> None:
    with pytest.raises(DatabaseUnusable, match="nowhere"):
        await bring_up(address, steps_in(folder, NOTES, "INSERT INTO nowhere VALUES (1);"))

    async with open_database(address, steps_in(folder, NOTES)) as database:
        assert len(await database.fetch(SELECT)) == 1


async def test_a_database_takes_the_steps_that_it_lacks_once(address: str, folder: Path) -> None:
    await bring_up(address, steps_in(folder, NOTES))
    run_beside(address, "INSERT INTO notes VALUES ('c')")

    for _ in range(2):
        await bring_up(address, steps_in(folder, NOTES, ADD_DATES, ADD_TAGS))

    assert run_beside(address, "SELECT text, written_at FROM notes ORDER BY text") == [
        ("a; b", 5),
        ("c", 5),
    ]
    assert run_beside(address, "SELECT * FROM tags") == [("a; b", "short")]


async def test_a_step_that_fails_changes_nothing_and_those_before_it_stay(
    address: str, folder: Path
) -> None:
    await bring_up(address, steps_in(folder, NOTES))
    bad = f"{ADD_TAGS}INSERT INTO nowhere VALUES (1);"

    for _ in range(2):
        with pytest.raises(DatabaseUnusable, match="nowhere"):
            await bring_up(address, steps_in(folder, NOTES, ADD_DATES, bad))

    async with open_database(address, steps_in(folder, NOTES, ADD_DATES)) as database:
        assert set(await database.columns("notes")) == {"text", "written_at"}
        assert not await database.columns("tags")


async def test_a_step_may_make_a_table_anew_that_others_refer_to(
    address: str, folder: Path
) -> None:
    first = """-- kiosk: owners and pets.
CREATE TABLE owners (id {id}, name TEXT);
CREATE TABLE pets (owner_id BIGINT NOT NULL REFERENCES owners (id) ON DELETE CASCADE);
INSERT INTO owners (name) VALUES ('Rowan'), ('Sprig');
INSERT INTO pets VALUES (1);
DELETE FROM owners WHERE name = 'Sprig';
"""
    anew = """-- only sqlite
CREATE TABLE new_owners (id {id}, name TEXT NOT NULL);
INSERT INTO new_owners SELECT id, name FROM owners;
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'owners')
 WHERE name = 'new_owners';
DROP TABLE owners;
ALTER TABLE new_owners RENAME TO owners;
-- only postgresql
ALTER TABLE owners ALTER COLUMN name SET NOT NULL;
"""
    await bring_up(address, steps_in(folder, first))

    async with open_database(address, steps_in(folder, first, anew)) as database:
        async with database.transaction() as transaction:
            row = await transaction.fetch_one(
                "INSERT INTO owners (name) VALUES ('Poppy') RETURNING id"
            )
        assert row is not None
        assert row["id"] == 3
        assert len(await database.fetch("SELECT * FROM pets")) == 1
        await database.execute("DELETE FROM owners WHERE id = 1")
        assert not await database.fetch("SELECT * FROM pets")


async def test_a_step_that_leaves_rows_without_what_they_refer_to_is_undone(
    address: str, folder: Path
) -> None:
    await bring_up(address, steps_in(folder, NOTES, ADD_TAGS))
    lost = "DELETE FROM notes;"

    with pytest.raises(DatabaseUnusable, match=r"deleted rows that tags|violates foreign key"):
        await bring_up(address, steps_in(folder, NOTES, ADD_TAGS, lost))

    assert run_beside(address, SELECT) == [("a; b",)]


async def test_rows_that_refer_to_nothing_are_named_with_what_deletes_them(
    tmp_path: Path, folder: Path
) -> None:
    address = f"sqlite:///{tmp_path}/notes.db"
    await bring_up(address, steps_in(folder, NOTES, ADD_TAGS))
    # As with sqlite3, which doesn't mind.
    run_beside(address, "INSERT INTO tags VALUES ('gone', 'x'), (NULL, 'y'), ('lost', 'z')")
    steps_in(folder, NOTES, ADD_TAGS, ADD_DATES)

    said = r"row 2 of the table tags refers to a row of notes that is missing \(such rows: 2\)"
    for opening in (open_database, open_existing_database):
        with pytest.raises(DatabaseUnusable, match=said) as refused:
            async with opening(address, folder):
                pass
    assert not file_is_there(tmp_path / "notes-1.1.0.db")
    (mend,) = re.findall(r'notes.db "(.*)"$', str(refused.value))
    with closing(sqlite3.connect(tmp_path / "notes.db")) as by_hand:
        by_hand.executescript(mend)

    await bring_up(address, folder)
    assert run_beside(address, "SELECT name FROM tags ORDER BY name") == [("short",), ("y",)]


async def test_a_newer_database_is_refused_and_left_alone(address: str, folder: Path) -> None:
    await bring_up(address, steps_in(folder, NOTES, ADD_DATES))
    steps_in(folder, NOTES)

    for opening in (open_database, open_existing_database):
        with pytest.raises(DatabaseUnusable, match=OTHER):
            async with opening(address, folder):
                pass
    await bring_up(address, steps_in(folder, NOTES, ADD_DATES))


async def test_a_database_without_a_number_is_refused(address: str, folder: Path) -> None:
    run_beside(address, "CREATE TABLE about (kind TEXT PRIMARY KEY)")
    run_beside(address, "INSERT INTO about VALUES ('kiosk')")
    steps_in(folder, NOTES)

    for opening in (open_database, open_existing_database):
        with pytest.raises(DatabaseUnusable, match=OTHER):
            async with opening(address, folder):
                pass


async def test_whoever_only_looks_brings_nothing_up(address: str, folder: Path) -> None:
    await bring_up(address, steps_in(folder, NOTES))
    steps_in(folder, NOTES, ADD_DATES)

    with pytest.raises(
        DatabaseOlder, match=r"version 1\.0\.0\. The next start .* step 1 to step 2"
    ):
        async with open_existing_database(address, folder):
            pass

    assert run_beside(address, "SELECT * FROM notes") == [("a; b",)]


async def test_a_step_lets_readers_in_while_somebody_holds_the_tables(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    monkeypatch.setattr("storage.database.postgres._LOCK_SECONDS", 0.05)
    address = empty_at(tmp_path / "kiosk.db")
    await bring_up(address, steps_in(folder, NOTES))
    steps_in(folder, NOTES, ADD_DATES)

    async with await psycopg.AsyncConnection.connect(address, application_name="pg_dump") as dump:
        await dump.execute(SELECT)
        upgrade = asyncio.create_task(bring_up(address, folder))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while "The upgrade waits: pg_dump of user postgres uses the tables" not in caplog.text:
                # A reader waits for the upgrade, but not for the dump.
                assert await asyncio.to_thread(run_beside, address, SELECT) == [("a; b",)]
        assert f"pg_terminate_backend({dump.info.backend_pid})" in caplog.text

    await upgrade
    assert run_beside(address, "SELECT written_at FROM notes") == [(5,)]


async def test_the_first_step_makes_the_tables_that_were_released(
    address: str, tmp_path: Path, folder: Path
) -> None:
    (first, *_) = read_steps(MIGRATIONS)
    steps_in(folder, first.sql)
    old = database_of_one_zero(tmp_path / "old.db")
    tables = re.findall(r"^CREATE TABLE (\w+)", SCHEMA.read_text(), re.MULTILINE)

    async with open_database(address, folder) as new, open_database(old, folder) as opened:
        for table in tables:
            assert await new.columns(table) == await opened.columns(table), table


# Of the steps that a version brought, without comments and white space. The fifth is another one
# than 2.0.0 had, with the same result.
RELEASED = {"1.0.0": "f1a4d470fb6966af", "2.0.0": "c74b4e4c8089fff9", "3.0.0": "e827461e6d04d186"}


@pytest.mark.parametrize("version", RELEASED)
def test_what_was_released_is_never_changed_again(version: str) -> None:
    steps = sorted(MIGRATIONS.glob(f"*_{version}*.sql"))
    text = " ".join(
        re.sub(r"--(?! only).*", "", step.read_text(encoding="utf-8")) for step in steps
    )

    digest = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
    assert digest[:16] == RELEASED[version], "a database has run this step: write the next one"


RELEASED_FIFTH = Path(__file__).parent / "0005_2.0.0_as_released.sql"
# Of members with a link: the languages of their writes and subscriptions, the newest last.
LANGUAGES: list[tuple[list[str], list[str]]] = [
    (["de", "fr"], ["es", "pl"]),
    (["fr", ""], ["es"]),
    ([], ["es", "pl"]),
    ([], ["pl", ""]),
    (["ja"], []),
    ([], []),
]


def add_languages(old: str) -> None:
    for member, (written, subscribed) in enumerate(LANGUAGES, 1):
        run_beside(
            old,
            "INSERT INTO links (member_id, sealed_token, token_key, linked_at)"
            f" VALUES ({member}, '', '', 1)",
        )
        for number, locale in enumerate(written):
            run_beside(
                old,
                "INSERT INTO writes"
                " (id, member_id, kind, place_id, locale, state, token_key, holder, created_at)"
                f" VALUES ({member}{number}, {member}, 'post', 3, '{locale}', 'done', '', '', 1)",
            )
        for locale in subscribed:
            run_beside(
                old,
                "INSERT INTO subscriptions"
                " (key, kind, game_id, member_id, locale, created_by, created_at)"
                f" VALUES ('{member}{locale}', 'catalog', 1, {member}, '{locale}', {member}, 1)",
            )


async def test_the_fifth_step_leaves_what_the_released_one_left(
    address: str, tmp_path: Path
) -> None:
    """It is another statement since 3.0.0: the released one took minutes for many members."""
    former = tmp_path / "former"
    shutil.copytree(MIGRATIONS, former)
    (fifth,) = former.glob("0005_*")
    shutil.copy(RELEASED_FIFTH, fifth)
    dumps: list[list[str]] = []
    for name, steps in (("old", former), ("new", MIGRATIONS)):
        old = database_of_one_zero(tmp_path / f"{name}.db", as_of=NOW)
        add_languages(old)
        await bring_up(old, steps)
        used = run_beside(old, "SELECT DISTINCT used_at FROM links")
        # The day may end between the two.
        run_beside(old, "UPDATE links SET used_at = 0")
        dumps.append([*sorted(everything_in(old).splitlines()), f"{len(used)} day"])

    assert dumps[0] == dumps[1]


async def test_ids_that_1_0_0_gave_are_not_given_again(tmp_path: Path, address: str) -> None:
    old = database_of_one_zero(tmp_path / "old.db")

    async with open_database(old, MIGRATIONS) as database:
        for table, last in LAST_IDS.items():
            if await database.columns(table):
                newest = await database.fetch_one(database.last_id, table=table)
                assert newest is not None
                assert newest["id"] == last, table


async def test_a_games_database_of_1_0_0_is_taken(address: str) -> None:
    await bring_up(address, GAME_STEPS)
    run_beside(address, "DROP TABLE about")
    run_beside(address, "CREATE TABLE about (kind TEXT PRIMARY KEY, digest TEXT NOT NULL)")
    run_beside(address, f"INSERT INTO about VALUES ('game', '{MARK_OF_THE_GAME}')")

    await bring_up(address, GAME_STEPS)


# What was left by an older version is kept


async def test_the_log_says_what_is_done_and_what_is_kept(
    address: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await bring_up(address, steps_in(folder, NOTES))
    caplog.clear()

    await bring_up(address, steps_in(folder, NOTES, ADD_DATES))

    said, kept = caplog.messages
    assert "is from version 1.0.0. Upgrading its tables from step 1 to step 2 (1.1.0)" in said
    told = (
        "Kept a copy of the database of version 1.0.0 as /"
        if "sqlite" in address
        else "a `pg_dump` from"
    )
    assert told in kept


async def test_the_file_of_the_older_version_is_kept_beside(tmp_path: Path, folder: Path) -> None:
    address, kept = f"sqlite:///{tmp_path}/notes.db", tmp_path / "notes-1.0.0-step-1.db"
    await bring_up(address, steps_in(folder, NOTES))
    assert not file_is_there(kept)

    await bring_up(address, steps_in(folder, NOTES, ADD_DATES))

    assert kept.stat().st_mode & 0o777 == 0o600
    await bring_up(f"sqlite:///{kept}", steps_in(folder, NOTES))


async def test_what_is_kept_takes_the_place_of_nothing(tmp_path: Path, folder: Path) -> None:
    address = f"sqlite:///{tmp_path}/notes.db"
    await bring_up(address, steps_in(folder, NOTES))
    (tmp_path / "notes-1.0.0-step-1.db").write_text("mine")

    await bring_up(address, steps_in(folder, NOTES, ADD_DATES))

    assert (tmp_path / "notes-1.0.0-step-1.db").read_text() == "mine"
    assert file_is_there(tmp_path / "notes-1.0.0-step-1-2.db")


async def test_where_nothing_can_be_kept_nothing_is_changed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.db"
    await bring_up(f"sqlite:///{path}", steps_in(folder, NOTES))
    # As if the folder can't be written: root can write to any.
    (tmp_path / ".notes-1.0.0-step-1.db.part").mkdir()

    with pytest.raises(DatabaseUnusable, match="notes-1"):
        await bring_up(f"sqlite:///{path}", steps_in(folder, NOTES, ADD_DATES))

    await bring_up(f"sqlite:///{path}", steps_in(folder, NOTES))


# What a step brings is in every copy


@pytest.fixture
def with_badges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kiosk's steps, and one more that brings a table; it sorts before what it refers to."""
    steps = kiosk_with(
        tmp_path / "more",
        "CREATE TABLE badges (member_id BIGINT REFERENCES links (member_id) ON DELETE CASCADE,"
        " name TEXT, given_at BIGINT);",
    )
    monkeypatch.setattr(copying, "MIGRATIONS", steps)
    return steps


async def test_a_backup_and_a_move_have_the_table_of_a_later_step(
    full: str, other: str, file: Path, tmp_path: Path, with_badges: Path
) -> None:
    await bring_up(full, with_badges)
    run_beside(full, f"INSERT INTO badges VALUES ({MEMBER}, 'first', 1)")
    moved = empty_at(tmp_path / "moved.db")

    rows = await back_up(full, file)
    await restore(file, other, utc_now())
    await move_database(full, moved)

    assert rows["badges"] == 1
    for address in (other, moved):
        assert run_beside(address, "SELECT * FROM badges") == [(MEMBER, "first", 1)]


async def test_members_rows_of_a_later_step_are_exported_erased_and_purged(
    full: str, with_badges: Path, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    badges = TableRetention(
        "badges", key=("member_id",), member="member_id", age="given_at", days=7
    )
    monkeypatch.setattr(retention, "RETENTION", [badges, *RETENTION])
    give = f"INSERT INTO badges VALUES ({MEMBER}, 'first', {to_micros(NOW)})"

    async with open_database(full, with_badges) as database:
        records = MemberData(database, vault, utc_now)
        await database.execute(give)
        exported = await records.export(MEMBER)
        await Purge(database).purge(NOW + timedelta(days=8))
        left = await database.fetch("SELECT * FROM badges")
        await database.execute(give)
        erased, _ = await records.erase(MEMBER)

    assert exported["badges"][0]["name"] == "first"
    assert not left
    assert erased["badges"] == 1


async def test_a_backup_of_an_older_version_is_restored(
    full: str, other: str, file: Path, with_badges: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "MIGRATIONS", MIGRATIONS)
    await back_up(full, file)
    before = content_of(file)

    monkeypatch.setattr(copying, "MIGRATIONS", with_badges)
    rows = await restore(file, other, utc_now())

    assert rows["badges"] == 0
    assert content_of(file) == before
    async with open_database(other, with_badges) as database:
        assert await Links(database, BACKED_UP, utc_now).find(MEMBER) is not None


async def test_a_backup_of_1_0_0_is_restored(
    address: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("DATABASE", "sqlite")
        old = database_path(database_of_one_zero(tmp_path / "old.db"))
    with closing(sqlite3.connect(old)) as left:
        left.execute("PRAGMA journal_mode = DELETE")

    rows = await restore(old, address, utc_now())

    assert rows["links"] == 4
    assert rows["writes"] == 46


async def test_what_nobody_has_any_more_is_gone(tmp_path: Path, address: str) -> None:
    old = database_of_one_zero(tmp_path / "old.db")
    run_beside(old, "UPDATE cases SET hit_text_key = 'a', hit_word = 'b', hit_is_alert = TRUE")

    await bring_up(old, MIGRATIONS)

    assert not run_beside(old, "SELECT * FROM cases WHERE hit_text_key IS NOT NULL")
    gone = "SELECT * FROM messages WHERE kind IN ('look', 'lost key', 'announcement.test')"
    assert not run_beside(old, gone)
    keys = run_beside(old, "SELECT key FROM messages WHERE kind = 'case'")
    assert {key.split()[0] for (key,) in keys} == {"case", "log.closed"}
    (removals,) = run_beside(old, "SELECT COUNT(*) FROM removals")
    assert removals == (9,)


async def test_what_1_0_0_kept_of_wishes_and_news_is_read(tmp_path: Path, address: str) -> None:
    old = database_of_one_zero(tmp_path / "old.db")
    odd = 'One "a\\b"\nTwo'
    run_beside(old, f"UPDATE subscriptions SET types = '{odd}', name = '\\\"' WHERE id = 14")

    async with open_database(old, MIGRATIONS) as database:
        announced = {
            one.id: one for one in await Subscriptions(database).of_guild(1456074443980800129)
        }
        watches = {
            part.id: part
            for member_id in (1456074443980800134, 1456074443980800135)
            for watch in await MemberWatches(database).of_member(member_id, PlaceKind.CATALOG)
            for part in watch.parts
        }
        events = await Deliveries(database).missed_events(replace(announced[6], missed_after=0))

    assert announced[1].query == announced[7].query == ItemQuery()
    hats = frozenset({"Hat", "Scarf"})
    assert announced[4].query == ItemQuery(types=hats, max_cost=500, currency="Acorns")
    assert (watches[9].subject_id, watches[9].subject_name) == (2, "Toadstool Cap")
    owl = ItemQuery(name="owl", types=frozenset({"Hat"}), max_cost=300)
    assert (watches[13].query, watches[13].asked_in) == (owl, 1456074443980800129)
    assert watches[14].query == ItemQuery(name='\\"', types=frozenset(odd.split("\n")))
    assert [item_of(event).name for event in events][:1] == ["Glow Lamp"]
    stopped = {one.id: one.stopped_for for one in announced.values() if one.stopped_at}
    # What no one read continues: 15.
    assert stopped == {4: PERSON, 5: "50001", 6: "50013"}
    assert (announced[1].missed_after, announced[6].missed_after) == (None, 5)


async def test_comments_that_1_0_0_saw_are_found_by_their_roots(
    tmp_path: Path, address: str
) -> None:
    old = database_of_one_zero(tmp_path / "old.db")

    async with open_database(old, MIGRATIONS) as database:
        found = await Following(database).comments_below(3, 130, 131)

    assert {each.id: each.root_id for each in found.values()} == {
        130: 130,
        131: 131,
        132: 130,
        133: 131,
    }


async def test_what_was_announced_goes_90_days_after_it_was_sent(
    tmp_path: Path, address: str
) -> None:
    old = database_of_one_zero(tmp_path / "old.db")
    announcements = {"announcement", "announcement.post"}
    days = (
        "SELECT DISTINCT kind, (kept_until - settled_at) / 86400000000 FROM messages"
        " WHERE kept_until IS NOT NULL AND kind IN ('announcement', 'announcement.post', 'publish')"
    )
    before = run_beside(old, days)
    assert {kept for _, kept in before} == {7}

    await bring_up(old, MIGRATIONS)

    after = {(kind, 90 if kind in announcements else kept) for kind, kept in before}
    assert set(run_beside(old, days)) == after
    assert {kept for _, kept in after} == {7, 90}


async def test_what_1_0_0_and_2_0_0_said_of_messages_by_other_words_is_said_by_todays(
    tmp_path: Path, address: str
) -> None:
    old = database_of_one_zero(tmp_path / "old.db")
    released = steps_in(tmp_path / "released")
    for step in sorted(MIGRATIONS.iterdir())[:10]:
        shutil.copy(step, released)
    await bring_up(old, released)
    shared = "shared 1455349668249600098:"
    assert run_beside(old, "SELECT key FROM messages WHERE id = 17") == [(shared,)]
    run_beside(old, "UPDATE messages SET removal_id = 0, is_wanted = FALSE WHERE id IN (2, 3)")
    run_beside(old, "UPDATE messages SET removal_id = 7, is_wanted = FALSE WHERE id = 12")
    run_beside(old, "UPDATE messages SET lane = 0 WHERE id = 17")

    await bring_up(old, MIGRATIONS)

    # No one posts any more what a crash left.
    lost = run_beside(old, "SELECT key, state, lane = channel_id FROM messages WHERE id = 17")
    assert lost == [(f"{shared} 17", "unknown", True)]
    why = "SELECT id, removal_id, is_by_writer FROM messages WHERE id IN (2, 3, 12) ORDER BY id"
    assert run_beside(old, why) == [(2, None, True), (3, None, True), (12, 7, False)]


async def test_each_message_of_1_0_0_is_in_a_state_that_is_described(
    tmp_path: Path, address: str
) -> None:
    old = database_of_one_zero(tmp_path / "old.db")
    await bring_up(old, MIGRATIONS)

    assert_states_are_described(old)


@pytest.mark.parametrize(
    ("first_steps", "place_id", "subject_id"),
    [(0, "game_id", "id"), (10, "place_id", "subject_id")],
)
async def test_what_a_members_account_was_shown_is_forgotten_and_what_had_no_reader_goes_on(
    tmp_path: Path, address: str, first_steps: int, place_id: str, subject_id: str
) -> None:
    """What 1.0.0 has left, and the same as 2.0.0 would have."""
    old = database_of_one_zero(tmp_path / "old.db")
    if first_steps:
        released = steps_in(tmp_path / "released")
        for step in sorted(MIGRATIONS.iterdir())[:first_steps]:
            shutil.copy(step, released)
        await bring_up(old, released)
    # A member's account reads 1, GAME_TOKEN reads 2, and no one reads 3 any more.
    run_beside(
        old, f"UPDATE followed SET reader_id = NULL WHERE kind = 'catalog' AND {place_id} = 2"
    )
    run_beside(old, f"UPDATE followed SET version = 4 WHERE kind = 'catalog' AND {place_id} = 3")
    run_beside(
        old,
        f"INSERT INTO seen (kind, {place_id}, {subject_id}, name_key, state)"
        f" SELECT kind, 3, {subject_id}, name_key, state FROM seen"
        f" WHERE kind = 'catalog' AND {place_id} = 2",
    )
    seen = "SELECT kind, COUNT(*) FROM seen WHERE {0} = {1} GROUP BY kind"
    before = run_beside(old, seen.format(place_id, 2))

    await bring_up(old, MIGRATIONS)

    assert run_beside(
        old, "SELECT place_id, version FROM followed WHERE kind = 'catalog' ORDER BY place_id"
    ) == [(1, 0), (2, 4), (3, 0)]
    assert [run_beside(old, seen.format("place_id", number)) for number in (1, 2)] == [[], before]
    # Thread 3 has been read without any account.
    assert [kind for kind, _ in run_beside(old, seen.format("place_id", 3))] == ["thread"]
    stopped = "SELECT id, stopped_for FROM subscriptions WHERE stopped_at IS NOT NULL ORDER BY id"
    assert run_beside(old, stopped) == [(4, PERSON), (5, "50001"), (6, "50013")]
    async with open_database(old, MIGRATIONS) as database:
        assert not await database.columns("readers")
        assert "reader_id" not in await database.columns("followed")
        assert "read_catalog_id" not in await database.columns("links")


def reads_alike(address: str) -> list[list[tuple[Any, ...]]]:
    """Return the ids of writes whose members know how they stand, and of messages that tell it."""
    told = "SELECT id FROM writes WHERE told = state || ' ' || COALESCE(reason, '') ORDER BY id"
    telling = """
SELECT messages.id
  FROM messages JOIN (SELECT id, state || ' ' || reason AS standing FROM writes) AS writes
    ON messages.key = messages.kind || ' ' || writes.id || ' ' || standing
   AND payload = '{"write": ' || writes.id || ', "state": "' || standing || '"}'
 ORDER BY messages.id"""
    return [run_beside(address, sql) for sql in (told, telling)]


async def test_reasons_become_codes_and_what_was_told_counts_as_told(
    tmp_path: Path, address: str
) -> None:
    old = database_of_one_zero(tmp_path / "old.db")
    before = reads_alike(old)
    known = {*ExplainedError.by_code, *Reason, LOOKED_FOR, GIVEN_UP}

    await bring_up(old, MIGRATIONS)

    assert reads_alike(old) == before
    assert all(before)
    stored = run_beside(old, "SELECT reason FROM writes WHERE reason IS NOT NULL")
    stored += run_beside(old, "SELECT failure FROM followed WHERE failure IS NOT NULL")
    assert {"interrupted", "unavailable", "forbidden"} < {code for (code,) in stored} <= known


def test_codes_that_a_step_has_written_can_be_read() -> None:
    (step,) = [step for step in read_steps(MIGRATIONS) if "codes_of_reasons" in step.name]
    written = {code for _, code in re.findall(r"^    \('(\w+)', '(\w+)'\)", step.sql, re.M)}

    assert written - ExplainedError.by_code.keys() == {
        "given_up",
        "stopped_by_automod",
        "text_too_long",
    }
