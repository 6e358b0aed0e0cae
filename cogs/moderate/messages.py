"""Take what is removed or held back out of the public messages that show it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta
from functools import partial
from typing import Any

import discord
from discord.http import Route
from msgspec import Struct

from bot.domain.moderation import Subject
from bot.domain.outbox import Entry, Priority
from bot.domain.shown import MessageFate, PublicMessage, RemovedMessage, ShownComment
from bot.features.moderation.hiding import VetHere
from bot.i18n import speaking, t
from bot.kiosk import Kiosk
from bot.ui.cards import CONTAINER, Component, paragraph
from bot.ui.comments import comments_in, texts_in, without_comments
from bot.worker.kinds import Kind, NotOwed, Transaction
from bot.worker.posts import rename_post, unarchived
from bot.worker.requests import Requests, message_route, watched_for
from bot.worker.verdicts import Refused, Settled, is_unknown_message

_ARCHIVED = "50083"
_MALFORMED = 50035
_CLOSED = ("10003", "10004", "50001", "50013", "160005")
# How the key ends of a message whose number a crash lost.
_LOST = " 0"
# After so many tries, a message that Discord can't read is written anew.
_TRIES_TO_READ = 2
# A card that a crash left without its number was posted by then, if at all.
_POSTED_WITHIN = timedelta(minutes=20)
_POSTED_BEFORE = timedelta(minutes=1)


class _Change(Struct, frozen=True):
    """What a message shows that is hidden; it is edited where it shows more, else deleted."""

    found: RemovedMessage
    message_id: int
    hidden: AbstractSet[ShownComment]
    is_edit: bool


class RemovedFromMessage(Kind):
    """A public message that shows what was removed; owed by `RemovedMessages`.

    It is deleted where all it shows is hidden. Else it is read, and only what is hidden is taken
    out of it: the game is not asked, so that it works however old the message is.
    """

    name = "removal"
    priority = Priority.REMOVAL

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._moderation = bot.features.moderation
        self._messages = bot.features.moderation.messages
        self._shown = bot.features.forum.shown

    async def carry_out(self, entry: Entry, requests: Requests) -> int | None:
        """Delete the message or edit it, and note which."""
        found = await self._messages.find(*_ids(entry))
        if found is None or found.is_restored:
            raise NotOwed
        if found.outcome is not None:
            # Somebody noted it, and was stopped before telling of it.
            await self._tell_log(found)
            raise NotOwed
        if found.message_id is None:
            await self._look_for(found, requests)
            return None
        if entry.key.endswith(_LOST):
            # It was found by the try before, and is owed by its number.
            raise NotOwed
        contents = await self._messages.contents(found.shown_id)
        ids = {comment.comment_id for comment, is_hidden in contents.items() if is_hidden}
        # What stands below a hidden comment goes with it.
        hidden = {each for each in contents if each.comment_id in ids or each.below in ids}
        if contents and not hidden:
            # A mute that ended by itself.
            await self._messages.note(found.removal_id, found.shown_id, MessageFate.DROPPED)
            raise NotOwed
        change = _Change(found, found.message_id, hidden, is_edit=bool(contents.keys() - hidden))
        outcome = await self._take_care(change, entry, requests)
        if not change.is_edit:
            place = found.channel_id, change.message_id
            await rename_post(requests, *place, _removed(found.locale))
        await self._messages.note(found.removal_id, found.shown_id, outcome)
        await self._tell_log(found)
        return found.message_id

    async def on_settled(self, transaction: Transaction, entry: Entry, verdict: Settled) -> None:
        """Note why a message could not be reached."""
        if isinstance(verdict, Refused):
            removal_id, shown_id = _ids(entry)
            outcome = _outcome_of(verdict.reason)
            await self._messages.note_in(transaction, removal_id, shown_id, outcome)
            await self._moderation.cards.owe_for(transaction, removal_id)

    async def _take_care(self, change: _Change, entry: Entry, requests: Requests) -> MessageFate:
        try:
            if change.is_edit:
                await self._edit(change, entry, requests)
                return MessageFate.EDITED
            channel_id = change.found.channel_id
            deletion = message_route("DELETE", channel_id, change.message_id)
            await unarchived(requests, channel_id, lambda: requests.ask(deletion))
        except discord.NotFound as error:
            if not is_unknown_message(error):
                raise
            # By a try before this one, or by another removal.
            was_us = entry.attempts > 0 or not change.hidden
            return MessageFate.DELETED if was_us else MessageFate.GONE
        return MessageFate.DELETED

    async def _edit(self, change: _Change, entry: Entry, requests: Requests) -> None:
        """Take what is hidden out of a message, as Discord has it now."""
        target = change.found.channel_id, change.message_id
        instead = f"-# {_removed(change.found.locale)}"
        try:
            components = await _read(requests, *target)
            changed_to = without_comments(components, change.hidden, instead)
        except discord.Forbidden:
            # It may be edited, even so.
            changed_to = _notice(instead)
        except discord.DiscordServerError:
            if entry.attempts < _TRIES_TO_READ:
                raise
            changed_to = _notice(instead)
        await _take_out(requests, *target, changed_to, _notice(instead))

    async def _look_for(self, found: RemovedMessage, requests: Requests) -> None:
        """Find a message whose number a crash lost, by what it shows; it is then owed by that."""
        posted_at = await self._messages.posted_at(found.shown_id)
        contents = await self._messages.contents(found.shown_id)
        if posted_at is not None:
            first = discord.utils.time_snowflake(posted_at - _POSTED_BEFORE)
            last = discord.utils.time_snowflake(posted_at + _POSTED_WITHIN)
            route = Route("GET", "/channels/{channel_id}/messages", channel_id=found.channel_id)
            messages = await requests.ask(route, params={"after": first, "limit": 100})
            standing = {each.comment_id for each in contents if each.below is None}
            known = await self._messages.known_ids(found.channel_id, first, last)
            for message in sorted(messages, key=lambda message: int(message["id"])):
                message_id = int(message["id"])
                if message_id in known or not self._is_ours(message):
                    continue
                if comments_in(message.get("components", [])).keys() == standing:
                    await self._shown.complete(found.guild_id, found.shown_id, message_id)
                    return
        await self._messages.note(found.removal_id, found.shown_id, MessageFate.LOST)
        await self._tell_log(found)

    def _is_ours(self, message: dict[str, Any]) -> bool:
        return self._bot.user is not None and int(message["author"]["id"]) == self._bot.user.id

    async def _tell_log(self, found: RemovedMessage) -> None:
        """Draw the card in the log channel anew when the last message is taken care of."""
        standing = await self._moderation.standing(found.guild_id, found.removal_id)
        if not standing.progress.left and standing.progress.total > 1:
            await self._moderation.cards.owe_now(standing.removal.case_id)


async def _read(requests: Requests, channel_id: int, message_id: int) -> Sequence[Component]:
    """Return the components of a message. Raises what Discord answers."""
    message = await requests.ask(message_route("GET", channel_id, message_id))
    return message.get("components", ())


async def _take_out(
    requests: Requests,
    channel_id: int,
    message_id: int,
    components: Sequence[Component],
    instead: Sequence[Component],
) -> None:
    """Replace the components of a message, by `instead` where Discord does not take them.

    However they were read, what is taken out must not stay. Raises what Discord answers.
    """

    async def replace_by(components: Sequence[Component]) -> None:
        edit = partial(requests.edit_message, components, channel_id, message_id)
        await unarchived(requests, channel_id, edit)

    try:
        await replace_by(components)
    except discord.HTTPException as error:
        if error.code != _MALFORMED:
            raise
        await replace_by(instead)


def _ids(entry: Entry) -> tuple[int, int]:
    return int(entry.payload["removal"]), int(entry.payload["shown"])


def _removed(locale: str) -> str:
    with speaking(locale):
        return f"🚫 {t('removed by a moderator')}"


def _hidden(locale: str) -> str:
    with speaking(locale):
        return f"🔒 {t('hidden: watched word')}"


def _notice(text: str) -> list[Component]:
    return [{"type": CONTAINER, "components": [paragraph(text)]}]


def _outcome_of(reason: str) -> MessageFate:
    code = reason.partition(" ")[0]
    if code == _ARCHIVED:
        return MessageFate.ARCHIVED
    return MessageFate.CLOSED if code in _CLOSED else MessageFate.FAILED


class LookForWords(Kind):
    """A look at what a public message shows; owed by `Looks`."""

    name = "look"
    priority = Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

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
            components = await _read(requests, *place)
            held_back = _held_back(message, components, vet)
            if not held_back:
                raise NotOwed
            name = _hidden(locale)
            instead = f"-# {name}"
            changed = without_comments(components, held_back, instead)
            await _take_out(requests, *place, changed, _notice(instead))
            if any(comment.below is None for comment in held_back):
                await rename_post(requests, *place, name)
        except discord.NotFound as error:
            if is_unknown_message(error):
                raise NotOwed from error
            raise
        return message.message_id


def _held_back(
    message: PublicMessage, components: Sequence[Component], vet: VetHere
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
