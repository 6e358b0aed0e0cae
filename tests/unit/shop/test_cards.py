"""Whatever the game sends, every card keeps to Discord's limits."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.features.directory import Place
from bot.features.reading.catalogs import CatalogEnding, CatalogItem, ItemSort
from bot.features.reading.paging import LAST, Position, Screen
from bot.features.reading.shop import LAST_PAGE, Address, CatalogScreen, Owned
from bot.features.writing.outcomes import LOOKED_FOR, Reason
from bot.game.models import MAX_NUMBER, Currency, Item, ItemPageKey, ItemType
from bot.ui.drawing import MAX_BYTES, THUMBNAIL, Card, parts_of
from cogs.shop.actions import MAX_ORDERED_LENGTH, SHOWN, ShowItem, ShowItems, ShowOrders, Way, Which
from cogs.shop.browsing import item_card, shared_card, shared_order_card
from cogs.shop.order_cards import PER_LIST, orders_card, outcome_card, owned_card
from cogs.shop.screen_cards import gallery_card
from storage.names import Named, PlaceKind
from storage.writes import ORDERS, Order, OrderedItem, WriteKind, WriteState
from tests.support.discord_limits import card_faults
from tests.support.members import called

# Codes of errors with words of their own and without.
REASONS = ["conflict", "refused_by_game", "Other", LOOKED_FOR, *Reason]

ids = st.integers(0, MAX_NUMBER)
costs = st.integers(-MAX_NUMBER, MAX_NUMBER)
names = st.text(max_size=200) | st.sampled_from(
    ["*" * 700, "雨" * 700, "🌰" * 700, "a`" * 700, "\u202e\x00", "@everyone"]
)
pictures = st.none() | st.just("https://assets.example/" + "a" * 2000)
currencies = st.builds(Currency, id=ids, name=names, singular_name=names, icon_url=pictures)
item_types = st.builds(ItemType, id=ids, name=names)
items = st.builds(
    Item,
    id=ids,
    name=names,
    cost=costs,
    currency=currencies,
    item_type=item_types,
    icon_url=pictures,
    paper_url=pictures,
    no_eye_url=pictures,
    is_clearance=st.booleans(),
    is_coin_code_item=st.booleans(),
    is_member_item=st.booleans(),
    has_purchased=st.booleans(),
)
catalog_ids = st.integers(0, MAX_NUMBER)
pages = st.integers(1, LAST_PAGE)
places = st.builds(Place, st.just(PlaceKind.CATALOG), catalog_ids, st.none() | st.text(max_size=80))
letters = st.sampled_from(["*", "雨", "🌰"])
queries = st.builds(
    replace,
    st.sampled_from([*SHOWN.values()]),
    types=st.frozensets(st.integers(0, MAX_NUMBER).map(lambda number: f"#{number}"), max_size=1),
    max_cost=st.none() | st.integers(0, 10**12),
)
# As large as they can be when a whole catalog is one long page.
addresses = st.builds(
    Address, catalog_ids, pages, st.integers(0, 10_014), queries, st.sampled_from(ItemSort)
)
entries = st.builds(CatalogItem, catalog_ids, pages, items)


def gallery_at(
    address: Address,
    found: list[CatalogItem],
    total: int | None,
    ending: CatalogEnding,
    ways: tuple[bool, bool, bool],
    owned: Owned,
) -> CatalogScreen:
    key = ItemPageKey(1, address.catalog_id, address.page)
    at = Position(key, address.offset)
    before = Position(key, address.offset + 1) if ways[0] else None
    after = Position(key, address.offset + 8) if ways[1] else None
    screen = Screen(at, tuple(found), before, after, address.offset + 1, total)
    last = Position(key._replace(page=LAST_PAGE), LAST) if ways[2] else None
    items_read = [entry.item for entry in found]
    is_known = address.is_whole and ending is CatalogEnding.COMPLETE
    owned_of = owned if is_known else None
    return CatalogScreen(address, screen, ending, items_read, last, owned=owned_of)


galleries = st.builds(
    gallery_at,
    addresses,
    st.lists(entries, max_size=8, unique_by=lambda each: each.item.id),
    st.none() | st.integers(0, 10**6),
    st.sampled_from(CatalogEnding),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.builds(Owned, st.integers(0, 20_000), st.integers(0, 20_000)),
)
screen_ways = addresses.map(ShowItems.at)
lists = st.builds(
    ShowOrders,
    st.integers(0, 10**6),
    st.sampled_from(Which),
    st.sampled_from(["", "字" * MAX_ORDERED_LENGTH, "%25" * (MAX_ORDERED_LENGTH // 3)]),
)
ways = screen_ways | lists
moments = st.integers(0, 2 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
ordered = st.builds(OrderedItem, pages, names, costs, names, names, pictures)
orders = st.builds(
    Order,
    id=catalog_ids,
    member_id=catalog_ids,
    kind=st.sampled_from(ORDERS),
    place_id=catalog_ids,
    item_id=catalog_ids,
    state=st.sampled_from(WriteState),
    reason=st.none() | st.sampled_from(REASONS),
    game_words=st.none() | names,
    card_id=catalog_ids,
    item=ordered,
    created_at=moments,
    asked_at=st.none() | moments,
)


# Drawing a card of such items takes a while; most of what can be wrong is wrong at once.
few = settings(max_examples=25)


def check(card: Card) -> None:
    assert card_faults(card.to_components()) == []


def sent_bytes(card: Card) -> int:
    """Count all texts, custom ids and addresses, and what Discord adds to each text."""
    names = ("content", "label", "description", "placeholder", "custom_id", "value", "url")
    records: list[Any] = []
    for part in parts_of(card.components):
        records += [part, part.get("media", {}), *part.get("options", ())]
    texts = [str(record[name]) for record in records for name in names if record.get(name)]
    return len("".join(texts).encode()) + 12 * sum("content" in record for record in records)


@few
@given(places, entries, ways, st.none() | orders, st.none() | orders)
def test_an_items_card(
    catalog: Place, item: CatalogItem, way: Way, bought: Order | None, redeemed: Order | None
) -> None:
    found = {WriteKind.PURCHASE: bought, WriteKind.REDEEM: redeemed}
    check(item_card(item, catalog, way, found, is_watched=True))
    check(shared_card(item, catalog, called("*" * 32, MAX_NUMBER)))


@few
@given(places, galleries, st.booleans(), letters)
def test_a_screen(catalog: Place, gallery: CatalogScreen, is_watched: bool, letter: str) -> None:
    watched = {entry.item.id for entry in gallery.screen.entries if is_watched}
    card = gallery_card(catalog, gallery, watched, [Named(MAX_NUMBER, letter * 100)] * 30)
    check(card)
    # Pictures are there only if it is short enough with all addresses and custom ids.
    has_pictures = any(part["type"] == THUMBNAIL for part in parts_of(card.components))
    assert not has_pictures or sent_bytes(card) <= MAX_BYTES


@few
@given(
    # Of one item, there may be many.
    st.lists(orders, max_size=2).map(
        lambda some: [replace(one, id=n) for n, one in enumerate((some * PER_LIST)[:PER_LIST])]
    ),
    lists,
    st.dictionaries(st.tuples(names, names), costs, max_size=9),
    st.integers(0, 10**6),
    entries,
    ways,
)
def test_orders_and_their_outcomes(
    found: list[Order],
    shown: ShowOrders,
    spent: dict[tuple[str, str], int],
    total: int,
    entry: CatalogItem,
    way: Way,
) -> None:
    way_back = ShowItem.of(entry.ref, way)
    check(orders_card(found, shown, way_back, spent, total=total))
    check(owned_card(entry, way))
    for order in found:
        check(outcome_card(order, way, no_longer_watched=True, may_share=True))
        place = Place(PlaceKind.CATALOG, MAX_NUMBER, "*" * 80)
        check(shared_order_card(order, place, called("*" * 32, MAX_NUMBER)))
        check(owned_card(entry, way, order))
