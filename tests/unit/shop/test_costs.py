"""Costs are read as people type them, or not at all."""

import pytest
from discord import Locale

from bot.features.feature_errors import UnknownCost
from bot.features.item_queries import MAX_COST, read_cost
from bot.i18n import number, speaking


@pytest.mark.parametrize(
    ("typed", "cost"),
    [
        ("0", 0),
        (" 100 ", 100),
        ("1,000", 1000),
        ("1.000.000", 1_000_000),
        ("1\u2019000", 1000),
        ("1'000", 1000),
        ("10 000", 10_000),
        ("10\u202f000", 10_000),
        ("\uff11\uff0c\uff10\uff10\uff10", 1000),
        ("1k", 1000),
        ("\uff11k", 1000),
        ("0.5k", 500),
        ("2.5k", 2500),
        ("2,5 K", 2500),
        ("1m", 1_000_000),
        ("1.25M", 1_250_000),
        ("3 Tsd.", 3000),
        ("1 Mio", 1_000_000),
        ("2 tys.", 2000),
        ("1,5 mln", 1_500_000),
        ("5千", 5000),
        ("\uff13万", 30_000),
        ("\u0662\u0665\u0660\u0660", 2500),
        ("\u06f2\u066c\u06f5\u06f0\u06f0", 2500),
        ("\u0662\u066b\u0665k", 2500),
        ("\u0967\u0968", 12),
        ("1,000,000,000,000", MAX_COST),
    ],
)
@pytest.mark.parametrize("currency", ["", " Acorns", "€", "🌰"])
def test_a_cost_is_digits_in_groups_of_three_or_thousands_and_millions(
    typed: str, cost: int, currency: str
) -> None:
    read, behind = read_cost(typed + currency)
    # As it is shown: 2500, not 2500.0.
    assert (str(read), behind) == (str(cost), currency.strip())


@pytest.mark.parametrize("currency", ["Kronen", "Marks"])
def test_a_currency_may_begin_like_thousands_and_millions(currency: str) -> None:
    assert read_cost(f"5 {currency}") == read_cost(f"5{currency}") == (5, currency)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "a lot",
        "100.50",
        "1,00",
        "1,0000",
        "2.5",
        "2.5 Acorns",
        "1.000,00",
        "1.000 000",
        "1 00",
        "1.500k",
        "1,000 k",
        "2.5kk",
        "1k-2k",
        "1,00,000",
        "1_000",
        "$100",
        "-5",
        "5-10",
        "<100",
        "1e5",
        "100.",
        "100%",
        "½",
        "10²",
        "①",
        "9999999999999",
    ],
)
def test_anything_else_is_no_cost(typed: str) -> None:
    with pytest.raises(UnknownCost) as refused:
        read_cost(typed)
    assert refused.value.values["text"] == typed


@pytest.mark.parametrize(
    ("locale", "taken", "refused"),
    [
        ("en-US", "12,500", "12.500"),
        ("en-GB", "12,500", "12.500"),
        ("es-419", "12,500", "12.500"),
        ("ja", "12,500", "12.500"),
        ("es-ES", "12.500", "12,500"),
        ("pt-BR", "12.500", "12,500"),
        ("de", "12.500", "12,500"),
        # Kiosk speaks English to them, who write numbers as they do at home.
        ("it", "12.500", "12,500"),
        ("fr", "12\u202f500", "12,500"),
        ("pl", "12\u00a0500", "12,500"),
    ],
)
def test_a_cost_is_read_as_the_reader_writes_numbers(locale: str, taken: str, refused: str) -> None:
    with speaking(locale):
        assert number(12500) == taken
        for typed in (taken, "12500", "12 500", "12'500", "12,5k", "12.5k"):
            assert read_cost(f"{typed} Acorns") == (12500, "Acorns")
        # Less than thirteen there.
        with pytest.raises(UnknownCost):
            read_cost(f"{refused} Acorns")
        assert read_cost("1.000.000") == read_cost("1,000,000") == (1_000_000, "")


@pytest.mark.parametrize("locale", list(Locale))
def test_whatever_number_is_shown_can_be_typed(locale: Locale) -> None:
    with speaking(locale):
        for cost in (0, 7, 999, 1234, 12_500, 123_456, 1_234_567, MAX_COST):
            assert read_cost(f"{number(cost)} Acorns") == (cost, "Acorns")
