"""`/moderate`: remove comments from this server's chat, and keep a record of it."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.features.directory import read_comment_id
from bot.i18n import nt, t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, hooks, shared_actions, slash
from bot.ui.comments import comment_label
from bot.ui.here import MODERATOR, Here
from bot.ui.slash import L
from cogs.moderate import log_page, mutes, queue, removing, reports, words_card
from storage.moderation import Subject
from storage.names import PlaceKind
from storage.removals import MAX_REASON_LENGTH

Reason = app_commands.Range[str, 1, MAX_REASON_LENGTH]
Days = app_commands.Range[int, 1, log_page.MAX_LOOK]

_MAX_OFFERED = 200
# Each may need a request.
_MAX_THREADS = 5
# The time between two tries to post in a log channel that takes nothing.
_SECONDS_BETWEEN_TRIES = 900.0
# The longest delay before the log says that a mute has ended.
_SECONDS_BETWEEN_ENDS = 60.0
_COMMENT = L("The comment's number (for example, #123)")


async def suggest_comments(here: Here, typed: str) -> slash.Choices:
    """Offer the newest loaded comments of this server's first threads."""
    labels: dict[int, str] = {}
    for named in (await here.names(PlaceKind.THREAD))[:_MAX_THREADS]:
        comments = await here.features.threads.known_comments(here.viewer, named.game_id)
        labels |= {comment.id: comment_label(comment) for comment in comments}
    return slash.comment_choices(dict(sorted(labels.items(), reverse=True)), typed)


async def suggest_removed(here: Here, typed: str) -> slash.Choices:
    removals = await here.features.moderation.removals.in_force(here.guild_id, _MAX_OFFERED)
    labels = {
        removal.subject.comment_id: f"{removal.subject.player_name}: {removal.subject.text or '…'}"
        for removal in removals
        if removal.subject.comment_id is not None
    }
    return slash.comment_choices(labels, typed)


async def suggest_reasons(here: Here, typed: str) -> slash.Choices:
    settings = await here.settings()
    reasons = (reason[: drawing.MAX_CHOICE_LENGTH] for reason in settings.reasons)
    return slash.choices(((reason, reason) for reason in reasons), typed)


_OPTIONS = {
    "comment": slash.Option(L("comment"), _COMMENT, suggest_comments),
    "removed": slash.Option(L("removed"), _COMMENT, suggest_removed),
    "reason": slash.Option(L("reason"), L("The reason, for the log"), suggest_reasons),
    "player": slash.Option(
        L("player"), L("The player's name or number in the game"), removing.suggest_players
    ),
    "writer": slash.Option(
        L("writer"), L("Show only entries about this player"), removing.suggest_players
    ),
    "until": slash.Option(
        L("until"), L("For example, 2030-12-31 or 7d. Leave empty for a permanent mute.")
    ),
    "moderator": slash.Option(L("moderator"), L("Show only this member's actions")),
    "days": slash.Option(L("days"), L("How many days to look back")),
}


@slash.for_staff(MODERATOR)
class ModerateCog(
    commands.GroupCog,
    name=L("moderate"),
    description=L("Moderate the game's comments in this server's chat"),
):
    def __init__(self, bot: Kiosk) -> None:
        bot.router.add(removing, reports, words_card, queue, log_page, mutes)
        remove = slash.message_menu(L("Remove comment"), removing.remove_from_message, MODERATOR)
        for menu in (remove, slash.message_menu(L("Report comment"), reports.report_message)):
            menu.allowed_contexts = app_commands.AppCommandContext(
                guild=True, dm_channel=False, private_channel=False
            )
            menu.allowed_installs = app_commands.AppInstallationType(guild=True, user=False)
            bot.tree.add_command(menu)
        bot.dispatcher.add(reports.SharedMessage(bot), reports.LogCard(bot), reports.QueueCard(bot))
        try_closed = bot.features.moderation.cases.try_closed
        bot.worker.add_looks("logs", try_closed, _SECONDS_BETWEEN_TRIES)
        end_expired = bot.features.moderation.removals.end_expired
        bot.worker.add_looks("mutes", end_expired, _SECONDS_BETWEEN_ENDS)

    @slash.command(
        L("remove"),
        L("Remove a comment from this server's chat"),
        _OPTIONS,
        reason=slash.Option(
            L("reason"), L("The reason, for the log. Leave empty to get a form."), suggest_reasons
        ),
        acknowledges=False,
    )
    async def remove(self, here: Here, comment: str, reason: Reason | None = None) -> None:
        comment_id = read_comment_id(comment)
        action = shared_actions.RemoveComment(shared_actions.NO_ID, comment_id)
        if reason is None:
            await removing.open_remove_form(here, action)
            return
        here.acknowledge(takes_time=True)
        await removing.remove(here, action, reason=reason)

    @slash.command(L("restore"), L("Restore a removed comment"), _OPTIONS, keeps=True)
    async def restore(self, here: Here, removed: str) -> None:
        await removing.restore(here, Subject(read_comment_id(removed)))

    @slash.command(
        L("mute"), L("Hide all comments of a player in this server"), _OPTIONS, keeps=True
    )
    async def mute(
        self, here: Here, player: str, until: str | None = None, reason: Reason = ""
    ) -> None:
        await removing.mute(here, player, reason, until)

    @slash.command(
        L("unmute"),
        L("Unmute a player, or list muted players"),
        player=slash.Option(
            L("player"),
            L("A muted player's name or number. Leave empty for a list."),
            removing.suggest_muted,
        ),
        keeps=True,
    )
    async def unmute(self, here: Here, player: str | None = None) -> None:
        if player is None:
            await mutes.show(here, mutes.ShowMutes(0))
            return
        subject = await removing.find_player(here, player, is_muted=True)
        await removing.restore(here, subject)

    @slash.command(L("log"), L("Show what moderators and managers did, and why"), _OPTIONS)
    async def log(
        self,
        here: Here,
        moderator: discord.User | None = None,
        writer: str | None = None,
        days: Days = log_page.USUAL_DAYS,
    ) -> None:
        asked = log_page.ShowLog(days, 0 if moderator is None else moderator.id)
        if writer is not None:
            here.offer_candidates(asked.entry_of)
            player_id = (await removing.find_player(here, writer)).player_id or 0
            asked = log_page.ShowLog(days, asked.moderator_id, player_id)
        await log_page.show(here, asked)

    @slash.command(L("queue"), L("Review reports and held-back comments"))
    async def queue(self, here: Here) -> None:
        await queue.show(here)

    @slash.command(L("rules"), L("Manage watched words and related settings"))
    async def rules(self, here: Here) -> None:
        await words_card.show(here)


async def section(here: Here, _channels: hooks.Channels) -> hooks.Section:
    """Return the section of /setup show with the counts of watched words and open cases."""
    watched = await here.features.moderation.policy.watched.words(here.guild_id)
    words = nt("%(count)s watched word", "%(count)s watched words", len(watched))
    lines = [f"**{t('Rules')}** · {words if watched else t('none yet')}"]
    if waiting := (await here.features.moderation.cases.count_waiting(here.guild_id)).count:
        waits = nt("%(count)s waiting for review", "%(count)s waiting for review", waiting)
        lines.append(f"**{t('Queue')}** · {waits}")
    button = None
    if await here.may_moderate():
        button = drawing.button(shared_actions.ShowRules(), t("Rules"))
    return hooks.Section(line="\n".join(lines), button=button)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ModerateCog(bot))
    bot.hooks.setup_sections.add(section)
