"""Subscriptions of servers and members: set up, changed, and what became of their news."""

import datetime as dt
import logging
import typing
from collections import abc

import msgspec

from bot.errors import AccountError
from bot.features import feature_errors, item_queries, matching
from bot.features.accounts import Accounts
from bot.features.following import comparing
from bot.features.following.owing import NewsQueue, comment_key
from bot.features.following.own_account import OwnAccount
from bot.features.following.poller import Poller
from bot.features.reading.shop import Shop
from bot.game import game_errors, models
from bot.visible import search_key
from storage import messages, moderation, subscriptions
from storage.database import Transaction
from storage.following import Following
from storage.names import ItemRef, PlaceKind
from storage.storage_errors import NotUnique

log = logging.getLogger(__name__)

NEWEST_KIND = "announcement.newest"
# Items that one press posts when an announcement is added.
_MOST_NEWEST = 5
# Of one server; each may be another catalog or thread to look at every few minutes.
_MOST_SUBSCRIPTIONS = 200
_MOST_THREADS = 100
_MOST_FOUND = 50
# News that a history tells of.
_MOST_REMEMBERED = 10
# As many as one list of Discord's takes.
MOST_WATCHES = 25
# Comments of a member to which they wait for replies.
MOST_REPLIED_TO = 25
# Characters of a comment by which its writer knows it again.
_SUBJECT_ROOM = 100
# Wishes for comments that hold words.
MOST_WORDS = 10
# At most one message goes to a member in this time; what comes meanwhile is told together.
BETWEEN_MESSAGES = dt.timedelta(hours=1)


