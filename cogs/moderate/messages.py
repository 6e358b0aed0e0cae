"""Take what is removed out of the public messages that show it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta

import discord
from discord.http import Route

from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui.cards import CONTAINER, Component, paragraph, with_fitting_lists
from bot.ui.comments import comments_in, without_comments
from bot.ui.messages.kinds import Kind, NotOwed, Repeat, Transaction
from bot.ui.messages.requests import Requests, message_route
from bot.ui.messages.verdicts import UNKNOWN_CHANNEL, Settled, is_unknown_message
from storage.messages import Message, MessageState, Priority
from storage.shown import LOST, REMOVAL, PublicMessage, ShownComment
from storage.writes import DELETED

_MALFORMED = 50035
# After so many tries, a message that Discord can't read is written anew.
_TRIES_TO_READ = 2
# A card that a crash left without its number was posted by then, if at all.
_POSTED_WITHIN = timedelta(minutes=20)
_POSTED_BEFORE = timedelta(minutes=1)


class RemovedFromMessage(Kind):
    """A public message that shows what was removed; owed by `ShownMessages`.

    It is deleted where all it shows is hidden. Else it is read, and only what is hidden is taken
    out of it: the game is not asked, so that it works however old the message is.
    """

    name = REMOVAL
    repeat = Repeat.ALWAYS
    priority = Priority.REMOVAL

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._moderation = bot.features.moderation
        self._shown = bot.features.shown

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        removals = self._moderation.removals
        removal = await removals.find(message.guild_id or 0, message.removal_id or 0)
        if removal is None or removal.ended_at is not None:
            raise NotOwed
        found = await self._shown.find(message.shown_id)
        if found is None or not found.comments:
            # It was taken back, or deleted for another removal.
            return None
        if found.message_id is None:
            await self._look_for(found, requests)
            return None
        speak(await self._moderation.locale(found.guild_id, removal.locale))
        name = f"🚫 {t('removed by a moderator')}"
        hidden = {comment for comment, is_hidden in found.comments.items() if is_hidden}
        await self._take_out(found, hidden, name, requests, tries=message.attempts)
        return None

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Draw the card in the log channel anew where one is not reached, or it was the last."""
        removal_id = message.removal_id or 0
        progress = await self._shown.progress(removal_id, transaction)
        if not progress.left or verdict.state is MessageState.REFUSED:
            await self._moderation.cards.owe(transaction, message.payload["case"])

    async def _take_out(
        self,
        found: PublicMessage,
        hidden: AbstractSet[ShownComment],
        name: str,
        requests: Requests,
        *,
        tries: int,
    ) -> None:
        """Edit the message, or delete it and rename its post; it may be gone already."""
        is_edit = any(comment.is_whole for comment in found.comments.keys() - hidden)
        place = found.channel_id, found.message_id or 0
        keeps_name = is_edit
        try:
            if is_edit:
                await _edit(requests, place, hidden, f"-# {name}", tries=tries)
                return
            await requests.delete_message(*place)
        except discord.NotFound as error:
            if not is_unknown_message(error) and error.code != UNKNOWN_CHANNEL:
                raise
            keeps_name = is_edit or error.code == UNKNOWN_CHANNEL
        if not keeps_name:
            await requests.rename_post(*place, name)
        await self._shown.forget_comments(found.id)

    async def _look_for(self, found: PublicMessage, requests: Requests) -> None:
        """Find a message whose number a crash lost, by what it shows; it is owed anew then."""
        first = discord.utils.time_snowflake(found.posted_at - _POSTED_BEFORE)
        last = discord.utils.time_snowflake(found.posted_at + _POSTED_WITHIN)
        route = Route("GET", "/channels/{channel_id}/messages", channel_id=found.channel_id)
        messages = await requests.ask(route, params={"after": first, "limit": 100})
        standing = {each.comment_id for each in found.comments if each.is_whole}
        known = await self._shown.known_ids(found.channel_id, first, last)
        for message in sorted(messages, key=lambda message: int(message["id"])):
            message_id = int(message["id"])
            is_ours = self._bot.user and int(message["author"]["id"]) == self._bot.user.id
            if message_id in known or not is_ours:
                continue
            if comments_in(message.get("components", [])).keys() == standing:
                await self._shown.complete(found.id, message_id, found.guild_id)
                return
        raise NotOwed(LOST)


class DeletedFromMessage(RemovedFromMessage):
    """A card that members shared of a comment which its writer has deleted; owed by `Writes`."""

    name = DELETED

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        found = await self._shown.find(message.shown_id)
        if found is None or not found.comments:
            return None
        if found.message_id is None:
            await self._look_for(found, requests)
            found = await self._shown.find(message.shown_id) or found
        speak(await self._moderation.locale(found.guild_id, message.payload["locale"]))
        name = f"🗑️ {t('deleted by its writer')}"
        comment_id = int(message.payload["comment"])
        gone = {comment for comment in found.comments if comment.comment_id == comment_id}
        await self._take_out(found, gone, name, requests, tries=message.attempts)
        return None

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Nothing follows."""


async def _edit(
    requests: Requests,
    place: tuple[int, int],
    hidden: AbstractSet[ShownComment],
    instead: str,
    *,
    tries: int,
) -> None:
    """Take what is hidden out of a message, as Discord has it now. Raises what Discord answers."""
    nothing_left: list[Component] = [{"type": CONTAINER, "components": [paragraph(instead)]}]
    changed_to: Sequence[Component] = nothing_left
    try:
        message = await requests.ask(message_route("GET", *place))
        left = without_comments(message.get("components", ()), hidden, instead)
        changed_to = with_fitting_lists(left)
    except (discord.Forbidden, discord.DiscordServerError) as error:
        # It may be edited, even so.
        if not isinstance(error, discord.Forbidden) and tries <= _TRIES_TO_READ:
            raise
    try:
        await requests.edit_message(changed_to, *place)
    except discord.HTTPException as error:
        if error.code != _MALFORMED:
            raise
        # However it was read, what is taken out must not stay.
        await requests.edit_message(nothing_left, *place)
