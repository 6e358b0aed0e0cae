"""What a form gives as an example is taken as it stands, in every language and country."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import pytest
from discord import Locale, ui

from bot.features.item_queries import cost_example, read_cost
from bot.features.matching import read_id
from bot.features.moderation.times import read_moment
from bot.features.moderation.watched_words import word_key
from bot.features.numbers import read_number
from bot.i18n import speaking
from cogs.announce.words import NAMES, unknown_placeholders
from cogs.find.service import asked_for
from tests.support.languages import TRANSLATED
from tests.unit.shop.test_rules import HAT
from tests.unit.test_translated_limits import FORMS

LOCALES = sorted({*TRANSLATED, *(locale.value for locale in Locale)})
# A day or a length, a cost, a part of a word, a name in braces, a number.
_EXAMPLE = re.compile(
    r"\d{4}-\d\d-\d\d|\d+(?:d(?![a-z])|日)|100(?: \w+)?|\w+\*|\{\w+\}|\d+(?:[.,\u00a0\u202f]\d+)*"
)
_LIMITS = {"text", "reasons"}


def _moment(text: str) -> object:
    return read_moment(text, datetime(2026, 11, 29, tzinfo=UTC))


def _found_or_watched(text: str) -> object:
    return asked_for(text, "") and word_key(text)


# By the names of fields.
READERS: dict[str, Callable[[str], object]] = {
    "id": read_id,
    "page": read_number,
    "kept_days": read_number,
    "cost": read_cost,
    "mute": _moment,
    "until": _moment,
    "added": word_key,
    "removed": word_key,
    "words": _found_or_watched,
}


def _examples_in(form: Any) -> list[tuple[str, str, int]]:
    """Give each field with an example, the example, and how long what is typed may be."""
    labels: list[ui.Label[Any]] = [label for label in form.children if isinstance(label, ui.Label)]
    fields: list[tuple[Any, str]] = [(label.component, label.description or "") for label in labels]
    return [
        (str(field.custom_id), example, field.max_length or 0)
        for field, description in fields
        if isinstance(field, ui.TextInput) and field.custom_id not in _LIMITS
        for example in _EXAMPLE.findall(description)
    ]


@pytest.mark.parametrize("locale", LOCALES)
def test_every_example_of_every_form_is_taken_as_it_stands(locale: str) -> None:
    with speaking(locale):
        forms = [make() for make in chain(*FORMS.values())]
        examples = set(chain(*map(_examples_in, forms)))
        assert {name for name, _, _ in examples} == READERS.keys()
        for name, example, longest in examples:
            assert len(example) <= longest
            if example.startswith("{"):
                assert not unknown_placeholders(example)
            else:
                assert READERS[name](example) is not None, (name, example)


def test_the_examples_are_found() -> None:
    with speaking("ja"):
        forms = [make() for make in chain(*FORMS.values())]
        found = {example for _, example, _ in chain(*map(_examples_in, forms))}
    assert {"2030-12-31", "7d", "3,650", "12", "acorn*", "bad*", "100"} <= found
    assert {f"{{{name}}}" for name in NAMES} <= found


@pytest.mark.parametrize(
    ("currency", "example"),
    [
        ("Acorns", "100 Acorns"),
        ("どんぐり", "100 どんぐり"),
        # Not read as a currency, or as another one.
        ("", "100"),
        ("2nd Coins", "100"),
        ("K-coins", "100"),
        ("M Coins", "100"),
        ("(Gold)", "100"),
        ("g" * 40, "100"),
    ],
)
def test_a_cost_is_typed_in_the_catalogs_own_currency(currency: str, example: str) -> None:
    named = replace(HAT.currency, name=currency)
    assert cost_example([replace(HAT, currency=named)]) == example
    assert read_cost(example)[0] == 100
    assert cost_example([]) == "100"
