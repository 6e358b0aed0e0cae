"""Messages of a followed thread in channels: its comments, or their number if too many."""

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

import discord

from bot.errors import KioskError
from bot.features.directory import Place
from bot.features.feature_errors import CommentNotFound
from bot.features.following import owing
from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import Found
from bot.game.game_errors import GameError
from bot.game.models import PageKey
from bot.i18n import nt, speak, t
from bot.program.kiosk import Kiosk
from bot.ui import comments, drawing, markdown, shared_actions, theme
from bot.ui.messages import kinds, verdicts
from bot.ui.messages.requests import Requests
from cogs.forum import actions, comment_cards
from storage import messages, subscriptions
from storage.following import SeenComment
from storage.names import PlaceKind
from storage.shown import ShownComment

# In characters, and in lines.
_TEXT_ROOM = 1500
_TEXT_LINES = 30
_MAX_TITLE_LENGTH = 100
_NOBODY = 0
# Missing access, and missing permissions: posts have the permissions of their channel.
_NOT_ALLOWED = (50001, 50013)


def followed_card(found: Found, place: Place) -> drawing.Card:
    comment = found.comment
    card = drawing.Card(theme.FORUM)
    head = f"-# {comments.thread_title(place)}"
    if found.ancestors:
        parent = found.ancestors[-1]
        head += f"\n{comment_cards.in_reply_to(parent, f'**{comments.name_of(parent.player)}**')}"
    card.say(head)
    text, is_cut = markdown.excerpt(comment.content, _TEXT_ROOM, lines=_TEXT_LINES)
    body = f"{comments.byline(comment, spells_marks=True)}\n{text or t('*(no text)*')}"
    card.say(body, comments.avatar(comment.player))
    label = t("Read more") if is_cut else t("Open")
    show = drawing.button(shared_actions.ShowComment(found.key, comment.id), label)
    card.buttons(comment_cards.reply_button(found), show)
    return card


def burst_card(place: Place, count: int) -> drawing.Card:
    card = drawing.Card(theme.FORUM)
    card.say(f"### {_new_comments(comments.thread_title(place), count)}")
    screen = actions.ShowScreen(PageKey(place.game_id), 0)
    card.buttons(drawing.button(screen, t("Read comments"), style=drawing.BLUE))
    return card


def burst_title(place: Place, count: int) -> str:
    thread = comments.thread_title(place) if place.name is None else place.name
    return markdown.one_line(_new_comments(thread, count), _MAX_TITLE_LENGTH, plain=True)


def _new_comments(thread: str, count: int) -> str:
    return nt(
        "%(count)s new comment in %(thread)s",
        "%(count)s new comments in %(thread)s",
        count,
        thread=thread,
    )


