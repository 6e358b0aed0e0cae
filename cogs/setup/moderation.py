"""`/setup moderators`, `/setup moderation` and `/setup log`."""

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.features.moderation import ModerationService
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.cards import notice
from bot.ui.commands import ChannelOption, L, Option, slash
from bot.ui.here import Here
from bot.ui.permissions import POSTABLE, Use, judge, lacking_card
from bot.ui.text import escape

MOST_REASONS, LONGEST_USUAL = 20, 100
Reasons = app_commands.Range[str, 1, 1000]
Days = app_commands.Range[int, 1, 3650]
# No forum: what is posted there is a post.
LogChannel = app_commands.Transform[
    int, ChannelOption(*(kind for kind in POSTABLE if kind is not discord.ChannelType.forum))
]

_OPTIONS = {
    "role": Option(L("role"), L("The role; leave it out to take it away")),
    "reasons": Option(L("reasons"), L("The usual reasons to pick from, separated by commas")),
    "reason_required": Option(L("reason_required"), L("Whether a removal needs a reason")),
    "days": Option(L("days"), L("How many days the log keeps what removed comments said")),
    "channel": Option(L("channel"), L("The channel; leave it out to post them nowhere")),
}


class ModerationSetup(commands.Cog):
    _moderation: ModerationService

    @slash(L("moderators"), L("Let a role remove comments of the game here"), _OPTIONS)
    async def moderators(self, here: Here, role: discord.Role | None = None) -> None:
        role_id = None if role is None else role.id
        await self._moderation.change_rules(here.guild_id, moderator_role_id=role_id)
        if role_id is None:
            card = notice(
                t("No role removes comments here any more"),
                t("Whoever may manage a channel's messages still does."),
            )
        else:
            who = t("%(role)s, and whoever may manage a channel's messages.", role=f"<@&{role_id}>")
            allowing = t(
                "Discord shows the commands to them once you allow it: Server Settings,"
                " Integrations, Kiosk."
            )
            title = t("A role removes comments here now")
            card = notice(title, f"{who}\n{allowing}", colour=theme.GOOD)
        await here.answer(card)

    @slash(L("moderation"), L("How removals of comments work in this server"), _OPTIONS)
    async def moderation(
        self,
        here: Here,
        reasons: Reasons | None = None,
        reason_required: bool | None = None,
        days: Days | None = None,
    ) -> None:
        changes: dict[str, Any] = {"needs_reason": reason_required, "kept_days": days}
        if reasons is not None:
            # Each once; commas alone take all away.
            each = (" ".join(part.split())[:LONGEST_USUAL] for part in reasons.split(","))
            changes["reasons"] = list(dict.fromkeys(filter(None, each)))[:MOST_REASONS]
        given = {name: value for name, value in changes.items() if value is not None}
        rules = await self._moderation.change_rules(here.guild_id, **given)
        lines = [
            t("Removals need a reason.") if rules.needs_reason else t("A reason may be left out."),
            nt(
                "The log keeps what a removed comment said for %(count)s day.",
                "The log keeps what a removed comment said for %(count)s days.",
                rules.kept_days,
            ),
        ]
        if rules.reasons:
            lines.append(t("The usual reasons:"))
            lines += [f"- {escape(reason)}" for reason in rules.reasons]
        title = t("How removals work here")
        await here.answer(notice(title, "\n".join(lines), colour=theme.GOOD))

    @slash(L("log"), L("The channel where removals and reports are posted"), _OPTIONS)
    async def log(self, here: Here, channel: LogChannel | None = None) -> None:
        """Name the log channel, if Kiosk may post there; it gets what is not decided yet."""
        if channel is not None:
            place = await judge(here, channel, Use.LOG)
            if place.lacks:
                await here.answer(lacking_card(place))
                return
        await self._moderation.change_rules(here.guild_id, log_channel_id=channel)
        if channel is None:
            card = notice(
                t("Removals and reports are posted nowhere now"),
                t("`/moderate log` still lists removals, and members can't report comments."),
            )
        else:
            where = t("Removals and reports are posted in %(channel)s.", channel=f"<#{channel}>")
            card = notice(t("The log has a channel"), where, colour=theme.GOOD)
        await here.answer(card)
