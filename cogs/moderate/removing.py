"""Removing comments, with what is known of them."""

import logging

from msgspec.structs import astuple

from bot.errors import KioskError
from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import Found
from bot.game.errors import GameError
from bot.game.models import PageKey, Sort
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action
from bot.ui.comments import remember_texts
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route
from bot.ui.shared_actions import AboutComment, OpenRemoveForm
from cogs.moderate import actions
from cogs.moderate.cards import removal_card
from storage.moderation import Subject
from storage.removals import Removal

log = logging.getLogger(__name__)

# How long the game is asked what a comment says that is not at hand.
_SECONDS_TO_READ = 1.0


class Evidence:
    """Finds what comments say: at hand, in the game, or where they stood in a message."""

    def __init__(self, bot: Kiosk) -> None:
        self._threads = bot.features.threads
        self._writes = bot.features.writes
        # What messages showed of comments, by their numbers, for when the game can't be asked.
        self.seen = remember_texts(bot.tasks)

    async def of(self, here: Here, comment_id: int, near: PageKey | None) -> Subject:
        # What a server hides is evidence, too: it is seen as outside of it.
        viewer = Viewer(here.member_id)
        if near is None:
            written = await self._writes.find_comment(comment_id)
            near = None if written is None else PageKey(written.place_id, Sort.LATEST)
        found = await self._threads.known_comment(viewer, None, comment_id)
        if found is None and near is not None:
            try:
                found = await self._threads.comment_within(
                    _SECONDS_TO_READ, viewer, near, comment_id
                )
            except (KioskError, GameError) as error:
                log.info("a comment is removed that can't be read: %s", error)
        return self._subject(found, comment_id, near)

    async def at_hand(self, viewer: Viewer, comment_id: int, near: PageKey | None) -> Subject:
        """Return what is known of a comment that a viewer may see, without asking the game."""
        found = await self._threads.known_comment(viewer, near, comment_id)
        return self._subject(found, comment_id, near)

    def _subject(self, found: Found | None, comment_id: int, near: PageKey | None) -> Subject:
        if found is None:
            thread_id = None if near is None else near.thread_id
            return Subject(comment_id, thread_id, text=self.seen.known(comment_id), is_part=True)
        player = found.comment.player
        text = found.comment.content
        return Subject(comment_id, found.key.thread_id, player.id, player.screen_name, text)


class RemovalHandlers:
    def __init__(self, bot: Kiosk, evidence: Evidence) -> None:
        self._moderation = bot.features.moderation
        self._evidence = evidence

    async def open_form(self, here: Here, action: AboutComment) -> None:
        settings = await here.settings()
        # Moderators see what is hidden, too.
        viewer = Viewer(here.member_id)
        subject = await self._evidence.at_hand(viewer, action.comment_id, action.near)
        await here.open_form(actions.remove_form(action, subject, settings))

    async def remove(
        self, here: Here, comment_id: int, *, near: PageKey | None, reason: str
    ) -> None:
        new = Removal(
            guild_id=here.guild_id,
            subject=await self._evidence.of(here, comment_id, near),
            moderator_id=here.member_id,
            reason=reason,
            locale=here.server_locale,
        )
        await self.show(here, await self._moderation.remove(new))

    async def show(self, here: Here, removal: Removal) -> None:
        await here.answer(removal_card(await self._moderation.status_of(removal)))

    @route(OpenRemoveForm, opens_form=True, needs=MODERATOR)
    async def on_open_form(self, here: Here, action: AboutComment) -> None:
        await self.open_form(here, action)

    @route(actions.PickToRemove, opens_form=True, needs=MODERATOR)
    async def on_pick(self, here: Here, action: Action) -> None:
        await self.open_form(here, OpenRemoveForm(actions.NONE, here.number))

    @route(actions.SendRemoval, in_place=False, keeps=True, needs=MODERATOR)
    async def on_send(self, here: Here, action: AboutComment) -> None:
        here.again = OpenRemoveForm(*astuple(action))
        reason = actions.reason_of(here.texts)
        await self.remove(here, action.comment_id, near=action.near, reason=reason)
