"""The cards of orders: the confirmation, the outcome, and the list."""

from collections import abc
from typing import NamedTuple

from bot import errors
from bot.features import matching
from bot.features.reading.catalogs import CatalogItem
from bot.features.writing import outcomes
from bot.features.writing.orders import currency_digits
from bot.features.writing.writing_errors import AccountChanged
from bot.game import game_errors
from bot.i18n import N_, number, t
from bot.ui import custom_ids, drawing, fields, forms, items, markdown, shared_actions, theme
from bot.ui.error_cards import game_says
from cogs.shop import actions
from storage import writes

PER_LIST = 5
_ROOM_FOR_SUMS = 200
# The fields of the filter, and the choices of the first.
WHICH = fields.OneOf("which", actions.Which)
NAME = fields.TextInput("name", actions.MAX_ORDERED_LENGTH, is_line=True)
_WHICH_WORDS = {
    actions.Which.ALL: N_("All orders"),
    actions.Which.BOUGHT: N_("Bought"),
    actions.Which.NOT_REDEEMED: N_("Bought, not redeemed"),
    actions.Which.REDEEMED: N_("Redeemed"),
    actions.Which.UNKNOWN: N_("Outcome unknown"),
    actions.Which.REFUSED: N_("Failed"),
}
# The orders of a choice, by their kinds and states.
_FITTING = {
    actions.Which.BOUGHT: ({writes.WriteKind.PURCHASE}, {writes.WriteState.DONE}),
    actions.Which.REDEEMED: ({writes.WriteKind.REDEEM}, {writes.WriteState.DONE}),
    actions.Which.UNKNOWN: (
        writes.ORDERS,
        {writes.WriteState.KEPT, writes.WriteState.SENT, writes.WriteState.UNKNOWN},
    ),
    actions.Which.REFUSED: (writes.ORDERS, {writes.WriteState.REFUSED}),
}

_COLOURS = {
    writes.WriteState.KEPT: theme.CALM,
    writes.WriteState.SENT: theme.CALM,
    writes.WriteState.DONE: theme.GOOD,
    writes.WriteState.REFUSED: theme.PROBLEM,
    writes.WriteState.UNKNOWN: theme.SHOP,
}
# The texts for an order's outcome: a title, a body, and the state on its receipt.
_OUTCOMES = {
    (writes.WriteKind.PURCHASE, writes.WriteState.SENT): (
        N_("Buying %(name)s"),
        N_("This purchase is already in progress. Kiosk won't buy the item twice."),
        N_("In progress: waiting for the game"),
    ),
    (writes.WriteKind.PURCHASE, writes.WriteState.DONE): (
        N_("%(name)s is yours"),
        N_("Bought for %(price)s. The item is in your game account."),
        N_("Bought"),
    ),
    (writes.WriteKind.PURCHASE, writes.WriteState.REFUSED): (
        N_("Not bought: %(name)s"),
        N_("You weren't charged."),
        N_("Not bought: you weren't charged"),
    ),
    (writes.WriteKind.PURCHASE, writes.WriteState.UNKNOWN): (
        N_("Outcome unknown: %(name)s"),
        N_("The game never answered. Check in the game if you own it before you buy it again."),
        N_("Outcome unknown: check in the game if you own it"),
    ),
    (writes.WriteKind.REDEEM, writes.WriteState.SENT): (
        N_("Redeeming %(name)s"),
        N_("This redemption is already in progress. Kiosk won't redeem the item twice."),
        N_("In progress: waiting for the game"),
    ),
    (writes.WriteKind.REDEEM, writes.WriteState.DONE): (
        N_("%(name)s redeemed"),
        N_("The item is in your game account."),
        N_("Redeemed"),
    ),
    (writes.WriteKind.REDEEM, writes.WriteState.REFUSED): (
        N_("Not redeemed: %(name)s"),
        "",
        N_("Not redeemed"),
    ),
    (writes.WriteKind.REDEEM, writes.WriteState.UNKNOWN): (
        N_("Outcome unknown: %(name)s"),
        N_(
            "The game never answered, and Kiosk can't look up redemptions. Check your items in"
            " the game before you redeem it again."
        ),
        N_("Outcome unknown: check in the game if you have it"),
    ),
}
# For a purchase that is UNKNOWN, but not finally.
_NOT_CONFIRMED = (
    N_("Not confirmed yet: %(name)s"),
    N_("Not confirmed yet: Kiosk keeps checking and tells you"),
)

