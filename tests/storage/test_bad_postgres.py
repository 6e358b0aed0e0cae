"""A PostgreSQL that is slow, gone, restarted or only half there."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import OperationalError

from storage import MIGRATIONS
from storage.database import Database, open_database, open_existing_database
from storage.database.refusals import find_refusal
from storage.storage_errors import (
    CommitUnknown,
    DatabaseUnavailable,
    DatabaseUnusable,
    StatementFailed,
)
from tests.support.database_proxy import DatabaseProxy, open_database_proxy
from tests.support.databases import address_at
from tests.support.gates import PATIENCE_SECONDS
from tests.support.postgres import run_restarted_postgres

# In seconds, for a test that waits for it; nothing that must succeed is asked but once by it.
SHORT = 0.3
# The same if a server has to answer by it at once.
ENOUGH = 1.0
SAVE = "INSERT INTO facts (name, value) VALUES (:name, 'kept')"
NAMES = "SELECT name FROM facts ORDER BY name"


@pytest.fixture
async def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DatabaseProxy]:
    monkeypatch.setenv("DATABASE", "postgresql")
    async with open_database_proxy(address_at(tmp_path / "kiosk.db")) as opened:
        yield opened


@pytest.fixture
async def database(proxy: DatabaseProxy) -> AsyncGenerator[Database]:
    async with open_database(proxy.address, MIGRATIONS) as opened:
        yield opened


async def names(database: Database) -> list[str]:
    return [row["name"] for row in await database.fetch(NAMES)]


async def test_a_restarted_server_is_used(database: Database, proxy: DatabaseProxy) -> None:
    """Every connection in the pool is dead, and no one learns that before it is used."""
    await asyncio.gather(*(database.execute(SAVE, name=f"before {n}") for n in range(8)))
    proxy.cut()

    kept = await asyncio.gather(*(names(database) for _ in range(8)))
    proxy.cut()
    await asyncio.gather(*(database.execute(SAVE, name=f"later {n}") for n in range(8)))

    assert [len(found) for found in kept] == [8] * 8
    assert len(await names(database)) == 16


async def test_a_server_that_says_farewell_before_it_hangs_up_is_used_without_a_failure() -> None:
    with run_restarted_postgres() as server:
        async with open_database(server.address, MIGRATIONS) as database:
            await asyncio.gather(*(names(database) for _ in range(8)))
            server.kill()
            server.start()

            assert await asyncio.gather(*(names(database) for _ in range(8))) == [[]] * 8


async def test_a_lost_connection_undoes_it(database: Database, proxy: DatabaseProxy) -> None:
    async def write_and_lose() -> None:
        async with database.transaction() as transaction:
            await transaction.execute(SAVE, name="first")
            proxy.cut()
            await transaction.execute(SAVE, name="second")

    with pytest.raises(StatementFailed):
        await write_and_lose()

    assert await names(database) == []


async def test_a_lost_commit_is_told_apart(database: Database, proxy: DatabaseProxy) -> None:
    proxy.unanswered.add(b"COMMIT")

    with pytest.raises(CommitUnknown):
        await database.execute(SAVE, name="perhaps")

    # Here it lasts; had it been sent again, it would not be unique.
    assert await names(database) == ["perhaps"]


async def test_a_late_answer_fails_one_statement(proxy: DatabaseProxy) -> None:
    async with open_database(proxy.address, MIGRATIONS, patience=SHORT) as database:
        for use in (database.fetch(NAMES), database.execute(SAVE, name="late")):
            async with proxy.answering.closed(lambda _: True) as gate:
                with pytest.raises(StatementFailed):
                    await use
                gate.open()
        assert await answered(database) == []


async def test_silence_inside_a_transaction_fails_it(proxy: DatabaseProxy) -> None:
    async with open_database(proxy.address, MIGRATIONS, patience=SHORT) as database:

        async def write_in_silence() -> None:
            async with (
                database.transaction() as transaction,
                proxy.answering.closed(lambda _: True),
            ):
                await transaction.execute(SAVE, name="never")

        with pytest.raises(StatementFailed):
            await write_in_silence()

        assert await answered(database) == []


async def test_statements_fail_until_the_server_is_back(proxy: DatabaseProxy) -> None:
    async with open_database(proxy.address, MIGRATIONS, patience=SHORT) as database:
        proxy.is_down = True
        proxy.cut()
        for _ in range(3):
            with pytest.raises(StatementFailed):
                await names(database)
        proxy.is_down = False

        assert await answered(database) == []


async def test_a_read_only_server_is_read(proxy: DatabaseProxy, database: Database) -> None:
    await database.execute(SAVE, name="before")
    await database.execute(
        "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database()"
        " || ' SET default_transaction_read_only = on'; END $$"
    )
    try:
        proxy.cut()

        assert await names(database) == ["before"]
        with pytest.raises(StatementFailed, match="ReadOnly"):
            await database.execute(SAVE, name="after")
        with pytest.raises(DatabaseUnusable, match=r"read-only transaction\. Use the primary"):
            async with open_database(proxy.address, MIGRATIONS):
                pass
    finally:
        async with database.transaction() as transaction:
            await transaction.execute("SET TRANSACTION READ WRITE")
            await transaction.execute(
                "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database()"
                " || ' RESET default_transaction_read_only'; END $$"
            )


async def test_a_server_that_only_reads_is_left_for_another(database: Database) -> None:
    # As if another one had become the primary since: new connections lead there.
    await database.fetch("SET default_transaction_read_only = on")

    with pytest.raises(StatementFailed, match="ReadOnly"):
        await database.execute(SAVE, name="before")
    await database.execute(SAVE, name="after")

    assert await names(database) == ["after"]


async def test_a_connection_is_asked_whether_it_works_only_after_an_idle_while(
    proxy: DatabaseProxy, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with proxy.asking.closed(lambda sent: sent == b"Q\0\0\0\5\0") as gate:
        for idle, is_asked in ((1e9, False), (0.0, True)):
            monkeypatch.setattr("storage.database.postgres._IDLE_SECONDS", idle)
            found = asyncio.create_task(names(database))
            if is_asked:
                await gate.arrival()
                gate.open()
            assert await found == []


async def test_a_process_standing_still_holds_up_nobody(proxy: DatabaseProxy) -> None:
    """The machine is gone without a word: only the server can end what it has begun."""
    async with (
        open_database(proxy.address, MIGRATIONS, patience=ENOUGH) as gone,
        open_database(proxy.address, MIGRATIONS) as alive,
    ):
        await alive.execute(SAVE, name="locked")
        with suppress(StatementFailed):
            async with gone.transaction() as transaction:
                await transaction.execute("UPDATE facts SET value = 'theirs'")

                await alive.execute("UPDATE facts SET value = 'ours'")

        row = await alive.fetch_one("SELECT value FROM facts")
        assert row is not None
        assert row["value"] == "ours"


async def test_any_encoding_holds_any_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE", "postgresql")
    server = address_at(tmp_path / "kiosk.db")
    narrow = urlunsplit(urlsplit(server)._replace(path="/narrow"))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(
            "CREATE DATABASE narrow"
            " TEMPLATE template0 STRATEGY file_copy ENCODING 'SQL_ASCII' LOCALE 'C'"
        )
        try:
            async with open_database(narrow, MIGRATIONS) as database:
                await database.execute(SAVE, name="Hütchen 🎩")
                assert await names(database) == ["Hütchen 🎩"]
        finally:
            connection.execute("DROP DATABASE narrow WITH (FORCE)")


async def answered(database: Database) -> list[str]:
    """Ask until a statement works: the pool reconnects by itself, within seconds."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(StatementFailed):
                return await names(database)


