"""Members' wishes to be notified about items, words and replies."""

import datetime as dt
from collections import abc

import msgspec

from bot.errors import AccountError
from bot.features import feature_errors, item_queries
from bot.features.accounts import Accounts
from bot.features.following import comparing
from bot.features.following.poller import Poller
from bot.features.reading.shop import Shop
from bot.game import game_errors
from storage import messages, subscriptions
from storage.following import SeenComment
from storage.member_watches import WATCH_KIND, MemberWatches, Notice, Watch
from storage.names import ItemRef, PlaceKind

# As many as one of Discord's lists takes.
_MAX_WATCHES = 25
# A member gets at most one message in this time. News in between comes together.
_BETWEEN_MESSAGES = dt.timedelta(hours=1)


class Watching(msgspec.Struct, frozen=True):
    accounts: Accounts
    watches: MemberWatches
    outbox: messages.Messages
    poller: Poller
    shop: Shop
    now: abc.Callable[[], dt.datetime]

    async def keep(
        self,
        *parts: subscriptions.NewSubscription,
        most: int,
        displaces: bool = False,
        branch: abc.Sequence[SeenComment] = (),
    ) -> tuple[Watch, bool]:
        """Save a member's wish, a part for each place. Return it, and whether it is new.

        If the member has `most` others of its sort, the wish replaces the oldest if it `displaces`.
        Otherwise, TooManyWatches is raised. Replies are waited for at `branch`. Raises UnfitToWatch
        for words.
        """
        wanted = {comparing.subscription_key(part): part for part in parts}
        watched = await self.watches.add(
            wanted, now=self.now(), most=most, displaces=displaces, branch=branch
        )
        if watched is None:
            raise feature_errors.TooManyWatches(number=str(most))
        self.poller.hurry()
        return watched

    async def hurry(self, member_id: int) -> None:
        """Send a member's waiting news at once."""
        await self.outbox.hurry(member_id, WATCH_KIND)

    async def watch_items(
        self, *parts: subscriptions.NewSubscription, ref: ItemRef | None = None
    ) -> tuple[Watch, bool]:
        """Save a member's wish, a part for each catalog. Return it, and whether it is new.

        `ref` names the item if only one is watched. Raises TooManyWatches, AccountError,
        NoOwnAccount, OwnAccountRefused, CatalogNotShown, ItemNotShown, GameError.
        """
        # Only the member's own token shows what they own.
        await self.accounts.require(parts[0].created_by, to_look=True)
        with self.poller.own_account.using() as caller:
            try:
                if ref is not None:
                    await self.shop.catalogs.find_again(caller, ref, fresh=True)
            except (feature_errors.ItemGone, feature_errors.CatalogNotInGame) as error:
                raise feature_errors.ItemNotShown from error
        return await self.keep(*parts, most=_MAX_WATCHES)

    async def find_watch(self, member_id: int, number: int) -> Watch:
        """Return a member's watch, by the number of any part of it. Raises UnknownWatch."""
        for kind in PlaceKind:
            for watch in await self.watches.of_member(member_id, kind):
                if number in [part.id for part in watch.parts]:
                    return watch
        raise feature_errors.UnknownWatch

    async def end_watch(self, member_id: int, number: int) -> Watch:
        """End a member's watch, by the number of any part of it. Raises UnknownWatch."""
        watch = await self.find_watch(member_id, number)
        if not await self.watches.end(*watch.parts):
            raise feature_errors.UnknownWatch
        return watch

    async def end_watches_of(self, member_id: int, kind: PlaceKind, subject_id: int) -> bool:
        """End a member's watches of one item in any catalog, or of one comment.

        Returns whether there was any.
        """
        watches = await self.watches.of_member(member_id, kind)
        ended = [part for watch in watches for part in watch.parts if part.subject_id == subject_id]
        return bool(ended) and await self.watches.end(*ended)

    async def to_tell(
        self, message: messages.Message
    ) -> tuple[abc.Sequence[Notice], abc.Sequence[Notice], dt.timedelta | None]:
        """Return the news that a message shows, the news it counts, and how long it waits.

        News older than a day is counted. Items that the member owns, or that the game doesn't show
        them, are left out. If the message was tried before, its news stays, except items that
        weren't checked. Raises AccountError or GameError if items can't be checked and the message
        has no other news.
        """
        member_id = message.member_id or 0
        notices, counted = await self.watches.notices_of(message.key, member_id)
        if message.message_id is not None or not (notices or counted):
            return notices, counted, None
        if message.attempted_at is None:
            told_at = await self.watches.last_told(member_id, WATCH_KIND)
            pause = None if told_at is None else told_at + _BETWEEN_MESSAGES - self.now()
            if pause is not None and pause > dt.timedelta():
                return [], [], pause
            await self.watches.gather(message.key, member_id)
            await self.watches.count_only(message.key, before=self.now() - comparing.DAY)
        try:
            await self._leave_out_owned(message.key, member_id)
        except (AccountError, game_errors.GameError):
            notices, counted = await self.watches.notices_of(message.key, member_id)
            if all(event.kind is PlaceKind.CATALOG for _, event in [*notices, *counted]):
                raise
            await self._postpone_items(message)
        return *await self.watches.notices_of(message.key, member_id), None

    async def _postpone_items(self, message: messages.Message) -> None:
        """Move items to a message of their own, so that Kiosk can tell the rest."""
        later = messages.NewMessage(
            message.kind,
            f"{WATCH_KIND}:{message.member_id}:after:{message.id}",
            message.priority,
            member_id=message.member_id,
        )
        async with self.outbox.transaction() as transaction:
            await self.outbox.want(transaction, later)
            await self.watches.move(transaction, message.key, later.key, PlaceKind.CATALOG)

    async def _leave_out_owned(self, key: str, member_id: int) -> None:
        """Leave out of a message the items that its member owns, or that the game hides from them.

        Raises AccountError or GameError if that can't be asked.
        """
        of_items = await self.watches.unlooked(key, member_id)
        if of_items:
            await self.accounts.require(member_id, to_look=True)
        left_out: list[Notice] = []
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
            await self.watches.note_looks(key, left_out)
