"""A member is given all that is kept about them but the token, and has all of it removed."""

import json

from pydantic import SecretStr

from bot.background import utc_now
from storage.database import Database
from storage.following import Following
from storage.keeping import RETENTION
from storage.links import Links
from storage.moderation import Subject
from storage.removals import Removal
from storage.retention import MemberData
from storage.vault import Vault, new_key
from tests.storage.conftest import BACKED_UP, MEMBER, NOW, STRANGER, Kept
from tests.support.kept_rows import TOKEN, add_order, fill, fill_server
from tests.support.moderating import HERE, Bench

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


async def test_an_export_is_for_people(kept: Kept, vault: Vault) -> None:
    found = await (await both(kept.database, vault)).export(MEMBER)

    text, comment = (write for write in found["writes"] if write["kind"] == "post")
    if text["state"] == "done":
        text, comment = comment, text
    assert text["body"] == "A text on its way"
    assert comment["body"] == "The start of a comment"
    assert text["created_at"] == "2026-05-01T00:00:00+00:00"
    assert text["member_id"] == str(MEMBER)


async def test_no_number_of_an_export_is_rounded_by_those_who_read_it(
    kept: Kept, vault: Vault
) -> None:
    data = await both(kept.database, vault)
    pressed = 1456074443980800147
    await kept.database.execute(
        "UPDATE writes SET card_id = :pressed WHERE member_id = :member_id AND card_id IS NOT NULL",
        pressed=pressed,
        member_id=MEMBER,
    )

    # As JavaScript reads it.
    found = json.loads(
        json.dumps(await data.export(MEMBER)), parse_int=lambda text: int(float(text))
    )

    assert pressed in [int(write["card_id"] or 0) for write in found["writes"]]


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


async def test_what_a_member_did_for_a_server_stays_without_their_name(
    kept: Kept, vault: Vault
) -> None:
    await fill_server(kept.database, 3, by=MEMBER)
    await kept.database.execute("UPDATE followed SET reader_id = :reader", reader=MEMBER)
    data = MemberData(kept.database, vault, utc_now)
    assert list(await data.export(MEMBER)) == ["subscriptions", "followed"]

    removed, _ = await data.erase(MEMBER)
    assert removed == {"subscriptions.created_by": 1, "followed.reader_id": 1}

    assert await data.export(MEMBER) == {}
    (announced,) = await Following(kept.database).of_guild(3)
    assert announced.created_by == 0


async def test_a_removal_that_one_moderator_made_and_undid_is_given_once(bench: Bench) -> None:
    removal, _ = await bench.removals.add(Removal(HERE, Subject(12), MEMBER, "Insults", "de"))
    assert await bench.removals.end(removal, MEMBER)
    await bench.removals.add(Removal(HERE, Subject(13), STRANGER, "Insults", "de"))

    found = await MemberData(bench.database, BACKED_UP, utc_now).export(MEMBER)

    (given,) = found["removals"]
    assert (given["id"], given["moderator_id"], given["ended_by"]) == (str(removal.id), "1", 1)
