"""What moderators do, on a database alone."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.clock import Clock
from bot.features.moderation.policy import Policy
from bot.ui.hooks import Hooks
from bot.visible import text_key
from storage import MIGRATIONS
from storage.cases import Cases
from storage.database import Database, open_database
from storage.held_back import HeldBack
from storage.member_reports import Reports
from storage.messages import Messages
from storage.moderation import ModerationSettings, Subject, WordLists
from storage.removals import Removal, Removals
from storage.shown import ShownComment, ShownMessages
from storage.vault import Vault
from tests.support.clock import ManualClock
from tests.support.shown import claim

HERE, ELSEWHERE, CHANNEL = 1, 2, 30
COMMENT, OTHER, PLAYER, MODERATOR = 7, 8, 70, 5
REMOVAL = Removal(
    HERE, Subject(COMMENT, 3, PLAYER, "Juniper", "Unkind words"), MODERATOR, "Insults", "en-GB"
)
REMOVAL_TIME = datetime(2020, 1, 1, tzinfo=UTC)
MUTE = replace(REMOVAL, subject=Subject(None, None, PLAYER, "Juniper"))


@dataclass
class Bench:
    """A server and what is kept of it. All of it shares `clock`."""

    database: Database
    outbox: Messages
    cases: Cases
    settings: ModerationSettings
    removals: Removals
    held_back: HeldBack
    reports: Reports
    shown: ShownMessages
    clock: ManualClock
    words: Policy

    async def post(
        self,
        message_id: int | None,
        *comments: int,
        guild_id: int = HERE,
        channel_id: int = CHANNEL,
    ) -> int:
        """Record a public message; without an id, as a crash leaves it."""
        shown = [ShownComment(comment, PLAYER) for comment in comments]
        shown_id = await claim(self.shown, guild_id, channel_id, shown)
        assert shown_id is not None
        if message_id is not None:
            await self.shown.complete(shown_id, message_id, guild_id)
        return shown_id

    async def hold(self, guild_id: int, subject: Subject, word: str, locale: str) -> None:
        key = text_key(subject.text or subject.player_name)
        await self.held_back.hold_back(guild_id, subject, key, word, locale)

    async def owed(self) -> list[int]:
        """Give the records that are owed, in the order in which they were."""
        rows = await self.database.fetch(
            "SELECT id FROM messages WHERE NOT is_wanted AND due_at IS NOT NULL ORDER BY id"
        )
        return [row["id"] for row in rows]


@dataclass
class Moderated:
    """What a process sees by, and what its moderators change."""

    policy: Policy
    words: Policy
    removals: Removals
    held_back: HeldBack

    async def hide(self, guild_id: int, subject: Subject) -> None:
        """Remove a comment from a server, or mute a player there."""
        await self.removals.add(Removal(guild_id, subject, MODERATOR, "Insults", "en-GB"))
        self.policy.forget(guild_id)


def moderated_on(
    database: Database, vault: Vault, tasks: BackgroundTasks, clock: ManualClock
) -> Moderated:
    """Return that of one process; several may share the database."""
    held_back = held_back_on(database, vault, clock)
    policy = Policy(held_back, WordLists(database, clock), tasks)
    return Moderated(policy, policy, held_back.removals, held_back)


def held_back_on(database: Database, vault: Vault, clock: ManualClock) -> HeldBack:
    outbox = Messages(database, clock)
    shown = ShownMessages(database, outbox, clock)
    cases = Cases(database, vault, outbox, clock)
    removals = Removals(database, cases, shown, Hooks().decided, clock)
    settings = ModerationSettings(database, outbox, clock)
    return HeldBack(database, cases, removals, settings, clock)


@asynccontextmanager
async def open_bench(address: str, vault: Vault) -> AsyncGenerator[Bench]:
    """Open the database at an address."""
    clock = ManualClock()
    async with open_database(address, MIGRATIONS) as database, BackgroundTasks(Clock()) as tasks:
        held_back = held_back_on(database, vault, clock)
        removals = held_back.removals
        yield Bench(
            database,
            removals.cases.outbox,
            removals.cases,
            held_back.settings,
            removals,
            held_back,
            Reports(database, removals.cases, clock),
            removals.shown,
            clock,
            moderated_on(database, vault, tasks, clock).words,
        )
