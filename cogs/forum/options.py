"""The options of `/forum`: what they are called, what is offered for them, and what is meant."""

from discord import app_commands
from discord.ext import commands

from bot.errors import NamingError
from bot.features.errors import CommentUnseen
from bot.features.names import STAND_IN, Place
from bot.game.models import PageKey, Sort
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction
from bot.ui.channels import server_of
from bot.ui.commands import ChannelOption, Choices, L, Option, choices, comment_choices
from cogs.forum.cards import comment_label
from cogs.forum.reading import ThreadHandlers
from storage.moderation import Subject
from storage.names import PlaceKind

Channel = app_commands.Transform[int, ChannelOption]
# Longer than the game takes, so that a text that is too long is told how much.
Content = app_commands.Range[str, 1, 6000]
PageNumber = app_commands.Range[int, 1, 1_000_000]

# More than are offered, so that typing finds older ones.
_OWN_LOOKED_THROUGH = 200


class ForumOptions(commands.Cog):
    """Offers threads and comments, from what is at hand; the cog brings what it stands on."""

    _bot: Kiosk
    _threads: ThreadHandlers

    async def suggest_threads(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        names = await self._bot.features.directory.suggest(
            server_of(interaction), PlaceKind.THREAD, typed, member_id=interaction.user.id
        )
        if not names and not typed:
            return choices([(t("Nothing is set up here yet"), STAND_IN)])
        return choices((named.name, str(named.game_id)) for named in names)

    async def suggest_comments(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the newest comments of the thread that was chosen, as far as they are at hand."""
        try:
            thread = getattr(interaction.namespace, "thread", None)
            place = await self.thread_meant(interaction, str(thread or ""))
        except NamingError:
            return []
        viewer = await self._threads.viewer(interaction)
        comments = await self._bot.features.forum.threads.known_comments(viewer, place.game_id)
        labels = {comment.id: comment_label(comment) for comment in comments}
        return comment_choices(labels, typed)

    async def suggest_own(self, interaction: Interaction, typed: str) -> Choices:
        """Offer what the member wrote through Kiosk."""
        own = await self._bot.features.writes.comments_of(interaction.user.id, _OWN_LOOKED_THROUGH)
        viewer = await self._threads.viewer(interaction)
        view = await self._bot.features.moderation.policy.prepare(viewer)
        shown = {
            one.result_id: one.body
            for one in own
            if one.result_id
            and not view.see(Subject(one.result_id, player_id=viewer.player_id)).is_hidden
        }
        return comment_choices(shown, typed)

    async def thread_meant(self, interaction: Interaction, text: str) -> Place:
        """Return the thread of a name or number. Raises NamingError."""
        return await self._bot.features.directory.resolve(
            server_of(interaction), PlaceKind.THREAD, text, member_id=interaction.user.id
        )

    async def near(self, interaction: Interaction, comment_id: int) -> PageKey:
        """Return a comment's last known page, or its thread's first. Raises CommentUnseen."""
        own = await self._bot.features.writes.find_comment(comment_id)
        near = None if own is None else PageKey(own.place_id)
        viewer = await self._threads.viewer(interaction)
        found = await self._bot.features.forum.threads.known_comment(viewer, near, comment_id)
        if found is not None:
            return found.key
        if near is None:
            raise CommentUnseen(name=str(comment_id))
        return near


_COMMENT = L("The comment's number, such as #123")
OPTIONS = {
    "thread": Option(
        L("thread"), L("The thread's name, or its number"), ForumOptions.suggest_threads
    ),
    "sort": Option(
        L("sort"),
        L("Which comments come first"),
        choices=[
            app_commands.Choice(name=L("Latest first"), value=Sort.LATEST.value),
            app_commands.Choice(name=L("Hottest first"), value=Sort.HOTTEST.value),
        ],
    ),
    "page": Option(L("page"), L("Where to start, in pages of fifteen")),
    "public": Option(L("public"), L("Post it for everybody in this channel")),
    "parent": Option(L("comment"), _COMMENT, ForumOptions.suggest_comments),
    "comment": Option(L("comment"), _COMMENT, ForumOptions.suggest_own),
    "content": Option(L("content"), L("Your text; leave it out to write in a form")),
    "channel": Option(L("channel"), L("The channel they are posted in")),
}
