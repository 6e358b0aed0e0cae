"""Turn news into messages to subscribers, in the transaction that saves the news."""

import asyncio
import functools
from collections import abc
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from bot.features.following import comparing
from bot.features.item_queries import item_of
from storage import messages, moderation, subscriptions
from storage.database import Transaction
from storage.deliveries import Deliveries
from storage.following import Followed, Following, Owe, SeenComment
from storage.member_watches import WATCH_KIND
from storage.names import PlaceKind
from storage.rows import MIN_ROWS_IN_THREAD, to_micros
from storage.subscriptions import Subscriptions

# Items per message, and messages per look. If a look brings more, one message has them all.
MAX_ITEMS = 10
_MAX_MESSAGES = 10
# How long Kiosk remembers in which channels news of a catalog were posted.
RETENTION = timedelta(days=90)
# If more comments come at once, Kiosk only says how many.
_MAX_COMMENTS = 5
# The kinds of messages, each carried out in cogs/announce and cogs/forum.
ANNOUNCEMENT = "announcement"
ANNOUNCEMENT_POST = "announcement.post"
COMMENT = "follow"
PAUSED = "paused"
PLACE_GONE = "place.gone"
# In a forum channel, a comment is a post, or a reply within a post.
POST = "post"
REPLY = "reply"
# Discord's codes for a channel or a server that is gone, or that Kiosk doesn't see.
_OUT_OF_REACH = (10003, 10004, 50001)
# A subscription, and the events that it gets.
_Wanted = tuple[subscriptions.Subscription, abc.Sequence[subscriptions.Event]]
# A subscription's id, the events that it gets, and the key of the message.
_Delivery = tuple[int, abc.Sequence[subscriptions.Event], str]


