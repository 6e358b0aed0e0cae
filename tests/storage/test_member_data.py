"""Links, what all processes know, and all that is kept about one member."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.cache import SHARED_SECONDS
from bot.errors import NothingNamed, NotLinked, UnknownName
from bot.game.models import Player
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.links import Link, Links
from storage.names import PlaceKind
from storage.purging import MemberData
from storage.retention import RETENTION
from storage.subscriptions import Subscriptions
from storage.vault import Vault, VaultError, new_key
from tests.storage.conftest import MEMBER, NOW, STRANGER, Kept
from tests.support.clock import utc_now
from tests.support.kept_rows import TOKEN, add_order, fill, fill_server
from tests.support.rogue_game import RogueShop
from tests.support.wiring import Wiring, open_wiring

ABOUT_MEMBERS = [kept.table for kept in RETENTION if kept.member]


async def both(database: Database, vault: Vault) -> MemberData:
    for member in (MEMBER, STRANGER):
        await fill(database, vault, member, NOW)
    return MemberData(database, vault, utc_now)


async def test_an_export_has_a_row_of_every_table_and_no_token(kept: Kept, vault: Vault) -> None:
    data = await both(kept.database, vault)
    link = await Links(kept.database, vault, utc_now).find(MEMBER)
    assert link is not None

    found = await data.export(MEMBER)

    assert list(found) == ABOUT_MEMBERS
    assert all(found.values())
    written = json.dumps(found)
    for secret in (TOKEN, link.token_key, link.sealed.hex(), "sealed"):
        assert secret not in written


async def test_a_text_that_no_key_opens_is_exported_as_unknown(kept: Kept, vault: Vault) -> None:
    await both(kept.database, vault)

    found = await MemberData(kept.database, Vault([SecretStr(new_key())]), utc_now).export(MEMBER)

    assert found["writes"][0]["body"] is None


async def test_nothing_of_a_member_is_left_and_all_of_others(kept: Kept, vault: Vault) -> None:
    data = await both(kept.database, vault)

    removed, left = await data.erase(MEMBER)

    # A text on its way, one that has become a comment, and an order.
    assert removed == {**dict.fromkeys(ABOUT_MEMBERS, 1), "writes": 3}
    assert not left
    assert await data.export(MEMBER) == {}
    assert list(await data.export(STRANGER)) == ABOUT_MEMBERS
    assert await data.erase(MEMBER) == ({}, {})


async def test_an_order_that_is_under_way_stays_and_is_told(kept: Kept, vault: Vault) -> None:
    data = await both(kept.database, vault)
    await add_order(kept.database, MEMBER, 77, NOW, is_open=True)

    removed, left = await data.erase(MEMBER)

    assert left == {"writes": 1}
    assert removed["writes"] == 3
    assert len((await data.export(MEMBER))["writes"]) == 1


async def test_a_members_deeds_for_a_server_stay_nameless(kept: Kept, vault: Vault) -> None:
    await fill_server(kept.database, 3, by=MEMBER)
    data = MemberData(kept.database, vault, utc_now)
    assert list(await data.export(MEMBER)) == ["subscriptions"]

    removed, _ = await data.erase(MEMBER)
    assert removed == {"subscriptions.created_by": 1}

    assert await data.export(MEMBER) == {}
    (announced,) = await Subscriptions(kept.database).of_guild(3)
    assert announced.created_by == 0


OWNER, OTHER = 2**63 - 1, 7


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    async with open_database(address, MIGRATIONS) as opened:
        yield opened


@pytest.fixture
def links(database: Database) -> Links:
    return Links(database, Vault([SecretStr(new_key())]), utc_now)


async def found(links: Links, member: int = OWNER) -> Link:
    link = await links.find(member)
    assert link is not None
    return link


async def test_a_kept_token_comes_back_and_is_never_shown(links: Links) -> None:
    await links.save(OWNER, SecretStr("token-1"))

    link = await found(links)
    assert link.token.get_secret_value() == "token-1"
    assert "token-1" not in repr(link)
    assert repr(link.sealed) not in repr(link)
    assert await links.find(OTHER) is None


async def test_a_new_link_takes_the_place_of_the_old_with_all_that_was_known(links: Links) -> None:
    await links.save(OWNER, SecretStr("token-1"))
    await links.remember_player(await found(links), 5, "Hazel")
    await links.mark_refused(await found(links))
    await links.save(OWNER, SecretStr("token-2"))

    link = await found(links)
    assert link.token.get_secret_value() == "token-2"
    assert (link.is_refused, link.player_id, link.player_name) == (False, None, None)


async def test_the_player_of_the_old_token_is_not_taken_for_the_newer_links(links: Links) -> None:
    await links.save(OWNER, SecretStr("token-1"))
    old = await found(links)
    await links.save(OWNER, SecretStr("token-2"))
    await links.remember_player(old, 5, "Hazel")

    assert (await found(links)).player_id is None


async def test_a_refusal_of_the_old_token_does_not_touch_a_newer_link(links: Links) -> None:
    await links.save(OWNER, SecretStr("token-1"))
    old = await found(links)
    await links.save(OWNER, SecretStr("token-2"))
    await links.mark_refused(old)

    assert not (await found(links)).is_refused


async def test_a_copied_row_opens_for_nobody(links: Links, database: Database) -> None:
    await links.save(OWNER, SecretStr("token-1"))
    await database.execute("UPDATE links SET member_id = :other", other=OTHER)

    with pytest.raises(VaultError):
        await links.find(OTHER)


async def test_links_sealed_with_a_lost_key_are_counted(links: Links, database: Database) -> None:
    await links.save(OWNER, SecretStr("token-1"))
    assert await links.count() == (1, 0)
    other = Links(database, Vault([SecretStr(new_key())]), utc_now)
    assert await other.count() == (1, 1)
    await other.save(OTHER, SecretStr("token-2"))
    assert await other.count() == (2, 1)


async def test_removing_tells_whether_there_was_a_link(links: Links) -> None:
    await links.save(OWNER, SecretStr("token-1"))
    assert await links.remove(OWNER)
    assert not await links.remove(OWNER)


READER, GUILD, PLAYER, CATALOG = 4242, 99, 7, 1
SECRET, OTHER_TOKEN = SecretStr("a-token"), SecretStr("another-token")

pytestmark = pytest.mark.usefixtures("address")


@pytest.fixture
async def one(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, shop.base_url) as wired:
        yield wired


@pytest.fixture
async def two(tmp_path: Path, shop: RogueShop) -> AsyncGenerator[Wiring]:
    async with open_wiring(tmp_path, shop.base_url) as wired:
        yield wired


def let_pass(process: Wiring) -> None:
    """Let five seconds pass for a process."""
    # The caches take the time from the machine, and no test waits.
    for cache in (process.accounts._players, process.directory._known):  # pyright: ignore[reportPrivateUsage]
        cache.outdate(lambda _: True, age=SHARED_SECONDS)


async def link(process: Wiring, token: SecretStr = SECRET) -> None:
    await process.links.save(READER, token)
    player = Player(id=PLAYER, screen_name="Nettle")
    await process.accounts.remember_player(await process.accounts.require(READER), player)


async def test_an_account_unlinked_in_one_process_is_so_in_all(one: Wiring, two: Wiring) -> None:
    await link(one)
    assert await two.accounts.player_of(READER) == PLAYER

    await one.accounts.unlink(READER)

    with pytest.raises(NotLinked):
        await two.accounts.require(READER)
    let_pass(two)
    assert await two.accounts.player_of(READER) is None


async def test_an_account_linked_in_one_process_is_so_in_all(one: Wiring, two: Wiring) -> None:
    assert await two.accounts.player_of(READER) is None
    await link(one)

    let_pass(two)
    assert await two.accounts.player_of(READER) == PLAYER


async def test_names_changed_in_one_process_are_so_in_all(one: Wiring, two: Wiring) -> None:
    await one.directory.add(GUILD, PlaceKind.THREAD, 12, "Patch notes")
    assert (await two.directory.resolve(GUILD, PlaceKind.THREAD, "patch  NOTES")).game_id == 12

    await one.directory.add(GUILD, PlaceKind.THREAD, 12, "News")
    let_pass(two)
    assert (await two.directory.place(GUILD, PlaceKind.THREAD, 12)).name == "News"
    with pytest.raises(UnknownName):
        await two.directory.resolve(GUILD, PlaceKind.THREAD, "Patch notes")

    await one.directory.remove(GUILD, PlaceKind.THREAD, "News")
    let_pass(two)
    assert not await two.directory.suggest(GUILD, PlaceKind.THREAD, "")
    with pytest.raises(NothingNamed):
        await two.directory.resolve(GUILD, PlaceKind.THREAD, "News")
