"""Keys are changed while others work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import pytest
from pydantic import SecretStr

from storage.database import Database, Row, Value
from storage.links import Links
from storage.messages import Messages
from storage.retention import RETENTION, count_sealed, seal_anew
from storage.vault import Vault, new_key
from storage.writes import Writes
from tests.storage.conftest import MEMBER, NOW, STRANGER, Kept
from tests.support.clock import utc_now
from tests.support.kept_rows import TOKEN, add_comment, fill

SEALED = [f"{kept.table}.{kept.sealed.column}" for kept in RETENTION if kept.sealed]
# Of the writes there are two.
VALUES = len(SEALED) + 1


@dataclass
class Ring:
    """A database that was filled under an old key, and vaults with other keys."""

    database: Database
    key: SecretStr
    old: Vault
    both: Vault
    new: Vault


@pytest.fixture
async def ring(kept: Kept) -> Ring:
    older, newer = SecretStr(new_key()), SecretStr(new_key())
    ring = Ring(kept.database, older, Vault([older]), Vault([newer, older]), Vault([newer]))
    await fill(ring.database, ring.old, MEMBER, NOW)
    return ring


async def test_everything_sealed_opens_with_the_new_key_alone_after_a_rotation(ring: Ring) -> None:
    resealed = await seal_anew(ring.database, ring.both)

    assert resealed == (VALUES, 0)
    link = await Links(ring.database, ring.new, utc_now).find(MEMBER)
    assert link is not None
    assert link.token.get_secret_value() == TOKEN
    writes = Writes(ring.database, ring.new, Messages(ring.database, utc_now))
    (text,) = await writes.unsent_texts(MEMBER, oldest=NOW)
    assert text.body == "A text on its way"
    (comment,) = await writes.comments_of(MEMBER, 9)
    assert comment.body == "The start of a comment"


async def test_the_status_says_how_much_each_key_has_sealed(ring: Ring) -> None:
    await Links(ring.database, ring.both, utc_now).save(STRANGER, SecretStr("another"))

    found = await count_sealed(ring.database)

    assert found == {
        ring.old.newest_key: {**dict.fromkeys(SEALED, 1), "writes.sealed_body": 2},
        ring.new.newest_key: {"links.sealed_token": 1},
    }


async def test_a_cut_off_rotation_goes_on(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.retention.AT_ONCE", 2)
    for member in range(100, 105):
        await Links(ring.database, ring.old, utc_now).save(member, SecretStr("token"))

    def cut_off(vault: Vault, secret: str, *, owner: int, purpose: str) -> bytes:
        nonlocal sealed
        if sealed == 4:
            raise KeyboardInterrupt
        sealed += 1
        return seal(vault, secret, owner=owner, purpose=purpose)

    seal, sealed = Vault.seal, 0
    with monkeypatch.context() as cutting_off:
        cutting_off.setattr(Vault, "seal", cut_off)
        with pytest.raises(KeyboardInterrupt):
            await seal_anew(ring.database, ring.both)
    resealed = await seal_anew(ring.database, ring.both)

    assert resealed == (VALUES + 5 - 4, 0)
    assert set(await count_sealed(ring.database)) == {ring.new.newest_key}


async def test_a_link_made_anew_during_a_rotation_is_not_undone(ring: Ring) -> None:
    """Between the look at the old token and the change, the member links another account."""
    links = Links(ring.database, ring.both, utc_now)
    late = _LateDatabase(ring.database, links)

    await seal_anew(cast("Database", late), ring.both)

    link = await links.find(MEMBER)
    assert link is not None
    assert link.token.get_secret_value() == "a newer token"


class _LateDatabase:
    """A database in which a member links another account after each look at links."""

    def __init__(self, database: Database, links: Links) -> None:
        self._database = database
        self._links = links

    async def fetch(self, sql: str, **parameters: Value) -> Sequence[Row]:
        rows = await self._database.fetch(sql, **parameters)
        if "FROM links" in sql and "sealed_for" in sql:
            await self._links.save(MEMBER, SecretStr("a newer token"))
        return rows

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)


async def test_an_order_is_of_its_account_under_the_new_key_too(ring: Ring) -> None:
    link = await Links(ring.database, ring.old, utc_now).find(MEMBER)
    assert link is not None

    await seal_anew(ring.database, ring.both)

    now = await Links(ring.database, ring.new, utc_now).find(MEMBER)
    assert now is not None
    assert now.token_key == link.token_key


async def test_what_no_key_opens_is_counted_and_left_by_a_rotation(ring: Ring) -> None:
    other = Vault([SecretStr(new_key())])
    writes = Writes(ring.database, other, Messages(ring.database, utc_now))
    await add_comment(writes, STRANGER, NOW, "Sealed for nobody", 99)

    resealed = await seal_anew(ring.database, ring.both)

    assert resealed == (VALUES, 1)