class NewsQueue(Struct, frozen=True):
    """Queues messages about news for subscribers, and stops and resumes subscriptions.

    The functions that `news` and `comments` return are called in the transaction that saves the
    news. Both read what they can before that, while no one waits.
    """

    following: Following
    subscribed: Subscriptions
    deliveries: Deliveries
    outbox: messages.Messages
    now: abc.Callable[[], datetime]

    async def news(self, catalog_id: int, events: abc.Sequence[subscriptions.NewEvent]) -> Owe:
        """Return a function that queues a look's news, in the catalog's order, for subscribers."""
        everyone = await self.subscribed.of_place(PlaceKind.CATALOG, catalog_id)
        # No one's answer waits while Kiosk goes through all of them.
        wanted = await asyncio.to_thread(_who_wants, everyone, events)

        async def owe(transaction: Transaction, written: abc.Sequence[subscriptions.Event]) -> None:
            stopped = await self.subscribed.stopped(transaction, PlaceKind.CATALOG, catalog_id)
            owed = (
                (subscription, [written[place] for place in positions])
                for subscription, positions in wanted
                if subscription.id not in stopped
            )
            is_long = len(wanted) >= MIN_ROWS_IN_THREAD
            await self.announce(transaction, owed, is_long=is_long)

        return owe

    async def announce(
        self,
        transaction: Transaction,
        wanted: abc.Iterable[_Wanted],
        *,
        wish: int = 0,
        pings: bool = True,
        is_long: bool = False,
    ) -> None:
        """Queue these events for channels and members.

        `wish` names the wish at which they are queued again. All are written at once, because there
        may be ten thousand channels. Without `pings`, no role is pinged. If the list `is_long`, a
        thread goes through it, so that other answers don't wait.
        """
        make = functools.partial(_announcements, wanted, wish, pings=pings)
        owed, deliveries = await asyncio.to_thread(make) if is_long else make()
        await self.outbox.want(transaction, *owed)
        await self.deliveries.tell(transaction, deliveries)

    async def comments(
        self,
        thread_id: int,
        changes: comparing.ThreadChanges,
        known: abc.Mapping[int, SeenComment],
        wishes: abc.Sequence[subscriptions.Subscription],
        texts: abc.Mapping[int, str],
    ) -> tuple[abc.Sequence[subscriptions.NewEvent], Owe]:
        """Return the events of a look at a thread, and a function that queues the messages.

        Channels get each new comment, and changes. Members get the events. A comment that is gone
        is deleted wherever a message shows it.
        """
        channels = [wish for wish in wishes if wish.channel_id is not None]
        members = [wish for wish in wishes if wish.member_id is not None]
        posted = await self._posted(thread_id, changes.new)
        heard: list[tuple[subscriptions.Subscription, abc.Sequence[int]]] = []
        if members and changes.new:
            heard = await asyncio.to_thread(
                lambda: list(comparing.who_hears(members, changes.new, texts))
            )
        numbers = sorted({comment_id for _, ids in heard for comment_id in ids})
        no_news = frozenset[subscriptions.News]()
        events = [
            subscriptions.NewEvent(subject_id=number, news=no_news, payload="{}")
            for number in numbers
        ]

        async def owe(transaction: Transaction, written: abc.Sequence[subscriptions.Event]) -> None:
            by_id = {event.subject_id: event for event in written}
            told = ((wish, [by_id[number] for number in ids]) for wish, ids in heard)
            await self.announce(transaction, told, is_long=len(heard) >= MIN_ROWS_IN_THREAD)
            owed: list[messages.NewMessage] = []
            changed: list[str] = []
            stopped = await self.subscribed.stopped(transaction, PlaceKind.THREAD, thread_id)
            for subscription in channels:
                if subscription.id not in stopped:
                    owed += _comments_owed(subscription, changes.new, known, posted)
                    ids = (comment.id for comment in changes.changed)
                    changed += [comment_key(subscription.id, comment_id) for comment_id in ids]
            for comment in changes.changed:
                thread = PlaceKind.THREAD, thread_id
                changed += await self.deliveries.telling(transaction, *thread, comment.id)
            await self.outbox.want(transaction, *owed)
            await self.outbox.redraw(transaction, *changed)
            for comment in changes.changed:
                if comment.is_gone:
                    await self.outbox.remove(transaction, comment_id=comment.id)
                await moderation.note_gone(
                    transaction, self.outbox, comment.id, is_gone=comment.is_gone
                )

        return events, owe

    async def _posted(
        self, thread_id: int, new: abc.Sequence[SeenComment], source: Transaction | None = None
    ) -> set[tuple[int, int]]:
        """Return the posted comments that new ones answer, each with its subscription's id."""
        answered = {comment.root_id for comment in new} - {comment.id for comment in new}
        return {
            (subscription_id, number)
            for number in answered
            for subscription_id in await self.deliveries.showing(thread_id, number, source)
        }

    async def stop(
        self, transaction: Transaction, subscription: subscriptions.Subscription, code: int
    ) -> None:
        """Stop a subscription that Discord refused with this code, and notify the server once.

        The channel's other subscriptions stop too, because Discord would refuse them as well. In a
        forum, they only stop if Kiosk can't reach it at all: replies need more permissions than
        posts.
        """
        now = self.now()
        stopped = list[subscriptions.Subscription]()
        is_whole = subscription.channel_kind != subscriptions.FORUM_CHANNEL or code in _OUT_OF_REACH
        refused = {subscription.channel_id} if is_whole else set[int | None]()
        for other in await self.subscribed.of_guild(subscription.guild_id, source=transaction):
            if other.id == subscription.id or other.channel_id in refused:
                stop = self.subscribed.stop(other.id, str(code), now=now, transaction=transaction)
                stopped += [other] if await stop else []
        if stopped:
            await self.outbox.want(transaction, _stop_notice(stopped, now))

    async def tell_gone(self, transaction: Transaction, followed: Followed) -> None:
        """Post in the logs of servers that announce a place that the game lost it."""
        place = f"{followed.kind}:{followed.place_id}"
        now = f"{self.now().timestamp():.0f}"
        notices = [
            messages.NewMessage(
                PLACE_GONE,
                f"{PLACE_GONE}:{guild_id}:{place}:{now}",
                messages.Priority.ANNOUNCEMENT,
                channel_id=channel_id,
                guild_id=guild_id,
                payload={"kind": followed.kind, "place": followed.place_id},
            )
            for guild_id, channel_id in (
                await self.following.logs_of(transaction, followed)
            ).items()
        ]
        await self.outbox.want(transaction, *notices)

    async def missed(
        self, subscription: subscriptions.Subscription, source: Transaction | None = None
    ) -> abc.Sequence[subscriptions.Event | SeenComment]:
        """Return the news that a subscription has missed since it stopped."""
        if subscription.stopped_at is None:
            return []
        if subscription.kind is PlaceKind.CATALOG:
            events = await self.deliveries.missed_events(subscription, source)
            return [
                event
                for event in events
                if comparing.wants(subscription, event.news, item_of(event))
            ]
        of = (subscription.kind, subscription.place_id)
        thread = await self.following.place(*of, source)
        since = thread and thread.since
        return [
            comment
            for comment in await self.deliveries.missed_comments(subscription, source)
            if since is not None
            and comment.written_at > since
            and not (comment.is_gone or comment.is_only_placed)
        ]

    async def resume(
        self,
        number: int,
        *,
        tells_missed: bool,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> abc.Sequence[subscriptions.Event | SeenComment]:
        """Resume a stopped subscription. Return what it missed, if `tells_missed`."""
        subscription = await self.subscribed.find(number)
        if subscription is None or subscription.stopped_at is None:
            return []
        known: abc.Mapping[int, SeenComment] = {}
        if subscription.kind is PlaceKind.THREAD:
            known = await self.following.comments(subscription.place_id)
        async with self.outbox.transaction() as transaction:
            missed: abc.Sequence[subscriptions.Event | SeenComment] = []
            if tells_missed:
                missed = await self.missed(subscription, transaction)
            if not await self.subscribed.resume(transaction, subscription.id):
                return []
            active = replace(subscription, stopped_at=None, stopped_for=None)
            await moderation.note(transaction, line_of, subscription, active)
            events = [event for event in missed if isinstance(event, subscriptions.Event)]
            wish = to_micros(subscription.stopped_at)
            await self.announce(transaction, [(subscription, events)], wish=wish)
            comments = [comment for comment in missed if isinstance(comment, SeenComment)]
            posted = await self._posted(subscription.place_id, comments, transaction)
            owed = _comments_owed(subscription, comments, known, posted, wish)
            await self.outbox.want(transaction, *owed)
            # The channel still shows the old versions of comments that have changed or are gone.
            ids = (comment.id for comment in known.values() if comment.is_changed)
            keys = [comment_key(subscription.id, comment_id) for comment_id in ids]
            await self.outbox.redraw(transaction, *keys)
        return missed

    async def post_again(
        self, subscription: subscriptions.Subscription, comment: SeenComment
    ) -> None:
        """Queue a comment again that a removal deleted from a channel, with the same key."""
        root = await self.following.comment(subscription.place_id, comment.root_id)
        known = {} if root is None else {root.id: root}
        posted = await self._posted(subscription.place_id, [comment])
        owed = _comments_owed(subscription, [comment], known, posted)
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, *owed)


