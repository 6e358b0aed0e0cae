"""Databases on both engines, and the texts kept in one."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages
from storage.vault import Vault, new_key
from storage.writes import LEASE, Text, W, WriteKind, Writes, WriteState
from tests.support.clock import utc_now
from tests.support.databases import address_at, empty_at
from tests.support.kept_rows import fill, fill_server
from tests.support.moderating import Bench, open_bench

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + LEASE
MEMBER, STRANGER = 1, 2
# What seals the texts of a database that is backed up.
BACKED_UP = Vault([SecretStr(new_key())])


@dataclass
class Kept:
    """Writes, as they are kept, and the messages that are owed for them."""

    writes: Writes
    database: Database
    messages: Messages
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    async def add(
        self,
        text: str = "Hello",
        *,
        kind: WriteKind = WriteKind.REPLY,
        now: datetime = NOW,
        member_id: int = MEMBER,
        target_id: int = 8,
    ) -> Text:
        new = Text(next(self.ids), member_id, kind, 7, target_id=target_id, body=text)
        held = await self.writes.keep_text(new, now=now)
        assert held is not None
        return held

    async def settle(self, held: W, state: WriteState, **found: Any) -> W:
        settled = await self.writes.save_write(replace(held, state=state, **found))
        assert settled is not None
        return settled

    async def mark_sent(self, held: W) -> W | None:
        return await self.writes.save_write(replace(held, state=WriteState.SENT, asked_at=NOW))

    async def let_pass(self, by: timedelta) -> None:
        """Let so much time pass for the leases."""
        micros = by // timedelta(microseconds=1)
        await self.database.execute("UPDATE writes SET due_at = due_at - :by", by=micros)

    async def found(self, write: W) -> W:
        found: Any = await self.writes.find_write(write.id)
        assert found is not None
        return found


@pytest.fixture
def vault() -> Vault:
    return Vault([SecretStr(new_key())])


@pytest.fixture
async def kept(address: str, vault: Vault) -> AsyncGenerator[Kept]:
    async with open_database(address, MIGRATIONS) as opened:
        messages = Messages(opened, utc_now)
        yield Kept(Writes(opened, vault, messages), opened, messages)


@pytest.fixture
def address(on_both_engines: None, tmp_path: Path) -> str:
    """The address of a new database, on one engine and then on the other."""
    return address_at(tmp_path / "kiosk.db")


@pytest.fixture
def empty_address(on_both_engines: None, tmp_path: Path) -> str:
    """The address of a database without a table, on one engine and then on the other."""
    return empty_at(tmp_path / "kiosk.db")


@pytest.fixture
async def bench(address: str, vault: Vault) -> AsyncGenerator[Bench]:
    async with open_bench(address, vault) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backups" / "monday.db"


@pytest.fixture
async def full(address: str, file: Path) -> str:
    """The address of a database with something in it."""
    file.parent.mkdir()
    async with open_database(address, MIGRATIONS) as database:
        await fill(database, BACKED_UP, MEMBER, NOW)
        await fill_server(database, 3)
    return address


@pytest.fixture
def other(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database on the other engine."""
    engine = "postgresql" if address.startswith("sqlite") else "sqlite"
    monkeypatch.setenv("DATABASE", engine)
    return empty_at(tmp_path / "other.db")
