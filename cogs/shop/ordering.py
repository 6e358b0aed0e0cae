"""Buying and redeeming: ask, confirm, say what came of it, and list it all."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import discord

from bot.errors import AccountError, KioskError, OldButton
from bot.features.errors import ItemGone
from bot.features.reading.catalogs import CatalogItem
from bot.features.writing.orders import NEWS, AnsweredElsewhere, Ordered, Wish
from bot.features.writing.rules import is_open
from bot.game.errors import GameError
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action, action_button, fold
from bot.ui.cards import BLUE, Card, notice
from bot.ui.error_cards import error_card, log_error, offer_report
from bot.ui.here import Here
from bot.ui.messages.news import WriteNews
from bot.ui.router import route
from bot.ui.sent_cards import OpenCards
from bot.ui.shared_actions import OfItem, ShowMyOrders
from cogs.shop import actions
from cogs.shop.browsing import BrowsingHandlers
from cogs.shop.order_cards import PER_LIST, confirmation_card, orders_card, outcome_card, owned_card
from storage.errors import DatabaseError
from storage.names import ItemRef
from storage.writes import ORDERS, Write, WriteKind, WriteState

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

    @route(*actions.ASK.values())
    async def _on_ask(self, here: Here, action: OfItem) -> None:
        await self._accounts.require(here.member_id)
        entry = await self._shop.item(here.member_id, action.ref)
        way = actions.origin_of(here.interaction.message)
        kind = next(kind for kind, asked in actions.ASK.items() if isinstance(action, asked))
        await self.ask(here, entry, kind, came_from=way)

    @route(actions.ShowOrdered, actions.AskAgain)
    async def _on_receipt(self, here: Here, action: actions.OfReceipt) -> None:
        order = await self._own(here.member_id, action.order_id)
        if isinstance(action, actions.AskAgain):
            await self._accounts.require(here.member_id)
        entry = await self._shop.item(here.member_id, order.ref)
        came_from = actions.ShowOrders(action.offset)
        if isinstance(action, actions.ShowOrdered):
            await self._browsing.show_item(here, entry, came_from)
        else:
            await self.ask(here, entry, order.kind, came_from=came_from)

    async def _own(self, member_id: int, order_id: int) -> Write:
        """Return an order of a member's. Raises OldButton."""
        order = await self._writes.find(order_id)
        if order is None or order.member_id != member_id or order.kind not in ORDERS:
            raise OldButton
        return order

    @route(actions.AskNow)
    async def _on_ask_now(self, here: Here, action: actions.AskNow) -> None:
        order = await self._own(here.member_id, action.order_id)
        claimed = await self._ledger.claim(order) if is_open(order) else None
        if claimed is not None:
            order = (await self._ledger.settle_by_looking(claimed)).write
        await self._tell_here(here, order, None)

    @route(ShowMyOrders, actions.ShowOrders)
    async def on_orders(self, here: Here, action: Action | actions.ShowOrders) -> None:
        offset = action.offset if isinstance(action, actions.ShowOrders) else 0
        found: Sequence[Write] = ()
        origin = actions.origin_of(here.interaction.message)
        way_back = origin if isinstance(origin, actions.ShowItem) else None
        link = await self._accounts.find(here.member_id)
        account = "" if link is None else link.token_key

        async def draw() -> Card:
            nonlocal found
            found = await self._writes.orders_of(
                here.member_id,
                account,
                refused_since=self._now() - _REFUSED_LISTED,
                most=PER_LIST + 1,
                offset=offset,
            )
            has_more = len(found) > PER_LIST
            return orders_card(found[:PER_LIST], offset, way_back, has_more=has_more)

        await here.answer(await draw())
        self._open_cards.note(here, [order.target_id or 0 for order in found], draw)

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
        member_id, card_id = here.member_id, here.interaction.id
        earlier = None
        if kind is WriteKind.REDEEM:
            earlier = await self._orders.blocking(member_id, entry.item.id, kind)

        async def redraw() -> Card | None:
            blocking = await self._orders.blocking(member_id, entry.item.id, kind, card=card_id)
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
        item_id, card_id = entry.item.id, here.interaction.id
        blocking = await self._orders.blocking(here.member_id, item_id, kind, card=card_id)
        is_done = blocking is not None and blocking.state is WriteState.DONE
        if kind is WriteKind.PURCHASE and (entry.item.has_purchased or is_done):
            return owned_card(entry, way, blocking if is_done else None)
        return blocking and outcome_card(blocking, way)

    @route(actions.ConfirmPurchase, actions.ConfirmRedemption, keeps=True)
    async def _on_confirm(
        self, here: Here, action: actions.ConfirmPurchase | actions.ConfirmRedemption
    ) -> None:
        action, here = action, here
        kind, ref = action.order_kind, action.ref
        wish = Wish(
            member_id=here.member_id,
            kind=kind,
            ref=ref,
            cost=action.cost,
            card_id=action.confirmation,
            locale=here.locale,
            press_id=here.interaction.id,
            currency=action.currency,
        )
        came_from = actions.origin_of(here.interaction.message)
        way_back = came_from or _to_item(ref)
        title = t("Buying…") if kind is WriteKind.PURCHASE else t("Redeeming…")
        body = t("The game is being asked. This can take up to half a minute.")
        say_asking = partial(here.give_first, notice(title, body))
        try:
            outcome = await self._orders.confirm(wish, say_asking)
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
            return
        if isinstance(outcome, AnsweredElsewhere):
            here.leave_to_others()
        elif isinstance(outcome, Ordered):
            self._open_cards.forget(here)
            try:
                way = came_from and actions.list_behind(came_from)
                await self._tell_here(here, outcome.order, way)
            finally:
                self._ledger.in_hand.discard(outcome.order.id)
        elif outcome.entry.item.has_purchased:
            await self._show(here, owned_card(outcome.entry, actions.list_behind(way_back)))
            await self._open_cards.refresh(ref.item_id, here.member_id)
        else:
            await self._offer(here, outcome.entry, kind, way_back, has_new_price=True)

    async def _tell_here(self, here: Here, order: Write, way: actions.Way | None) -> None:
        """Tell the outcome in answer to a press, or elsewhere when its 15 minutes are over.

        Whoever pressed may be another member with the same account; the one who ordered is then
        told by the process that claimed the order.
        """

        async def redraw() -> Card:
            return outcome_card(await self._writes.find(order.id) or order, way)

        is_own = order.member_id == here.member_id
        no_longer_watched = await self._end_watches(order) and is_own
        try:
            await here.answer(outcome_card(order, way, no_longer_watched=no_longer_watched))
        except discord.HTTPException as error:
            log.info("%s can't be told where it was made: %s", order, error)
            if is_own:
                await self._ledger.save_told(order, by_message=True)
            await self.refresh(order)
            return
        if is_own:
            await self._ledger.save_told(order)
        await self._open_cards.refresh(order.target_id or 0, here.member_id)
        if order.state is not WriteState.DONE:
            self._open_cards.note(here, [order.target_id or 0], redraw)

    async def _end_watches(self, order: Write) -> bool:
        """End the watches of what is bought: what a member owns is no news. Return if any ended."""
        if order.kind is not WriteKind.PURCHASE or order.state is not WriteState.DONE:
            return False
        try:
            return await self._announcing.end_watches_of(order.member_id, order.target_id or 0)
        except DatabaseError as error:
            # What is owned is told to nobody anyway.
            log.warning("the watches of what %s bought can't be ended: %s", order, error)
            return False

    async def refresh(self, order: Write) -> bool:
        if order.kind not in ORDERS:
            return False
        await self._end_watches(order)
        return await self._open_cards.refresh(order.target_id or 0, order.member_id)

    async def _show(self, here: Here, card: Card) -> None:
        await here.answer(card)
        self._open_cards.forget(here)


def _to_item(ref: ItemRef) -> actions.ShowItem:
    return actions.ShowItem.of(ref, actions.ShowScreen(ref.catalog_id, ref.page))


class OrderNews(WriteNews):
    name = NEWS

    async def card(self, write: Write) -> Card:
        return outcome_card(write)
