"""A database with something of a member in every table that holds something of members."""

import secrets
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.following.comparing import subscription_key
from bot.ui.hooks import Hooks
from storage.cases import Cases
from storage.database import Database
from storage.held_back import HeldBack
from storage.links import Links
from storage.member_reports import Reports
from storage.messages import Messages, NewMessage, Priority
from storage.moderation import ModerationSettings, Subject
from storage.names import MemberServers, Named, Names, PlaceKind
from storage.panels import PANEL, panel_key
from storage.removals import Removal, Removals
from storage.rows import to_micros
from storage.shown import ShownComment, ShownMessages
from storage.subscriptions import News, Subscriptions
from storage.threads_read import ThreadsRead
from storage.vault import Vault
from storage.writes import OrderedItem, Text, WriteKind, Writes, WriteState
from tests.support.announcing import catalog_in, watch_of
from tests.support.clock import utc_now
from tests.support.shown import claim, shown_in

TOKEN = "token-of-the-member"
OWED = (
    "INSERT INTO messages (kind, key, priority, member_id, lane, payload, stays, wanted_at,"
    " due_at, state, kept_until)"
    " VALUES ('notice', :key, 1, :member_id, 1, '{}', FALSE, :now, :due_at, :state, :kept_until)"
)


async def add_order(
    database: Database,
    member_id: int,
    item_id: int,
    now: datetime,
    *,
    is_open: bool = False,
    token_key: str = "key",
) -> None:
    """Keep an order that is done, or one that is open."""
    item = OrderedItem(1, "Straw hat", 5, "Coins", "Coin")
    await database.execute(
        "INSERT INTO writes (id, member_id, kind, place_id, target_id, card_id, item, locale,"
        " state, reason, told, token_key, holder, created_at, asked_at, kept_until)"
        " VALUES (:id, :member_id, 'purchase', 1, :item_id, :id, :item, 'de', :state, :reason,"
        " :told, :token_key, '', :now, :now, :kept_until)",
        id=member_id % 10**9 * 1000 + item_id,
        member_id=member_id,
        item_id=item_id,
        item=msgspec.json.encode(item).decode(),
        state="unknown" if is_open else "done",
        reason="unanswered" if is_open else None,
        told="unknown unanswered" if is_open else "done ",
        token_key=token_key,
        now=now,
        kept_until=None if is_open else now + timedelta(days=365),
    )


async def add_text(writes: Writes, member_id: int, now: datetime, text: str) -> Text:
    new = Text(secrets.randbits(62), member_id, WriteKind.POST, 7, body=text, locale="de")
    held = await writes.keep_text(new, now=now)
    assert held is not None
    return held


async def add_comment(
    writes: Writes, member_id: int, now: datetime, text: str, comment_id: int
) -> Text:
    held = await add_text(writes, member_id, now, text)
    done = await writes.save_write(replace(held, state=WriteState.DONE, result_id=comment_id))
    assert done is not None
    return done


async def fill(database: Database, vault: Vault, member_id: int, now: datetime) -> None:
    """Keep one thing of each kind about a member."""
    await Links(database, vault, utc_now).save(member_id, SecretStr(TOKEN))
    writes = Writes(database, vault, Messages(database, utc_now))
    await add_text(writes, member_id, now, "A text on its way")
    await add_comment(writes, member_id, now, "The start of a comment", member_id * 10)
    await add_order(database, member_id, member_id * 10, now)
    await database.execute(
        OWED,
        key=f"notice to {member_id}",
        member_id=member_id,
        now=to_micros(now),
        due_at=None,
        state="sent",
        kept_until=to_micros(now + timedelta(days=7)),
    )
    await add_case(database, vault, member_id, now)
    await add_watch(database, member_id, now)
    await database.execute(
        "INSERT INTO direct_channels (member_id, channel_id) VALUES (:id, 5)", id=member_id
    )
    await MemberServers(database, lambda: now).note(guild_id=40, member_id=member_id)
    await ThreadsRead(database, lambda: now).visit(member_id, 7, 70, begins=True)


async def add_watch(database: Database, member_id: int, now: datetime) -> None:
    watch = watch_of(member_id, member_id * 10, "de", subject_id=7, subject_name="Straw hat")
    assert await Subscriptions(database).add(watch, subscription_key(watch), now=now)


async def add_case(database: Database, vault: Vault, member_id: int, now: datetime) -> None:
    outbox = Messages(database, utc_now)
    shown = ShownMessages(database, outbox, lambda: now)
    cases = Cases(database, vault, outbox, lambda: now)
    settings = ModerationSettings(database, outbox, lambda: now)
    removals = Removals(database, cases, shown, Hooks().decided, lambda: now)
    subject = Subject(member_id * 10, text="Unkind words")
    await Reports(database, cases, lambda: now).add(40, subject, member_id, "Rude", "de")
    await HeldBack(database, cases, removals, settings, lambda: now).hold_back(
        40, subject, "key", "unkind", "de"
    )
    await removals.add(Removal(40, subject, 0, "Insults", "de"))
    await database.execute(
        "INSERT INTO report_stops (guild_id, member_id, until, stopped_by, created_at)"
        " VALUES (40, :member_id, :until, 9, :until)",
        member_id=member_id,
        until=to_micros(now),
    )


async def fill_server(database: Database, guild_id: int, *, by: int = 9) -> None:
    """Keep a name, a panel, a public message, an announcement and watched words of a server."""
    messages = Messages(database, utc_now)
    names = Names(database, messages)
    panel = NewMessage(
        PANEL, panel_key(guild_id), Priority.LIVE_POST, guild_id=guild_id, channel_id=guild_id
    )
    async with messages.transaction() as transaction:
        await messages.want(transaction, panel)
    await names.save(guild_id, PlaceKind.THREAD, Named(12, "Patch notes"), "patch notes")
    await claim(shown_in(database), guild_id, 2, [ShownComment(5), ShownComment(6)])
    await database.execute(
        'INSERT INTO watched (guild_id, words) VALUES (:id, \'{"a": "A"}\')', id=guild_id
    )
    news = frozenset(News)
    new = catalog_in(guild_id, guild_id, guild_id, news=news, created_by=by, locale="en")
    await Subscriptions(database).add(new, subscription_key(new), now=datetime.now(UTC))


async def counts(database: Database, *tables: str) -> dict[str, int]:
    found = {table: await database.fetch(f"SELECT 1 FROM {table}") for table in tables}
    return {table: len(rows) for table, rows in found.items() if rows}
