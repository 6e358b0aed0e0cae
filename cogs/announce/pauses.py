"""The word to a server that something can't be posted any more."""

from collections.abc import Mapping
from typing import Any, ClassVar

import discord
from discord.http import Route

from bot.domain.outbox import Entry, Priority
from bot.features.polls import PAUSED_KIND
from bot.i18n import speak, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.cards import Card, notice
from bot.ui.channels import problem_and_mend
from bot.worker.kinds import Kind, NotOwed, Repeat
from bot.worker.requests import Requests
from bot.worker.verdicts import is_refusal


class PauseNotice(Kind):
    """Goes to the server's log channel, else to its system channel, where it has one."""

    name: ClassVar[str] = PAUSED_KIND
    priority: ClassVar[Priority] = Priority.ANNOUNCEMENT
    repeat: ClassVar[Repeat] = Repeat.BY_NONCE

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Post it."""
        speak(entry.payload["locale"])
        card = paused_notice(entry.payload)
        guild_id = int(entry.payload["guild"])
        rules = await self._moderation.rules(guild_id)
        if rules.log_channel_id is not None:
            try:
                return await requests.create_message(card, channel_id=rules.log_channel_id)
            except discord.HTTPException as error:
                if not is_refusal(error):
                    raise
        guild = await requests.ask(Route("GET", "/guilds/{guild_id}", guild_id=guild_id))
        if not guild.get("system_channel_id"):
            raise NotOwed
        return await requests.create_message(card, channel_id=int(guild["system_channel_id"]))


def paused_notice(payload: Mapping[str, Any]) -> Card:
    """Say what can't be posted where any more, and the way to mend it."""
    channel, code = f"<#{payload['channel']}>", int(payload["code"])
    problem, mend = problem_and_mend(code)
    if payload["what"] == "follow":
        title = t("New comments no longer come to %(channel)s", channel=channel)
        body = t(
            "Discord refuses them: %(problem)s. Once that is fixed, use `/forum follow` again.",
            problem=t(problem),
        )
    else:
        title = t("Announcements in %(channel)s have stopped", channel=channel)
        body = t(
            "Discord refuses them: %(problem)s. To fix it, %(mend)s. Then use `/announce resume`: "
            "it says what was missed.",
            problem=t(problem),
            mend=t(mend),
        )
    return notice(title, body, colour=theme.PROBLEM)
