"""Databases on both engines, and the texts kept in one."""

from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.domain.drafts import (
    Draft,
    DraftKind,
    NewDraft,
)
from storage import MIGRATIONS
from storage.authored import AuthoredComments
from storage.database import Database, open_database
from storage.drafts import Drafts, new_draft_id
from storage.outcomes import Outcomes
from storage.vault import Vault, new_key
from tests.support.postgres import empty_schema, run_postgres

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=45)
MUCH_LATER = LATER + timedelta(seconds=45)
YOUNGER = NOW + timedelta(microseconds=1)
MEMBER, STRANGER = 1, 2


@dataclass
class Kept:
    drafts: Drafts
    authored: AuthoredComments

    outcomes: Outcomes
    database: Database

    async def add(
        self, text: str = "Hello", *, kind: DraftKind = DraftKind.REPLY, now: datetime = NOW
    ) -> Draft:
        draft = await self.try_to_add(NewDraft(MEMBER, kind, 7, 8, text), now=now)
        assert draft is not None
        return draft

    async def try_to_add(self, new: NewDraft, now: datetime = NOW) -> Draft | None:
        until = now + (LATER - NOW)
        return await self.drafts.add(new, draft_id=new_draft_id(), now=now, until=until, oldest=NOW)

    async def take(self, draft: Draft, text: str = "Hello") -> Draft | None:
        return await self.drafts.take(draft, text=text, now=LATER, until=MUCH_LATER)

    async def found(self, draft: Draft) -> Draft | None:
        return await self.drafts.find(draft.id, MEMBER, oldest=NOW)


@pytest.fixture
def vault() -> Vault:
    return Vault([SecretStr(new_key())])


@pytest.fixture
async def kept(address: str, vault: Vault) -> AsyncGenerator[Kept]:
    async with open_database(address, MIGRATIONS) as opened:
        yield Kept(Drafts(opened, vault), AuthoredComments(opened), Outcomes(opened), opened)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A PostgreSQL that is started when the first test asks for it."""
    with run_postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, on one engine and then on the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/kiosk.db"
    server: Any = request.getfixturevalue("postgres")
    return empty_schema(server)
