"""Items on cards: their texts, their pictures, and the actions on them."""

from collections import abc
from itertools import chain

from bot.features import item_queries
from bot.features.matching import NUMBER_SIGN
from bot.game.models import Item
from bot.i18n import N_, number, t
from bot.ui import drawing, fields, forms, markdown, shared_actions
from bot.visible import is_visible
from storage import subscriptions, writes
from storage.names import ItemRef

_ROOM_FOR_NAME = 120
_ROOM_FOR_WORD = 60
MAX_PICTURED = 10
# So that ten items fit, whatever they cost.
_ROOM_IN_NEWS = 60
_ROOM_FOR_TYPE = 30
_ROOM_AT_THE_END = 200
# For the types of a query, in characters.
ROOM_FOR_TYPES = 1600
# News whose text doesn't say "in" a catalog.
_NOT_IN = frozenset({subscriptions.News.CHEAPER, subscriptions.News.GONE})
# The fields of a form that ask which items are meant.
TYPES = fields.Listed("type", most=drawing.MAX_CHOICES)
_TYPED_TYPES = fields.TextInput(TYPES.name, longest=400, is_line=True)
COST = fields.TextInput("cost", longest=40, is_line=True)
# The actions on an item, in the order of lists: their labels and signs there.
DEEDS: abc.Mapping[type[shared_actions.OfItem], tuple[str, str]] = {
    shared_actions.OpenItem: (N_("Open %(name)s"), "🔍"),
    shared_actions.AskPurchase: (N_("Buy %(name)s"), "🛒"),
    shared_actions.AskRedemption: (N_("Redeem %(name)s"), "🎁"),
    shared_actions.WatchItem: (N_("Watch %(name)s"), "🔔"),
    shared_actions.StopWatching: (N_("Stop watching %(name)s"), "🔕"),
}


def catalog_title(catalog_id: int, name: str | None) -> str:
    return t("Catalog %(number)s", number=catalog_id) if name is None else markdown.escape(name)


def name_of(text: str, room: int = _ROOM_FOR_NAME, *, plain: bool = False) -> str:
    return markdown.one_line(text, room, plain=plain, is_name=True) or t("(no name)")


def entry_name(text: str) -> str:
    """Return an item's name for a list or a picture, which show the name as one plain line."""
    return text if is_visible(text) else t("(no name)")


def picture(item: Item | writes.OrderedItem) -> drawing.Component | None:
    """Return an item's picture, to show beside its name."""
    return drawing.thumbnail(item.icon_url, entry_name(item.name))


def word(text: str) -> str:
    return markdown.one_line(text, _ROOM_FOR_WORD)


def price(cost: int, singular: str, plural: str, *, plain: bool = False) -> str:
    """Return a cost in its currency, escaped or `plain`."""
    if not cost:
        return t("Free")
    names = [singular, plural] if cost == 1 else [plural, singular]
    shown = [markdown.one_line(name, _ROOM_FOR_WORD, plain=plain) for name in names]
    return f"{number(cost)} {shown[0] or shown[1]}".rstrip()


def price_of(item: Item, *, plain: bool = False) -> str:
    return price(item.cost, item.currency.singular_name, item.currency.name, plain=plain)


def type_of(item: Item, room: int = _ROOM_FOR_WORD) -> str:
    return markdown.one_line(item.item_type.name, room)


def marks(
    item: Item, *, personal: bool = True, told: abc.Container[subscriptions.News] = ()
) -> str:
    """Return an item's marks, without those in the news `told`, and "Yours" only if `personal`."""
    flags = [
        (item.has_purchased and personal, t("✅ Yours")),
        (item.is_clearance and subscriptions.News.CLEARANCE not in told, t("🏷️ Clearance")),
        (item.is_member_item and subscriptions.News.MEMBERS not in told, t("⭐ Subscribers only")),
        (item.is_coin_code_item, t("Coin code")),
    ]
    return " · ".join(text for is_so, text in flags if is_so)