class Announcing(msgspec.Struct, frozen=True):
    accounts: Accounts
    following: Following
    owing: NewsQueue
    outbox: messages.Messages
    poller: Poller
    own_account: OwnAccount
    shop: Shop
    now: abc.Callable[[], dt.datetime]

    async def add(
        self,
        new: subscriptions.NewSubscription,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> subscriptions.Subscription:
        """Keep a subscription. Raises AlreadyAnnounced, TooManyAnnouncements."""
        announced = await self.following.of_guild(new.guild_id, PlaceKind.CATALOG)
        if len(announced) >= _MOST_SUBSCRIPTIONS:
            raise feature_errors.TooManyAnnouncements(number=str(_MOST_SUBSCRIPTIONS))
        added = await self.following.add(
            new, comparing.subscription_key(new), now=self.now(), line_of=line_of
        )
        if added is None:
            raise feature_errors.AlreadyAnnounced
        self.poller.hurry()
        return added

    async def find(self, guild_id: int, number: int) -> subscriptions.Subscription:
        """Return a server's subscription by its number. Raises UnknownAnnouncement."""
        subscription = await self.following.find(number)
        if subscription is None or subscription.guild_id != guild_id:
            raise feature_errors.UnknownAnnouncement
        return subscription

    async def change(
        self,
        number: int,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
        **fields: typing.Any,
    ) -> subscriptions.Subscription:
        """Change fields of a subscription, and nothing else.

        What others have changed meanwhile stays. Raises AlreadyAnnounced, UnknownAnnouncement.
        """
        try:
            changed = await self.following.change(
                number, comparing.subscription_key, line_of, **fields
            )
        except NotUnique as error:
            raise feature_errors.AlreadyAnnounced from error
        if changed is None:
            raise feature_errors.UnknownAnnouncement
        return changed

    async def pause(
        self,
        subscription: subscriptions.Subscription,
        line_of: moderation.LineOf[subscriptions.Subscription],
    ) -> None:
        """Stop a subscription until a person lets it go on."""
        now = self.now()
        why = subscriptions.PERSON
        paused = msgspec.structs.replace(subscription, stopped_at=now, stopped_for=why)
        async with self.outbox.transaction() as transaction:
            if await self.following.stop(subscription.id, why, now=now, transaction=transaction):
                await moderation.note(transaction, line_of, subscription, paused)

    async def stopped_with(
        self, subscription: subscriptions.Subscription
    ) -> abc.Sequence[subscriptions.Subscription]:
        """Return a stopped subscription, and what else goes on with it; none if it is active."""
        if subscription.stopped_at is None:
            return []
        others = await self.following.of_guild(subscription.guild_id)
        return [other for other in others if comparing.goes_on_with(subscription, other)]

    async def go_on(
        self,
        stopped: abc.Sequence[subscriptions.Subscription],
        *,
        tells_missed: bool,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> int:
        """Let subscriptions go on; return how much they tell now."""
        told = 0
        for subscription in stopped:
            missed = await self.owing.go_on(
                subscription.id, tells_missed=tells_missed, line_of=line_of
            )
            told += len(missed)
        self.poller.hurry()
        return told

    async def sample(self, subscription: subscriptions.Subscription) -> subscriptions.Event | None:
        """Return news that have not happened, None without an item.

        Raises what `OwnAccount.items` does.
        """
        items = await self.own_account.items(subscription.place_id, whole=False)
        return sample(subscription, items, self.now())

    async def owe_newest(self, subscription: subscriptions.Subscription) -> int:
        """Owe the newest items that a subscription would tell of, once; return how many.

        They are those that were seen last for the first time, and of these the highest numbers.
        What no look has seen yet is news of the next. Raises what `OwnAccount.items` does.
        """
        now = self.now()
        seen = await self.following.items(subscription.place_id)
        items = [
            item
            for item in await self.own_account.items(subscription.place_id, whole=True)
            if item_queries.fits(subscription.query, item) and (not seen or item.id in seen)
        ]

        def age(item: models.Item) -> tuple[dt.datetime, int]:
            return seen[item.id].first_seen_at if item.id in seen else now, item.id

        newest = sorted(items, key=age, reverse=True)[:_MOST_NEWEST]
        if newest:
            owed = messages.NewMessage(
                NEWEST_KIND,
                _newest_key(subscription),
                messages.Priority.ANNOUNCEMENT,
                channel_id=subscription.channel_id,
                payload={
                    "subscription": subscription.id,
                    "items": [item.to_json() for item in newest],
                },
            )
            async with self.outbox.transaction() as transaction:
                await self.outbox.want(transaction, owed)
        return len(newest)

    async def offers_newest(self, subscription: subscriptions.Subscription) -> bool:
        """Return whether a catalog is announced in a channel, and nothing was posted there yet."""
        return (
            subscription.kind is PlaceKind.CATALOG
            and subscription.stopped_at is None
            and self.own_account.is_there
            and not await self.following.has_announced(subscription.id, _newest_key(subscription))
        )

    async def save_refusal(
        self, transaction: Transaction, message: messages.Message, reason: str | None
    ) -> None:
        """Note what Discord refused for a reason, or what was dropped without one.

        A refusal stops the subscription from this message on. One that was moved or goes on
        meanwhile is owed the same again in its channel of now.
        """
        subscription = await self.following.find(message.payload["subscription"], transaction)
        if subscription is None:
            return
        is_stopped = subscription.stopped_at is not None
        if reason is not None:
            is_stopped = subscription.channel_id == message.channel_id
            if is_stopped:
                await self.owing.stop(transaction, subscription, messages.code_of(reason))
        events = await self.following.events_of(message.key, transaction)
        if not is_stopped:
            pings = bool(message.payload.get("pings", True))
            again = [(subscription, events)]
            await self.owing.announce(transaction, again, wish=message.id, pings=pings)
        elif events:
            await self.following.save_missed(transaction, subscription.id, events[0].id)

    async def posted(
        self, guild_id: int, number: int, event_id: int
    ) -> tuple[subscriptions.Subscription, messages.Message]:
        """Return a server's subscription, and its message about an event.

        Raises UnknownAnnouncement, MessageForgotten.
        """
        subscription = await self.find(guild_id, number)
        message = await self.following.message_of(number, event_id)
        if message is None:
            raise feature_errors.MessageForgotten
        return subscription, message

    async def delete_posted(self, message: messages.Message, line: moderation.LogLine) -> None:
        """Delete the message of news, with a line in the log. Raises MessageGone."""
        async with self.outbox.transaction() as transaction:
            if not await self.outbox.delete(transaction, message.key):
                raise feature_errors.MessageGone
            await moderation.add_line(transaction, line)

    async def update_posted(
        self,
        subscription: subscriptions.Subscription,
        message: messages.Message,
        line: moderation.LogLine,
    ) -> int:
        """Draw the message of news with its items as the game has them now.

        Adds a line to the log. Returns how many items the game doesn't show now. Raises
        MessageGone, NothingToUpdate, and what `OwnAccount.items` does.
        """
        told = {event.subject_id for event in await self.following.events_of(message.key)}
        items = {
            str(item.id): item_queries.without_reader_fields(item).to_json()
            for item in await self.own_account.items(subscription.place_id, whole=True)
            if item.id in told
        }
        if not items:
            raise feature_errors.NothingToUpdate
        updated = {**message.payload.get("updated", {}), **items}
        async with self.outbox.transaction() as transaction:
            payload = {**message.payload, "updated": updated}
            if not await self.outbox.redraw_with(transaction, message.key, payload):
                raise feature_errors.MessageGone
            await moderation.add_line(transaction, line)
        return len(told) - len(items)

    async def history(
        self, guild_id: int, *, number: int | None = None, item_id: int | None = None
    ) -> abc.Sequence[tuple[subscriptions.Event, abc.Mapping[int, subscriptions.Delivery]]]:
        """Return the last news of a server's catalogs, with what became of each by subscription.

        They are those of one subscription's catalog, or of one item, where that is given.
        """
        events = await self.following.history(
            guild_id, PlaceKind.CATALOG, _MOST_REMEMBERED, number=number, subject_id=item_id
        )
        return [(event, await self.following.deliveries(event)) for event in events]

    async def seen(
        self, guild_id: int, text: str
    ) -> abc.Sequence[tuple[int, subscriptions.SeenItem]]:
        """Return an item as it was seen, by catalogs. Raises ItemNeverSeen, SeveralFit."""
        number = matching.read_id(text)
        found: abc.Sequence[tuple[int, subscriptions.SeenItem]] = ()
        for spelling in matching.spellings(text):
            found = found or await self.following.items_where(
                guild_id, _meant(spelling, number), _MOST_FOUND
            )
        meant = matching.resolve(
            text,
            [seen for _, seen in found if number in (None, seen.id)],
            name_of=lambda seen: seen.name,
            number_of=lambda seen: seen.id,
            unknown=feature_errors.ItemNeverSeen,
            offers_all=False,
        )
        return [(catalog_id, seen) for catalog_id, seen in found if seen.id == meant.id]

    async def suggest(
        self, guild_id: int, typed: str, most: int
    ) -> abc.Sequence[subscriptions.SeenItem]:
        found = await self.following.items_where(
            guild_id, _meant(typed, matching.read_id(typed)), most
        )
        return list({seen.id: seen for _, seen in found}.values())

    async def follow(
        self,
        new: subscriptions.NewSubscription,
        line_of: moderation.LineOf[subscriptions.Subscription] | None = None,
    ) -> tuple[subscriptions.Subscription, bool]:
        """Follow a thread; also return whether it wasn't followed there before.

        Raises ThreadNotInGame, TooManyAnnouncements, GameError.
        """
        known = await self.following.of_guild(new.guild_id, PlaceKind.THREAD)
        place = new.channel_id, new.place_id
        is_known = any(
            (subscription.channel_id, subscription.place_id) == place for subscription in known
        )
        if not is_known and len(known) >= _MOST_THREADS:
            raise feature_errors.TooManyAnnouncements(number=str(_MOST_THREADS))
        try:
            await self.poller.client.list_comments(new.place_id)
        except game_errors.NotFound as error:
            raise feature_errors.ThreadNotInGame(name=str(new.place_id)) from error
        followed = await self.following.add(
            new, comparing.subscription_key(new), now=self.now(), renews=True, line_of=line_of
        )
        if followed is None:
            raise feature_errors.UnknownAnnouncement
        self.poller.hurry()
        return followed, not is_known

    async def draw_anew(self, guild_id: int, comment_ids: abc.Iterable[int]) -> None:
        """Draw the messages of comments anew that a server lets be seen after all."""
        followed = await self.following.of_guild(guild_id, PlaceKind.THREAD)
        async with self.outbox.transaction() as transaction:
            keys = [
                comment_key(subscription.id, comment_id)
                for subscription in followed
                for comment_id in comment_ids
            ]
            await self.outbox.redraw(transaction, *keys)

    async def taken_post(
        self, guild_id: int, comment_id: int, number: int
    ) -> tuple[subscriptions.Subscription, subscriptions.SeenComment]:
        """Return a subscription and the comment that a removal took from its channel.

        Raises NotFollowedThere, PostedThereAlready, StillDeleting.
        """
        subscription = await self.following.find(number)
        seen = None
        if subscription is not None and subscription.guild_id == guild_id:
            seen = await self.following.comment(subscription.place_id, comment_id)
        if subscription is None or seen is None or subscription.stopped_at is not None:
            raise feature_errors.NotFollowedThere
        taken = await self.following.taken(guild_id, comment_id)
        message = await self.outbox.find(comment_key(number, comment_id))
        if message is None or number not in [other.id for other in taken]:
            raise feature_errors.PostedThereAlready(name=str(comment_id))
        if message.due_at is not None:
            raise feature_errors.StillDeleting
        return subscription, seen

    async def watch(
        self, *parts: subscriptions.NewSubscription, ref: ItemRef | None = None
    ) -> tuple[subscriptions.Watch, bool]:
        """Keep a member's wish, a part for each catalog; return it, and whether it is new.

        `ref` names the item if only one is watched. Raises TooManyWatches, of words UnfitToWatch,
        and of catalogs AccountError, NoOwnAccount, OwnAccountRefused, CatalogNotShown,
        ItemNotShown, GameError.
        """
        most = MOST_WORDS
        if parts[0].kind is PlaceKind.CATALOG:
            most = MOST_WATCHES
            # With whose token else is it to be known what the member owns?
            await self.accounts.require(parts[0].created_by, to_look=True)
            with self.own_account.using() as caller:
                try:
                    if ref is not None:
                        await self.shop.catalogs.find_again(caller, ref, fresh=True)
                except (feature_errors.ItemGone, feature_errors.CatalogNotInGame) as error:
                    raise feature_errors.ItemNotShown from error
        wanted = {comparing.subscription_key(part): part for part in parts}
        watched = await self.following.watch(wanted, now=self.now(), most=most)
        if watched is None:
            raise feature_errors.TooManyWatches(number=str(most))
        self.poller.hurry()
        return watched

    async def watch_replies(
        self,
        member_id: int,
        near: models.PageKey,
        branch: abc.Sequence[models.Comment],
        asked_in: int | None,
        locale: str,
    ) -> None:
        """Tell a member of replies to the last comment of a branch of a page from now on.

        Replies that are there are no news to them. Of those that wait at too many comments, the
        oldest goes.
        """
        comment = branch[-1]
        # Where it stands among the latest is found out by and by.
        page = near.page if near.sort is models.Sort.LATEST else 1
        wish = subscriptions.NewSubscription(
            kind=PlaceKind.THREAD,
            place_id=near.thread_id,
            subject_id=comment.id,
            subject_name=comment.content[:_SUBJECT_ROOM],
            news=frozenset(),
            member_id=member_id,
            asked_in=asked_in,
            replies_after=max(reply.id for reply in comparing.seen_below(comment, page)),
            locale=locale,
            created_by=member_id,
        )
        wanted = {comparing.subscription_key(wish): wish}
        places = list(comparing.placed(branch, page))
        await self.following.watch(
            wanted, now=self.now(), most=MOST_REPLIED_TO, displaces=True, branch=places
        )
        self.poller.hurry()

    async def find_watch(self, member_id: int, number: int) -> subscriptions.Watch:
        """Return a member's watch, by the number of any part of it. Raises UnknownWatch."""
        for kind in PlaceKind:
            for watch in await self.following.watches_of(member_id, kind):
                if number in [part.id for part in watch.parts]:
                    return watch
        raise feature_errors.UnknownWatch

    async def end_watch(self, member_id: int, number: int) -> subscriptions.Watch:
        """End a member's watch, by the number of any part of it. Raises UnknownWatch."""
        watch = await self.find_watch(member_id, number)
        if not await self.following.remove(*watch.parts):
            raise feature_errors.UnknownWatch
        return watch

    async def end_watches_of(self, member_id: int, kind: PlaceKind, subject_id: int) -> bool:
        """End what a member watches of one item in any catalog, or of one comment.

        Returns whether there was any.
        """
        watches = await self.following.watches_of(member_id, kind)
        ended = [part for watch in watches for part in watch.parts if part.subject_id == subject_id]
        return bool(ended) and await self.following.remove(*ended)

    async def to_tell(
        self, message: messages.Message
    ) -> tuple[
        abc.Sequence[subscriptions.Notice], abc.Sequence[subscriptions.Notice], dt.timedelta | None
    ]:
        """Return what a message is to tell, what is only counted, and how long it is to wait.

        What is older than a day is counted. Items that the member owns, or isn't shown by the game,
        are left out. What was tried stays as it is, but for items that weren't looked at. Raises
        AccountError or GameError if that can't be asked, and the message tells of nothing else.
        """
        member_id = message.member_id or 0
        notices, counted = await self.following.notices_of(message.key, member_id)
        if message.message_id is not None or not (notices or counted):
            return notices, counted, None
        if message.attempted_at is None:
            told_at = await self.following.last_told(member_id, subscriptions.WATCH_KIND)
            pause = None if told_at is None else told_at + BETWEEN_MESSAGES - self.now()
            if pause is not None and pause > dt.timedelta():
                return [], [], pause
            await self.following.gather(message.key, member_id=member_id)
            await self.following.count_only(message.key, before=self.now() - comparing.DAY)
        try:
            await self._leave_out_owned(message.key, member_id)
        except (AccountError, game_errors.GameError):
            notices, counted = await self.following.notices_of(message.key, member_id)
            if all(event.kind is PlaceKind.CATALOG for _, event in [*notices, *counted]):
                raise
            await self._postpone_items(message)
        return *await self.following.notices_of(message.key, member_id), None

    async def _postpone_items(self, message: messages.Message) -> None:
        """Move items to a message of their own, so that Kiosk can tell the rest."""
        later = messages.NewMessage(
            message.kind,
            f"{subscriptions.WATCH_KIND}:{message.member_id}:after:{message.id}",
            message.priority,
            member_id=message.member_id,
        )
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, later)
            await self.following.move(transaction, message.key, later.key, PlaceKind.CATALOG)

    async def _leave_out_owned(self, key: str, member_id: int) -> None:
        """Leave out of a message the items that its member owns, or that the game hides from them.

        Raises AccountError or GameError if that can't be asked.
        """
        of_items = await self.following.unlooked(key, member_id)
        if of_items:
            await self.accounts.require(member_id, to_look=True)
        left_out: list[subscriptions.Notice] = []
        read: set[tuple[int, int]] = set()
        for watch, event in of_items:
            ref = item_queries.ref_of(event)
            page = ref.catalog_id, ref.page
            is_first = page not in read
            read.add(page)
            try:
                found = await self.shop.item(member_id, ref, fresh=is_first, is_use=False)
            except (
                feature_errors.ItemGone,
                feature_errors.CatalogNotInGame,
                game_errors.Forbidden,
            ):
                left_out.append((watch, event))
            else:
                if found.item.has_purchased:
                    left_out.append((watch, event))
        if of_items:
            await self.following.note_looks(key, left_out)


def sample(
    subscription: subscriptions.Subscription, items: abc.Sequence[models.Item], now: dt.datetime
) -> subscriptions.Event | None:
    """Return news of an item that a subscription would hear of, else of any; None without one."""
    # By what the item is, not by what has happened to it.
    item = next(
        (item for item in items if comparing.wants(subscription, subscription.news, item)),
        items[0] if items else None,
    )
    if item is None:
        return None
    usual = (
        subscriptions.News.CLEARANCE
        if item.is_clearance and subscriptions.News.CLEARANCE in subscription.news
        else None
    )
    kind = usual or next(kind for kind in subscriptions.News if kind in subscription.news)
    return sample_event(subscription, item, [kind], now)


def sample_event(
    subscription: subscriptions.Subscription,
    item: models.Item,
    news: abc.Sequence[str],
    happened_at: dt.datetime,
) -> subscriptions.Event:
    """Return news of an item that have not happened."""
    kinds = frozenset(map(subscriptions.News, news))
    old_cost = item.cost if subscriptions.News.CHEAPER in kinds else None
    return subscriptions.Event(
        id=0,
        kind=subscription.kind,
        place_id=subscription.place_id,
        subject_id=item.id,
        news=kinds,
        payload=item_queries.ItemNews(item, old_cost=old_cost).to_json(),
        happened_at=happened_at,
    )


def _meant(typed: str, number: int | None) -> abc.Callable[[int, str], bool]:
    """Return what tells by an item's number and stored key whether it is what was typed."""
    wanted = search_key(typed)
    # Keys that older versions stored are folded less.
    return lambda item_id, key: item_id == number or wanted in search_key(key)


def _newest_key(subscription: subscriptions.Subscription) -> str:
    return f"newest:{subscription.id}"
