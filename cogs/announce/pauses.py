"""The word to a server that something can't be posted any more."""

from collections.abc import Mapping
from typing import Any, ClassVar

import discord
from discord.http import Route

from bot.features.following.owing import PAUSED
from bot.i18n import N_, speak, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.cards import Card, notice
from bot.worker.kinds import Kind, NotOwed, Repeat
from bot.worker.requests import Requests
from bot.worker.verdicts import is_refusal
from storage.messages import Message, Priority
from storage.names import PlaceKind

# By Discord's code for a refusal: what is wrong, and the way to mend it.
_REFUSALS: Mapping[int, tuple[str, str]] = {
    10003: (N_("the channel is gone"), N_("choose another with `/announce edit`")),
    10004: (N_("Kiosk is not in this server"), N_("invite it again")),
    40067: (
        N_("the forum asks for a tag"),
        N_("choose the channel once more with `/announce edit`, so that Kiosk picks one"),
    ),
    50001: (
        N_("Kiosk can't see the channel"),
        N_("allow it “View Channel” in the channel's settings, under Permissions"),
    ),
    50008: (N_("nothing can be posted there"), N_("choose another with `/announce edit`")),
    50013: (
        N_("Kiosk may not post there"),
        N_("choose the channel once more with `/announce edit`: it says what is missing"),
    ),
    160005: (N_("the thread is locked"), N_("unlock it, or choose another channel")),
}
_OTHER_REFUSAL = (
    N_("Discord refuses what is posted there"),
    N_("try `/announce test`, which says more"),
)


class PauseNotice(Kind):
    """Goes to the server's log channel, else to its system channel, where it has one."""

    name: ClassVar[str] = PAUSED
    priority: ClassVar[Priority] = Priority.ANNOUNCEMENT
    repeat: ClassVar[Repeat] = Repeat.BY_NONCE

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Post it."""
        speak(message.payload["locale"])
        card = paused_notice(message.payload)
        guild_id = int(message.payload["guild"])
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
    if payload["kind"] == PlaceKind.THREAD:
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


def problem_and_mend(code: int) -> tuple[str, str]:
    """Return what is wrong and the way to mend it, both yet to be translated."""
    return _REFUSALS.get(code, _OTHER_REFUSAL)
