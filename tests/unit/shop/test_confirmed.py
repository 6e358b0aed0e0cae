"""Whether an item is still as it was confirmed, and what is noted of it."""

import dataclasses

import pytest
from msgspec.structs import replace

from bot.domain.orders import OrderKind
from bot.features.orders.rules import Wish, as_confirmed, currency_digits, new_order
from bot.features.shop.item_filter import CatalogItem
from bot.game.models import Currency
from tests.support.orders import STARTED
from tests.unit.shop.test_rules import HAT, LINK, OWNED_HAT

WISH = Wish(1, OrderKind.PURCHASE, HAT.ref, 30, confirmation=5, locale="de")
HAT_FOR_GEMS = replace(
    HAT,
    item=dataclasses.replace(HAT.item, currency=Currency(id=2, name="Gems", singular_name="Gem")),
)


@pytest.mark.parametrize(
    ("wish", "entry", "is_too_late"),
    [
        (WISH, HAT, False),
        (WISH, OWNED_HAT, True),
        (replace(WISH, cost=29), HAT, True),
        (replace(WISH, currency=currency_digits(HAT.item)), HAT, False),
        (replace(WISH, currency=currency_digits(HAT.item)), HAT_FOR_GEMS, True),
        (replace(WISH, kind=OrderKind.REDEEM, cost=None), OWNED_HAT, False),
    ],
)
def test_only_what_is_as_it_was_confirmed_is_bought(
    wish: Wish, entry: CatalogItem, is_too_late: bool
) -> None:
    assert (as_confirmed(STARTED, wish, entry) is None) is is_too_late


def test_an_order_has_the_words_of_the_item_as_it_was_seen() -> None:
    seen = dataclasses.replace(HAT.item, icon_url="https://game.example/hat.png")

    order, unseen = new_order(WISH, LINK, seen), new_order(WISH, LINK, None)

    assert (order.item_name, order.icon_url) == (seen.name, seen.icon_url)
    assert (order.currency_name, order.currency_singular) == ("Acorns", "Acorn")
    assert (order.cost, order.token_key) == (30, "key")
    assert (unseen.item_name, unseen.currency_name, unseen.icon_url) == ("#3", "", None)
