"""Replies and word alerts: what the core uses."""

from discord import app_commands
from discord.ext import commands

from bot.features.reading.threads import Found
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, hooks, slash, watches
from bot.ui.here import Here
from bot.ui.slash import L
from cogs.replies import actions
from cogs.replies.service import ReplyService
from cogs.replies.told_comments import CommentSection
from storage.links import Link
from storage.names import PlaceKind

Words = app_commands.Range[str, 1, actions.MAX_WORDS_LENGTH]
OPTIONS = {
    "words": slash.Option(
        L("words"), L("Use commas. One match is enough. For example, hat, straw hat*")
    ),
    "thread": slash.Option(
        L("thread"), L("The thread's name or number"), slash.suggest_names(PlaceKind.THREAD)
    ),
}


class ReplyCommands(commands.Cog):
    @slash.command(L("watch"), L("Get a DM about comments that contain certain words"), OPTIONS)
    async def watch(self, here: Here, words: Words, thread: str | None = None) -> None:
        await actions.watch_words(here, words, thread)


async def comment_entry(here: Here, found: Found) -> hooks.CommentEntry:
    watches = here.features.watching.watches
    watched = await watches.of_member(here.member_id, PlaceKind.THREAD)
    is_told = any(watch.first.subject_id == found.comment.id for watch in watched)
    return entry_of(found, is_told=is_told)


def entry_of(found: Found, *, is_told: bool) -> hooks.CommentEntry:
    if is_told:
        action = actions.StopReplies(found.key, found.comment.id)
        said = t("You get a direct message about replies to this comment, for 90 days.")
        stop = drawing.button(action, t("Stop watching replies"), emoji="🔕")
        return hooks.CommentEntry(stop, f"-# 🔔 {said}\n{watches.first_message_line()}")
    action = actions.TellReplies(found.key, found.comment.id)
    return hooks.CommentEntry(drawing.button(action, t("Watch replies"), emoji="🔔"))


async def add_account_switch(_here: Here, card: drawing.Card, link: Link | None) -> None:
    """Add the switch for replies to all of a member's comments to the account card."""
    if link is None or link.is_refused:
        return
    is_told = link.hears_replies
    said = t("You get a direct message about replies to comments that you post through Kiosk.")
    if not is_told:
        said = t("You get direct messages about replies only for comments that you watch.")
    card.say(f"-# 🔔 {said}\n{watches.first_message_line()}" if is_told else f"-# {said}")
    label = t("Don't watch new comments") if is_told else t("Watch all replies")
    switch = actions.TellAllReplies(is_on=not is_told)
    card.buttons(drawing.button(switch, label, emoji="🔕" if is_told else "🔔"))


async def setup(bot: Kiosk) -> None:
    features = bot.features
    service = ReplyService(bot.core.client, features.accounts, features.watching)
    bot.services[ReplyService] = service
    bot.router.add(actions)
    bot.member_news.sections[PlaceKind.THREAD] = CommentSection(features)
    bot.hooks.account_shown.add(add_account_switch)
    bot.hooks.comment_entries.add(comment_entry)
    bot.hooks.written.add(service.watch_written)
    slash.add_below(bot.tree, "forum", ReplyCommands())
