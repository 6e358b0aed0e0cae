"""Linking an account and linking again, and what Kiosk keeps about a member."""

import gc
import json
import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import simcord
from pydantic import SecretStr

from cogs.roles.service import RoleService
from game_service import admin
from playground.simulation import speak_language
from storage import MIGRATIONS
from storage.database import open_database
from storage.links import Links
from storage.messages import Messages
from storage.names import PlaceKind
from storage.purging import Purge
from storage.roles import NewRule, RuleKind
from storage.vault import Vault, new_key
from storage.writes import Writes
from tests.support.cards import answer_of, buttons_of, opens, selects_of, text_of
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.forum import number_of
from tests.support.kept_rows import add_order, add_text
from tests.support.one_zero.town import give
from tests.support.owed import tried
from tests.support.rest import until_idle
from tests.support.rogue_game import RogueShop
from tests.support.world import KEY, NEWCOMER, SUBSCRIBER, VISITOR, World, open_world


async def test_a_member_links_an_account_of_their_own_for_good(world: World) -> None:
    form = await world.slash("account link")
    assert form.modal is not None
    with pytest.raises(simcord.OptionError):
        await world.slash("account link", token=SUBSCRIBER)
    linked = await world.member.submit_modal(form, {"token": f"  {SUBSCRIBER}\n"})
    assert linked.ephemeral
    assert "Game account linked" in text_of(linked)
    # Nothing has a name here yet.
    assert list(buttons_of(linked)) == ["Help"]
    await world.name_demo_places()
    again = await world.link(world.member, SUBSCRIBER)
    assert list(buttons_of(again)) == ["Threads and catalogs", "Help"]

    other = await world.slash("account show", world.friend)
    assert "No account linked" in text_of(other)
    await world.restart()
    assert "You post and shop as yourself" in text_of(await world.slash("account show"))


async def test_a_refused_token_is_not_kept_and_leaves_the_link_before_it(world: World) -> None:
    refused = await world.link(world.member, "made-up")
    assert "The game refused this access token" in text_of(refused)
    assert "No account linked" in text_of(await world.slash("account show"))
    await world.link(world.member, SUBSCRIBER)
    await world.link(world.member, "made-up")

    assert "You post and shop as yourself" in text_of(await world.slash("account show"))


async def test_what_can_not_be_sent_is_no_token(world: World) -> None:
    refused = await world.link(world.member, "I have none")

    assert "That isn't an access token" in text_of(refused)
    assert {"Try again"} & buttons_of(refused).keys()
    assert "No account linked" in text_of(await world.slash("account show"))


async def test_a_token_is_linked_with_what_nobody_sees_in_it(world: World) -> None:
    pasted = f'-H "Authorization: Bearer {SUBSCRIBER[:4]}\u00ad\n{SUBSCRIBER[4:]}\u200b"'

    assert "Game account linked" in text_of(await world.link(world.member, pasted))
    form = await world.slash("account link")
    # Discord takes line breaks out of a field of one line.
    assert '"style": 2' in json.dumps(form.modal)


async def test_a_token_is_checked_whether_a_named_catalog_is_known_or_none(world: World) -> None:
    await world.slash("setup catalog", world.moderator, id="999", name="Gone")
    assert "Game account linked" in text_of(await world.link(world.member, NEWCOMER))
    assert "The game refused" in text_of(await world.link(world.friend, "made-up"))

    await world.slash("setup catalog", world.moderator, id="2", name="Outlet")
    assert "Game account linked" in text_of(await world.link(world.friend, NEWCOMER))


async def test_an_account_is_linked_and_unlinked_by_the_buttons_of_its_card(world: World) -> None:
    card = await world.slash("account show")
    form = await world.member.click(answer_of(card), label="Link account")
    linked = await world.member.submit_modal(form, {"token": SUBSCRIBER})
    assert "Game account linked" in text_of(linked)

    card = await world.slash("account show")
    await world.member.click(answer_of(card), label="Unlink account…")
    await world.member.click(answer_of(card), label="Cancel")
    assert "You post and shop as yourself" in text_of(card)
    await world.member.click(answer_of(card), label="Unlink account…")
    await world.member.click(answer_of(card), label="Unlink account")
    assert "Game account unlinked" in text_of(card)


