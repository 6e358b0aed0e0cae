"""Buy and redeem: ask, confirm, show the outcome, and list orders."""

import logging
from datetime import timedelta
from functools import partial

import discord
from msgspec.structs import replace

from bot import errors
from bot.features.reading.catalogs import CatalogItem
from bot.features.writing.orders import ORDER_NEWS
from bot.features.writing.outcomes import Reason
from bot.features.writing.writing_errors import NotAsConfirmed
from bot.game.game_errors import GameError
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import custom_ids, drawing, error_cards, sent_cards, shared_actions
from bot.ui.here import Here
from bot.ui.messages.news import WriteNews
from bot.ui.router import route, sent
from cogs.shop import actions, browsing, order_cards
from storage import writes
from storage.names import ItemRef, PlaceKind
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

# How long refused orders are in the list.
_REFUSED_LISTED = timedelta(days=1)


@route(shared_actions.AskPurchase, shared_actions.AskRedemption)
async def on_ask(
    here: Here, action: shared_actions.AskPurchase | shared_actions.AskRedemption
) -> None:
    await here.features.accounts.require(here.member_id)
    entry = await here.features.shop.item(here.member_id, action.ref)
    kind = (
        writes.WriteKind.PURCHASE
        if isinstance(action, shared_actions.AskPurchase)
        else writes.WriteKind.REDEEM
    )
    await ask(here, entry, kind, came_from=actions.origin_of(here.interaction.message))


@route(actions.ShowOrdered)
async def on_ordered(here: Here, action: actions.ShowOrdered) -> None:
    order = await _own(here, action.order_id)
    entry = await here.features.shop.item(here.member_id, order.ref)
    await browsing.show_item(here, entry, action.way)


@route(actions.AskAgain, actions.RedeemOrdered)
async def on_ask_again(here: Here, action: actions.AskAgain | actions.RedeemOrdered) -> None:
    order = await _own(here, action.order_id)
    await here.features.accounts.require(here.member_id)
    entry = await here.features.shop.item(here.member_id, order.ref)
    kind = order.kind if isinstance(action, actions.AskAgain) else writes.WriteKind.REDEEM
    await ask(here, entry, kind, came_from=action.way)


async def _own(here: Here, order_id: int) -> writes.Order:
    """Return the member's own order. Raises OldButton."""
    order = await here.features.writes.find_order(order_id)
    if order is None or order.member_id != here.member_id:
        raise errors.OldButton
    return order


@route(actions.AskNow)
async def on_ask_now(here: Here, action: actions.AskNow) -> None:
    order = await _own(here, action.order_id)
    async with here.features.ledger.look_up(order) as settled:
        await _tell(here, settled.write, None)


@route(actions.ShareOrder)
async def on_share(here: Here, action: actions.ShareOrder) -> None:
    order = await _own(here, action.order_id)
    if order.kind is not writes.WriteKind.PURCHASE or order.state is not writes.WriteState.DONE:
        raise errors.OldButton

    async def draw() -> tuple[drawing.Card, tuple[()]]:
        catalog = await here.place(PlaceKind.CATALOG, order.place_id)
        return browsing.shared_order_card(order, catalog, here.interaction.user), ()

    await sent_cards.publish_once(here, draw)


@route(shared_actions.ShowMyOrders)
async def on_my_orders(here: Here, _action: custom_ids.Action) -> None:
    await show_orders(here, actions.ShowOrders(0))


@route(actions.ShowOrders)
async def show_orders(here: Here, shown: actions.ShowOrders) -> None:
    orders: list[writes.Order] = []
    origin = actions.origin_of(here.interaction.message)
    back = origin if isinstance(origin, actions.ShowItem) else None
    link = await here.features.accounts.find(here.member_id)
    account = "" if link is None else link.token_key

    async def draw() -> drawing.Card:
        nonlocal orders
        found = await here.features.writes.orders_of(
            here.member_id,
            account,
            refused_since=here.clock.now() - _REFUSED_LISTED,
            not_redeemed=shown.which is actions.Which.NOT_REDEEMED,
        )
        fitting = order_cards.fitting(found, shown)
        # Items that were redeemed since are no longer listed, so a page may be empty.
        last = max(len(fitting) - 1, 0) // order_cards.PER_LIST * order_cards.PER_LIST
        at = shown.at(min(shown.offset, last))
        orders = fitting[at.offset : at.offset + order_cards.PER_LIST]
        spent = await here.features.orders.spent(here.member_id, account)
        return order_cards.orders_card(orders, at, back, spent, total=len(fitting))

    await here.answer(await draw())
    here.open_cards.note(here, [order.item_id for order in orders], draw)