# By the order's reason, and by its kind if that makes a difference.
_REASONS: dict[tuple[writes.WriteKind | None, str], str] = {
    (writes.WriteKind.PURCHASE, game_errors.Conflict.code): N_(
        "You may not have enough to buy it, or you may already own it. Check your balance in the"
        " game."
    ),
    (writes.WriteKind.PURCHASE, game_errors.Forbidden.code): N_(
        "Your game account can't buy this item. Some items are for subscribers only."
    ),
    (writes.WriteKind.PURCHASE, game_errors.NotFound.code): N_(
        "The game no longer sells this item."
    ),
    (writes.WriteKind.REDEEM, game_errors.Conflict.code): N_(
        "You can redeem an item only once, and only while you're at its park. Go to that park in"
        " the game, then try again."
    ),
    (writes.WriteKind.REDEEM, game_errors.Forbidden.code): N_(
        "Your game account can't redeem this item. Some items are for subscribers only. You must"
        " also be at the item's park."
    ),
    (writes.WriteKind.REDEEM, game_errors.NotFound.code): N_(
        "The game doesn't have this item at your current park. Go to the item's park in the"
        " game, then try again."
    ),
    (writes.WriteKind.REDEEM, game_errors.Refused.code): N_(
        "You can redeem an item only once, and only while you're at its park."
    ),
    (None, game_errors.Refused.code): N_("The game rejected this order."),
    (None, game_errors.RateLimited.code): N_(
        "The game is limiting requests. Wait a minute, then try again."
    ),
    (None, game_errors.Unavailable.code): N_("Kiosk couldn't reach the game, so nothing was sent."),
    (None, errors.AccountError.code): N_(
        "The game no longer accepts your access token. Link your account with a new token."
    ),
    (None, outcomes.Reason.NOT_THERE): N_(
        "The game never answered, and the catalog shows that you don't own the item."
    ),
    (None, AccountChanged.code): N_(
        "Nothing was sent, because you started this with a different game account."
    ),
    (None, outcomes.Reason.NOT_SENT): N_("Kiosk was interrupted, so nothing was sent to the game."),
    (None, outcomes.Reason.NO_TURN): N_(
        "Nothing was sent: Kiosk has too many requests to the game. Wait a minute, then try again."
    ),
    (None, outcomes.Reason.NEVER_SEEN): N_(
        "Kiosk stopped checking, because it couldn't read the catalog or find the item there."
    ),
    (None, outcomes.Reason.ACCOUNT_CHANGED): N_(
        "You ordered it with a game account that is no longer linked. Sign in to that account"
        " and check there."
    ),
}


class OutcomeWords(NamedTuple):
    """The texts for an order's outcome: a title and a body, or a short state with details."""

    title: str
    body: str
    state: str
    details: str


def redeemed(order: writes.Order) -> str:
    if order.state is writes.WriteState.UNKNOWN:
        return t("Kiosk doesn't know if your earlier redemption went through.")
    when = markdown.relative_time(order.asked_at or order.created_at)
    return t("You redeemed it %(when)s.", when=when)


def outcome(order: writes.Order) -> OutcomeWords:
    item = order.item
    name = items.name_of(item.name)
    # The game's own words are exact. Kiosk's may be a guess.
    said = "" if order.state is writes.WriteState.DONE else game_says(order.game_words)
    if order.state is writes.WriteState.UNKNOWN and outcomes.is_open(order):
        title, receipt = _NOT_CONFIRMED
        until = outcomes.known_at(order) or order.created_at
        promise = t(
            "Kiosk keeps checking and tells you the result, here or by direct message. The"
            " purchase can still go through until %(until)s.",
            until=markdown.deadline(until, order.created_at),
        )
        said = said or t("The game didn't answer.")
        body = f"{said}\n{promise}"
        return OutcomeWords(t(title, name=name), body, t(receipt), "")
    state = writes.WriteState.SENT if order.state is writes.WriteState.KEPT else order.state
    title, body, receipt = _OUTCOMES[order.kind, state]
    why = ""
    reason = order.reason or ""
    needs_guess = state is writes.WriteState.REFUSED and not said
    if needs_guess or (state is not writes.WriteState.DONE and reason in set(outcomes.Reason)):
        keys = ((order.kind, reason), (None, reason), (None, game_errors.Refused.code))
        why = t(next(_REASONS[key] for key in keys if key in _REASONS))
    details = "\n".join(filter(None, [said, why]))
    if state is writes.WriteState.DONE and not item.cost:
        body = t("The item is in your game account.")
    elif body:
        cost = items.price(item.cost, item.currency_singular, item.currency_name)
        body = t(body, price=cost)
    body = "\n".join(filter(None, [body, details]))
    return OutcomeWords(t(title, name=name), body, t(receipt), details)


