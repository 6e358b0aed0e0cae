"""Actions in custom ids."""

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from bot.ui.actions import Action


class Order(StrEnum):
    UP = "u"
    DOWN = "d"


class Turn(Action, kind="turn"):
    thread: int
    order: Order
    title: str
    is_public: bool


class TurnNow(Turn):
    """As `Turn` is, with what a later version of the bot added."""

    steps: int = 1


IDS = st.integers(0, 2**63 - 1)
TITLES = st.text(st.characters(codec="ascii", exclude_characters=":"), max_size=30)


@given(st.builds(Turn, IDS, st.sampled_from(Order), TITLES, st.booleans()))
def test_an_action_comes_back_from_its_custom_id(action: Turn) -> None:
    custom_id = action.custom_id()

    assert len(custom_id) <= 100
    assert Turn.read(custom_id) == action


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ["1", "u", "a"],
        ["x", "u", "a", "1"],
        ["1", "?", "a", "1"],
        [str(2**63), "u", "a", "1"],
        [str(-(2**64)), "u", "a", "1"],
    ],
)
def test_what_is_not_its_own_is_refused(fields: list[str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each field's type has words of its own
        Turn.read(":".join(["kiosk.turn", *fields]))


@pytest.mark.parametrize("title", ["a:b", "x" * 100])
def test_what_does_not_fit_into_a_custom_id_is_refused(title: str) -> None:
    with pytest.raises(ValueError, match="custom id"):
        Turn(1, Order.UP, title, is_public=True).custom_id()


@given(st.builds(Turn, IDS, st.sampled_from(Order), TITLES, st.booleans()))
def test_a_button_from_before_a_field_was_added_takes_its_default(action: Turn) -> None:
    assert TurnNow.read(action.custom_id()) == TurnNow(**asdict(action), steps=1)
