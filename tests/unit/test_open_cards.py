"""Which of the private cards that are open are drawn anew, and for whom."""

from typing import Any, cast

import discord
import pytest

from bot.errors import NotLinked
from bot.ui.answers import Interaction
from bot.ui.cards import Card, notice
from bot.ui.sent_cards import OpenCards

MEMBER, OTHER_MEMBER = 1, 2


class Opened:
    """A card that a member has open, as far as drawing it anew asks for the interaction."""

    locale = discord.Locale.german
    message = None

    def __init__(self, number: int, member: int = MEMBER) -> None:
        self.id = number
        self.user = discord.Object(member)
        self.drawn = 0

    def is_expired(self) -> bool:
        return False

    async def edit_original_response(self, view: Card) -> None:
        self.drawn += 1

    @property
    def interaction(self) -> Interaction:
        return cast(Any, self)


async def draw() -> Card:
    return notice("Anew", "")


async def fail() -> Card:
    raise NotLinked


async def draw_nothing() -> None:
    return None


async def test_cards_of_an_item_are_drawn_for_their_member() -> None:
    theirs, of_another = Opened(1), Opened(2, OTHER_MEMBER)
    of_another_item, forgotten = Opened(3), Opened(4)
    everyone = (theirs, of_another, of_another_item, forgotten)
    cards = OpenCards()
    for each in everyone:
        cards.note(each.interaction, [8 if each is of_another_item else 7], draw)
    cards.forget(forgotten.interaction)

    await cards.refresh(7, MEMBER)
    assert [each.drawn for each in everyone] == [1, 0, 0, 0]


@pytest.mark.parametrize("redraw", [fail, draw_nothing])
async def test_a_card_that_can_not_be_drawn_keeps_no_other_from_it(redraw: Any) -> None:
    good, bad = Opened(1), Opened(2)
    cards = OpenCards()
    cards.note(good.interaction, [7], draw)
    cards.note(bad.interaction, [7], redraw)

    await cards.refresh(7, MEMBER)
    assert (good.drawn, bad.drawn) == (1, 0)
