"""Discord refuses a message with two components of one custom id: a card leaves the second out."""

import logging
from collections.abc import Iterable
from typing import Any

import pytest

from bot.ui import drawing, theme
from bot.ui.drawing import Button, Card
from bot.ui.shared_actions import OpenThread, ShowHelp
from tests.support.discord_limits import card_faults


@pytest.fixture(autouse=True)
def cards_refuse_what_they_leave_out() -> None:
    """Let cards leave out here what no test else may let them leave out."""


def button(number: int) -> Button:
    return drawing.button(OpenThread(number), f"{number}")


def shown(parts: Iterable[Any]) -> list[Any]:
    """Return the kinds of a card's components, each button's label for itself."""
    return [part.get("label", part["type"]) for part in drawing.parts_of(parts)]


def test_a_second_component_of_one_custom_id_is_left_out_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    card = Card(theme.FORUM)
    card.say("First", button(1))
    card.say("Again", button(1), below=[drawing.paragraph("Below")])
    card.buttons(button(1), button(2))
    card.buttons(button(2))
    for _ in range(2):
        card.choose([drawing.Entry("Help", ShowHelp())], "Open…")
    help_page = drawing.page_button("https://kiosk.example", "Page")
    card.buttons(drawing.button(ShowHelp(), "Help"), help_page, help_page)

    made = card.to_components()

    section, text, row, select = drawing.SECTION, drawing.TEXT, drawing.ROW, drawing.SELECT
    assert shown(made) == [
        *(drawing.CONTAINER, section, text, "1", text, text, row, "2", row, select),
        *(row, "Help", "Page", "Page"),
    ]
    assert {record.levelno for record in caplog.records} == {logging.ERROR}
    assert len(caplog.records) == 4
    assert "kiosk.thread:2" in caplog.text
    assert card.fits


def test_a_card_of_distinct_custom_ids_stays_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    card = Card(theme.FORUM)
    card.say("Beside", button(1))
    card.divide()
    card.buttons(button(2), button(3))

    assert card.to_components() == card.components
    assert card_faults(card.to_components()) == []
    assert not caplog.records
