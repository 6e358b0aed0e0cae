"""Messages of announcements: posts, their publishing, and the notice of a pause."""

from datetime import timedelta

import discord

from bot.features import Features
from bot.features.following.announcing import TEST_KIND, sample_event
from bot.features.following.owing import ANNOUNCEMENT, ANNOUNCEMENT_POST, PAUSED
from bot.features.following.rules import DAY
from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import paragraph
from bot.ui.messages.kinds import Drawn, Kind, NotOwed, Repeat, Transaction
from bot.ui.messages.requests import Requests, message_route
from bot.ui.messages.verdicts import NotYet, Settled, is_refusal, is_unknown_message
from cogs.announce.actions import TakeTestBack
from cogs.announce.cards import announcement, paused_notice, post_title, title_of
from storage.messages import Message, MessageState, NewMessage, Priority
from storage.names import PlaceKind
from storage.subscriptions import FORUM_CHANNEL, NEWS_CHANNEL, Subscription

_ALREADY_PUBLISHED, _NO_NEWS_CHANNEL = 40033, 50024


class AnnouncementKind(Kind):
    name = ANNOUNCEMENT
    priority = Priority.ANNOUNCEMENT
    # After an outage of Discord's, too, it is told what was missed.
    gives_up = False
    pauses = True

    def __init__(self, features: Features) -> None:
        self._announcing = features.announcing
        self._moderation = features.moderation
        self._directory = features.directory

    async def draw(self, message: Message) -> Drawn | None:
        """Return all that waits in one where Discord took nothing for a day."""
        number, is_first = message.payload["subscription"], message.attempted_at is None
        is_late = self._announcing.clock() - message.wanted_at > DAY
        if is_first and is_late:
            await self._announcing.following.gather(message.key, subscription_id=number)
        one = await self._announcing.following.find(number)
        events = await self._announcing.following.events_of(message.key)
        if one is None or one.paused_at is not None or not events:
            return None
        if one.channel_id != message.channel_id and is_first:
            return None
        catalog = await self._directory.place(one.guild_id, PlaceKind.CATALOG, one.game_id)
        speak(await self._moderation.locale(one.guild_id, one.locale))
        role_id = one.role_id if message.payload.get("pings", True) else None
        card = announcement(events, catalog, is_late=is_late)
        if role_id is not None:
            card.components.insert(0, paragraph(f"<@&{role_id}>"))
        title = post_title(events, catalog) if message.kind == ANNOUNCEMENT_POST else None
        return Drawn(card, role_id, title=title, tag_id=one.tag_id, link=_link(one))

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Keep what is not posted as missed, and publish what can be."""
        if verdict.is_closed or verdict.state is MessageState.DROPPED:
            reason = verdict.reason if verdict.is_closed else None
            await self._announcing.save_refusal(transaction, message, reason)
        elif verdict.message_id and message.payload.get("is_published"):
            published = NewMessage(
                PublishKind.name,
                f"publish:{message.key}",
                Priority.ANNOUNCEMENT,
                channel_id=message.channel_id,
                payload={"message": verdict.message_id},
            )
            await self._announcing.outbox.want(transaction, published)


class PostKind(AnnouncementKind):
    """An announcement as a post of a forum channel, which Discord knows no nonce for."""

    name = ANNOUNCEMENT_POST
    repeat = Repeat.NEVER


class TestKind(AnnouncementKind):
    """An announcement of an item that is no news, which pings nobody."""

    # pytest collects no class of this name.
    __test__ = False
    name = TEST_KIND
    priority = Priority.LIVE_POST
    repeat = Repeat.NEVER
    gives_up = True
    pauses = False

    async def draw(self, message: Message) -> Drawn | None:
        payload = message.payload
        one = await self._announcing.following.find(payload["subscription"])
        if one is None:
            return None
        catalog = await self._directory.place(one.guild_id, PlaceKind.CATALOG, one.game_id)
        event = sample_event(one, payload["item"], payload["news"], message.wanted_at)
        speak(await self._moderation.locale(one.guild_id, one.locale))
        title = t("Test of Kiosk's announcements") if one.channel_kind == FORUM_CHANNEL else None
        card = announcement([event], catalog, colour=theme.CALM)
        member = f"<@{payload['member']}>"
        note = t("🧪 A test by %(who)s: nobody is pinged, nothing is new.", who=member)
        card.components.insert(0, paragraph(f"-# {note}"))
        back = TakeTestBack(one.id, payload["wish"])
        card.buttons(action_button(back, t("Take the test back")))
        return Drawn(card, title=title, tag_id=one.tag_id, link=_link(one))


def _link(one: Subscription) -> str:
    """Return what an embed in an announcement channel ends with, "" for other channels."""
    if one.channel_kind != NEWS_CHANNEL:
        return ""
    url = f"https://discord.com/channels/{one.guild_id}/{one.channel_id}"
    return t("[Open, buy or redeem it in the server](%(url)s)", url=url)


class PublishKind(Kind):
    """A message of an announcement channel that goes to those who follow the channel."""

    name = "publish"
    repeat = Repeat.ALWAYS
    priority = Priority.ANNOUNCEMENT

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        message_id = int(message.payload["message"])
        route = message_route("POST", message.channel_id, message_id, "/crosspost")
        try:
            await requests.ask(route)
        except discord.RateLimited as error:
            # Ten an hour are published, and any number may be posted.
            raise NotYet("it is published later", timedelta(seconds=error.retry_after)) from error
        except discord.HTTPException as error:
            if is_unknown_message(error) or error.code == _NO_NEWS_CHANNEL:
                raise NotOwed from error
            if error.code != _ALREADY_PUBLISHED:
                raise
        return message_id


class PauseNotice(Kind):
    """Goes to the server's log channel, else to its system channel, where it has one."""

    name = PAUSED
    priority = Priority.ANNOUNCEMENT

    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        guild_id, numbers = int(message.payload["guild"]), message.payload["announcements"]
        all_of_them = await self._announcing.following.of_guild(guild_id)
        paused = [one for one in all_of_them if one.id in numbers and one.pause_reason is not None]
        if not paused:
            raise NotOwed
        speak(await self._moderation.locale(guild_id, paused[0].locale))
        titles: dict[Subscription, str] = {}
        for one in paused:
            place = await self._directory.place(guild_id, one.kind, one.game_id)
            titles[one] = title_of(one, place, all_of_them)
        card = paused_notice(titles)
        settings = await self._moderation.cards.find_settings(guild_id)
        if settings.log_channel_id is not None:
            try:
                return await requests.create_message(card, channel_id=settings.log_channel_id)
            except discord.HTTPException as error:
                if not is_refusal(error):
                    raise
        return await requests.tell_server(guild_id, card)
