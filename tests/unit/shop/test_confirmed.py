"""Whether an item is still as it was confirmed, and what is noted of it."""

import dataclasses

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from bot.features.reading.catalogs import CatalogItem
from bot.features.writing.orders import Wish, as_confirmed, currency_digits, new_order
from bot.game.models import Currency, Item, ItemType
from storage.links import Link
from storage.writes import OrderedItem, WriteKind
from tests.support.orders import ORDERED_AT, STRAW_HAT

HAT = CatalogItem(
    1,
    1,
    Item(
        id=3,
        name="Straw hat",
        cost=30,
        currency=Currency(id=1, name="Acorns", singular_name="Acorn", icon_url=None),
        item_type=ItemType(id=1, name="Hat", image_url=None),
        icon_url="https://game.example/hat.png",
        paper_url=None,
        no_eye_url=None,
        is_clearance=False,
        is_coin_code_item=False,
        is_member_item=False,
        has_purchased=False,
    ),
)
OWNED_HAT = replace(HAT, item=dataclasses.replace(HAT.item, has_purchased=True))
HAT_FOR_GEMS = replace(
    HAT,
    item=dataclasses.replace(HAT.item, currency=Currency(id=2, name="Gems", singular_name="Gem")),
)
LINK = Link(
    member_id=1,
    token=SecretStr("a-token"),
    is_refused=False,
    linked_at=ORDERED_AT,
    player_id=7,
    player_name="Ada",
    token_key="key",
    sealed=b"",
)
WISH = Wish(1, WriteKind.PURCHASE, HAT.ref, 30, card_id=5, locale="de", press_id=6)


@pytest.mark.parametrize(
    ("wish", "entry", "is_too_late"),
    [
        (WISH, HAT, False),
        (WISH, OWNED_HAT, True),
        (replace(WISH, cost=29), HAT, True),
        (replace(WISH, currency=currency_digits(HAT.item)), HAT, False),
        (replace(WISH, currency=currency_digits(HAT.item)), HAT_FOR_GEMS, True),
        (replace(WISH, kind=WriteKind.REDEEM, cost=None), OWNED_HAT, False),
    ],
)
def test_only_what_is_as_it_was_confirmed_is_bought(
    wish: Wish, entry: CatalogItem, is_too_late: bool
) -> None:
    assert (as_confirmed(STRAW_HAT, wish, entry) is None) is is_too_late


def test_an_order_has_the_words_of_the_item_as_it_was_seen() -> None:
    order, unseen = new_order(WISH, LINK, HAT.item), new_order(WISH, LINK, None)

    assert (order.id, order.card_id, order.ref) == (6, 5, HAT.ref)
    assert (order.token_key, order.locale) == ("key", "de")
    assert order.item == OrderedItem(
        1, "Straw hat", 30, "Acorns", "Acorn", "https://game.example/hat.png"
    )
    assert unseen.item == OrderedItem(1, "#3", 30, "", "")


def test_an_order_costs_what_was_confirmed_until_the_item_is_read_again() -> None:
    cheaper = replace(HAT, page=2, item=dataclasses.replace(HAT.item, cost=25))
    order = new_order(WISH, LINK, cheaper.item)
    read_again = as_confirmed(order, replace(WISH, cost=25), cheaper)

    assert order.ordered.cost == WISH.cost
    assert read_again is not None
    assert (read_again.ordered.cost, read_again.ref) == (25, cheaper.ref)
