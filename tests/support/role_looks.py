"""Looks at what many members own, for roles, as fast as a stepped clock lets them be."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from bot.features.reading.catalogs import Catalogs
from bot.game.transport import Limits
from cogs.roles.service import RoleService
from storage.messages import Messages
from storage.names import MemberServers
from storage.roles import NewRule, Presence, RoleRules, RuleKind
from tests.support.clock import SteppedClock, utc_now
from tests.support.wiring import Wiring, open_wiring

_QUICK = Limits(requests_per_second=10_000, burst=10_000)


@dataclass
class RoleLooks:
    """The part of a worker that looks at members for roles."""

    service: RoleService
    wired: Wiring
    clock: SteppedClock

    async def add_rule(self, guild_id: int, item_id: int = 0) -> None:
        """Give a role of a server for an item of catalog 1, or for a link if none is named."""
        kind = RuleKind.OWNS if item_id else RuleKind.LINKED
        await self.service.rules.add(
            NewRule(
                guild_id=guild_id,
                kind=kind,
                role_id=1,
                created_by=1,
                catalog_id=1 if item_id else 0,
                item_id=item_id,
            )
        )

    async def add_members(self, guild_id: int, members: Iterable[int]) -> None:
        """Let members use a server, each linked with a token of their own."""
        servers = MemberServers(self.wired.database, self.clock.now)
        for member_id in members:
            await self.wired.links.save(member_id, SecretStr(f"token-of-{member_id}"))
            await servers.note(guild_id, member_id)

    async def look_at_all(self) -> float:
        """Check all members who are due; return the seconds of the clock that this takes."""
        begun = self.clock.monotonic()
        while True:
            looking = asyncio.create_task(self.service.look_at_due())
            while not looking.done():
                if self.service.is_idle():
                    self.clock.advance(self.clock.next_in())
                await asyncio.sleep(0)
            if not looking.result():
                return self.clock.monotonic() - begun


async def _nowhere(_guild_id: int, _member_id: int) -> Presence | None:
    return None


@asynccontextmanager
async def open_role_looks(folder: Path, base_url: str) -> AsyncGenerator[RoleLooks]:
    clock = SteppedClock(utc_now())
    async with open_wiring(folder, base_url, limits=_QUICK, clock=clock) as wired:
        rules = RoleRules(wired.database, Messages(wired.database, clock.now), clock.now)
        catalogs = Catalogs(wired.client, wired.tasks)
        service = RoleService(rules, wired.accounts, catalogs, wired.tasks, _nowhere)
        yield RoleLooks(service, wired, clock)