async def test_a_user_who_may_not_look_is_told_so(proxy: DatabaseProxy, database: Database) -> None:
    await database.execute("CREATE ROLE stranger LOGIN")
    strangers = urlsplit(proxy.address)
    strangers = strangers._replace(netloc=f"stranger@{strangers.netloc.rpartition('@')[2]}")
    try:
        with pytest.raises(DatabaseUnusable, match="permission denied"):
            async with open_existing_database(urlunsplit(strangers), MIGRATIONS):
                pass
    finally:
        await database.execute("DROP ROLE stranger")


async def test_a_server_that_is_gone_is_named_once_with_its_reason(
    proxy: DatabaseProxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("storage.database.postgres._RECONNECTING_SECONDS", ENOUGH)
    proxy.is_down = True

    with pytest.raises(DatabaseUnavailable, match=r"127\.0\.0\.1:\d+ can't be used: connection"):
        async with open_existing_database(proxy.address, MIGRATIONS):
            pass

    assert not caplog.messages


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        ('password authentication failed for user "kiosk"', "Correct the user and the password"),
        ("SASL authentication failed", "Correct the user and the password in the address"),
        ('role "kiosk" does not exist', "Create this user"),
        ('database "kiosk" does not exist', "Create this database"),
        ("no such database: kiosk", "Create this database"),
        ('no pg_hba.conf entry for host "10.0.0.9", user "kiosk"', "Let this machine and user in"),
    ],
)
async def test_what_a_server_refuses_for_good_is_said_at_once_with_its_mend(
    proxy: DatabaseProxy, said: str, mend: str
) -> None:
    proxy.refusal = said

    with pytest.raises(DatabaseUnusable, match=rf"refuses Kiosk: {said}.*\. {mend}") as refused:
        async with open_existing_database(proxy.address, MIGRATIONS):
            pass

    assert not isinstance(refused.value, DatabaseUnavailable)
    # The pool had no time to try again.
    assert len(proxy.refused.past) == 1


