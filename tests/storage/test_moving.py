"""A database moves house: from one engine to the other, and back."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.background import utc_now
from storage import MIGRATIONS
from storage.claims import Claims
from storage.copying import move_database
from storage.database import Database, open_database
from storage.errors import CannotMove, DatabaseMissing
from storage.installation import Installation
from storage.links import Links
from storage.messages import Messages
from storage.names import Named, Names, PlaceKind
from storage.shown import ShownComment
from storage.vault import Vault, new_key
from tests.support.databases import empty_at
from tests.support.shown import claim, showing, shown_in

VAULT = Vault([SecretStr(new_key())])


@pytest.fixture
def other(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database on the other engine."""
    engine = "postgresql" if address.startswith("sqlite") else "sqlite"
    monkeypatch.setenv("DATABASE", engine)
    return empty_at(tmp_path / "other.db")


async def fill(database: Database) -> None:
    links = Links(database, VAULT, utc_now)
    for member in (2**62, 7, 8):
        await links.save(member, SecretStr(f"token of {member}"))
    await Names(database, Messages(database, utc_now)).save(
        1, PlaceKind.THREAD, Named(12, "Pond's \u00dcber-life: 100 %")
    )
    facts = [{"name": f"fact {number}", "value": "1"} for number in range(2500)]
    async with database.transaction() as transaction:
        await transaction.execute_many("INSERT INTO facts VALUES (:name, :value)", facts)
    shown = shown_in(database)
    for _ in range(3):
        record = await claim(shown, 1, 2, [ShownComment(5, 50), ShownComment(6)])
        assert record is not None
        await shown.complete(record, 2**60, 1)


async def move(source: str, target: str) -> dict[str, int]:
    rows = await move_database(source, target)
    return {table: count for table, count in rows.items() if count}


async def test_everything_arrives_and_new_rows_get_new_ids(address: str, other: str) -> None:
    async with open_database(address, MIGRATIONS) as database:
        await fill(database)

    moved = await move(address, other)

    assert moved == {
        "links": 3,
        "names": 1,
        "facts": 2500,
        "moderation": 1,
        "messages": 3,
        "message_comments": 6,
    }
    async with open_database(other, MIGRATIONS) as database:
        link = await Links(database, VAULT, utc_now).find(2**62)
        assert link is not None
        assert link.token.get_secret_value() == f"token of {2**62}"
        named = await Names(database, Messages(database, utc_now)).all_of_kind(1, PlaceKind.THREAD)
        assert [one.name for one in named] == ["Pond's \u00dcber-life: 100 %"]
        shown = shown_in(database)
        assert await claim(shown, 1, 2, [ShownComment(5)]) == 4
        assert len(await showing(database, 1, 6)) == 3


async def test_a_target_that_is_not_empty_is_refused_and_left_alone(
    address: str, other: str
) -> None:
    async with open_database(address, MIGRATIONS) as database:
        await fill(database)
    async with open_database(other, MIGRATIONS) as database:
        await Installation(database).save_fact("mine", "1")

    with pytest.raises(CannotMove, match="not empty"):
        await move(address, other)

    async with open_database(other, MIGRATIONS) as database:
        assert await Installation(database).find_fact("mine") == "1"
        assert await Links(database, VAULT, utc_now).find(7) is None


async def test_a_source_in_use_is_refused(address: str, other: str) -> None:
    async with open_database(address, MIGRATIONS) as database, Claims(database) as claims:
        await claims.renew()
        with pytest.raises(CannotMove, match="in use"):
            await move(address, other)


async def test_a_source_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissing):
        await move(f"sqlite:///{tmp_path}/nowhere.db", f"sqlite:///{tmp_path}/new.db")

    assert not (tmp_path / "nowhere.db").exists()