class FollowedComment(kinds.Kind):
    """A comment in a channel, as it is now, or the number of comments.

    In a forum channel, a top-level comment is a post, and its replies are in the post.
    """

    name: ClassVar[str] = owing.COMMENT
    priority: ClassVar[messages.Priority] = messages.Priority.LIVE_POST
    pauses: ClassVar[bool] = True

    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._subscribed = self._announcing.subscribed
        self._threads = bot.features.threads
        self._shown = bot.features.shown
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory

    def repeat(self, message: messages.Message) -> kinds.Repeat:
        return (
            kinds.Repeat.NEVER
            if message.payload.get("form") == owing.POST
            else kinds.Repeat.BY_NONCE
        )

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        """Post, redraw or delete the comment's message.

        If a message that quotes a removed comment can't be redrawn at once, it is deleted. If a
        comment has only changed, its message stays as it is until then.
        """
        message_id = message.message_id
        if message_id is None:
            return await self._post(message, requests)
        drawn = None
        try:
            if message.is_wanted:
                drawn, _ = await self._drawn(message)
        except kinds.NoLongerWanted:
            if not message.is_removal:
                return message_id
        except (verdicts.TryAgain, KioskError, GameError):
            if not message.is_removal:
                raise
        with suppress(kinds.NoLongerWanted):
            await kinds.change(message, message_id, drawn, requests)
        if drawn is None:
            await _rename_deleted(message, message_id, requests)
            raise kinds.NoLongerWanted
        return message_id

    async def _post(self, message: messages.Message, requests: Requests) -> int | None:
        if not message.is_wanted:
            raise kinds.NoLongerWanted
        drawn, shown = await self._drawn(message)
        guild_id = message.guild_id or 0
        channel_id = drawn.channel_id or message.channel_id or 0
        if shown and not await self._shown.record(message.id, guild_id, channel_id, shown):
            # It has been hidden in the meantime.
            raise kinds.NoLongerWanted
        return await kinds.post(message, drawn, requests)

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        """Note that a message was posted, or stop posting in a channel that refuses it."""
        if message.message_id is not None:
            await self._moderation.removals.on_settled(transaction, message, verdict.state)
            return
        form = message.payload.get("form")
        if verdict.message_id is not None:
            post_id = verdict.message_id if form == owing.POST else None
            outbox = self._announcing.outbox
            await outbox.complete(transaction, message.id, verdict.message_id, post_id)
        is_closed = verdict.is_closed
        code = messages.code_of(verdict.reason or "")
        if form == owing.REPLY and verdict.state is messages.MessageState.REFUSED:
            # Posts may be locked or gone one by one.
            is_closed = code in _NOT_ALLOWED
        if not is_closed and verdict.state is not messages.MessageState.DROPPED:
            return
        subscription_id = message.payload["subscription"]
        subscription = await self._subscribed.find(subscription_id, transaction)
        if subscription is None:
            return
        if form == owing.REPLY or subscription.channel_id == message.channel_id:
            if is_closed:
                await self._announcing.owing.stop(transaction, subscription, code)
            first_id = message.payload.get("comment", message.payload.get("first", 0))
            await self._subscribed.save_missed(transaction, subscription_id, first_id)

    async def _drawn(self, message: messages.Message) -> tuple[kinds.Drawn, Sequence[ShownComment]]:
        """Return the message, and the comments that it shows. Raises NoLongerWanted, NotYet."""
        subscription = await self._subscribed.find(message.payload["subscription"])
        if subscription is None or subscription.stopped_at is not None:
            raise kinds.NoLongerWanted
        speak(await self._moderation.locale(subscription.guild_id, subscription.locale))
        thread_id = subscription.place_id
        place = await self._directory.place(subscription.guild_id, PlaceKind.THREAD, thread_id)
        form = message.payload.get("form")
        if (count := message.payload.get("count")) is not None:
            title = burst_title(place, count) if form == owing.POST else None
            return kinds.Drawn(
                burst_card(place, count), title=title, tag_id=subscription.tag_id
            ), ()
        seen = await self._announcing.following.comment(thread_id, message.payload["comment"])
        if seen is None or seen.is_gone:
            raise kinds.NoLongerWanted
        # A post has the id of its first message.
        channel_id = message.message_id if form == owing.POST else None
        if form == owing.REPLY:
            channel_id = await self._find_post_above(subscription, seen)
        found = await self._find_comment(message, subscription, seen)
        comment = found.comment
        shown = [
            ShownComment(comment.id, comment.player.id, thread_id),
            *(
                ShownComment(parent.id, parent.player.id, thread_id, is_quoted=True)
                for parent in found.ancestors[-1:]
            ),
        ]
        title = None
        if form == owing.POST:
            writer = comments.name_of(comment.player, plain=True)
            title = markdown.one_line(f"{writer}: {comment.content}", _MAX_TITLE_LENGTH, plain=True)
        card = followed_card(found, place)
        return kinds.Drawn(
            card, title=title, tag_id=subscription.tag_id, channel_id=channel_id
        ), shown

    async def _find_post_above(
        self, subscription: subscriptions.Subscription, seen: SeenComment
    ) -> int:
        """Return the id of the post for a reply. Raises NoLongerWanted, NotYet."""
        top = await self._announcing.outbox.find(owing.comment_key(subscription.id, seen.root_id))
        if top is None or (top.message_id is None and top.state is not messages.MessageState.OWED):
            raise kinds.NoLongerWanted
        if top.message_id is None:
            raise verdicts.NotYet("its post is not there yet")
        return top.message_id

    async def _find_comment(
        self, message: messages.Message, subscription: subscriptions.Subscription, seen: SeenComment
    ) -> Found:
        """Return a comment as the server may see it. Raises NoLongerWanted."""
        guild_id = subscription.guild_id or 0
        if message.message_id is not None:
            # A comment that another process has just hidden must not come back.
            self._moderation.policy.forget(guild_id)
        viewer = Viewer(_NOBODY, guild_id, subscription.locale)
        try:
            return await self._threads.seen_comment(
                viewer, subscription.place_id, seen, fresh=message.is_removal
            )
        except CommentNotFound as error:
            raise kinds.NoLongerWanted from error


async def _rename_deleted(message: messages.Message, message_id: int, requests: Requests) -> None:
    """Rename a post, so that no one can read deleted text in its name."""
    name = f"🚫 {t('removed by a moderator')}"
    if message.is_by_writer:
        name = f"🗑️ {t('deleted by its author')}"
    with suppress(discord.NotFound):
        await requests.rename_post(message.channel_id or 0, message_id, name)