@route(actions.FilterOrders, opens_form=True)
async def open_filter_form(here: Here, action: actions.FilterOrders) -> None:
    await here.open_form(order_cards.filter_form(action))


@sent(actions.FilterOrders)
async def on_filter(here: Here, _action: custom_ids.Action) -> None:
    quoted = custom_ids.quoted(order_cards.NAME.read(here), actions.MAX_ORDERED_LENGTH)
    await show_orders(here, actions.ShowOrders(0, order_cards.WHICH.read(here), quoted))


async def ask(
    here: Here,
    entry: CatalogItem,
    kind: writes.WriteKind,
    *,
    came_from: actions.ShowItem | actions.Way | None,
) -> None:
    """Show an order to confirm. Cancel leads to where the member `came_from`, or to the item."""
    back = came_from or _to_item(entry.ref)
    obstacle = await _obstacle(here, entry, kind, actions.list_behind(back))
    if obstacle is not None:
        await _show(here, obstacle)
    else:
        await _offer(here, entry, kind, back)


async def _offer(
    here: Here,
    entry: CatalogItem,
    kind: writes.WriteKind,
    back: actions.ShowItem | actions.Way,
    *,
    has_new_price: bool = False,
) -> None:
    member_id = here.member_id
    orders = here.features.orders
    card_id = here.interaction.id
    earlier = None
    if kind is writes.WriteKind.REDEEM:
        earlier = await orders.find_blocking(member_id, entry.item.id, kind)

    async def redraw() -> drawing.Card | None:
        blocking = await orders.find_blocking(member_id, entry.item.id, kind, card_id=card_id)
        if blocking is not None and blocking.card_id == card_id:
            # The order was confirmed, and the card shows it already.
            return None
        again = await here.features.shop.item(member_id, entry.ref)
        return await _obstacle(here, again, kind, actions.list_behind(back))

    card = order_cards.confirmation_card(
        entry, kind, card_id, back, has_new_price=has_new_price, earlier=earlier
    )
    await here.answer(card)
    here.open_cards.note(here, [entry.item.id], redraw)


async def _obstacle(
    here: Here, entry: CatalogItem, kind: writes.WriteKind, way: actions.Way
) -> drawing.Card | None:
    blocking = await here.features.orders.find_blocking(
        here.member_id, entry.item.id, kind, card_id=here.interaction.id
    )
    is_done = blocking is not None and blocking.state is writes.WriteState.DONE
    if kind is writes.WriteKind.PURCHASE and (entry.item.has_purchased or is_done):
        return order_cards.owned_card(entry, way, blocking if is_done else None)
    return blocking and order_cards.outcome_card(blocking, way)


@route(actions.ConfirmPurchase, actions.ConfirmRedemption, keeps=True)
async def on_confirm(
    here: Here, action: actions.ConfirmPurchase | actions.ConfirmRedemption
) -> None:
    """Show that the game is being asked, then ask it, and show the answer."""
    ref = action.ref
    came_from = actions.origin_of(here.interaction.message)
    is_purchase = action.order_kind is writes.WriteKind.PURCHASE
    title = t("Buying…") if is_purchase else t("Redeeming…")
    body = t("Kiosk is asking the game. This can take up to 30 seconds.")
    # Show this card first: if Discord doesn't take it, the ledger doesn't ask the game.
    tell_first = partial(here.give_first, drawing.notice(title, body))
    # The item's name is read before the game is asked to order.
    item = writes.OrderedItem(
        ref.page, f"#{ref.item_id}", action.cost, "", "", None, action.currency
    )
    order = writes.Order(
        here.interaction.id,
        here.member_id,
        action.order_kind,
        ref.catalog_id,
        here.locale,
        item_id=ref.item_id,
        card_id=action.confirmation,
        item=item,
    )
    try:
        async with here.features.ledger.perform(order, tell_first) as settled:
            if settled is None:
                here.leave_to_others()
                return
            here.open_cards.forget(here)
            way = came_from and actions.list_behind(came_from)
            await _tell(here, settled.write, way)
    except discord.HTTPException as error:
        # The card's 15 minutes may be over. The member gets the result elsewhere.
        log.info("Can't show the result of %s on its card: %s", order, error)
        await here.open_cards.refresh(ref.item_id, here.member_id)
    except (GameError, errors.KioskError) as error:
        await _say_why_not(here, action, error, came_from or _to_item(ref))