def confirmation_card(
    entry: CatalogItem,
    kind: writes.WriteKind,
    confirmation: int,
    way_back: custom_ids.Action,
    *,
    has_new_price: bool = False,
    earlier: writes.Order | None = None,
) -> drawing.Card:
    """Ask whether to order. `earlier` is a done or unknown redemption of the same item."""
    item = entry.item
    name = items.name_of(item.name)
    if kind is writes.WriteKind.PURCHASE:
        lines = [f"### {t('Buy %(name)s?', name=name)}"]
        if has_new_price:
            told = t("⚠️ **The price has changed.** Nothing was bought. This is the new price.")
            lines.append(told)
        cost = t("It costs **%(price)s**.", price=items.price_of(item))
        lines.append(cost if item.cost else t("It's **free**."))
        digits = currency_digits(item)
        order = actions.ConfirmPurchase(entry.ref, item.cost, confirmation, digits)
        confirm = drawing.button(order, t("Buy item"), style=drawing.GREEN, emoji="🛒")
    else:
        lines = [f"### {t('Redeem %(name)s?', name=name)}"]
        if earlier is not None:
            lines.append(redeemed(earlier))
        how = t(
            "You get it at your current park in the game. The game shows no price for redeeming."
        )
        lines.append(how)
        order = actions.ConfirmRedemption(entry.ref, confirmation)
        confirm = drawing.button(order, t("Redeem item"), style=drawing.GREEN, emoji="🎁")
    if item.is_member_item:
        lines.append(t("⭐ Subscribers only"))
    card = drawing.Card(theme.SHOP)
    card.say("\n".join(lines), items.picture(item))
    card.buttons(confirm, drawing.button(way_back, t("Cancel")))
    return card


def owned_card(
    entry: CatalogItem, way: actions.Way, order: writes.Order | None = None
) -> drawing.Card:
    """Say that the item is already owned, or counts as bought by an `order` minutes ago."""
    body = t("Nothing was bought, because you already own this item.")
    if order is not None and order.asked_at is not None:
        body = t(
            "Nothing was bought: you already bought it %(when)s. Kiosk won't buy it again before"
            " %(until)s, with any account.",
            when=markdown.relative_time(order.asked_at),
            until=markdown.deadline(order.asked_at + outcomes.COUNTS_FOR, order.asked_at),
        )
    item = entry.item
    title = t("You already own %(name)s", name=items.name_of(item.name))
    card = drawing.Card(theme.GOOD)
    card.say(f"### {title}\n{body}", items.picture(item))
    card.buttons(_shop_on(way), drawing.button(actions.ShowItem.of(entry.ref, way), t("Open")))
    return card


def _shop_on(way: actions.Way) -> drawing.Button:
    label = t("Your orders") if isinstance(way, actions.ShowOrders) else t("Open catalog")
    return drawing.button(way, label, style=drawing.BLUE)


