"""Removing comments: the form, the removal, and the card that follows it."""

import asyncio
import contextvars
import logging

import discord

from bot.domain.moderation import GameAnswer, NewRemoval, Removal
from bot.errors import KioskError
from bot.features.moderation import RemovalStatus
from bot.game.models import PageKey
from bot.i18n import speaking
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.error_cards import note
from bot.ui.router import Press, route
from bot.ui.shared_actions import OpenRemoveForm
from cogs.moderate.actions import NONE, PickToRemove, SendRemoval, ShowRemoval
from cogs.moderate.handlers.checks import (
    guild_of,
    language_of_server,
    require_moderator,
)
from cogs.moderate.handlers.evidence import Evidence, near_of
from cogs.moderate.views.forms import asks_game, reason_of, remove_form
from cogs.moderate.views.removal import removal_card

log = logging.getLogger(__name__)

# What the game answers by then stands on the card from the start, in seconds.
_SECONDS_TO_ANSWER = 1.0
# A private card can be edited for a quarter of an hour, in seconds.
_LONGEST_FOLLOWED = 14 * 60.0
_FIRST_LOOK, _LATER_LOOKS = 1.0, 5.0


class RemovalHandlers:
    """Answers what removes a comment."""

    def __init__(self, bot: Kiosk, evidence: Evidence) -> None:
        self._moderation = bot.features.moderation
        self._evidence = evidence
        self._tasks = bot.tasks

    async def open_form(self, interaction: Interaction, action: OpenRemoveForm) -> None:
        """Open the form, or show the removal that is in force already."""
        guild_id = guild_of(interaction)
        rules = await self._moderation.rules(guild_id)
        await interaction.response.send_modal(remove_form(action, rules))

    async def remove(
        self,
        interaction: Interaction,
        comment_id: int,
        *,
        near: PageKey | None,
        reason: str,
        in_game: bool,
    ) -> None:
        """Hide a comment here, answer with the card, and ask the game where that is wanted."""
        guild_id = guild_of(interaction)
        new = NewRemoval(
            guild_id=guild_id,
            subject=await self._evidence.of(interaction, comment_id, near),
            moderator_id=interaction.user.id,
            reason=reason,
            locale=language_of_server(interaction),
            asks_game=in_game,
        )
        removal, is_new = await self._moderation.remove(new)
        await self.follow(interaction, removal, is_new=is_new, asks=is_new and in_game)

    async def follow(
        self, interaction: Interaction, removal: Removal, *, is_new: bool, asks: bool
    ) -> None:
        """Answer with a removal's card, and let it follow what happens."""
        if asks:
            asking = self._tasks.start(
                self._moderation.ask_game(removal, interaction.user.id), finish=True
            )
            await self._tasks.within(_SECONDS_TO_ANSWER, asking)
        standing = await self._moderation.standing(removal.guild_id, removal.id)
        await answer(interaction, removal_card(standing, is_new=is_new))
        if _is_under_way(standing):
            here = contextvars.copy_context()
            self._tasks.start(self._keep_up(interaction, standing, here, is_new=is_new))
        if is_new and self._moderation.redraw is not None:
            await self._moderation.redraw(removal.guild_id, removal.subject)

    @route(OpenRemoveForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenRemoveForm]) -> None:
        """Open the form from the card of a comment."""
        await require_moderator(press.interaction, self._moderation)
        await self.open_form(press.interaction, press.action)

    @route(PickToRemove, opens_form=True)
    async def on_pick(self, press: Press[PickToRemove]) -> None:
        """Open the form for the comment that was chosen."""
        await require_moderator(press.interaction, self._moderation)
        action = OpenRemoveForm(NONE, int(press.value))
        await self.open_form(press.interaction, action)

    @route(SendRemoval, in_place=False, keeps=True)
    async def on_send(self, press: Press[SendRemoval]) -> None:
        """Remove the comment."""
        await require_moderator(press.interaction, self._moderation)
        action = press.action
        await self.remove(
            press.interaction,
            action.comment_id,
            near=near_of(action),
            reason=reason_of(press.texts),
            in_game=asks_game(press.texts),
        )

    @route(ShowRemoval)
    async def on_show(self, press: Press[ShowRemoval]) -> None:
        """Show how a removal stands, and follow it from here on."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        standing = await self._moderation.standing(guild_id, press.action.removal_id)
        await self.follow(press.interaction, standing.removal, is_new=True, asks=False)

    async def _keep_up(
        self,
        interaction: Interaction,
        before: RemovalStatus,
        here: contextvars.Context,
        *,
        is_new: bool,
    ) -> None:
        """Draw the moderator's card anew as the public messages are taken care of.

        It waits by the real clock, and answers in the context of the press, which is `here`.
        """
        guild_id, removal_id = before.removal.guild_id, before.removal.id
        loop = asyncio.get_running_loop()
        end, pause = loop.time() + _LONGEST_FOLLOWED, _FIRST_LOOK
        is_followed = True
        while _is_under_way(before) and is_followed:
            await asyncio.sleep(pause)
            pause = _LATER_LOOKS
            is_followed = loop.time() < end
            try:
                standing = await self._moderation.standing(guild_id, removal_id)
                if standing == before and is_followed:
                    continue
                with speaking(interaction.locale):
                    card = removal_card(standing, is_new=is_new, is_followed=is_followed)
                edit = interaction.edit_original_response(view=card)
                await loop.create_task(edit, context=here)
            except discord.HTTPException:
                # Closed by the moderator, who can look into the log.
                return
            except KioskError as error:
                note(error)
                return
            before = standing


def _is_under_way(standing: RemovalStatus) -> bool:
    is_asked = standing.removal.game_answer is GameAnswer.ASKED
    return bool(standing.progress.left) or is_asked