async def test_what_the_driver_refuses_is_said_at_once_with_its_mend(proxy: DatabaseProxy) -> None:
    proxy.refusal = "nobody is asked for a password before SSL"
    for mode, said in (
        ("sslmode=require", "server does not support SSL, but SSL was required. Turn SSL on"),
        ("sslmode=often", 'invalid sslmode value: "often". Correct this in the address'),
    ):
        with pytest.raises(DatabaseUnusable, match=f"refuses Kiosk: {said}"):
            async with open_existing_database(f"{proxy.address}&{mode}", MIGRATIONS):
                pass


@pytest.mark.parametrize(
    "said",
    [
        "the database system is starting up",
        "sorry, too many clients already",
        "Passwort-Authentifizierung für Benutzer »kiosk« fehlgeschlagen",
    ],
)
async def test_what_may_pass_is_waited_for(
    proxy: DatabaseProxy, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr("storage.database.postgres._RECONNECTING_SECONDS", SHORT)
    proxy.refusal = said

    with pytest.raises(DatabaseUnavailable, match=f"{said}. Start it, or fix the address"):
        async with open_existing_database(proxy.address, MIGRATIONS):
            pass


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "transaction blocks not allowed in statement pooling mode",
            "transaction blocks not allowed in statement pooling mode. Set pool_mode = transaction",
        ),
        (
            'server at "db" failed: root certificate file "/a" does not exist\nEither',
            'root certificate file "/a" does not exist. Set sslrootcert to the CA file',
        ),
    ],
)
def test_what_no_test_can_bring_about_is_in_the_table(said: str, told: str) -> None:
    assert (find_refusal(OperationalError(said)) or "").startswith(told)


def test_a_name_with_several_servers_is_refused_only_where_all_of_them_refuse() -> None:
    tries = "down\nMultiple connection attempts failed. All failures were:\n" + "".join(
        f"- host: '{host}', port: '5432', hostaddr: '{address}': {said}\n"
        for host, address, said in (
            ("localhost", "::1", "Connection refused"),
            ("localhost", "127.0.0.1", "FATAL:  no such database: kiosk"),
        )
    )
    starting = "- host: 'b', port: '5432', hostaddr: '10.0.0.9': FATAL:  it is starting up\n"

    assert (find_refusal(OperationalError(tries)) or "").startswith(
        "no such database: kiosk. Create"
    )
    assert find_refusal(OperationalError(tries + starting)) is None


async def test_no_refusal_ends_what_runs_and_each_is_named(proxy: DatabaseProxy) -> None:
    async with open_database(proxy.address, MIGRATIONS, patience=SHORT) as database:
        proxy.refusal = 'role "kiosk" does not exist'
        proxy.cut()
        with pytest.raises(StatementFailed):
            await names(database)
        with pytest.raises(StatementFailed, match=r'FATAL:  role "kiosk" does not exist$'):
            await names(database)
        proxy.refusal = ""

        assert await answered(database) == []


async def test_a_locked_start_is_tried_again(proxy: DatabaseProxy, database: Database) -> None:
    impatient = f"{proxy.address}&options=-clock_timeout%3D10"
    async with database.transaction() as transaction:
        await transaction.execute("LOCK TABLE about")
        with pytest.raises(DatabaseUnavailable, match="lock timeout"):
            async with open_database(impatient, MIGRATIONS):
                pass
    async with open_database(impatient, MIGRATIONS) as again:
        assert await names(again) == await names(database)


async def test_a_server_lost_in_a_copy_is_told(proxy: DatabaseProxy, database: Database) -> None:
    async def read() -> None:
        async with database.snapshot() as moment:
            proxy.cut()
            await moment.fetch(NAMES)

    with pytest.raises(StatementFailed):
        await read()