def outcome_card(
    order: writes.Order,
    way: actions.Way | None = None,
    *,
    no_longer_watched: bool = False,
    may_share: bool = False,
) -> drawing.Card:
    item = order.item
    words = outcome(order)
    watched = t("🔕 You're no longer watching this item.") if no_longer_watched else ""
    text = "\n".join(filter(None, [f"### {words.title}", words.body, watched]))
    picture = items.picture(item)
    card = drawing.Card(_COLOURS[order.state])
    orders = drawing.button(actions.ShowOrders(0), t("Your orders"))
    if order.state is writes.WriteState.UNKNOWN and outcomes.is_open(order):
        cost = items.price(item.cost, item.currency_singular, item.currency_name)
        when = markdown.relative_time(order.created_at)
        ordered = t("%(price)s · ordered %(when)s", price=cost, when=when)
        card.say(f"{text}\n-# {ordered}", picture)
        ask = actions.AskNow(order.id)
        card.buttons(drawing.button(ask, t("Check now"), style=drawing.BLUE, emoji="🔄"), orders)
        return card
    card.say(text, picture)
    way = way or actions.ShowItems(order.place_id, item.page)
    buttons = [drawing.button(actions.ShowItem.of(order.ref, way), t("Open"))]
    if _may_be_asked_again(order):
        again = actions.ASK[order.kind](order.ref)
        if order.state is writes.WriteState.REFUSED and order.reason == errors.AccountError.code:
            buttons = [
                *shared_actions.link_buttons(resume_id=custom_ids.fold(again.custom_id())),
                *buttons,
            ]
        elif order.kind is writes.WriteKind.PURCHASE:
            buttons.append(drawing.button(again, t("Buy"), style=drawing.GREEN, emoji="🛒"))
        else:
            style = drawing.BLUE if order.state is writes.WriteState.REFUSED else drawing.GREY
            buttons.append(drawing.button(again, t("Try again"), style=style, emoji="🔁"))
    if isinstance(way, actions.ShowItems):
        buttons.append(orders)
    if order.state is writes.WriteState.DONE:
        if order.kind is writes.WriteKind.PURCHASE:
            share = drawing.button(actions.ShareOrder(order.id), t("Share"))
            redeem = items.order_buttons(order.ref)[1]
            buttons = [redeem, *([share] if may_share else []), *buttons]
        card.buttons(_shop_on(way), *buttons)
    else:
        card.buttons(*buttons, drawing.button(way, t("Back")))
    return card


def _may_be_asked_again(order: writes.Order) -> bool:
    """Return whether asking again may help. If not, the item's card says what may.

    If the game refused an order, it refuses the same order again.
    """
    if order.state is writes.WriteState.DONE or outcomes.is_open(order):
        return False
    error = errors.ExplainedError.by_code.get(order.reason or "", errors.ExplainedError)
    return not issubclass(error, game_errors.Refused) or issubclass(error, game_errors.RateLimited)


def fitting(orders: abc.Iterable[writes.Order], shown: actions.ShowOrders) -> list[writes.Order]:
    """Return the orders that a list shows. Storage already filtered by "not redeemed"."""
    kinds, states = _FITTING.get(shown.which, (writes.ORDERS, set(writes.WriteState)))
    fit = [order for order in orders if order.kind in kinds and order.state in states]
    named = {
        order.id for order in matching.holding(shown.typed, fit, lambda order: order.item.name)
    }
    return [order for order in fit if order.id in named]


def filter_form(action: actions.FilterOrders) -> forms.ActionForm:
    form = forms.ActionForm(action, title=t("Filter your orders"))
    WHICH.ask(form, t("Orders"), _WHICH_WORDS, action.which)
    hint = t("Part of the name. Leave empty for any.")
    NAME.ask(form, t("Name"), hint, text=action.typed)
    return form


