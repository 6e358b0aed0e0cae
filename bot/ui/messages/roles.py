"""The kind of message that is no message: that a member has a role."""

import discord
from discord.http import Route

from bot.ui.messages import kinds, verdicts
from bot.ui.messages.requests import Requests
from storage import messages
from storage import roles as storage_roles
from storage.database import Transaction

# Whoever is not there has no role.
_GONE = (verdicts.UNKNOWN_GUILD, verdicts.UNKNOWN_MEMBER, verdicts.UNKNOWN_USER)


class RoleKind(kinds.Kind):
    """That a member has a role: given where it is wanted, else taken away."""

    name = storage_roles.ROLE
    priority = messages.Priority.ANNOUNCEMENT
    gives_up = False

    def __init__(self, rules: storage_roles.Roles) -> None:
        self._rules = rules

    def repeat(self, message: messages.Message) -> kinds.Repeat:
        return kinds.Repeat.ALWAYS

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        """Return the role's number once the member has it. Raises NotOwed once they haven't."""
        route = Route(
            "PUT" if message.is_wanted else "DELETE",
            "/guilds/{guild_id}/members/{member_id}/roles/{role_id}",
            guild_id=message.guild_id,
            member_id=message.about_member,
            role_id=message.role_id,
        )
        try:
            await requests.ask(route)
        except discord.HTTPException as error:
            is_gone = error.code == verdicts.UNKNOWN_ROLE and not message.is_wanted
            if is_gone or error.code in _GONE:
                raise kinds.NotOwed from error
            raise
        if not message.is_wanted:
            raise kinds.NotOwed
        return message.role_id

    async def on_settled(
        self, transaction: Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        if verdict.state is messages.MessageState.REFUSED:
            code = messages.code_of(verdict.reason or "")
            await self._rules.refuse(transaction, message, code)
