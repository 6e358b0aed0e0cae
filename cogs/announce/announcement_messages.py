"""Messages of announcements: posts, their publishing, and notices of stops."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

import discord
from msgspec.structs import replace

from bot.features import Features, item_queries
from bot.features.directory import Place
from bot.features.following import announcing, owing
from bot.features.following.comparing import DAY
from bot.game.models import Item
from bot.i18n import N_, nt, number, speak, speaking, t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, items, markdown, problems, shared_actions, theme
from bot.ui.messages import kinds, verdicts
from bot.ui.messages.requests import Requests, message_route
from cogs.announce import actions, words
from storage import messages, subscriptions
from storage.names import PlaceKind

_ALREADY_PUBLISHED = 40033
_NO_NEWS_CHANNEL = 50024
# Discord's limit for a post's title.
_MAX_TITLE_LENGTH = 100
# How many announcements one notice names.
_MAX_STOPPED = 10
_COUNTS = {
    subscriptions.News.NEW: N_("%(count)s new"),
    subscriptions.News.BACK: N_("%(count)s back again"),
    subscriptions.News.CLEARANCE: N_("%(count)s on clearance"),
    subscriptions.News.CHEAPER: N_("%(count)s cheaper"),
    subscriptions.News.MEMBERS: N_("%(count)s now for subscribers or everyone"),
    subscriptions.News.GONE: N_("%(count)s gone"),
}


class AnnouncementKind(kinds.Kind):
    name = owing.ANNOUNCEMENT
    priority = messages.Priority.ANNOUNCEMENT
    # Missed news are posted even after an outage of Discord.
    gives_up = False
    pauses = True
    retention = owing.RETENTION

    def __init__(self, features: Features) -> None:
        self._announcing = features.announcing
        self._moderation = features.moderation
        self._directory = features.directory

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        """Post news, or edit or delete their message if a manager asked for it."""
        message_id = message.message_id
        if message_id is None:
            return await super().carry_out(message, requests)
        is_post = message.kind == owing.ANNOUNCEMENT_POST
        # A post has the id of its first message.
        there = replace(message, channel_id=message_id) if is_post else message
        drawn = await self._draw_posted(message) if message.is_wanted else None
        if drawn is None and message.is_wanted:
            # The announcement was removed. Posts that are already there stay.
            return message_id
        try:
            await kinds.change(there, message_id, drawn, requests)
        except kinds.NoLongerWanted:
            if is_post and drawn is None:
                await self._rename_deleted(message, message_id, requests)
            raise
        return message_id

    async def _draw_posted(self, message: messages.Message) -> kinds.Drawn | None:
        """Draw posted news again, with each item as a manager last updated it."""
        number = message.payload["subscription"]
        subscription = await self._announcing.subscribed.find(number)
        events = await self._announcing.deliveries.events_of(message.key)
        if subscription is None or not events:
            return None
        is_published = message.payload.get("is_published")
        # The message stays as it is, even if the announcement has another channel now.
        subscription = replace(
            subscription,
            channel_id=message.channel_id,
            channel_kind=subscriptions.NEWS_CHANNEL if is_published else None,
        )
        updated = message.payload.get("updated", {})
        return await self.draw_news(
            subscription,
            [_with_item(event, updated.get(str(event.subject_id))) for event in events],
            is_post=message.kind == owing.ANNOUNCEMENT_POST,
            pings=message.payload.get("pings", True),
        )

    async def _rename_deleted(
        self, message: messages.Message, message_id: int, requests: Requests
    ) -> None:
        """Remove deleted news from the name of a post."""
        number = message.payload["subscription"]
        subscription = await self._announcing.subscribed.find(number)
        if subscription is not None:
            guild_id = subscription.guild_id
            speak(await self._moderation.locale(guild_id, subscription.locale))
        with suppress(discord.NotFound):
            await requests.rename_post(message_id, message_id, f"🗑️ {t('deleted')}")

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return the message. If Discord took nothing for a day, it has all waiting news."""
        number = message.payload["subscription"]
        is_first = message.attempted_at is None
        is_late = self._announcing.now() - message.wanted_at > DAY
        if is_first and is_late:
            await self._announcing.deliveries.gather(message.key, subscription_id=number)
        subscription = await self._announcing.subscribed.find(number)
        events = await self._announcing.deliveries.events_of(message.key)
        if subscription is None or subscription.stopped_at is not None or not events:
            return None
        if subscription.channel_id != message.channel_id and is_first:
            return None
        return await self.draw_news(
            subscription,
            events,
            is_post=message.kind == owing.ANNOUNCEMENT_POST,
            is_late=is_late,
            pings=message.payload.get("pings", True),
        )

    async def draw_news(
        self,
        subscription: subscriptions.Subscription,
        events: Sequence[subscriptions.Event],
        *,
        is_post: bool,
        is_late: bool = False,
        pings: bool = True,
        note: str = "",
    ) -> kinds.Drawn:
        """Draw news as the subscription's channel gets them, in its server's language.

        `note` is a sentence that is translated and shown above the news.
        """
        guild_id = subscription.guild_id
        catalog = await self._directory.place(guild_id, subscription.kind, subscription.place_id)
        pinged = subscription.pinged - subscription.gone_role_ids if pings else frozenset[int]()
        with speaking(await self._moderation.locale(guild_id, subscription.locale)):
            above = words.text_above(subscription, events, catalog, pinged)
            if note:
                above = "\n".join(filter(None, [above, f"-# {t(note)}"]))
            card = announcement(events, catalog, is_late=is_late, above=above)
            if subscription.notify_role_id is not None:
                card.buttons(drawing.button(actions.NotifyMe(subscription.id), t("Notify me")))
            title = post_title(events, catalog) if is_post else None
            link = _link(subscription)
        return kinds.Drawn(card, pinged, title=title, tag_id=subscription.tag_id, link=link)

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        """Record unposted news as missed, and queue publishing if the channel publishes."""
        if message.message_id is not None or not message.is_wanted:
            if verdict.state is messages.MessageState.DROPPED:
                await self._announcing.outbox.note_deleted(transaction, message.key)
            return
        if verdict.is_closed or verdict.state is messages.MessageState.DROPPED:
            reason = verdict.reason if verdict.is_closed else None
            await self._announcing.save_refusal(transaction, message, reason)
        elif verdict.message_id and message.payload.get("is_published"):
            published = messages.NewMessage(
                PublishKind.name,
                f"{PublishKind.name}:{message.key}",
                messages.Priority.ANNOUNCEMENT,
                channel_id=message.channel_id,
                payload={"message": verdict.message_id},
            )
            await self._announcing.outbox.want(transaction, published)


