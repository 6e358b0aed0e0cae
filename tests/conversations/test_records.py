"""A member asks for what Kiosk keeps about them, and has it erased."""

import json
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from pydantic import SecretStr

from bot.background import utc_now
from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import Messages
from storage.vault import Vault
from storage.writes import Writes
from tests.support.cards import answer_of, buttons_of, text_of
from tests.support.commits import until_none
from tests.support.databases import address_at
from tests.support.kept_rows import add_order, add_text
from tests.support.world import KEY, SUBSCRIBER, World, open_world


async def test_a_member_gets_a_private_file_without_their_token(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    exported = await world.slash("account export")

    assert exported.ephemeral
    assert "What Kiosk keeps about you" in text_of(exported)
    (attached,) = answer_of(exported).attachments
    content = await attached.read()
    assert attached.filename == "kiosk.json"
    found = json.loads(content)
    assert found["member_id"] == str(world.member.id)
    assert [row["player_name"] for row in found["kept"]["links"]] == [None]
    assert SUBSCRIBER.encode() not in content


async def test_records_that_discord_takes_only_packed_are_packed(world: World) -> None:
    def shrink(event: str, payload: Any) -> None:
        if event == "INTERACTION_CREATE":
            payload["attachment_size_limit"] = limit

    world.env.backend.subscribers.insert(0, shrink)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        for item in range(20):
            await add_order(database, world.member.id, item, world.bot.now())
    limit = 10 << 20
    whole = answer_of(await world.slash("account export")).attachments[0]

    limit = len(await whole.read()) - 100
    packed = await world.slash("account export")
    (attached,) = answer_of(packed).attachments
    assert attached.filename == "kiosk.zip"
    with ZipFile(BytesIO(await attached.read())) as archive:
        assert json.loads(archive.read("kiosk.json"))["member_id"] == str(world.member.id)
    limit = 10
    assert "Ask the bot's operator" in text_of(await world.slash("account export"))


async def test_a_member_is_asked_and_told_what_stays_before_anything_is_erased(
    world: World,
) -> None:
    await world.settle(world.member, SUBSCRIBER)

    question = await world.slash("account erase")

    assert question.ephemeral
    assert "what you watch" in text_of(question)
    assert "what moderators removed or held back of them" in text_of(question)
    assert "posts that were shared in channels" in text_of(question)
    assert "is linked" in text_of(await world.slash("account show"))


async def test_a_member_has_everything_erased_and_is_told_what_it_was(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.settle(world.friend, SUBSCRIBER)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        for item in (1, 2):
            await add_order(database, world.member.id, item, world.bot.now())
    await world.slash("shop watch", item="1", catalog="1")
    card = answer_of(await world.slash("account erase"))

    erased = await world.member.click(card, label="Erase everything")

    assert "the link to your game account" in text_of(erased)
    assert "2 things you wrote or ordered" in text_of(erased)
    assert "one thing that you watched" in text_of(erased)
    assert "No game account is linked" in text_of(await world.slash("account show"))
    assert "is linked" in text_of(await world.slash("account show", world.friend))
    assert "Kiosk keeps nothing about you" in text_of(
        await world.member.click(
            answer_of(await world.slash("account erase")), label="Erase everything"
        )
    )


async def test_an_order_under_way_stays_and_the_member_is_told_why(world: World) -> None:
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        now = world.bot.now()
        await add_order(database, world.member.id, 1, now, is_open=True)
    card = answer_of(await world.slash("account erase"))

    erased = await world.member.click(card, label="Erase everything")

    assert "One order is still under way" in text_of(erased)
    assert not buttons_of(erased)


async def test_unlinking_says_what_remains(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    unlinked = await world.slash("account unlink")
    await world.member.click(answer_of(unlinked), label="Unlink")

    assert "the lists of what you wrote and ordered here stay" in text_of(unlinked)
    assert "`/account erase` removes them" in text_of(unlinked)


async def test_what_is_too_old_is_gone_after_a_start(tmp_path: Path) -> None:
    async with open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database:
        now = datetime.now(UTC)
        await add_order(database, 5, 1, now - timedelta(days=400))
        writes = Writes(database, Vault([SecretStr(KEY)]), Messages(database, utc_now))
        await add_text(writes, 5, now - timedelta(hours=25), "Yesterday's news")
        async with open_world(tmp_path):
            await until_none(database, "SELECT * FROM writes")
