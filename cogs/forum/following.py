"""`/forum follow` and `/forum unfollow`, and what a followed thread looks like in its channel."""

from collections.abc import Sequence

import discord
from discord import app_commands

from bot.features.forum.threads import Found
from bot.features.names import Place
from bot.game.models import PageKey
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import Action, ListEntry, action_button
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Card, notice
from bot.ui.channels import lacking_card, look_at_place, require_manager
from bot.ui.commands import L, Option, slash
from bot.ui.comments import byline, in_block, name_of
from bot.ui.next_steps import offer_candidates
from bot.ui.pictures import thumbnail
from bot.ui.router import Press, route
from bot.ui.text import excerpt, one_line
from cogs.forum.actions import ShowComment, ShowScreen
from cogs.forum.cards import OPEN, THREAD, reply_button, title_of
from cogs.forum.reading import OPTIONS, Channel, ForumOptions
from storage.following import NewSubscription
from storage.names import PlaceKind
from storage.shown import BLOCK, ShownComment

_TEXT_ROOM, _TEXT_LINES = 1500, 30
_PARENT_ROOM = 80
_LONGEST_TITLE = 100
# The part whose last line quotes what a comment replies to.
_QUOTING = 2 * BLOCK + 1
# Discord knows this of whole groups only; `/help` goes by it.
_FOR_MANAGERS = app_commands.default_permissions(manage_guild=True)


class _InChannel(Action):
    thread_id: int
    channel_id: int


class FollowThread(_InChannel, kind="forum.follow"):
    """Post a thread's new comments in a channel."""


class UnfollowThread(_InChannel, kind="forum.unfollow"):
    """Post a thread's comments in a channel no more."""


class FollowCommands(ForumOptions):
    """The part of `/forum` that is about following."""

    @_FOR_MANAGERS
    @slash(
        L("follow"),
        L("Post a thread's new comments in a channel"),
        OPTIONS,
        channel=Option(L("channel"), L("The channel, forum or thread to post them in")),
    )
    async def follow(self, interaction: Interaction, thread: str, channel: Channel) -> None:
        """Follow a thread."""
        await self._follow(interaction, thread, channel)

    async def _follow(self, interaction: Interaction, thread: str, channel: int) -> None:
        guild_id = require_manager(interaction)
        offer_candidates(
            interaction,
            lambda place: ListEntry(place.label, FollowThread(place.game_id, channel)),
        )
        place = await self.thread_meant(interaction, thread)
        where = await look_at_place(interaction, channel, None, place.name, has_replies=True)
        if where.lacks:
            await answer(interaction, lacking_card(where))
            return
        new = NewSubscription(
            guild_id=guild_id,
            channel_id=where.id,
            channel_kind=where.kind,
            game_id=place.game_id,
            news=frozenset(),
            kind=PlaceKind.THREAD,
            tag_id=where.tag_id,
            locale=str(interaction.guild_locale or interaction.locale),
            created_by=interaction.user.id,
        )
        await self._bot.features.announcing.follow(new)
        title = t(
            "New comments in %(thread)s come to %(channel)s",
            thread=title_of(place),
            channel=f"<#{where.id}>",
        )
        body = t("Each one as a card with Reply. What moderators remove here stays hidden there.")
        if not where.is_judged:
            body += "\n-# ⚠️ " + t("Discord didn't say what Kiosk may do there.")
        await answer(interaction, notice(title, body, colour=theme.GOOD))

    @_FOR_MANAGERS
    @slash(L("unfollow"), L("Stop posting a thread's comments in a channel"), OPTIONS)
    async def unfollow(self, interaction: Interaction, thread: str, channel: Channel) -> None:
        """Follow a thread no more."""
        await self._unfollow(interaction, thread, channel)

    async def _unfollow(self, interaction: Interaction, thread: str, channel: int) -> None:
        guild_id = require_manager(interaction)
        offer_candidates(
            interaction,
            lambda place: ListEntry(place.label, UnfollowThread(place.game_id, channel)),
        )
        place = await self.thread_meant(interaction, thread)
        await self._bot.features.announcing.unfollow(guild_id, place.game_id, channel)
        title = t(
            "New comments in %(thread)s no longer come to %(channel)s",
            thread=title_of(place),
            channel=f"<#{channel}>",
        )
        await answer(interaction, notice(title, t("What was posted before stays.")))

    @route(FollowThread)
    async def on_follow(self, press: Press[FollowThread]) -> None:
        """Follow the thread that was meant."""
        action = press.action
        await self._follow(press.interaction, str(action.thread_id), action.channel_id)

    @route(UnfollowThread)
    async def on_unfollow(self, press: Press[UnfollowThread]) -> None:
        """Follow the thread that was meant no more."""
        action = press.action
        await self._unfollow(press.interaction, str(action.thread_id), action.channel_id)