class PostKind(AnnouncementKind):
    """An announcement as a post of a forum channel. Discord takes no nonce for posts."""

    name = owing.ANNOUNCEMENT_POST

    def repeat(self, message: messages.Message) -> kinds.Repeat:
        return kinds.Repeat.NEVER


class NewestKind(PostKind):
    """The newest items from before the announcement, which ping no one and aren't news."""

    name = announcing.NEWEST_KIND
    gives_up = True
    pauses = False
    retention = None

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        subscription = await self._announcing.subscribed.find(message.payload["subscription"])
        if subscription is None or subscription.channel_id != message.channel_id:
            return None
        new = [subscriptions.News.NEW]
        events = [
            announcing.sample_event(subscription, item, new, message.wanted_at)
            for item in map(Item.from_json, message.payload["items"])
        ]
        is_post = subscription.channel_kind == subscriptions.FORUM_CHANNEL
        note = N_("These items are already in the catalog. News will be announced here.")
        return await self.draw_news(subscription, events, is_post=is_post, pings=False, note=note)

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        """Do nothing: if the message isn't posted, no news were missed."""


def _link(subscription: subscriptions.Subscription) -> str:
    """Return the last line of an embed in an announcement channel, "" for other channels."""
    if subscription.channel_kind != subscriptions.NEWS_CHANNEL:
        return ""
    url = f"https://discord.com/channels/{subscription.guild_id}/{subscription.channel_id}"
    return t("[Open, buy or redeem items in the server](%(url)s)", url=url)


