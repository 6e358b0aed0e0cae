"""A message's row is in a state that storage/sql/messages.sql describes, whatever happens to it."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.following.comparing import subscription_key
from storage import MIGRATIONS, messages
from storage.database import Database, open_database
from storage.following import Following, SeenComment
from storage.messages import Message, Messages, MessageState, NewMessage, Priority
from storage.purging import MemberData, Purge
from storage.roles import HELD_UP, NewRule, RoleRule, RoleRules, RuleKind
from storage.shown import ShownComment, ShownMessages
from storage.subscriptions import Subscriptions
from storage.vault import Vault, new_key
from tests.support.announcing import thread_in
from tests.support.clock import ManualClock
from tests.support.databases import address_at
from tests.support.message_states import states_outside

NOW = datetime(2026, 5, 1, tzinfo=UTC)
GUILD, CHANNEL, MEMBER, ROLE, COMMENT, PLAYER, THREAD = range(1, 8)
TABLES = ("messages", "role_rules", "subscriptions", "followed")
MISSING_PERMISSIONS = 50013

NEWS = NewMessage("announcement", "news", Priority.ANNOUNCEMENT, CHANNEL, guild_id=GUILD)
PANEL = replace(NEWS, kind="panel", key="panel", stays=True)
POST = replace(PANEL, kind="follow", key=f"follow:1:{COMMENT}")
DIRECT = NewMessage("watch", "direct", Priority.DIRECT_MESSAGE, member_id=MEMBER)
DECISION = replace(DIRECT, kind="decision", key="decision", stays=True)
WANTED = [NEWS, PANEL, replace(PANEL, channel_id=CHANNEL + 1), POST, DIRECT, DECISION]
SHOWN = [ShownComment(COMMENT, PLAYER), ShownComment(COMMENT + 1, PLAYER, is_quoted=True)]


class Rows:
    """One row of each sort, and all that happens to it; what happens last may be before a crash."""

    def __init__(self, database: Database, chance: Random) -> None:
        self.database = database
        self.one_of = chance.choice
        self.clock = ManualClock(NOW)
        self.outbox = Messages(database, self.clock)
        self.shown = ShownMessages(database, self.outbox, self.clock)
        self.roles = RoleRules(database, self.outbox, self.clock)
        self.in_flight: list[Message] = []
        self.posting: list[int] = []
        self.ids = 1000

    async def begin(self) -> None:
        """Begin with a server that follows a thread, and gives a role."""
        for table in TABLES:
            await self.database.execute(f"DELETE FROM {table}")
        following = Following(self.database)
        thread = thread_in(GUILD, CHANNEL, 0, THREAD)
        await Subscriptions(self.database).add(thread, subscription_key(thread), now=NOW)
        await self.database.execute("UPDATE subscriptions SET id = 1")
        followed = await following.place(thread.kind, THREAD)
        assert followed is not None
        seen = SeenComment(COMMENT, COMMENT, 1, "", NOW)
        assert await following.record(followed, [seen], now=NOW)
        assert await self.roles.add(NewRule(GUILD, RuleKind.LINKED, ROLE, created_by=MEMBER))

    def new_id(self) -> int:
        self.ids += 1
        return self.ids

    async def write(self, deed: Callable[..., Awaitable[Any]], *values: Any, **named: Any) -> Any:
        async with self.outbox.transaction() as transaction:
            return await deed(transaction, *values, **named)

    async def let_time_pass(self) -> None:
        self.clock.advance(self.one_of([1, 100, 100_000]))

    # What features want.

    async def want(self) -> None:
        await self.write(self.outbox.want, self.one_of(WANTED))

    async def redraw(self) -> None:
        await self.write(self.outbox.redraw, self.one_of([PANEL, POST, DECISION]).key)

    async def update_announcement(self) -> None:
        await self.write(self.outbox.redraw_with, NEWS.key, {"new": 1})

    async def delete_announcement(self) -> None:
        await self.write(self.outbox.delete, NEWS.key)

    async def unwant(self) -> None:
        frees_key = self.one_of([True, False])
        await self.write(self.outbox.unwant, PANEL.key, frees_key=frees_key)

    async def hurry(self) -> None:
        await self.outbox.hurry(MEMBER, DIRECT.kind)

    async def follow_no_more(self) -> None:
        await self.write(messages.leave_posts, 1)

    async def remove(self) -> None:
        guild_id, removal_id = self.one_of([(GUILD, 1), (GUILD, 2), (None, None)])
        of = {"comment_id": self.one_of([COMMENT, COMMENT + 1]), "guild_id": guild_id}
        await self.write(self.outbox.remove, **of, removal_id=removal_id)

    # What an interaction posts.

    async def begin_posting(self) -> None:
        number = await self.outbox.begin_posting(self.one_of("ab"), GUILD, CHANNEL)
        if number is not None:
            self.posting.append(number)
            # A card of the shop shows no comments.
            if self.one_of([True, False]):
                assert await self.shown.record(number, GUILD, CHANNEL, SHOWN)

    async def end_posting(self) -> None:
        if not self.posting:
            return
        number = self.posting.pop()
        if self.one_of([True, False]):
            await self.shown.complete(number, self.new_id(), GUILD)
        else:
            await self.outbox.free(number)

    async def take_back_the_last(self) -> None:
        await self.outbox.forget(self.ids)

    # What a server gives.

    async def rule(self) -> RoleRule:
        (rule,) = await self.roles.of_guild(GUILD)
        return rule

    async def give(self) -> None:
        await self.roles.give(MEMBER, None, await self.rule())

    async def take(self) -> None:
        for role in await self.roles.had_by(MEMBER):
            await self.roles.take(role, None)

    async def try_role_again(self) -> None:
        rule = await self.rule()
        await self.roles.clear_refusal(rule, refusal=self.one_of([None, rule.refusal]))

    # What the dispatcher does.

    async def hold(self) -> None:
        """Hold what is due, and record what it shows, unless the process dies before."""
        for priority in Priority:
            for head in await self.outbox.heads(priority, 0, 9, self.clock()):
                held = await self.write(self.outbox.hold_message, head, now=self.clock())
                if self.one_of([True, True, True, False]):
                    await self._record(held)
                    self.in_flight.append(held)

    async def _record(self, held: Message) -> None:
        if held.about_member is not None:
            if held.is_wanted and held.had_already is not False:
                await self.outbox.note_had(held, had_already=self.one_of([True, False]))
        elif held.member_id is not None:
            await self.shown.record_told(held.id, SHOWN)
        elif held.kind == POST.kind and held.message_id is None and held.is_wanted:
            assert await self.shown.record(held.id, GUILD, CHANNEL, SHOWN)

    async def answer(self) -> None:
        """Write an answer of Discord's, as the dispatcher and the message's kind do."""
        if not self.in_flight:
            return
        held = self.one_of(self.in_flight)
        self.in_flight.remove(held)
        answers = [self._done, self._done, self._done, self._refuse, self._lose, self._busy]
        await self.one_of(answers)(held)

    async def deliver(self) -> None:
        """Let Discord do all that is due."""
        await self.hold()
        while self.in_flight:
            await self._done(self.in_flight.pop())

    async def _done(self, held: Message) -> None:
        if not held.is_wanted:
            await self._settle(held, MessageState.DROPPED)
            return
        message_id = held.message_id or self.new_id()
        if held.about_member is not None:
            role = await self.outbox.find(held.key)
            message_id = None if role is None or role.had_already else ROLE
        if not await self._settle(held, MessageState.SENT, message_id=message_id):
            return
        if held.about_member is not None:
            await self.write(self.roles.accept, held)
        elif held.kind == POST.kind and held.message_id is None:
            await self.write(self.outbox.complete, held.id, message_id)

    async def _refuse(self, held: Message) -> None:
        if held.about_member is None:
            await self._settle(held, MessageState.REFUSED, message_id=held.message_id)
            return
        code = (
            self.one_of([MISSING_PERMISSIONS, HELD_UP]) if held.is_wanted else MISSING_PERMISSIONS
        )
        async with self.outbox.transaction() as transaction:
            # Both at once, as what follows is written with the end.
            if await self.outbox.settle(transaction, held, MessageState.REFUSED):
                await self.roles.refuse(transaction, held, code)

    async def _lose(self, held: Message) -> None:
        """Let no answer come, or only that the message is not there."""
        is_repeatable = held.message_id is not None or held.about_member is not None
        if is_repeatable and held.about_member is None and not (held.is_wanted and held.stays):
            await self._settle(held, MessageState.DROPPED)
            if held.kind == NEWS.kind:
                await self.write(self.outbox.note_deleted, held.key)
        elif is_repeatable or self.one_of([True, False, False]):
            is_gone = held.message_id is not None and held.about_member is None
            await self._put_off(held, is_doubtful=not is_repeatable, is_gone=is_gone)
        else:
            await self._settle(held, MessageState.UNKNOWN)

    async def _busy(self, held: Message) -> None:
        was_doubtful = held.attempted_at is not None and held.message_id is None
        await self._put_off(
            held, is_doubtful=was_doubtful, unblocks_lane=self.one_of([True, False])
        )

    async def _settle(
        self, held: Message, state: MessageState, *, message_id: int | None = None
    ) -> bool:
        retention = timedelta(days=90) if held.kind == DECISION.kind else None
        return await self.write(
            self.outbox.settle, held, state, message_id=message_id, retention=retention
        )

    async def _put_off(self, held: Message, **how: bool) -> None:
        later = self.clock() + timedelta(minutes=1)
        await self.write(self.outbox.put_off, held, later, "500 0", **how)

    async def tell_privately(self) -> None:
        """Tell a member what no direct message told, or die over that."""
        for message in await self.outbox.untold(MEMBER, 5):
            await self.write(self.outbox.take_back, message.key, MessageState.REFUSED)
            if state := self.one_of([None, MessageState.SENT, MessageState.DROPPED]):
                await self.write(self.outbox.take_back, message.key, state)

    async def restore(self) -> None:
        await self.database.execute(messages.QUERIES["doubt_all"])

    async def purge(self) -> None:
        await Purge(self.database).purge(self.clock())

    async def erase(self) -> None:
        vault = Vault([SecretStr(new_key())])
        await MemberData(self.database, vault, self.clock).erase(MEMBER)


OFTEN = [Rows.want, Rows.deliver, Rows.hold, Rows.answer, Rows.answer, Rows.let_time_pass]
SOMETIMES = [
    Rows.redraw,
    Rows.update_announcement,
    Rows.delete_announcement,
    Rows.unwant,
    Rows.hurry,
    Rows.follow_no_more,
    Rows.remove,
    Rows.begin_posting,
    Rows.end_posting,
    Rows.take_back_the_last,
    Rows.give,
    Rows.take,
    Rows.try_role_again,
    Rows.tell_privately,
    Rows.tell_privately,
    Rows.restore,
    Rows.purge,
    Rows.erase,
]
DEEDS = OFTEN * 2 + SOMETIMES
MAX_DEEDS = 80


def test_no_wish_press_or_answer_leads_to_a_state_that_is_not_described(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE", "sqlite")

    async def happen(database: Database, chance: Random) -> None:
        rows = Rows(database, chance)
        await rows.begin()
        done: list[str] = []
        for deed in chance.choices(DEEDS, k=MAX_DEEDS):
            done.append(deed.__name__)
            await deed(rows)
            assert not await states_outside(database), ", ".join(done)

    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        opening = open_database(address_at(Path(folder) / "kiosk.db"), MIGRATIONS)
        database = runner.run(opening.__aenter__())

        @settings(max_examples=150)
        @given(st.randoms(use_true_random=True))
        def whatever_happens(chance: Random) -> None:
            runner.run(happen(database, chance))

        try:
            whatever_happens()
        finally:
            runner.run(opening.__aexit__(None, None, None))