def followed_card(found: Found, place: Place) -> Card:
    """Show a new comment to a channel; whoever presses a button acts as themselves."""
    comment = found.comment
    card = Card(theme.FORUM)
    head = f"-# {title_of(place)}"
    if found.branch.ancestors:
        parent = found.branch.ancestors[-1]
        shown = excerpt(parent.content, _PARENT_ROOM, lines=1)[0] or t("*(no text)*")
        # Bold, so that what follows is found again; what quotes it is a block of its own.
        name = f"**{name_of(parent.player)}**"
        head += f"\n-# ↳ {t('in reply to %(name)s: %(text)s', name=name, text=shown)}"
    card.say(head, part=_QUOTING)
    text, is_cut = excerpt(comment.content, _TEXT_ROOM, lines=_TEXT_LINES)
    body = f"{byline(comment)}\n{text or t('*(no text)*')}"
    picture = thumbnail(comment.player.avatar_url, comment.player.screen_name)
    card.say(body, picture, part=BLOCK)
    label = t("Read all") if is_cut else t("Open")
    reply = reply_button(found, style=discord.ButtonStyle.primary)
    show = action_button(ShowComment(*found.key, comment.id), label, emoji=OPEN)
    card.buttons(*in_block(BLOCK, reply, show))
    return card


def comments_followed(found: Found) -> Sequence[ShownComment]:
    """Return all comments that a followed comment's card shows something of, and where."""
    comment = found.comment
    quoted = [
        ShownComment(parent.id, parent.player.id, _QUOTING, -1)
        for parent in found.branch.ancestors[-1:]
    ]
    return [ShownComment(comment.id, comment.player.id), *quoted]


def gone_card(place: Place) -> Card:
    """Show what is left of a comment that its writer has deleted."""
    card = Card(theme.CALM)
    card.say(f"-# {title_of(place)}\n-# 🗑️ {gone_title()}")
    return card


def gone_title() -> str:
    """Return what its post is called."""
    return t("This comment was deleted.")


def burst_card(place: Place, count: int) -> Card:
    """Tell of many comments at once."""
    card = Card(theme.FORUM)
    card.say(f"### {_new_comments(title_of(place), count)}")
    screen = ShowScreen(*PageKey(place.game_id), 0)
    card.buttons(
        action_button(screen, t("Read them"), style=discord.ButtonStyle.primary, emoji=THREAD)
    )
    return card


def burst_title(place: Place, count: int) -> str:
    """Return what a post about many comments is called."""
    thread = title_of(place) if place.name is None else place.name
    return one_line(_new_comments(thread, count), _LONGEST_TITLE, plain=True)


def _new_comments(thread: str, count: int) -> str:
    return nt(
        "%(count)s new comment in %(thread)s",
        "%(count)s new comments in %(thread)s",
        count,
        thread=thread,
    )


def post_title(found: Found) -> str:
    """Return what the post of a comment is called."""
    comment = found.comment
    return one_line(
        f"{name_of(comment.player, plain=True)}: {comment.content}", _LONGEST_TITLE, plain=True
    )