def orders_card(
    orders: abc.Sequence[writes.Order],
    shown: actions.ShowOrders,
    way_back: actions.ShowItem | None,
    spent: dict[tuple[str, str], int],
    *,
    total: int,
) -> drawing.Card:
    """List a page of orders, with the sums `spent` by the currencies' names."""
    back = [] if way_back is None else [drawing.button(way_back, t("Back"))]
    filters = [*_filters(shown, has_bought=bool(spent)), *back]
    if not orders and not shown.is_whole:
        body = t("Nothing matches.")
        if shown == actions.ShowOrders(0, actions.Which.NOT_REDEEMED):
            body = t("You have no unredeemed items that you bought with Kiosk.")
        return drawing.notice(t("Your orders"), body, buttons=tuple(filters))
    if not orders:
        body = t("You haven't ordered anything yet. Start with `/shop browse`.")
        choose = shared_actions.places_button(t("Choose a catalog"), style=drawing.BLUE)
        return drawing.notice(t("Your orders"), body, buttons=(choose,))
    card = drawing.Card(theme.SHOP)
    card.say("\n".join(["## " + t("Your orders"), *_heading(shown, len(orders), total, spent)]))
    for order in orders:
        item = order.item
        words = outcome(order)
        state = f"✅ {words.state}" if order.state is writes.WriteState.DONE else words.state
        name = f"**{items.name_of(item.name)}**"
        if order.kind is writes.WriteKind.PURCHASE:
            name += f" · {items.price(item.cost, item.currency_singular, item.currency_name)}"
        asked = "-# " + markdown.moment(order.created_at)
        lines = [name, state, words.details, asked]
        card.gap()
        card.say("\n".join(filter(None, lines)), items.picture(item))
    entries = [_entry(order, shown) for order in orders]
    placeholder = t("Choose an order…") if any(map(_may_be_asked_again, orders)) else t("Open…")
    if shown.which is actions.Which.NOT_REDEEMED:
        entries += [
            _named(order, shown, actions.RedeemOrdered, shared_actions.AskRedemption)
            for order in orders
        ]
        placeholder = t("Open or redeem…")
    card.choose(entries, placeholder)
    steps = [*_steps(shown, total)]
    is_one_row = len(steps) + len(filters) <= drawing.MAX_IN_ROW
    for row in [[*steps, *filters]] if is_one_row else [steps, filters]:
        card.buttons(*row)
    return card


def _heading(
    shown: actions.ShowOrders, count: int, total: int, spent: dict[tuple[str, str], int]
) -> abc.Iterator[str]:
    name = markdown.one_line(shown.typed, actions.MAX_ORDERED_LENGTH, is_name=True)
    words = [
        t(_WHICH_WORDS[shown.which]) if shown.which is not actions.Which.ALL else "",
        t("“%(name)s”", name=name) if name else "",
    ]
    asked = " · ".join(filter(None, words))
    position = t(
        "%(first)s to %(last)s of %(count)s",
        first=number(shown.offset + 1),
        last=number(shown.offset + count),
        count=number(total),
    )
    yield f"{position} · **{asked}**" if asked else position
    if shown.which is actions.Which.NOT_REDEEMED:
        yield "-# " + t("Kiosk doesn't know which items you redeemed in the game itself.")
    costs = [items.price(cost, *names) for names, cost in spent.items() if cost]
    if costs and shown.is_whole:
        sums = markdown.some_of(markdown.fitting(costs, _ROOM_FOR_SUMS, gap=2), len(costs))
        yield t("Spent in the past year: %(sums)s", sums=sums)


def _steps(shown: actions.ShowOrders, total: int) -> abc.Iterator[drawing.Button]:
    if total <= PER_LIST:
        return

    last = (total - 1) // PER_LIST * PER_LIST
    before = shown.offset - PER_LIST
    after = shown.offset + PER_LIST
    if before > 0:
        yield drawing.button(shown.at(0), t("First"))
    yield from drawing.step_buttons(
        shown.at(before) if before >= 0 else None, shown.at(after) if after <= last else None
    )
    if after < last:
        yield drawing.button(shown.at(last), t("Last"))


def _filters(shown: actions.ShowOrders, *, has_bought: bool) -> abc.Iterator[drawing.Button]:
    form = actions.FilterOrders(0, shown.which, shown.name)
    yield drawing.button(form, t("Filter"))
    if not shown.is_whole:
        yield drawing.button(actions.ShowOrders(0), t("Show all"))
    elif has_bought:
        waiting = actions.ShowOrders(0, actions.Which.NOT_REDEEMED)
        yield drawing.button(waiting, t("Bought, not redeemed"))


def _entry(order: writes.Order, shown: actions.ShowOrders) -> drawing.Entry:
    if _may_be_asked_again(order):
        return _named(order, shown, actions.AskAgain, actions.ASK[order.kind])
    return _named(order, shown, actions.ShowOrdered, shared_actions.OpenItem)


def _named(
    order: writes.Order,
    shown: actions.ShowOrders,
    action: type[actions.OfReceipt],
    deed: type[shared_actions.OfItem],
) -> drawing.Entry:
    """Return an entry of the list, with the label and the sign of an item action."""
    words, sign = items.DEEDS[deed]
    meant = action(order.id, shown.offset, shown.which, shown.name)
    return drawing.Entry(t(words, name=items.entry_name(order.item.name)), meant, emoji=sign)
