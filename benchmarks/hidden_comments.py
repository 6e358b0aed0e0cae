"""What 10,000 hidden comments of a server add to a press there."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import SecretStr

from benchmarks.measuring import Finding, Ratio, ratio_of
from bot.background import BackgroundTasks
from bot.cache import SHARED_SECONDS
from bot.features.moderation.policy import Policy, Viewer
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.moderation import Subject
from storage.vault import Vault, new_key
from tests.support.clock import ManualClock
from tests.support.moderating import moderated_on

_HIDDEN = 10_000
_MUCH, _NOTHING = 1, 2
_MODERATION = "INSERT INTO moderation (guild_id, hidden_version) VALUES (:guild_id, :hidden)"
_CASES = """
INSERT INTO cases (id, guild_id, subject, comment_id, player_name, locale, touched_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :hidden)
SELECT i, :guild_id, 'comment ' || i, i, '', 'en-GB', 1 FROM n
"""
_REMOVALS = """
INSERT INTO removals (case_id, guild_id, moderator_id, reason, locale, created_at)
SELECT id, guild_id, 1, '', 'en-GB', 1 FROM cases
"""
_PRESSES = 100
_ROUNDS = 7
_GOAL_SECONDS = 0.001


def compare(folder: Path) -> Iterator[Finding]:
    """Read what a server hides, each time five seconds after the last look."""
    more = asyncio.run(_measure(folder / "hidden.db"))
    what = "more processor time of a press in a server with 10,000 hidden comments"
    yield Finding(what, "1 ms", more, at_most=1)


async def _measure(path: Path) -> Ratio:
    clock = ManualClock()
    vault = Vault([SecretStr(new_key())])
    async with (
        open_database(f"sqlite:///{path}", MIGRATIONS) as database,
        BackgroundTasks(clock) as tasks,
    ):
        await _hide(database)
        policy = moderated_on(database, vault, tasks, clock).policy
        # The first look of a process reads all of it.
        await _press(policy, clock, _MUCH)
        pairs = list[tuple[float, float]]()
        for _ in range(_ROUNDS):
            much = await _press(policy, clock, _MUCH)
            pairs.append((much - await _press(policy, clock, _NOTHING), _GOAL_SECONDS))
    return ratio_of(pairs)


async def _hide(database: Database) -> None:
    async with database.transaction() as transaction:
        for guild_id, hidden in ((_MUCH, _HIDDEN), (_NOTHING, 0)):
            await transaction.execute(_MODERATION, guild_id=guild_id, hidden=hidden)
        await transaction.execute(_CASES, guild_id=_MUCH, hidden=_HIDDEN)
        await transaction.execute(_REMOVALS)


async def _press(policy: Policy, clock: ManualClock, guild_id: int) -> float:
    """Return the processor time of a press there, in seconds."""
    viewer = Viewer(5, guild_id)
    seconds = 0.0
    for _ in range(_PRESSES):
        clock.advance(SHARED_SECONDS)
        begun = time.process_time()
        view = await policy.prepare(viewer)
        seconds += time.process_time() - begun
        assert view.see(Subject(1)).is_hidden is (guild_id == _MUCH)
    return seconds / _PRESSES
