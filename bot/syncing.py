"""Give Discord the commands: one process does, and of the newest version that runs."""

import asyncio
import logging
import re
from collections.abc import Sequence

from bot import __version__
from bot.background import BackgroundTasks
from bot.tree import KioskTree
from storage.claims import PROCESSES, Claims
from storage.errors import DatabaseError
from storage.installation import Facts

log = logging.getLogger(__name__)

# Whoever holds it may give Discord the commands.
_SYNCING = "commands"
# As a process names itself among those that live, before what else makes its name.
_VERSION = re.compile(rf"{PROCESSES}v(\d+(?:\.\d+)*):")


def process_label(version: str = __version__) -> str:
    """Return what the name of a process begins with, by which others know its version."""
    return f"v{version}:"


class Syncing:
    """Gives Discord the commands of this version, unless a newer one runs elsewhere."""

    def __init__(
        self, tree: KioskTree, facts: Facts, claims: Claims, tasks: BackgroundTasks
    ) -> None:
        self._tree = tree
        self._facts = facts
        self._claims = claims
        self._tasks = tasks

    async def give(self) -> None:
        """Give them now, or as soon as no newer version runs; nothing if Discord has them.

        Raises DatabaseError, discord.HTTPException.
        """
        if await self._tree.is_current(self._facts):
            return
        if newer := newer_versions(await self._claims.live(PROCESSES)):
            log.warning(
                "version %s runs, too: Discord keeps its commands until it is gone", newer[-1]
            )
            self._tasks.start(self._give_later())
            return
        await self._tasks.run(self._claims.wait_for(_SYNCING))
        try:
            await self._tree.sync_if_changed(self._facts)
        finally:
            await self._claims.release(_SYNCING)

    async def _give_later(self) -> None:
        while await self._is_newer_there():  # noqa: ASYNC110 - others are elsewhere
            await asyncio.sleep(self._claims.term / 4)
        await self.give()

    async def _is_newer_there(self) -> bool:
        try:
            return bool(newer_versions(await self._claims.live(PROCESSES)))
        except DatabaseError:
            return True


def newer_versions(processes: Sequence[str], than: str = __version__) -> list[str]:
    """Return the versions among the names of processes that are newer, the newest last."""
    found = {match[1] for name in processes if (match := _VERSION.match(name))}
    return sorted((one for one in found if _numbers(one) > _numbers(than)), key=_numbers)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
