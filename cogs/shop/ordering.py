"""Buying and redeeming: ask, confirm, say what came of it, and list it all."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import discord
from msgspec.structs import replace

from bot.errors import AccountError, KioskError, OldButton
from bot.features.errors import ItemGone
from bot.features.reading.catalogs import CatalogItem
from bot.features.writing.errors import NotAsConfirmed
from bot.features.writing.orders import ORDER_NEWS
from bot.features.writing.rules import Reason
from bot.game.errors import GameError
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.actions import action_button, fold
from bot.ui.cards import BLUE, Card, notice
from bot.ui.error_cards import error_card, log_error, offer_report
from bot.ui.here import Here
from bot.ui.messages.news import WriteNews
from bot.ui.router import route
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import AskPurchase, AskRedemption, ShowMyOrders
from cogs.shop import actions
from cogs.shop.browsing import BrowsingHandlers
from cogs.shop.order_cards import PER_LIST, confirmation_card, orders_card, outcome_card, owned_card
from storage.errors import DatabaseError
from storage.names import ItemRef
from storage.writes import Order, OrderedItem, WriteKind, WriteState

log = logging.getLogger(__name__)

# For how long what the game refused stands in the list.
_REFUSED_LISTED = timedelta(days=1)


class OrderHandlers:
    def __init__(self, bot: Kiosk, open_cards: OpenCards, browsing: BrowsingHandlers) -> None:
        self._browsing = browsing
        self._shop = bot.features.shop
        self._orders = bot.features.orders
        self._ledger = bot.features.ledger
        self._writes = bot.features.writes
        self._accounts = bot.features.accounts
        self._announcing = bot.features.announcing
        self._open_cards = open_cards
        self._now = bot.now

    @route(AskPurchase, AskRedemption)
    async def _on_ask(self, here: Here, action: AskPurchase | AskRedemption) -> None:
        await self._accounts.require(here.member_id)
        entry = await self._shop.item(here.member_id, action.ref)
        kind = WriteKind.PURCHASE if isinstance(action, AskPurchase) else WriteKind.REDEEM
        await self.ask(here, entry, kind, came_from=actions.origin_of(here.interaction.message))

    @route(actions.ShowOrdered)
    async def _on_ordered(self, here: Here, action: actions.ShowOrdered) -> None:
        order = await self._own(here.member_id, action.order_id)
        entry = await self._shop.item(here.member_id, order.ref)
        await self._browsing.show_item(here, entry, actions.ShowOrders(action.offset))

    @route(actions.AskAgain)
    async def _on_ask_again(self, here: Here, action: actions.AskAgain) -> None:
        order = await self._own(here.member_id, action.order_id)
        await self._accounts.require(here.member_id)
        entry = await self._shop.item(here.member_id, order.ref)
        await self.ask(here, entry, order.kind, came_from=actions.ShowOrders(action.offset))

    async def _own(self, member_id: int, order_id: int) -> Order:
        """Return an order of a member's. Raises OldButton."""
        order = await self._writes.find_order(order_id)
        if order is None or order.member_id != member_id:
            raise OldButton
        return order

    @route(actions.AskNow)
    async def _on_ask_now(self, here: Here, action: actions.AskNow) -> None:
        order = await self._own(here.member_id, action.order_id)
        async with self._ledger.look(order) as settled:
            await self._tell(here, settled.write, None)

    @route(ShowMyOrders, actions.ShowOrders)
    async def show_orders(self, here: Here, action: ShowMyOrders | actions.ShowOrders) -> None:
        offset = action.offset if isinstance(action, actions.ShowOrders) else 0
        orders: Sequence[Order] = ()
        origin = actions.origin_of(here.interaction.message)
        way_back = origin if isinstance(origin, actions.ShowItem) else None
        link = await self._accounts.find(here.member_id)
        account = "" if link is None else link.token_key

        async def draw() -> Card:
            nonlocal orders
            orders = await self._writes.orders_of(
                here.member_id,
                account,
                refused_since=self._now() - _REFUSED_LISTED,
                most=PER_LIST + 1,
                offset=offset,
            )
            has_more = len(orders) > PER_LIST
            return orders_card(orders[:PER_LIST], offset, way_back, has_more=has_more)

        await here.answer(await draw())
        self._open_cards.note(here, [order.item_id for order in orders], draw)

    async def ask(
        self,
        here: Here,
        entry: CatalogItem,
        kind: WriteKind,
        *,
        came_from: actions.ShowItem | actions.Way | None = None,
    ) -> None:
        """Show what would be ordered; cancelling leads to where one `came_from`, or to the item."""
        way_back = came_from or _to_item(entry.ref)
        obstacle = await self._obstacle(here, entry, kind, actions.list_behind(way_back))
        if obstacle is not None:
            await self._show(here, obstacle)
        else:
            await self._offer(here, entry, kind, way_back)

    async def _offer(
        self,
        here: Here,
        entry: CatalogItem,
        kind: WriteKind,
        way_back: actions.ShowItem | actions.Way,
        *,
        has_new_price: bool = False,
    ) -> None:
        member_id = here.member_id
        card_id = here.interaction.id
        earlier = None
        if kind is WriteKind.REDEEM:
            earlier = await self._orders.find_blocking(member_id, entry.item.id, kind)

        async def redraw() -> Card | None:
            blocking = await self._orders.find_blocking(
                member_id, entry.item.id, kind, card_id=card_id
            )
            if blocking is not None and blocking.card_id == card_id:
                # Confirmed: the card shows its own order by now.
                return None
            again = await self._shop.item(member_id, entry.ref)
            return await self._obstacle(here, again, kind, actions.list_behind(way_back))

        card = confirmation_card(
            entry, kind, card_id, way_back, has_new_price=has_new_price, earlier=earlier
        )
        await here.answer(card)
        self._open_cards.note(here, [entry.item.id], redraw)

    async def _obstacle(
        self, here: Here, entry: CatalogItem, kind: WriteKind, way: actions.Way
    ) -> Card | None:
        blocking = await self._orders.find_blocking(
            here.member_id, entry.item.id, kind, card_id=here.interaction.id
        )
        is_done = blocking is not None and blocking.state is WriteState.DONE
        if kind is WriteKind.PURCHASE and (entry.item.has_purchased or is_done):
            return owned_card(entry, way, blocking if is_done else None)
        return blocking and outcome_card(blocking, way)

    @route(actions.ConfirmPurchase, actions.ConfirmRedemption, keeps=True)
    async def _on_confirm(
        self, here: Here, action: actions.ConfirmPurchase | actions.ConfirmRedemption
    ) -> None:
        kind = action.order_kind
        ref = action.ref
        came_from = actions.origin_of(here.interaction.message)
        way_back = came_from or _to_item(ref)
        title = t("Buying…") if kind is WriteKind.PURCHASE else t("Redeeming…")
        body = t("The game is being asked. This can take up to half a minute.")
        tell = partial(here.give_first, notice(title, body))
        # Its name is read before the game is asked.
        item = OrderedItem(ref.page, f"#{ref.item_id}", action.cost, "", "", None, action.currency)
        order = Order(
            here.interaction.id,
            here.member_id,
            kind,
            ref.catalog_id,
            here.locale,
            item_id=ref.item_id,
            card_id=action.confirmation,
            item=item,
        )
        try:
            async with self._ledger.perform(order, tell) as settled:
                if settled is None:
                    here.leave_to_others()
                    return
                self._open_cards.forget(here)
                way = came_from and actions.list_behind(came_from)
                await self._tell(here, settled.write, way)
        except discord.HTTPException as error:
            # Its 15 minutes may be over; the member is told elsewhere.
            log.info("%s can't be told where it was made: %s", order, error)
            await self._open_cards.refresh(ref.item_id, here.member_id)
        except NotAsConfirmed as error:
            if error.entry.item.has_purchased:
                await self._show(here, owned_card(error.entry, actions.list_behind(way_back)))
            else:
                await self._offer(here, error.entry, kind, way_back, has_new_price=True)
        except (GameError, KioskError) as error:
            again = actions.ASK[kind](*ref)
            card = error_card(error, log_error(error), resume_id=fold(again.custom_id()))
            buttons = [action_button(way_back, t("Back"))]
            if not isinstance(error, AccountError | ItemGone):
                retry = action_button(again, t("Try again"), style=BLUE, emoji="🔁")
                buttons.insert(0, retry)
            card.buttons(*buttons)
            offer_report(here, card, error)
            await self._show(here, card)

    async def _tell(self, here: Here, order: Order, way: actions.Way | None) -> None:
        """Tell what an order came to, which may be one of another member with the same account."""

        async def redraw() -> Card:
            now_is = await self._writes.find_order(order.id)
            gone = replace(order, state=WriteState.REFUSED, reason=Reason.NOT_SENT)
            return outcome_card(now_is or gone, way)

        is_own = order.member_id == here.member_id
        no_longer_watched = await self._end_watches(order) and is_own
        await here.answer(outcome_card(order, way, no_longer_watched=no_longer_watched))
        if order.state is not WriteState.DONE:
            self._open_cards.note(here, [order.item_id], redraw)
        # On other cards; and what is under way may have ended by now.
        await self._open_cards.refresh(order.item_id, here.member_id)

    async def _end_watches(self, order: Order) -> bool:
        """End the watches of what is bought: what a member owns is no news. Return if any ended."""
        if order.kind is not WriteKind.PURCHASE or order.state is not WriteState.DONE:
            return False
        try:
            return await self._announcing.end_watches_of(order.member_id, order.item_id)
        except DatabaseError as error:
            # What is owned is told to nobody anyway.
            log.warning("the watches of what %s bought can't be ended: %s", order, error)
            return False

    async def refresh(self, order: Order) -> bool:
        await self._end_watches(order)
        return await self._open_cards.refresh(order.item_id, order.member_id)

    async def _show(self, here: Here, card: Card) -> None:
        await here.answer(card)
        self._open_cards.forget(here)


def _to_item(ref: ItemRef) -> actions.ShowItem:
    return actions.ShowItem.of(ref, actions.ShowScreen(ref.catalog_id, ref.page))


class OrderNews(WriteNews[Order]):
    name = ORDER_NEWS

    def __init__(self, bot: Kiosk, ordering: OrderHandlers) -> None:
        super().__init__(bot.features.writes)
        self._ordering = ordering

    async def show(self, write: Order) -> bool:
        return await self._ordering.refresh(write)

    async def card(self, write: Order) -> Card:
        return outcome_card(write)
