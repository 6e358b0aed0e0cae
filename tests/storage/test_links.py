"""Keeping members' links."""

from collections.abc import AsyncGenerator

import pytest
from pydantic import SecretStr

from bot.background import utc_now
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.links import Link, Links
from storage.vault import Vault, VaultError, new_key

MEMBER, OTHER = 2**63 - 1, 7


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        yield opened


@pytest.fixture
def links(database: Database) -> Links:
    return Links(database, Vault([SecretStr(new_key())]), utc_now)


async def found(links: Links, member: int = MEMBER) -> Link:
    link = await links.find(member)
    assert link is not None
    return link


async def test_a_kept_token_comes_back_and_is_never_shown(links: Links) -> None:
    await links.save(MEMBER, SecretStr("token-1"))

    link = await found(links)
    assert link.token.get_secret_value() == "token-1"
    assert "token-1" not in repr(link)
    assert repr(link.sealed) not in repr(link)
    assert await links.find(OTHER) is None


async def test_a_new_link_takes_the_place_of_the_old_with_all_that_was_known(links: Links) -> None:
    await links.save(MEMBER, SecretStr("token-1"))
    await links.remember_player(await found(links), 5, "Hazel")
    await links.mark_refused(await found(links))
    await links.save(MEMBER, SecretStr("token-2"))

    link = await found(links)
    assert link.token.get_secret_value() == "token-2"
    assert (link.is_refused, link.player_id, link.player_name) == (False, None, None)


async def test_a_new_link_is_told_from_the_old_by_its_moment(links: Links) -> None:
    await links.save(MEMBER, SecretStr("token-1"))
    old = await found(links)
    await links.save(MEMBER, SecretStr("token-1"))

    assert (await found(links)).linked_at > old.linked_at


async def test_a_refusal_and_a_player_are_noted_of_one_link_alone(links: Links) -> None:
    for member in (MEMBER, OTHER):
        await links.save(member, SecretStr("token-1"))
    other = await found(links, OTHER)

    await links.mark_refused(await found(links))
    await links.remember_player(await found(links), 5, "Hazel")

    link = await found(links)
    assert (link.is_refused, link.player_id, link.player_name) == (True, 5, "Hazel")
    assert await found(links, OTHER) == other


async def test_the_player_of_the_old_token_is_not_taken_for_the_newer_links(links: Links) -> None:
    await links.save(MEMBER, SecretStr("token-1"))
    old = await found(links)
    await links.save(MEMBER, SecretStr("token-2"))
    await links.remember_player(old, 5, "Hazel")

    assert (await found(links)).player_id is None


async def test_a_refusal_of_the_old_token_does_not_touch_a_newer_link(links: Links) -> None:
    await links.save(MEMBER, SecretStr("token-1"))
    old = await found(links)
    await links.save(MEMBER, SecretStr("token-2"))
    await links.mark_refused(old)

    assert not (await found(links)).is_refused


async def test_a_row_copied_to_another_member_opens_for_nobody(
    links: Links, database: Database
) -> None:
    await links.save(MEMBER, SecretStr("token-1"))
    await database.execute("UPDATE links SET member_id = :other", other=OTHER)

    with pytest.raises(VaultError):
        await links.find(OTHER)


async def test_links_sealed_with_a_lost_key_are_counted(links: Links, database: Database) -> None:
    await links.save(MEMBER, SecretStr("token-1"))

    assert await links.unknown_keys() == 0
    assert await Links(database, Vault([SecretStr(new_key())]), utc_now).unknown_keys() == 1


async def test_removing_tells_whether_there_was_a_link(links: Links) -> None:
    await links.save(MEMBER, SecretStr("token-1"))

    assert await links.remove(MEMBER)
    assert not await links.remove(MEMBER)
