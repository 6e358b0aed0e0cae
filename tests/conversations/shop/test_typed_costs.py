"""Costs are said, and typed, in the catalog's own currency and as the reader writes numbers."""

import re
from typing import Any

import pytest
import simcord
from simcord.components import walk_components

from bot.i18n import speaking, t
from playground.simulation import speak_language
from storage.names import PlaceKind
from tests.conversations.shop.conftest import browse
from tests.support.cards import answer_of, text_of
from tests.support.forms import fill_in, presets
from tests.support.languages import TRANSLATED, locales_of
from tests.support.rogue_game import RogueShop, item
from tests.support.world import World

NUTS = {"id": 7, "name": "Noix", "singular_name": "Noix", "icon_url": None}
LOCALES = ["en-US", "en-GB", *(locale for name in TRANSLATED for locale in locales_of(name))]


def hint_of(form: simcord.InteractionResult, field: str) -> str:
    """Give what a form says below the label of a field."""
    assert form.modal is not None
    labels: list[dict[str, Any]] = form.modal["components"]
    return next(
        label["description"]
        for label in labels
        for part in walk_components([label.get("component") or {}])
        if part.get("custom_id") == field
    )


def said(locale: str, sentence: str) -> str:
    with speaking(locale):
        return t(sentence)


@pytest.mark.parametrize("locale", LOCALES)
async def test_the_example_of_a_form_is_taken_as_it_stands(
    rogue_world: World, shop: RogueShop, locale: str
) -> None:
    world = rogue_world
    shop.items = [item(number, currency=NUTS, cost=100 * number) for number in (1, 2)]
    await world.bot.features.directory.add(world.guild.id, PlaceKind.CATALOG, 1, "Season")
    await world.settle(world.moderator, "any-token")
    speak_language(world.env, locale)

    card = await browse(world)
    form = await world.member.click(card, label=said(locale, "Filter"))
    (example,) = re.findall(r"100 \w+", hint_of(form, "cost"))
    assert example == "100 Noix"
    await fill_in(world.member, form, cost=example)
    assert ("Hat number 1" in text_of(card), "Hat number 2" in text_of(card)) == (True, False)

    # What stands in the form then is taken, too.
    form = await world.member.click(card, label=said(locale, "Filter"))
    assert presets(world.member, form)["cost"] == example
    await fill_in(world.member, form)
    assert "Hat number 2" not in text_of(card)

    form = await world.slash("announce add", world.moderator, catalog="Season")
    assert example in hint_of(form, "cost")
    card = await fill_in(world.moderator, form, channel=[world.channel], cost=example)
    assert example in text_of(card)


async def test_before_a_catalog_is_known_the_example_is_a_number_alone(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items = [item(1, currency=NUTS)]
    form = await rogue_world.slash("announce add", rogue_world.moderator, catalog="1")
    assert hint_of(form, "cost") == "A price, for example 100. Leave empty for any."
    assert hint_of(form, "type") == "Enter types separated by commas. Leave empty for any."


@pytest.mark.parametrize(
    ("locale", "costs", "typed", "refused"),
    [
        ("en-US", ["1,234", "12,500"], "1,234", "1.234"),
        ("es-419", ["1,234", "12,500"], "1,234", "1.234"),
        ("es-ES", ["1234", "12.500"], "1.234", "1,234"),
        ("pt-BR", ["1.234", "12.500"], "1.234", "1,234"),
        ("pl", ["1234", "12\u00a0500"], "1 234", "1,234"),
        ("fr", ["1\u202f234", "12\u202f500"], "1 234", "1,234"),
        # Kiosk speaks English to them.
        ("it", ["1234", "12.500"], "1.234", "1,234"),
    ],
)
async def test_costs_are_shown_and_typed_as_the_reader_writes_numbers(
    rogue_world: World, shop: RogueShop, locale: str, costs: list[str], typed: str, refused: str
) -> None:
    world = rogue_world
    shop.items = [item(1, cost=1234), item(2, cost=12_500)]
    speak_language(world.env, locale)
    card = await browse(world)
    for cost in costs:
        assert f"{cost} Acorns" in text_of(card)

    form = await world.member.click(card, label=said(locale, "Filter"))
    told = answer_of(await fill_in(world.member, form, cost=f"{refused} Acorns"))
    assert said(locale, "That isn't a price") in text_of(told)

    form = await world.member.click(card, label=said(locale, "Filter"))
    await fill_in(world.member, form, cost=f"{typed} Acorns")
    assert f"{costs[0]} Acorns" in text_of(card)
    assert "Hat number 2" not in text_of(card)


@pytest.mark.parametrize(("locale", "days"), [("es-419", "3,650"), ("de", "3.650"), ("pl", "3650")])
async def test_days_are_typed_as_the_form_says_them(world: World, locale: str, days: str) -> None:
    speak_language(world.env, locale)
    card = answer_of(await world.slash("setup show", world.moderator))
    form = await world.moderator.click(card, label=said(locale, "Moderation"))
    assert days in hint_of(form, "kept_days")
    await fill_in(world.moderator, form, kept_days=days)
    assert f"· {days}" in text_of(card)


async def test_a_server_that_chose_its_language_keeps_its_country(world: World) -> None:
    await world.manage("Language", locale=["es"])
    locale_of = world.bot.features.moderation.locale
    assert await locale_of(world.guild.id, "es-419") == "es-419"
    assert await locale_of(world.guild.id, "fr") == "es"
