"""Workers are killed while they give and take roles: each is given once, and taken once."""

import os
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.messages import Messages
from storage.roles import NewRule, RoleRule, RoleRules, RuleKind
from tests.crash.rounds import IS_SOAK, ON_ONE_ENGINE, SEED, random_lines
from tests.crash.town import BOT_FOLDERS
from tests.support.clock import utc_now
from tests.support.databases import address_at
from tests.support.discord_standin import Discord
from tests.support.discord_standin.refusals import LATE_ERROR, MISSING_PERMISSIONS, Refusal
from tests.support.message_states import states_outside
from tests.support.program import NEVER, Launcher, Program, run_program

ROUNDS = 40 if IS_SOAK else 4
MEMBERS = 3
ROLE = 77
GIVER = ["tests.support.worker_process", "giving"]


@dataclass
class Giving:
    """A rule, members who come to have its role, and workers that see to it."""

    launcher: Launcher
    discord: Discord
    database: Database
    folder: Path
    rule: RoleRule
    members: list[int] = field(default_factory=list[int])

    @property
    def roles(self) -> RoleRules:
        return RoleRules(self.database, Messages(self.database, utc_now), utc_now)

    async def owe_some(self) -> None:
        for _ in range(MEMBERS):
            member = self.discord.add_member("somebody")
            self.members.append(member.id)
            await self.roles.give(member.id, None, self.rule)

    async def owe_taking(self) -> None:
        for member in self.members:
            for role in await self.roles.had_by(member):
                await self.roles.take(role, None)

    @asynccontextmanager
    async def worker(self, line: int) -> AsyncGenerator[Program]:
        """Let a worker begin to give what is owed, and die at a line."""
        environment = {
            "STANDIN_API": self.discord.state.api_url,
            "STANDIN_GATEWAY": self.discord.state.gateway_url,
            "DISCORD_TOKEN": self.discord.state.token,
            "DATABASE_URL": address_at(self.folder / "kiosk.db"),
            "PYTHONPATH": str(Path.cwd()),
        }
        async with run_program(self.launcher, GIVER, environment, self.folder) as program:
            await program.says("ready")
            await program.arm(line, BOT_FOLDERS)
            os.kill(program.pid, signal.SIGUSR2)
            yield program

    async def do_all(self) -> int:
        """Let a worker do all that is owed; gives the lines it has run."""
        async with self.worker(NEVER) as program:
            await program.says("done")
            return await program.count()


@asynccontextmanager
async def open_giving(launcher: Launcher, discord: Discord, folder: Path) -> AsyncGenerator[Giving]:
    async with open_database(address_at(folder / "kiosk.db"), MIGRATIONS) as database:
        roles = RoleRules(database, Messages(database, utc_now), utc_now)
        new = NewRule(discord.state.guild_id, RuleKind.LINKED, ROLE, created_by=1)
        rule = await roles.add(new)
        assert rule is not None
        yield Giving(launcher, discord, database, folder, rule)
        assert not await states_outside(database)


@ON_ONE_ENGINE
@pytest.mark.parametrize("refusal", [None, LATE_ERROR], ids=["honest", "5xx"])
@pytest.mark.usefixtures("on_both_engines")
async def test_killed_at_any_line_each_role_is_given_once_and_taken_once(
    launcher: Launcher, discord: Discord, tmp_path: Path, refusal: Refusal | None
) -> None:
    async with open_giving(launcher, discord, tmp_path) as giving:
        await giving.owe_some()
        lines = await giving.do_all()
        killed = 0
        for number, line in enumerate(random_lines(lines, ROUNDS)):
            await giving.owe_some()
            if number % 2:
                await giving.owe_taking()
            if refusal is not None:
                discord.state.refusals[ROLE] = refusal
            async with giving.worker(line) as program:
                killed += await program.died_before("done")
            discord.state.refusals.clear()
            await giving.do_all()
        assert killed, f"KIOSK_SEED={SEED}"
        had = {member for member, _ in discord.state.roles_had}
        wanted = {member for member in giving.members if await giving.roles.had_by(member)}
        assert had == wanted, f"KIOSK_SEED={SEED}"

        await giving.owe_taking()
        await giving.do_all()

        assert not discord.state.roles_had, f"KIOSK_SEED={SEED}"
        changes = discord.state.role_changes
        # Members who were to lose it before it was given have never had it.
        assert all(count in (0, 2) for count in changes.values()), f"KIOSK_SEED={SEED}"
        assert {member for member, _ in changes} >= wanted


@pytest.mark.usefixtures("on_both_engines")
async def test_two_processes_give_each_role_once(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    async with open_giving(launcher, discord, tmp_path) as giving:
        await giving.owe_some()
        async with AsyncExitStack() as stack:
            workers = [await stack.enter_async_context(giving.worker(NEVER)) for _ in range(2)]
            for worker in workers:
                await worker.says("done")

        # One may ask again for what the other has just asked for: that changes nothing.
        assert [*discord.state.role_changes.values()] == [1] * MEMBERS


@pytest.mark.usefixtures("on_both_engines")
async def test_what_discord_refuses_is_asked_for_once_and_made_up_for_after(
    launcher: Launcher, discord: Discord, tmp_path: Path
) -> None:
    async with open_giving(launcher, discord, tmp_path) as giving:
        await giving.owe_some()
        discord.state.refusals[ROLE] = MISSING_PERMISSIONS
        await giving.do_all()
        rule = await giving.roles.find(giving.rule.id)
        assert rule is not None
        assert rule.refusal == MISSING_PERMISSIONS.code
        await giving.do_all()
        assert len([asked for asked in discord.state.asked.past if asked.method == "PUT"]) == 1

        discord.state.refusals.clear()
        await giving.roles.clear_refusal(rule)
        await giving.do_all()
        assert {member for member, _ in discord.state.roles_had} == set(giving.members)

        discord.state.refusals[ROLE] = MISSING_PERMISSIONS
        await giving.owe_taking()
        await giving.do_all()
        assert len(discord.state.roles_had) == MEMBERS
        discord.state.refusals.clear()
        await giving.roles.clear_refusal(rule)
        await giving.do_all()
        assert not discord.state.roles_had
