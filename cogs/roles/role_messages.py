"""A kind of queued message that gives or takes a member's role."""

import logging
from collections import abc
from datetime import timedelta

import discord
from discord.http import Route

from bot.ui.giving import RoleTrouble
from bot.ui.messages import kinds, verdicts
from storage import messages
from storage.roles import HELD_UP, ROLE, RoleRules

log = logging.getLogger(__name__)

_DAY = timedelta(days=1)
_ROLE_PATH = "/roles/{role_id}"
# A member who isn't there has no role.
_GONE = (verdicts.UNKNOWN_GUILD, verdicts.UNKNOWN_MEMBER, verdicts.UNKNOWN_USER)


class RoleKind(kinds.Kind):
    """A member's role: given if it is wanted, otherwise taken away."""

    name = ROLE
    priority = messages.Priority.ANNOUNCEMENT
    gives_up = False

    def __init__(
        self,
        rules: RoleRules,
        role_problem: abc.Callable[[int, int], abc.Awaitable[RoleTrouble | None]],
    ) -> None:
        """Take `role_problem`, which returns why Kiosk can't give a server's role."""
        self._rules = rules
        self._role_problem = role_problem

    def repeat(self, message: messages.Message) -> kinds.Repeat:
        return kinds.Repeat.ALWAYS

    async def carry_out(self, message: messages.Message, requests: kinds.Requests) -> int | None:
        """Give the role and return its id, None if the member had it before, or take it away.

        Raises NoLongerWanted once the member doesn't have it.
        """
        try:
            if message.is_wanted:
                return await self._give(message, requests)
            if message.had_already is False:
                await requests.ask(_route("DELETE", message, _ROLE_PATH))
        except (discord.HTTPException, verdicts.HeldUp) as error:
            code = getattr(error, "code", HELD_UP)
            is_gone = code == verdicts.UNKNOWN_ROLE and not message.is_wanted
            if is_gone or code in _GONE:
                raise kinds.NoLongerWanted from error
            is_refusal = isinstance(error, verdicts.HeldUp) or verdicts.is_refusal(error)
            if is_refusal and not await self._rules.find(message.payload["rule"]):
                # There is no rule left that anyone would fix.
                raise verdicts.NotYet(f"refused {code}", _DAY) from error
            raise
        raise kinds.NoLongerWanted

    async def _give(self, message: messages.Message, requests: kinds.Requests) -> int | None:
        if trouble := await self._role_problem(message.guild_id or 0, message.role_id or 0):
            raise verdicts.HeldUp(f"{HELD_UP} {trouble.name}")
        if message.had_already is not False:
            member = await requests.ask(_route("GET", message))
            had_already = str(message.role_id) in member["roles"]
            # Before the role is given: after a crash, the next try would find this try's role.
            if await requests.messages.note_had(message, had_already=had_already):
                return None
        await requests.ask(_route("PUT", message, _ROLE_PATH))
        return message.role_id

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        if verdict.state is messages.MessageState.SENT:
            await self._rules.accept(transaction, message)
        if verdict.state is messages.MessageState.REFUSED:
            reason = verdict.reason or ""
            if await self._rules.refuse(transaction, message, messages.code_of(reason)):
                transaction.on_commit.append(
                    lambda: log.warning(
                        "Can't give role %s of server %s: %s. /setup show says how to fix this.",
                        message.role_id,
                        message.guild_id,
                        reason,
                    )
                )


def _route(method: str, message: messages.Message, further: str = "") -> Route:
    return Route(
        method,
        "/guilds/{guild_id}/members/{member_id}" + further,
        guild_id=message.guild_id,
        member_id=message.about_member,
        role_id=message.role_id,
    )