class PublishKind(kinds.Kind):
    """Publishes a message of an announcement channel to the channel's followers."""

    name = "publish"
    priority = messages.Priority.ANNOUNCEMENT

    def repeat(self, message: messages.Message) -> kinds.Repeat:
        return kinds.Repeat.ALWAYS

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        message_id = int(message.payload["message"])
        route = message_route("POST", message.channel_id, message_id, "/crosspost")
        try:
            await requests.ask(route)
        except discord.RateLimited as error:
            # Discord publishes ten messages an hour, but any number can be posted.
            raise verdicts.NotYet(
                "it is published later", timedelta(seconds=error.retry_after)
            ) from error
        except discord.HTTPException as error:
            if verdicts.is_unknown_message(error) or error.code == _NO_NEWS_CHANNEL:
                raise kinds.NoLongerWanted from error
            if error.code != _ALREADY_PUBLISHED:
                raise
        return message_id


class StopNotice(kinds.Kind):
    """Notifies the server's log channel, or its system channel if it has one, of stops."""

    name = owing.PAUSED
    priority = messages.Priority.ANNOUNCEMENT

    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        guild_id = int(message.payload["guild"])
        all_of_them = await self._announcing.subscribed.of_guild(guild_id)
        stopped: list[tuple[subscriptions.Subscription, str]] = []
        for subscription in all_of_them:
            is_meant = subscription.id in message.payload["announcements"]
            if is_meant and subscription.refusal is not None:
                place_id = subscription.place_id
                place = await self._directory.place(guild_id, subscription.kind, place_id)
                stopped.append(
                    (subscription, problems.announcement_title(subscription, place, all_of_them))
                )
        if not stopped:
            raise kinds.NoLongerWanted
        speak(await self._moderation.locale(guild_id, stopped[0][0].locale))
        card = stop_notice(stopped)
        settings = await self._moderation.settings.find(guild_id)
        if settings.log_channel_id is not None:
            try:
                return await requests.create_message(card, channel_id=settings.log_channel_id)
            except discord.HTTPException as error:
                if not verdicts.is_refusal(error):
                    raise
        return await requests.tell_server(guild_id, card)


class GoneNotice(kinds.Kind):
    """Tells a server's log channel that the game no longer has what is announced there."""

    name = owing.PLACE_GONE
    priority = messages.Priority.ANNOUNCEMENT

    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._moderation = bot.features.moderation
        self._directory = bot.features.directory

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        guild_id = message.guild_id or 0
        kind = PlaceKind(message.payload["kind"])
        place_id = int(message.payload["place"])
        announced = await self._announcing.subscribed.of_guild(guild_id, kind)
        meant = (subscription for subscription in announced if subscription.place_id == place_id)
        first = next(meant, None)
        followed = await self._announcing.following.place(kind, place_id)
        if first is None or followed is None or followed.gone_at is None:
            return None
        speak(await self._moderation.locale(guild_id, first.locale))
        place = await self._directory.place(guild_id, kind, place_id)
        title = t(
            "%(name)s is no longer in the game", name=problems.announcement_title(first, place, ())
        )
        told = t("Kiosk has no more news to post. Posts that are already there stay.")
        button = drawing.button(shared_actions.ShowAnnouncements(), t("Open announcements"))
        return kinds.Drawn(drawing.notice(title, told, colour=theme.PROBLEM, buttons=(button,)))


def stop_notice(stopped: Sequence[tuple[subscriptions.Subscription, str]]) -> drawing.Card:
    """Return a card about announcements that stopped since Discord refused them."""
    first, _ = stopped[0]
    named = [
        (announced, t("%(name)s in %(channel)s", name=title, channel=f"<#{announced.channel_id}>"))
        for announced, title in stopped
    ]
    problem = next(problems.announcement_problems(named, {}, ()))
    title = problem.what
    body = problem.why
    button = drawing.button(
        shared_actions.OpenAnnouncement(first.id), t("Open"), style=drawing.BLUE
    )
    if len(stopped) > 1:
        title = t("%(count)s announcements stopped", count=number(len(stopped)))
        lines = [f"- {name}" for _, name in named[:_MAX_STOPPED]]
        body = "\n".join([*markdown.and_more(lines, len(stopped)), problem.why])
        button = drawing.button(shared_actions.ShowAnnouncements(), t("Open announcements"))
    return drawing.notice(title, body, colour=theme.PROBLEM, buttons=(button,))


