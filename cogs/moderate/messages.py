"""Take what is removed or held back out of the public messages that show it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta
from functools import partial

import discord
from discord.http import Route

from bot.features.moderation.policy import Policy, Viewer
from bot.i18n import speaking, t
from bot.kiosk import Kiosk
from bot.ui.cards import CONTAINER, Component, paragraph
from bot.ui.comments import comments_in, texts_in, without_comments
from bot.worker.kinds import Kind, NotOwed, Transaction
from bot.worker.posts import rename_post, unarchived
from bot.worker.requests import Requests, channels_above, message_route
from bot.worker.verdicts import Refused, Settled, is_unknown_message
from storage.messages import Message, Priority, code_of
from storage.moderation import Subject
from storage.shown import MessageFate, PublicMessage, RemovedMessage, ShownComment

_MALFORMED = 50035
# What a refusal by one of Discord's codes says of the message.
_FATES = {50083: MessageFate.ARCHIVED} | dict.fromkeys(
    (10003, 10004, 50001, 50013, 160005), MessageFate.CLOSED
)
# How the key ends of a message whose number a crash lost.
_LOST = " 0"
# After so many tries, a message that Discord can't read is written anew.
_TRIES_TO_READ = 2
# A card that a crash left without its number was posted by then, if at all.
_POSTED_WITHIN = timedelta(minutes=20)
_POSTED_BEFORE = timedelta(minutes=1)


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

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Delete the message or edit it, and note which."""
        found = await self._messages.find(*_ids(message))
        if found is None or found.is_restored:
            raise NotOwed
        if found.outcome is not None:
            # Somebody noted it, and was stopped before telling of it.
            await self._tell_log(found)
            raise NotOwed
        if found.message_id is None:
            await self._look_for(found, requests)
            return None
        if message.key.endswith(_LOST):
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
        place = found.channel_id, found.message_id
        with speaking(found.locale):
            name = f"🚫 {t('removed by a moderator')}"
        is_edit = bool(contents.keys() - hidden)
        outcome = await _take_care(
            requests, place, hidden, f"-# {name}", is_edit=is_edit, tries=message.attempts
        )
        if not is_edit:
            await rename_post(requests, *place, name)
        await self._messages.note(found.removal_id, found.shown_id, outcome)
        await self._tell_log(found)
        return found.message_id

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Note why a message could not be reached."""
        if isinstance(verdict, Refused):
            removal_id, shown_id = _ids(message)
            outcome = _FATES.get(code_of(verdict.reason), MessageFate.FAILED)
            await self._messages.note_in(transaction, removal_id, shown_id, outcome)
            await self._moderation.cards.owe_for(transaction, removal_id)

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
                is_ours = self._bot.user and int(message["author"]["id"]) == self._bot.user.id
                if message_id in known or not is_ours:
                    continue
                if comments_in(message.get("components", [])).keys() == standing:
                    await self._shown.complete(found.guild_id, found.shown_id, message_id)
                    return
        await self._messages.note(found.removal_id, found.shown_id, MessageFate.LOST)
        await self._tell_log(found)

    async def _tell_log(self, found: RemovedMessage) -> None:
        """Draw the card in the log channel anew when the last message is taken care of."""
        standing = await self._moderation.standing(found.guild_id, found.removal_id)
        if not standing.progress.left and standing.progress.total > 1:
            await self._moderation.cards.owe_now(standing.removal.case_id)


async def _read(requests: Requests, channel_id: int, message_id: int) -> Sequence[Component]:
    """Return the components of a message. Raises what Discord answers."""
    message = await requests.ask(message_route("GET", channel_id, message_id))
    return message.get("components", ())


async def _take_care(
    requests: Requests,
    place: tuple[int, int],
    hidden: AbstractSet[ShownComment],
    instead: str,
    *,
    is_edit: bool,
    tries: int,
) -> MessageFate:
    try:
        if is_edit:
            await _edit(requests, place, hidden, instead, tries=tries)
            return MessageFate.EDITED
        deletion = message_route("DELETE", *place)
        await unarchived(requests, place[0], lambda: requests.ask(deletion))
    except discord.NotFound as error:
        if not is_unknown_message(error):
            raise
        # By a try before this one, or by another removal.
        return MessageFate.DELETED if tries or not hidden else MessageFate.GONE
    return MessageFate.DELETED


async def _edit(
    requests: Requests,
    place: tuple[int, int],
    hidden: AbstractSet[ShownComment],
    instead: str,
    *,
    tries: int,
) -> None:
    """Take what is hidden out of a message, as Discord has it now."""
    try:
        components = await _read(requests, *place)
        changed_to = without_comments(components, hidden, instead)
    except discord.Forbidden:
        # It may be edited, even so.
        changed_to = _notice(instead)
    except discord.DiscordServerError:
        if tries < _TRIES_TO_READ:
            raise
        changed_to = _notice(instead)
    await _replace(requests, place, changed_to, instead)


async def _replace(
    requests: Requests, place: tuple[int, int], components: Sequence[Component], instead: str
) -> None:
    """Replace the components of a message, by `instead` where Discord does not take them.

    However they were read, what is taken out must not stay. Raises what Discord answers.
    """
    edit = partial(requests.edit_message, components, *place)
    try:
        await unarchived(requests, place[0], edit)
    except discord.HTTPException as error:
        if error.code != _MALFORMED:
            raise
        edit = partial(requests.edit_message, _notice(instead), *place)
        await unarchived(requests, place[0], edit)


def _ids(message: Message) -> tuple[int, int]:
    return int(message.payload["removal"]), int(message.payload["shown"])


def _notice(text: str) -> list[Component]:
    return [{"type": CONTAINER, "components": [paragraph(text)]}]


class LookForWords(Kind):
    """A look at what a public message shows; owed by `Looks`."""

    name = "look"
    priority = Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        """Read the message, and take out of it what holds a word that is watched for."""
        shown = await self._moderation.looks.find(message.payload["shown"])
        if shown is None:
            raise NotOwed
        locale = message.payload["locale"]
        place = shown.channel_id, shown.message_id
        policy = self._moderation.policy
        if not await policy.rules(shown.guild_id):
            raise NotOwed
        channels = await channels_above(policy, requests, shown.guild_id, shown.channel_id)
        viewer = Viewer(0, shown.guild_id, channels, locale)
        try:
            components = await _read(requests, *place)
            held_back = await _held_back(shown, components, viewer, policy)
            if not held_back:
                raise NotOwed
            with speaking(locale):
                name = f"🔒 {t('hidden: watched word')}"
            changed = without_comments(components, held_back, f"-# {name}")
            await _replace(requests, place, changed, f"-# {name}")
            if any(comment.below is None for comment in held_back):
                await rename_post(requests, *place, name)
        except discord.NotFound as error:
            if is_unknown_message(error):
                raise NotOwed from error
            raise
        return shown.message_id


async def _held_back(
    message: PublicMessage, components: Sequence[Component], viewer: Viewer, policy: Policy
) -> Sequence[ShownComment]:
    texts = texts_in(components, message.comments)
    view = await policy.prepare(viewer, texts.values())
    held_back: list[ShownComment] = []
    for comment in message.comments:
        text = texts.get(comment.comment_id)
        part = Subject(comment.comment_id, player_id=comment.player_id, text=text, is_part=True)
        sight = view.see(part)
        if sight.hit:
            policy.tell(viewer, part, sight.hit)
        if sight.is_held_back:
            held_back.append(comment)
    return held_back
