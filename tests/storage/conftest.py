"""Databases on both engines, and the texts kept in one."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.clock import utc_now
from bot.domain.drafts import (
    Draft,
    DraftKind,
    NewDraft,
)
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.drafts import Drafts
from storage.messages import Messages
from storage.orders import Orders
from storage.outcomes import AuthoredComments, Untold
from storage.vault import Vault, new_key
from tests.support.databases import address_at, empty_at
from tests.support.kept_rows import fill, fill_server
from tests.support.moderating import Bench, open_bench

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=45)
MUCH_LATER = LATER + timedelta(seconds=45)
YOUNGER = NOW + timedelta(microseconds=1)
MEMBER, STRANGER = 1, 2
# What seals the texts of a database that is backed up.
BACKED_UP = Vault([SecretStr(new_key())])


@dataclass
class Kept:
    drafts: Drafts
    authored: AuthoredComments
    untold: Untold
    database: Database
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    async def add(
        self,
        text: str = "Hello",
        *,
        kind: DraftKind = DraftKind.REPLY,
        now: datetime = NOW,
        member_id: int = MEMBER,
    ) -> Draft:
        draft = await self.try_to_add(NewDraft(member_id, kind, 7, 8, text), now=now)
        assert draft is not None
        return draft

    async def try_to_add(self, new: NewDraft, now: datetime = NOW) -> Draft | None:
        until = now + (LATER - NOW)
        return await self.drafts.add(new, draft_id=next(self.ids), now=now, until=until, oldest=NOW)

    async def take(self, draft: Draft, text: str | None = None) -> Draft | None:
        return await self.drafts.take(draft, text=text, now=LATER, until=MUCH_LATER)

    async def found(self, draft: Draft) -> Draft | None:
        return await self.drafts.find(draft.id, draft.member_id, oldest=NOW)


@pytest.fixture
def vault() -> Vault:
    return Vault([SecretStr(new_key())])


@pytest.fixture
async def kept(address: str, vault: Vault) -> AsyncGenerator[Kept]:
    async with open_database(address, MIGRATIONS) as opened:
        authored, untold = (
            AuthoredComments(opened, vault),
            Untold(opened, Messages(opened, utc_now)),
        )
        yield Kept(Drafts(opened, vault), authored, untold, opened)


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
async def orders(address: str) -> AsyncGenerator[Orders]:
    async with open_database(address, MIGRATIONS) as opened:
        yield Orders(opened, Messages(opened, utc_now))


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