async def _say_why_not(
    here: Here,
    action: actions.ConfirmPurchase | actions.ConfirmRedemption,
    error: GameError | errors.KioskError,
    back: actions.ShowItem | actions.Way,
) -> None:
    """Say why nothing was ordered, and offer a new price or another try if that may help."""
    kind = action.order_kind
    if isinstance(error, NotAsConfirmed) and not error.entry.item.has_purchased:
        await _offer(here, error.entry, kind, back, has_new_price=True)
        return
    if isinstance(error, NotAsConfirmed):
        card = order_cards.owned_card(error.entry, actions.list_behind(back))
    else:
        again = actions.ASK[kind](action.ref)
        card = error_cards.error_card(
            error, error_cards.log_error(error), resume_id=custom_ids.fold(again.custom_id())
        )
        buttons = [drawing.button(back, t("Back"))]
        if error.step is errors.Step.AGAIN:
            retry = drawing.button(again, t("Try again"), style=drawing.BLUE, emoji="🔁")
            buttons.insert(0, retry)
        card.buttons(*buttons)
        error_cards.offer_report(here, card, error)
    await _show(here, card)


async def _tell(here: Here, order: writes.Order, way: actions.Way | None) -> None:
    """Show an order's outcome, even if another member with the same account ordered."""

    async def redraw() -> drawing.Card:
        now_is = await here.features.writes.find_order(order.id)
        gone = replace(order, state=writes.WriteState.REFUSED, reason=Reason.NOT_SENT)
        return order_cards.outcome_card(now_is or gone, way, may_share=is_own)

    is_own = order.member_id == here.member_id
    no_longer_watched = await _follow_up(here.interaction.client, order) and is_own
    card = order_cards.outcome_card(
        order, way, no_longer_watched=no_longer_watched, may_share=is_own
    )
    await here.answer(card)
    if order.state is not writes.WriteState.DONE:
        here.open_cards.note(here, [order.item_id], redraw)
    # Refresh other cards, too. An order in progress may also have ended.
    await here.open_cards.refresh(order.item_id, here.member_id)


async def _follow_up(bot: Kiosk, order: writes.Order) -> bool:
    """Notify the features of a purchase, and end the item's watches. Return if any ended.

    Items that a member owns aren't news.
    """
    if order.kind is not writes.WriteKind.PURCHASE or order.state is not writes.WriteState.DONE:
        return False
    await bot.hooks.bought(order)
    try:
        return await bot.features.watching.end_watches_of(
            order.member_id, PlaceKind.CATALOG, order.item_id
        )
    except DatabaseError as error:
        # No harm: no one gets news about an item that they own.
        log.warning("Can't end the watches after %s: %s", order, error)
        return False


async def _show(here: Here, card: drawing.Card) -> None:
    await here.answer(card)
    here.open_cards.forget(here)


def _to_item(ref: ItemRef) -> actions.ShowItem:
    return actions.ShowItem.of(ref, actions.ShowItems(ref.catalog_id, ref.page))


class OrderNews(WriteNews[writes.Order]):
    name = ORDER_NEWS

    def __init__(self, bot: Kiosk) -> None:
        super().__init__(bot.features.writes)
        self._bot = bot

    async def redraw_open(self, write: writes.Order) -> bool:
        await _follow_up(self._bot, write)
        return await self._bot.open_cards.refresh(write.item_id, write.member_id)

    async def card(self, write: writes.Order) -> drawing.Card:
        return order_cards.outcome_card(write)
