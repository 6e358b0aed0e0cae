"""What is offered while a member types an option of `/forum`, and what they mean by it."""

from collections.abc import Mapping

from discord import app_commands

from bot.domain.names import PlaceKind
from bot.errors import NamingError
from bot.features.errors import CommentUnseen
from bot.features.names import STAND_IN, Place
from bot.game.models import PageKey
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui.actions import Action, ListEntry
from bot.ui.answers import Interaction
from bot.ui.channels import server_of
from bot.ui.commands import choices
from cogs.forum.handlers.threads import ThreadHandlers
from cogs.forum.views.choosing import comment_label

Choices = list[app_commands.Choice[str]]
# More than are offered, so that typing finds older ones.
_OWN_LOOKED_THROUGH = 200


class Autocomplete:
    """Offers threads and comments, from what is at hand."""

    def __init__(self, bot: Kiosk, handlers: ThreadHandlers) -> None:
        self._directory = bot.features.directory
        self._threads = bot.features.forum.threads
        self._authored = bot.features.forum.authored
        self._handlers = handlers

    async def threads(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        names = await self._directory.suggest(
            server_of(interaction), PlaceKind.THREAD, typed, member_id=interaction.user.id
        )
        if not names and not typed:
            return choices([(t("Nothing is set up here yet"), STAND_IN)])
        return choices((named.name, str(named.game_id)) for named in names)

    async def comments(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the newest comments of the thread that was chosen, as far as they are at hand."""
        try:
            thread = getattr(interaction.namespace, "thread", None)
            place = await self.thread_meant(interaction, str(thread or ""))
        except NamingError:
            return []
        viewer = await self._handlers.viewer(interaction)
        comments = self._threads.known_comments(viewer, place.game_id)
        labels = {comment.id: comment_label(comment) for comment in comments}
        return _fitting(labels, typed)

    async def own(self, interaction: Interaction, typed: str) -> Choices:
        """Offer what the member wrote through Kiosk."""
        own = await self._authored.latest(interaction.user.id, _OWN_LOOKED_THROUGH)
        viewer = await self._handlers.viewer(interaction)
        shown = {
            comment.comment_id: comment.excerpt
            for comment in own
            if not viewer.hidden.hides(comment.comment_id, viewer.player_id)
        }
        return _fitting(shown, typed)

    async def thread_meant(self, interaction: Interaction, text: str) -> Place:
        """Return the thread of a name or number. Raises NamingError."""
        return await self._directory.resolve(
            server_of(interaction), PlaceKind.THREAD, text, member_id=interaction.user.id
        )

    async def near(self, interaction: Interaction, comment_id: int) -> PageKey:
        """Return the page where a comment was last seen, or the first of its thread.

        Raises CommentUnseen.
        """
        authored = await self._authored.find(comment_id)
        near = None if authored is None else PageKey(authored.thread_id)
        viewer = await self._handlers.viewer(interaction)
        found = self._threads.known_comment(viewer, near, comment_id)
        if found is not None:
            return found.key
        if near is None:
            raise CommentUnseen(name=str(comment_id))
        return near


def place_entry(place: Place, action: Action) -> ListEntry:
    """Return a thread as an entry of a list of what may be meant."""
    return ListEntry(place.name or str(place.game_id), action)


def _fitting(labels: Mapping[int, str], typed: str) -> Choices:
    wanted = typed.strip().removeprefix("#").casefold()
    return choices(
        (f"#{comment_id} {label}", str(comment_id))
        for comment_id, label in labels.items()
        if wanted in label.casefold() or str(comment_id).startswith(wanted)
    )