def comment_key(subscription_id: int, comment_id: int) -> str:
    return f"follow:{subscription_id}:{comment_id}"


def _stop_notice(
    stopped: abc.Sequence[subscriptions.Subscription], now: datetime
) -> messages.NewMessage:
    first = stopped[0]
    return messages.NewMessage(
        PAUSED,
        f"{PAUSED}:{first.id}:{now.timestamp():.0f}",
        messages.Priority.ANNOUNCEMENT,
        # It is posted elsewhere. The channel only keeps it from waiting for other servers.
        channel_id=first.channel_id,
        payload={"guild": first.guild_id, "announcements": [announced.id for announced in stopped]},
    )


def _who_wants(
    everyone: abc.Sequence[subscriptions.Subscription], events: abc.Sequence[subscriptions.NewEvent]
) -> list[tuple[subscriptions.Subscription, abc.Sequence[int]]]:
    items = [(position, event, item_of(event)) for position, event in enumerate(events)]
    wanted: list[tuple[subscriptions.Subscription, abc.Sequence[int]]] = []
    for subscription in everyone:
        positions = [
            position
            for position, event, item in items
            if comparing.wants(subscription, event.news, item)
        ]
        if positions:
            wanted.append((subscription, positions))
    return wanted


def _announcements(
    wanted: abc.Iterable[_Wanted], wish: int, *, pings: bool
) -> tuple[abc.Sequence[messages.NewMessage], abc.Sequence[_Delivery]]:
    deliveries: list[_Delivery] = []
    owed: list[messages.NewMessage] = []
    # A member gets one message with all their news.
    direct: dict[int, str] = {}
    for subscription, events in wanted:
        if subscription.member_id is not None:
            key = f"{WATCH_KIND}:{subscription.member_id}:{events[0].id}"
            key = direct.setdefault(subscription.member_id, key)
            deliveries.append((subscription.id, events, key))
            continue
        is_forum = subscription.channel_kind == subscriptions.FORUM_CHANNEL
        for part in _parts(events):
            key = f"announcement:{subscription.id}:{part[0].id}:{wish}"
            deliveries.append((subscription.id, part, key))
            owed.append(
                messages.NewMessage(
                    ANNOUNCEMENT_POST if is_forum else ANNOUNCEMENT,
                    key,
                    messages.Priority.ANNOUNCEMENT,
                    channel_id=subscription.channel_id,
                    payload={
                        "subscription": subscription.id,
                        "is_published": subscription.channel_kind == subscriptions.NEWS_CHANNEL,
                        "pings": pings and part[0] is events[0],
                    },
                )
            )
    owed += [
        messages.NewMessage(WATCH_KIND, key, messages.Priority.WATCH, member_id=member_id)
        for member_id, key in direct.items()
    ]
    return owed, deliveries


