"""Read which items a member means from what they typed, and what news says about an item."""

import dataclasses
import re
import typing
import unicodedata
from collections import abc
from contextlib import suppress
from enum import StrEnum

from msgspec.structs import replace
from pydantic import TypeAdapter

from bot import visible
from bot.features import feature_errors, matching
from bot.features.numbers import read_number
from bot.game import models
from storage import subscriptions
from storage.names import ItemRef

ANYTHING = subscriptions.ItemQuery()
MAX_COST = 10**12
# Not "mil": a thousand in Spanish, a million to some in English.
_FACTORS = {
    **dict.fromkeys(("k", "tsd", "tys", "千"), 10**3),
    "万": 10**4,
    **dict.fromkeys(("m", "mio", "mln"), 10**6),
}
_FACTOR = rf"(?:{'|'.join(_FACTORS)})(?![^\W\d_])"
# Between types, in Chinese and Japanese, too.
_COMMA = re.compile(r"[,\uff0c\u3001]")
# A number, such as 2.5k, and the text behind it, which has no digits.
_COST = re.compile(
    rf"""
    (?P<number> \d (?:[\d.,'\u02bc\u2018\u2019\u066b\u066c ]*\d)?)
    (?: \s* (?P<factor>{_FACTOR}) \.?)?
    (?P<currency>\D*)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE_FACTOR = re.compile(r"\d+(?:[.,\u066b]\d\d?)?")
# In characters: a form's hint has room for it in every language.
_MAX_EXAMPLE_LENGTH = 40


class Misfit(StrEnum):
    """The reasons that keep an item from a subscription or a filter."""

    NEWS = "news"
    NAME = "name"
    TYPE = "type"
    COST = "cost"
    CURRENCY = "currency"
    CLEARANCE = "clearance"
    OWNED = "owned"
    SUBSCRIBERS = "subscribers"


def misfits(query: subscriptions.ItemQuery, item: models.Item) -> abc.Iterator[Misfit]:
    """Yield the reasons why an item doesn't match a query."""
    if query.name and visible.search_key(query.name) not in visible.search_key(item.name):
        yield Misfit.NAME
    if query.types and not _is_one_of(query.types, item.item_type.id, item.item_type.name):
        yield Misfit.TYPE
    if query.max_cost is not None and item.cost:
        currencies = [query.currency] if query.currency else [item.currency.name]
        if not _is_one_of(currencies, item.currency.id, item.currency.name):
            yield Misfit.CURRENCY
        elif item.cost > query.max_cost:
            yield Misfit.COST
    yield from _unmarked(query, item)


def _unmarked(query: subscriptions.ItemQuery, item: models.Item) -> abc.Iterator[Misfit]:
    if query.is_clearance and not item.is_clearance:
        yield Misfit.CLEARANCE
    if query.is_owned not in (None, item.has_purchased):
        yield Misfit.OWNED
    if query.is_for_subscribers and not item.is_member_item:
        yield Misfit.SUBSCRIBERS


def fits(query: subscriptions.ItemQuery, item: models.Item) -> bool:
    return not any(misfits(query, item))


def _is_one_of(wanted: abc.Iterable[str], number: int | None, name: str) -> bool:
    return f"{matching.NUMBER_SIGN}{number}" in wanted or visible.search_key(name) in map(
        visible.search_key, wanted
    )


def types_in(items: abc.Iterable[models.Item]) -> list[models.ItemType]:
    by_id = {item.item_type.id: item.item_type for item in items}
    by_id.pop(None, None)
    return sorted(by_id.values(), key=lambda item_type: visible.search_key(item_type.name))


def currencies_in(items: abc.Iterable[models.Item]) -> list[models.Currency]:
    return list({item.currency.id: item.currency for item in items}.values())


def read_query(
    query: subscriptions.ItemQuery,
    items: abc.Collection[models.Item],
    *,
    types: abc.Iterable[str] = (),
    cost: str = "",
    needs_currency: bool = False,
) -> subscriptions.ItemQuery:
    """Return a query with the types and the highest cost that were typed, among such items.

    One text may contain several types, with commas between. Without items, everything is taken as
    it is typed. Raises UnknownChoice, SeveralFit, UnknownCost, CurrencyNeeded.
    """
    known = types_in(items)
    names = {item_type.name for item_type in known}
    typed = [
        part.strip() for text in types for part in ([text] if text in names else _COMMA.split(text))
    ]
    meant = frozenset(type_named(text, known).name if known else text for text in typed if text)
    max_cost, currency = read_cost(cost) if cost else (None, "")
    if max_cost is not None and items and (currency or needs_currency):
        currency = _currency_named(currency, max_cost, currencies_in(items))
    return replace(query, types=meant, max_cost=max_cost, currency=currency)


def numbered(
    query: subscriptions.ItemQuery, items: abc.Collection[models.Item]
) -> subscriptions.ItemQuery:
    """Return a query with numbers for its types and its currency, which fit into a button."""
    types = {
        item_type.name: f"{matching.NUMBER_SIGN}{item_type.id}" for item_type in types_in(items)
    }
    currencies = {
        currency.name: f"{matching.NUMBER_SIGN}{currency.id}" for currency in currencies_in(items)
    }
    return replace(
        query,
        types=frozenset(types.get(name, name) for name in query.types),
        currency=currencies.get(query.currency, query.currency),
    )


def named(
    query: subscriptions.ItemQuery, items: abc.Collection[models.Item]
) -> subscriptions.ItemQuery:
    """Return a query with names again for the numbers that `numbered` put in."""
    types = {
        f"{matching.NUMBER_SIGN}{item_type.id}": item_type.name for item_type in types_in(items)
    }
    currencies = {
        f"{matching.NUMBER_SIGN}{currency.id}": currency.name for currency in currencies_in(items)
    }
    return replace(
        query,
        types=frozenset(types.get(number, number) for number in query.types),
        currency=currencies.get(query.currency, ""),
    )


def type_named(text: str, types: abc.Sequence[models.ItemType]) -> models.ItemType:
    """Return the type that is typed, by number or name. Raises UnknownChoice, SeveralFit."""
    return matching.resolve(
        text,
        types,
        name_of=lambda item_type: item_type.name,
        number_of=lambda item_type: item_type.id,
        unknown=feature_errors.UnknownChoice,
    )


def _currency_named(text: str, max_cost: int, currencies: abc.Sequence[models.Currency]) -> str:
    wanted = visible.search_key(text)
    fitting = [
        currency.name
        for currency in currencies
        if not wanted
        or wanted in (visible.search_key(currency.name), visible.search_key(currency.singular_name))
    ]
    if len(set(fitting)) != 1:
        known = list(dict.fromkeys(currency.name for currency in currencies))
        raise feature_errors.CurrencyNeeded(known=known, example=f"{max_cost} {known[0]}")
    return fitting[0]


def read_cost(typed: str) -> tuple[int, str]:
    """Return a cost and the currency that is typed behind it, if any. Raises UnknownCost.

    It is read as the reader writes numbers.
    """
    found = _COST.fullmatch(visible.plain(typed).strip())
    # Such as ² or ①, which are digits only once they are normalized.
    if found is None or any(unicodedata.category(sign) == "No" for sign in typed):
        raise feature_errors.UnknownCost(text=typed)
    cost = _amount(found["number"], found["factor"])
    currency = found["currency"].strip()
    begins = unicodedata.category(currency[0]) if currency else "L"
    if cost is None or cost > MAX_COST or not begins.startswith(("L", "Sc", "So")):
        raise feature_errors.UnknownCost(text=typed)
    return cost, currency


def _amount(typed: str, factor: str | None) -> int | None:
    if not factor:
        return read_number(typed)
    if not _BEFORE_FACTOR.fullmatch(typed):
        return None
    whole, _, part = re.sub(r"[,\u066b]", ".", typed).partition(".")
    times = _FACTORS[factor.casefold()]
    return int(whole) * times + int(part or 0) * times // 10 ** len(part)


def cost_example(items: abc.Iterable[models.Item]) -> str:
    """Return a cost as it can be typed: in a currency of these items, if Kiosk can read that."""
    for currency in currencies_in(items):
        example = f"100 {currency.name}".rstrip()
        with suppress(feature_errors.UnknownCost):
            if len(example) <= _MAX_EXAMPLE_LENGTH and read_cost(example) == (100, currency.name):
                return example
    return "100"


@dataclasses.dataclass(frozen=True, slots=True)
class ItemNews:
    """The payload of an event about an item: its page, and the old cost if it got cheaper."""

    item: models.Item
    page: int = 1
    old_cost: int | None = None

    def to_json(self) -> str:
        # Remove fields that reveal whose token was used.
        news = dataclasses.replace(self, item=without_reader_fields(self.item))
        return _ITEM_NEWS.dump_json(news, exclude_defaults=True).decode()

    @classmethod
    def of(cls, payload: str) -> typing.Self:
        return _ITEM_NEWS.validate_json(payload)


_ITEM_NEWS = TypeAdapter[typing.Any](ItemNews)


def without_reader_fields(item: models.Item) -> models.Item:
    return dataclasses.replace(item, has_purchased=False) if item.has_purchased else item


def item_of(event: subscriptions.NewEvent) -> models.Item:
    return ItemNews.of(event.payload).item


def ref_of(event: subscriptions.Event) -> ItemRef:
    return ItemRef(event.place_id, ItemNews.of(event.payload).page, event.subject_id)