def announcement(
    events: Sequence[subscriptions.Event],
    catalog: Place,
    *,
    is_late: bool = False,
    above: str = "",
    in_lines: bool = False,
) -> drawing.Card:
    """Return the card of news with the text `above`, and its items `in_lines` if necessary.

    Its last paragraph is about the buttons, as `as_embed` requires.
    """
    events = _one_each(events)
    card = drawing.Card(theme.SHOP)
    if above:
        card.components.insert(0, drawing.paragraph(above))
    title = items.catalog_title(catalog.game_id, catalog.name)
    if len(events) == 1:
        (event,) = events
        items.say_event(card, event, title)
        if items.is_gone(event):
            card.say("-# " + t("No one can buy this item now. It may come back."))
            return card
        opening = drawing.button(shared_actions.OpenItem(item_queries.ref_of(event)), t("Open"))
        card.buttons(*items.order_buttons(item_queries.ref_of(event)), opening)
        card.say("-# " + t("Only you see what a button opens."))
        return card
    first = Counter(
        next(kind for kind in subscriptions.News if kind in event.news) for event in events
    )
    counts = [
        t(_COUNTS[kind], count=number(first[kind])) for kind in subscriptions.News if first[kind]
    ]
    lines = ["## " + t("News from %(catalog)s", catalog=title), " · ".join(counts)]
    if is_late or any(event.is_late for event in events):
        lines.append(t("Kiosk couldn't announce anything for more than a day."))
    card.say("\n".join(lines))
    items.say_news(card, events, in_lines=in_lines)
    if len(events) > items.MAX_PICTURED:
        catalog_id = events[0].place_id
        card.buttons(
            drawing.button(
                shared_actions.OpenCatalog(catalog_id), t("Browse catalog"), style=drawing.BLUE
            )
        )
    card.say("-# " + t("Only you see what the list opens."))
    if above and not in_lines and not card.fits:
        return announcement(events, catalog, is_late=is_late, above=above, in_lines=True)
    return card


def post_title(events: Sequence[subscriptions.Event], catalog: Place) -> str:
    if len(events) == 1:
        name = item_queries.item_of(events[0]).name
        return markdown.one_line(name, _MAX_TITLE_LENGTH, plain=True) or t("News from the shop")
    count = nt("%(count)s item", "%(count)s items", len(events))
    name = catalog.name or t("Catalog %(number)s", number=catalog.game_id)
    return markdown.one_line(f"{name}: {count}", _MAX_TITLE_LENGTH, plain=True)


def _with_item(event: subscriptions.Event, updated: str | None) -> subscriptions.Event:
    """Return an event with its updated item, which is JSON, or unchanged without one."""
    if updated is None:
        return event
    news = item_queries.ItemNews.of(event.payload)
    payload = dataclasses.replace(news, item=Item.from_json(updated)).to_json()
    return replace(event, payload=payload)


def _one_each(events: Sequence[subscriptions.Event]) -> Sequence[subscriptions.Event]:
    """Return one event for each item: the last event, with all news about the item."""
    by_item: dict[int, subscriptions.Event] = {}
    for event in events:
        before = by_item.get(event.subject_id, event)
        old_cost = item_queries.ItemNews.of(before.payload).old_cost
        if old_cost is not None:
            payload = dataclasses.replace(
                item_queries.ItemNews.of(event.payload), old_cost=old_cost
            ).to_json()
            event = replace(event, payload=payload)
        by_item[event.subject_id] = replace(event, news=before.news | event.news)
    return list(by_item.values())