def say_facts(card: drawing.Card, item: Item, marked: str, *notes: str) -> None:
    facts = " · ".join(filter(None, [f"**{price_of(item)}**", type_of(item), marked]))
    icon = picture(item)
    name = entry_name(item.name)
    pictures = (
        drawing.thumbnail(item.paper_url, t("%(name)s on paper", name=name)),
        drawing.thumbnail(item.no_eye_url, t("%(name)s without eyes", name=name)),
    )
    shown = list(filter(None, pictures))
    head = [f"## {name_of(item.name)}", facts, *notes]
    card.say("\n".join(filter(None, head)), icon if shown else None)
    if shown := shown or list(filter(None, [icon])):
        entries = [{"media": part["media"], "description": part["description"]} for part in shown]
        card.add({"type": drawing.GALLERY, "items": entries})


def query_words(
    query: subscriptions.ItemQuery,
    items: abc.Collection[Item] = (),
    *,
    as_things: bool = False,
    room: int = ROOM_FOR_TYPES,
) -> str:
    """Return a query as facts about items or `as_things`, with the names in `items`."""
    names = {
        f"{NUMBER_SIGN}{item_type.id}": item_type.name for item_type in item_queries.types_in(items)
    }
    types = sorted(names.get(item_type, item_type) for item_type in query.types)
    shown_types = markdown.and_more(markdown.fitting(map(word, types), room, gap=3), len(types))
    name = t("“%(name)s”", name=name_of(query.name))
    cost = "" if query.max_cost is None else _cost_words(query.max_cost, query.currency, items)
    # Whether a part is said, its text after other parts, and its text as the first of things.
    parts = [
        (bool(query.name), name, name),
        *((True, words, t("items of type %(type)s", type=words)) for words in shown_types),
        (query.is_clearance, t("on clearance"), t("items on clearance")),
        (query.is_owned is False, t("not owned yet"), t("items you don't own yet")),
        (query.is_for_subscribers, t("subscribers only"), t("items for subscribers only")),
        (bool(cost), t("up to %(cost)s", cost=cost), t("items up to %(cost)s", cost=cost)),
    ]
    said = [(fact, thing) for is_said, fact, thing in parts if is_said]
    facts = [fact for fact, _ in said]
    if as_things:
        facts[:1] = [said[0][1] if said else t("all items")]
    return " · ".join(facts)


def _cost_words(max_cost: int, wanted: str, items: abc.Collection[Item]) -> str:
    currencies = item_queries.currencies_in(items)
    for currency in currencies:
        names = (f"{NUMBER_SIGN}{currency.id}", currency.name)
        if wanted in names or (not wanted and len(currencies) == 1):
            return price(max_cost, currency.singular_name, currency.name)
    return f"{number(max_cost)} {word(wanted)}".strip()


def ask_query(
    form: forms.ActionForm,
    types: abc.Collection[str],
    chosen: abc.Collection[str],
    cost: str,
    example: str,
) -> None:
    """Ask for types, to be typed if none are known, and for a highest cost."""
    label = t("Only these types")
    names = sorted({*types, *chosen})
    if types and len(names) <= drawing.MAX_CHOICES:
        TYPES.ask(form, label, [fields.Choice(name, name, name in chosen) for name in names])
    else:
        hint = t("Enter types separated by commas. Leave empty for any.")
        _TYPED_TYPES.ask(form, label, hint, text=", ".join(sorted(chosen)))
    hint = t("A price, for example %(cost)s. Leave empty for any.", cost=example)
    COST.ask(form, t("Highest price"), hint, text=cost)


def cost_typed(query: subscriptions.ItemQuery) -> str:
    """Return a query's highest cost as text for the form."""
    if query.max_cost is None:
        return ""
    return f"{number(query.max_cost)} {query.currency}".strip()


def say_event(card: drawing.Card, event: subscriptions.Event, catalog: str) -> None:
    item = item_queries.item_of(event)
    card.say(what_is_new(event, catalog))
    say_facts(card, item, marks(item, personal=False, told=event.news))


def place_line(item: Item, catalog: str) -> str:
    return "-# " + t("%(catalog)s · number %(number)s", catalog=catalog, number=item.id)


def deed(
    action: type[shared_actions.OfItem], items: abc.Iterable[tuple[ItemRef, Item]]
) -> abc.Iterator[drawing.Entry]:
    words, sign = DEEDS[action]
    for ref, item in items:
        # Redeeming has no price.
        cost = "" if action is shared_actions.AskRedemption else price_of(item, plain=True)
        yield drawing.Entry(t(words, name=entry_name(item.name)), action(ref), cost, sign)


