"""What is known of a comment that is removed or reported."""

import logging
from collections.abc import Mapping

from bot.domain.moderation import Subject
from bot.domain.shown import Viewer
from bot.errors import KioskError
from bot.game.errors import GameError
from bot.game.models import PageKey, Sort
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction
from bot.ui.comments import SeenTexts
from cogs.moderate.actions import NONE, SendRemoval, SendReport

log = logging.getLogger(__name__)

# How long the game is asked what a comment says that is not at hand.
_SECONDS_TO_READ = 1.0


class Evidence:
    """Finds what comments say: at hand, in the game, or where they stood in a message."""

    def __init__(self, bot: Kiosk) -> None:
        self._threads = bot.features.forum.threads
        self._authored = bot.features.forum.authored
        # For when the game can't be asked.
        self._seen = SeenTexts(bot.tasks)

    def remember(self, comments: Mapping[int, str]) -> None:
        """Remember what a message shows of comments that may be removed."""
        self._seen.remember(comments)

    async def of(self, interaction: Interaction, comment_id: int, near: PageKey | None) -> Subject:
        """Return what is known of a comment: at hand, in the game, or where it stood."""
        # What a server hides is evidence, too, so nothing is hidden from this viewer.
        viewer = Viewer(
            interaction.user.id, interaction.guild_id, interaction.channel_id, "", player_id=None
        )
        if near is None:
            authored = await self._authored.find(comment_id)
            near = None if authored is None else PageKey(authored.thread_id, Sort.LATEST)
        found = self._threads.known_comment(viewer, None, comment_id)
        if found is None and near is not None:
            try:
                found = await self._threads.comment_within(
                    _SECONDS_TO_READ, viewer, near, comment_id
                )
            except (KioskError, GameError) as error:
                log.info("a comment is removed that can't be read: %s", error)
        if found is None:
            thread_id = None if near is None else near.thread_id
            return Subject(comment_id, thread_id, text=self._seen.find(comment_id))
        player = found.comment.player
        return Subject(
            comment_id, found.key.thread_id, player.id, player.screen_name, found.comment.content
        )


def near_of(action: SendRemoval | SendReport) -> PageKey | None:
    """Return the page where a comment was seen, None where nobody knows."""
    if action.thread_id == NONE:
        return None
    return PageKey(action.thread_id, action.sort, action.page)