async def test_members_whose_key_is_lost_are_asked_to_link_again_and_lose_nothing_else(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.link(world.member, SUBSCRIBER)
    assert "You're watching this item" in text_of(
        await world.slash("shop watch", catalog="1", item="1")
    )
    other = {**world.settings.model_dump(), "kiosk_keys": new_key()}
    other_key = world.settings.model_validate(other)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        links = Links(database, other_key.vault(), utc_now)
        await links.save(world.friend.id, SecretStr(VISITOR))

    await world.restart(other_key)
    assert "Can't decrypt 1 of 2 members' tokens with KIOSK_KEYS" in caplog.text
    shown = await world.slash("account show", world.friend)
    assert "You post and shop as yourself" in text_of(shown)
    card = await world.slash("account show")
    assert "Kiosk can't read your access token" in text_of(card)
    form = await world.member.click(answer_of(card), label="Link account")
    linked = await world.member.submit_modal(form, {"token": SUBSCRIBER})

    assert "Game account linked" in text_of(linked)
    assert "Stop watching" in str(selects_of(answer_of(await world.slash("account watches"))))


async def test_no_file_and_no_line_holds_a_token(
    world: World,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level("DEBUG")
    await world.link(world.member, "made-up-token")
    await world.link(world.member, SUBSCRIBER)
    await world.slash("account show")

    kept = _bytes_of(tmp_path)
    printed = "".join(capfd.readouterr())
    own_lines = "".join(
        record.getMessage() + str(record.exc_text)
        for record in caplog.records
        if not record.name.startswith("discord")
    )
    for token in (SUBSCRIBER, "made-up-token"):
        assert token.encode() not in kept
        assert token not in printed
        assert token not in own_lines
        assert token not in repr(world.settings)


def _bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("kiosk.db*"))


def kept_tokens() -> list[SecretStr]:
    gc.collect()
    secrets = [one for one in gc.get_objects() if isinstance(one, SecretStr)]
    return [secret for secret in secrets if secret.get_secret_value() == SUBSCRIBER]


async def test_an_unlinked_token_is_in_no_memory_of_kiosk(world: World) -> None:
    # What other tests have left behind.
    before = kept_tokens()
    await world.link(world.member, SUBSCRIBER)
    await world.slash("shop browse", catalog="1", sort="cost")
    await world.slash("forum read", thread="1")
    await world.press_through("account show", "Unlink account…", "Unlink account")

    assert len(kept_tokens()) == len(before)


async def test_a_member_refused_by_the_shop_is_linked(tmp_path: Path, shop: RogueShop) -> None:
    shop.forbidden = {"any-token"}
    async with open_world(tmp_path, shop.base_url) as world:
        await world.slash("setup catalog", world.moderator, id="1", name="Season")
        linked = text_of(await world.link(world.member, "any-token"))

        assert "Game account linked" in linked
        assert "shop refused" in linked
        assert "You post and shop as yourself" in text_of(await world.slash("account show"))


THREAD = "3"


async def post(world: World, text: str) -> simcord.InteractionResult:
    posted = await world.slash("forum post", thread=THREAD, content=text)
    assert "Comment posted" in text_of(posted)
    return posted


async def edits_offered(world: World) -> int:
    """Return how many comments of the thread the member is offered to change."""
    card = answer_of(await world.slash("forum read", thread=THREAD))
    count = 0
    for entry in opens(card):
        await world.member.select(card, [entry])
        count += "Edit" in buttons_of(card)
        await world.member.click(card, label="Thread")
    return count


@pytest.mark.usefixtures("on_both_engines")
async def test_the_comments_of_the_player_before_are_no_longer_ones_own(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    mine = await post(world, "As Juniper")
    assert await edits_offered(world) == 1

    await world.link(world.member, NEWCOMER)

    assert await edits_offered(world) == 0
    await post(world, "As Sprig")
    assert await edits_offered(world) == 1
    refused = await world.slash("forum edit", comment=str(number_of(mine)))
    assert "This comment isn't yours" in text_of(refused)


@pytest.mark.usefixtures("on_both_engines")
async def test_a_player_who_links_the_same_account_again_stays_known(world: World) -> None:
    await world.link(world.member, SUBSCRIBER)
    mine = await post(world, "Before")

    for token in (
        SUBSCRIBER,
        f"Authorization: Bearer {SUBSCRIBER}",
        "refused",
        f"\u201c{SUBSCRIBER}\u201d",
    ):
        await world.link(world.member, token)

        assert await edits_offered(world) == 1
        assert "You're **Juniper**" in text_of(await world.slash("account show"))
    changed = await world.slash("forum edit", comment=str(number_of(mine)), content="After")
    assert "Comment edited" in text_of(changed)


async def export(world: World) -> simcord.InteractionResult:
    card = await world.press_through("account show")
    return await world.member.click(card, label="Export data")


async def test_a_member_gets_a_private_file_without_their_token(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)

    exported = await export(world)

    assert exported.ephemeral
    assert "The data Kiosk keeps about you" in text_of(exported)
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
    whole = answer_of(await export(world)).attachments[0]

    limit = len(await whole.read()) - 100
    packed = await export(world)
    (attached,) = answer_of(packed).attachments
    assert attached.filename == "kiosk.zip"
    with ZipFile(BytesIO(await attached.read())) as archive:
        assert json.loads(archive.read("kiosk.json"))["member_id"] == str(world.member.id)
    limit = 10
    assert "Ask the bot's operator" in text_of(await export(world))


async def test_a_member_has_everything_erased_and_is_told_what_it_was(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.settle(world.friend, SUBSCRIBER)
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        for item in (1, 2):
            await add_order(database, world.member.id, item, world.bot.now())
    await world.slash("shop watch", item="1", catalog="1")
    await world.press_through("account show", "Unlink account…", "Unlink account")
    assert "Kiosk still keeps your data: 2 orders and 1 watch." in text_of(
        await world.slash("account show")
    )
    await world.link(world.member, SUBSCRIBER)
    card = await world.press_through("account show", "Erase data…")
    assert card.ephemeral
    assert "your watches" in text_of(card)
    assert "moderators' records of your comments" in text_of(card)
    assert "Posts shared in channels stay" in text_of(card)
    assert "You post and shop as yourself" in text_of(await world.slash("account show"))

    erased = await world.member.click(card, label="Erase everything")

    assert "the link to your game account" in text_of(erased)
    assert "the records of 2 texts and orders" in text_of(erased)
    assert "one watch" in text_of(erased)
    assert "No account linked" in text_of(await world.slash("account show"))
    assert "You post and shop as yourself" in text_of(
        await world.slash("account show", world.friend)
    )
    assert "Erase data…" not in buttons_of(await world.slash("account show"))


async def test_whose_token_is_refused_is_told_what_is_kept(world: World) -> None:
    assert world.game is not None
    await world.settle(world.member, SUBSCRIBER)
    await world.slash("shop watch", item="1", catalog="1")
    await world.game.database.execute("DELETE FROM tokens")
    await world.slash("shop browse", catalog="2")

    refused = await world.slash("account show")

    assert "no longer accepts your access token" in text_of(refused)
    assert "Kiosk still keeps your data: 1 watch." in text_of(refused)
    assert {"Link account", "Export data", "Erase data…"} <= buttons_of(refused).keys()


@pytest.mark.parametrize(
    ("language", "told", "label"),
    [
        ("en-GB", "⚠️ Your link no longer works. Link again to post and shop.", "Link account"),
        (
            "de",
            "⚠️ Deine Verknüpfung funktioniert nicht mehr. Verknüpfe dein Konto neu",
            "Konto verknüpfen",
        ),
    ],
)
async def test_help_calls_nobody_linked_whose_token_is_refused(
    world: World, language: str, told: str, label: str
) -> None:
    assert world.game is not None
    await world.settle(world.member, SUBSCRIBER)
    await world.game.database.execute("DELETE FROM tokens")
    await world.slash("shop browse", catalog="2")
    speak_language(world.env, language)

    shown = await world.slash("help")

    assert told in text_of(shown)
    assert buttons_of(shown)[label]["style"] == 1


async def let_nobody_use(world: World, days: int, column: str = "used_at") -> None:
    """Let days pass in which no one uses a token, and delete what is too old then."""
    micros = days * 24 * 3600 * 1_000_000
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute(f"UPDATE links SET {column} = {column} - :by", by=micros)
        await Purge(database).purge(world.bot.now())


@pytest.mark.usefixtures("on_both_engines")
@pytest.mark.parametrize(
    ("language", "soon", "label", "kept"),
    [
        (
            "en-GB",
            "token will be deleted soon\nYou haven't used it since",
            "Keep token",
            "Last used today",
        ),
        (
            "de",
            "token wird bald gelöscht\nDu hast es seit dem",
            "Token behalten",
            "Zuletzt heute benutzt",
        ),
    ],
)
async def test_whose_token_is_deleted_soon_is_told_once_and_keeps_it_with_a_press(
    world: World, language: str, soon: str, label: str, kept: str
) -> None:
    speak_language(world.env, language)
    await world.link(world.member, SUBSCRIBER)
    member: Any = world.member
    await let_nobody_use(world, 336)

    for _ in range(2):
        await world.bot.features.accounts.links.end_unused()
        await tried(world)
    (told,) = member.user.dm_channel.history()
    shown = await member.user.click(told, label=label)
    await let_nobody_use(world, 31, "kept_until")

    assert soon in text_of(told)
    assert kept in text_of(shown)
    assert kept in text_of(await world.slash("account show"))


@pytest.mark.usefixtures("on_both_engines")
async def test_a_token_that_nobody_uses_is_deleted_as_if_it_were_unlinked(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.settle(world.friend, SUBSCRIBER)
    await let_nobody_use(world, 336)
    await world.bot.features.accounts.links.end_unused()
    await world.slash("shop browse", world.friend, catalog="1")
    await until_idle(world.bot)
    await let_nobody_use(world, 31, "kept_until")

    assert "No account linked" in text_of(await world.slash("account show"))
    assert "The game only shows its shop to players." in text_of(
        await world.slash("shop browse", catalog="1")
    )
    shown = text_of(await world.slash("account show", world.friend))
    assert "Last used today" in shown


@pytest.mark.usefixtures("on_both_engines")
async def test_what_nobody_asked_for_is_no_use_of_a_token(world: World) -> None:
    assert world.game is not None
    await world.settle(world.member, SUBSCRIBER)
    await world.slash("shop watch", name="thistle", catalog="1")
    rule = NewRule(
        guild_id=world.guild.id,
        kind=RuleKind.OWNS,
        catalog_id=1,
        item_id=1,
        item_name="Acorn Cap",
        role_id=world.guild.create_role("Collector").id,
        created_by=world.moderator.id,
    )
    await world.bot.services[RoleService].rules.add(rule)
    await let_nobody_use(world, 336)
    await world.bot.features.accounts.links.end_unused()

    poll = world.bot.features.poller.poll
    await poll(PlaceKind.CATALOG, 1)
    await admin.add_item(world.game.database, 1, name="Thistle Hat", cost=300)
    await poll(PlaceKind.CATALOG, 1)
    await give(world.game, player_id=1, item_id=1)
    while await world.bot.services[RoleService].look_at_due():
        pass
    await tried(world)

    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        assert await database.fetch("SELECT 1 FROM messages WHERE role_id IS NOT NULL")
    member: Any = world.member
    told = "".join(map(text_of, member.user.dm_channel.history()))
    assert ["token will be deleted soon" in told, "Thistle Hat" in told] == [True, True]
    assert "Last used on <t:" in text_of(await world.slash("account show"))
    await let_nobody_use(world, 31, "kept_until")
    assert "No account linked" in text_of(await world.slash("account show"))


async def test_a_day_on_which_a_token_was_used_is_told(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.pass_time(timedelta(days=7))

    shown = text_of(await world.slash("account show"))

    day = int(re.findall(r"Last used on <t:(\d+):d>", shown)[0])
    assert timedelta(days=6) < world.bot.now() - datetime.fromtimestamp(day, UTC)


async def test_a_newcomer_is_not_told_of_records(world: World) -> None:
    await world.slash("help")
    await world.slash("forum read", thread="1")

    shown = await world.slash("account show")

    assert "No account linked" in text_of(shown)
    assert "still keeps" not in text_of(shown)


async def test_an_order_under_way_stays_and_the_member_is_told_why(world: World) -> None:
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        now = world.bot.now()
        await add_order(database, world.member.id, 1, now, is_open=True)
    card = await world.press_through("account show", "Erase data…")

    erased = await world.member.click(card, label="Erase everything")

    assert "One order isn't finished." in text_of(erased)
    assert not buttons_of(erased)


async def test_what_is_too_old_is_gone_after_a_start(tmp_path: Path) -> None:
    async with open_database(address_at(tmp_path / "kiosk.db"), MIGRATIONS) as database:
        now = datetime.now(UTC)
        await add_order(database, 5, 1, now - timedelta(days=400))
        writes = Writes(database, Vault([SecretStr(KEY)]), Messages(database, utc_now))
        await add_text(writes, 5, now - timedelta(hours=25), "Yesterday's news")
        async with open_world(tmp_path):
            assert await database.fetch("SELECT * FROM writes") == []