def _parts(
    events: abc.Sequence[subscriptions.Event],
) -> abc.Iterator[abc.Sequence[subscriptions.Event]]:
    """Put ten events into a message, or all into one if they are late or too many.

    So a sale on everything, or a game that gives each item another id, doesn't flood a channel.
    """
    if any(event.is_late for event in events) or len(events) > MAX_ITEMS * _MAX_MESSAGES:
        yield events
        return
    for start in range(0, len(events), MAX_ITEMS):
        yield events[start : start + MAX_ITEMS]


def _comments_owed(
    subscription: subscriptions.Subscription,
    new: abc.Sequence[SeenComment],
    known: abc.Mapping[int, SeenComment],
    posted: set[tuple[int, int]],
    wish: int = 0,
) -> abc.Iterator[messages.NewMessage]:
    is_forum = subscription.channel_kind == subscriptions.FORUM_CHANNEL

    def owed(key: str, about: abc.Mapping[str, int], form: str) -> messages.NewMessage:
        forms = {"form": form} if is_forum else {}
        return messages.NewMessage(
            COMMENT,
            key,
            messages.Priority.LIVE_POST,
            channel_id=subscription.channel_id,
            guild_id=subscription.guild_id,
            payload={"subscription": subscription.id, **about, **forms},
            stays="comment" in about,
        )

    if len(new) > _MAX_COMMENTS:
        key = f"{comment_key(subscription.id, new[-1].id)}:{len(new)}:{wish}"
        first = min(comment.id for comment in new)
        yield owed(key, {"count": len(new), "first": first}, POST)
        return
    for comment in new:
        root = known.get(comment.root_id)
        if is_forum and root is not None and (subscription.id, root.id) not in posted:
            # A comment is posted before its first reply.
            posted.add((subscription.id, root.id))
            yield owed(comment_key(subscription.id, root.id), {"comment": root.id}, POST)
        if not is_forum or comment.id != comment.root_id:
            yield owed(comment_key(subscription.id, comment.id), {"comment": comment.id}, REPLY)
