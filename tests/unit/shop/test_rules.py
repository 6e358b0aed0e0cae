"""What is confirmed on a card, and the words for what orders came to."""

import dataclasses

import pytest
from msgspec.structs import replace

from bot.features.feature_errors import CurrencyNeeded, UnknownChoice
from bot.features.item_queries import named, numbered, read_query
from bot.features.writing.orders import currency_digits, is_as_confirmed
from bot.features.writing.outcomes import LOOKED_FOR, Reason
from bot.game.models import Currency, Item, ItemType
from cogs.shop.order_cards import outcome
from storage.subscriptions import ItemQuery
from storage.writes import ORDERS, Order, WriteKind, WriteState
from tests.support.orders import ORDERED_AT, REFUSED, SENT, STRAW_HAT

HAT = Item(
    id=3,
    name="Straw hat",
    cost=30,
    currency=Currency(id=1, name="Acorns", singular_name="Acorn", icon_url=None),
    item_type=ItemType(id=1, name="Hat"),
    icon_url="https://game.example/hat.png",
    paper_url=None,
    no_eye_url=None,
    is_clearance=False,
    is_coin_code_item=False,
    is_member_item=False,
    has_purchased=False,
)
OWNED_HAT = dataclasses.replace(HAT, has_purchased=True)
HAT_FOR_GEMS = dataclasses.replace(HAT, currency=Currency(id=2, name="Gems", singular_name="Gem"))
IN_ACORNS = replace(STRAW_HAT, item=replace(STRAW_HAT.item, currency=currency_digits(HAT)))


@pytest.mark.parametrize(
    ("order", "item", "is_so"),
    [
        (STRAW_HAT, HAT, True),
        (STRAW_HAT, OWNED_HAT, False),
        (replace(STRAW_HAT, item=replace(STRAW_HAT.item, cost=29)), HAT, False),
        (STRAW_HAT, HAT_FOR_GEMS, True),
        (IN_ACORNS, HAT, True),
        (IN_ACORNS, HAT_FOR_GEMS, False),
        (replace(STRAW_HAT, kind=WriteKind.REDEEM), OWNED_HAT, True),
    ],
)
def test_only_what_was_confirmed_is_sold(order: Order, item: Item, is_so: bool) -> None:
    assert is_as_confirmed(order, item) is is_so


REASONS = [
    *("account", "other_account", "conflict", "forbidden", "not_found", "rate_limited"),
    *("unavailable", "refused_by_game"),
    *Reason,
]
UNANSWERED = replace(SENT, state=WriteState.UNKNOWN, reason=LOOKED_FOR)


def refused(kind: WriteKind, reason: str) -> Order:
    return replace(REFUSED, kind=kind, reason=reason)


@pytest.mark.parametrize("kind", ORDERS)
def test_every_reason_has_words_of_its_own(kind: WriteKind) -> None:
    bodies = {outcome(refused(kind, reason)).body for reason in REASONS}
    assert len(bodies) == len(REASONS)


def test_a_reason_that_is_not_known_reads_like_any_refusal() -> None:
    reasons = ("of_another_version", "refused_by_game")
    other, any_other = [refused(WriteKind.PURCHASE, reason) for reason in reasons]
    assert outcome(other) == outcome(any_other)


def test_what_was_refused_says_what_the_game_said_and_that_nothing_was_charged() -> None:
    order = replace(refused(WriteKind.PURCHASE, "conflict"), game_words="Not *enough* acorns.")
    words = outcome(order)

    assert words.title == "Not bought: Straw hat"
    assert words.body == "You weren't charged.\nThe game says: “Not \\*enough\\* acorns.”"


def test_a_purchase_that_is_looked_for_says_until_when_it_can_go_through() -> None:
    words = outcome(UNANSWERED)

    assert words.title == "Not confirmed yet: Straw hat"
    assert "The game didn't answer." in words.body
    assert f"until <t:{int(ORDERED_AT.timestamp()) + 15 * 60}:t>" in words.body
    assert "charged" not in words.body


@pytest.mark.parametrize(
    "order",
    [
        replace(UNANSWERED, reason=Reason.NEVER_SEEN),
        replace(UNANSWERED, reason=Reason.ACCOUNT_CHANGED),
        replace(UNANSWERED, kind=WriteKind.REDEEM),
    ],
)
def test_what_nobody_can_know_says_where_to_look(order: Order) -> None:
    words = outcome(order)

    assert words.title == "Outcome unknown: Straw hat"
    assert "in the game" in words.body or "Open the game" in words.body
    assert "keeps asking" not in words.body


@pytest.mark.parametrize(
    ("query", "short"),
    [
        (ItemQuery(types=frozenset({"Hat"}), currency="Acorns"), (["#1"], "#1")),
        # What no item has is left as it was typed.
        (ItemQuery(types=frozenset({"Hat", "Cape"}), currency="Gems"), (["#1", "Cape"], "Gems")),
        (ItemQuery(), (list[str](), "")),
    ],
)
def test_a_query_is_short_in_a_button_and_means_the_same(
    query: ItemQuery, short: tuple[list[str], str]
) -> None:
    in_button = numbered(query, [HAT])

    assert (sorted(in_button.types), in_button.currency) == short
    known = query.currency if query.currency in ("", "Acorns") else ""
    assert named(in_button, [HAT]) == replace(query, currency=known)


COMMA = dataclasses.replace(HAT, item_type=ItemType(id=2, name="Cups, plates"))


@pytest.mark.parametrize(
    ("types", "cost", "meant"),
    [
        ([], "", ItemQuery()),
        (["hat, boots"], "", None),
        (["Cups, plates"], "", ItemQuery(types=frozenset({"Cups, plates"}))),
        (["hat", "#2"], "", ItemQuery(types=frozenset({"Hat", "Cups, plates"}))),
        (["hat , #2"], "", ItemQuery(types=frozenset({"Hat", "Cups, plates"}))),
        ([], "10", ItemQuery(max_cost=10)),
        ([], "10 acorn", ItemQuery(max_cost=10, currency="Acorns")),
    ],
)
def test_types_and_a_cost_are_read_as_they_are_typed(
    types: list[str], cost: str, meant: ItemQuery | None
) -> None:
    items = [HAT, COMMA, HAT_FOR_GEMS]
    if meant is None:
        with pytest.raises(UnknownChoice):
            read_query(ItemQuery(), items, types=types, cost=cost)
    else:
        assert read_query(ItemQuery(), items, types=types, cost=cost) == meant


@pytest.mark.parametrize("cost", ["10", "10 Shells"])
def test_who_names_no_currency_is_told_how(cost: str) -> None:
    with pytest.raises(CurrencyNeeded) as asked:
        read_query(ItemQuery(), [HAT, HAT_FOR_GEMS], cost=cost, needs_currency=True)
    assert asked.value.values == {"known": ["Acorns", "Gems"], "example": "10 Acorns"}