def say_news(
    card: drawing.Card, events: abc.Sequence[subscriptions.Event], *, in_lines: bool = False
) -> None:
    """Add news of items, up to ten with pictures, more as lines, and a list of actions."""
    told = [(item_queries.ref_of(event), item_queries.item_of(event)) for event in events]
    items = [entry for entry, event in zip(told, events, strict=True) if not is_gone(event)]
    if in_lines or len(events) > MAX_PICTURED:
        lines = map(news_line, events[: drawing.MAX_CHOICES])
        card.say(
            "\n".join(
                markdown.and_more(
                    markdown.fitting(lines, card.room - _ROOM_AT_THE_END), len(events)
                )
            )
        )
        opening = (
            drawing.Entry(
                entry_name(item.name), shared_actions.OpenItem(ref), price_of(item, plain=True)
            )
            for ref, item in items
        )
        card.choose(opening, t("Open an item…"))
        return
    for event, (_, item) in zip(events, told, strict=True):
        name = markdown.one_line(item.name, _ROOM_IN_NEWS) or name_of("")
        facts = " · ".join(filter(None, [price_of(item), type_of(item, _ROOM_FOR_TYPE)]))
        lines = [f"**{name}**", facts, f"-# {_news_words(event, item)}"]
        card.say("\n".join(lines), picture(item))
    deeds: list[type[shared_actions.OfItem]] = [shared_actions.OpenItem, shared_actions.AskPurchase]
    placeholder = t("Open or buy…")
    if len(items) <= drawing.MAX_CHOICES // 4:
        deeds += [shared_actions.AskRedemption, shared_actions.WatchItem]
        placeholder = t("Open, buy, redeem or watch…")
    elif len(items) <= drawing.MAX_CHOICES // 3:
        deeds.append(shared_actions.WatchItem)
        placeholder = t("Open, buy or watch…")
    entries = chain.from_iterable(deed(action, items) for action in deeds)
    card.choose(entries, placeholder)


def is_gone(event: subscriptions.Event) -> bool:
    """Return whether an item's news say that it is gone, and not back again."""
    return subscriptions.News.GONE in event.news and subscriptions.News.BACK not in event.news


def news_line(event: subscriptions.Event) -> str:
    item = item_queries.item_of(event)
    return " · ".join([f"**{name_of(item.name)}**", price_of(item), _news_words(event, item)])


def _news_words(event: subscriptions.Event, item: Item) -> str:
    marked = marks(item, personal=False, told=event.news)
    return " · ".join(filter(None, [what_is_new(event), marked]))


def order_buttons(ref: ItemRef) -> tuple[drawing.Button, drawing.Button, drawing.Button]:
    return (
        drawing.button(shared_actions.AskPurchase(ref), t("Buy"), style=drawing.GREEN, emoji="🛒"),
        drawing.button(shared_actions.AskRedemption(ref), t("Redeem")),
        drawing.button(shared_actions.WatchItem(ref), t("Watch"), emoji="🔔"),
    )


def what_is_new(event: subscriptions.Event, catalog: str = "") -> str:
    """Return what is new about an item, and in which catalog if `catalog` is given."""
    news_of = item_queries.ItemNews.of(event.payload)
    item = news_of.item
    old_cost = news_of.old_cost
    currency = item.currency
    cost = "" if old_cost is None else price(old_cost, currency.singular_name, currency.name)
    members = t("⭐ Now for subscribers only") if item.is_member_item else t("Now for everyone")
    words = {
        subscriptions.News.NEW: t("🆕 New"),
        subscriptions.News.BACK: t("↩️ Back again"),
        subscriptions.News.CLEARANCE: t("🏷️ On clearance"),
        subscriptions.News.CHEAPER: t("⬇️ Cheaper: was %(price)s", price=cost),
        subscriptions.News.MEMBERS: members,
        subscriptions.News.GONE: t("👋 Gone"),
    }
    news = " · ".join(words[kind] for kind in subscriptions.News if kind in event.news)
    if not catalog or not event.news.isdisjoint(_NOT_IN):
        return " · ".join(filter(None, [news, catalog]))
    return t("%(news)s in %(catalog)s", news=news, catalog=catalog)
