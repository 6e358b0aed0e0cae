"""Hold back what already stands in the channels, once a server watches for more."""

from collections.abc import Sequence

import discord

from bot.domain.moderation import Subject
from bot.domain.outbox import Entry, Priority
from bot.domain.shown import PublicMessage, ShownComment
from bot.features.moderation.hiding import VetHere
from bot.i18n import speaking, t
from bot.kiosk import Kiosk
from bot.ui.comments import Raw, texts_in, without_comments
from bot.worker.kinds import Kind, NotOwed
from bot.worker.requests import Requests, watched_for
from bot.worker.verdicts import is_unknown_message
from cogs.moderate.posted import PostedMessages


class LookForWords(Kind):
    """A look at what a public message shows; owed by `Looks`."""

    name = "look"
    priority = Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk, posted: PostedMessages) -> None:
        self._moderation = bot.features.moderation
        self._posted = posted

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Read the message, and take out of it what holds a word that is watched for."""
        message = await self._moderation.looks.find(entry.payload["shown"])
        if message is None:
            raise NotOwed
        locale = entry.payload["locale"]
        place = message.channel_id, message.message_id
        vet = await watched_for(
            self._moderation.vetting, requests, message.guild_id, message.channel_id, locale
        )
        if vet is None:
            raise NotOwed
        try:
            components = await self._posted.read(requests, *place)
            held_back = _held_back(message, components, vet)
            if not held_back:
                raise NotOwed
            with speaking(locale):
                instead = f"-# 🔒 {t('hidden: watched word')}"
            changed = without_comments(components, held_back, instead)
            await self._posted.edit(requests, *place, changed)
        except discord.NotFound as error:
            if is_unknown_message(error):
                raise NotOwed from error
            raise
        return message.message_id


def _held_back(
    message: PublicMessage, components: Sequence[Raw], vet: VetHere
) -> Sequence[ShownComment]:
    texts = texts_in(components, message.comments)
    return [
        comment
        for comment in message.comments
        if comment.comment_id in texts
        and vet.holds_back_part(
            Subject(comment.comment_id, player_id=comment.player_id, text=texts[comment.comment_id])
        )
    ]
