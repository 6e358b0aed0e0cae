"""The way on from every error."""

import pytest

from bot.error_words import WORDS
from bot.ui.error_cards import next_step


@pytest.mark.parametrize("key", WORDS)
def test_every_error_has_a_next_step(key: str) -> None:
    assert next_step(key, "").get("label")
    assert next_step(key, "thread|1").get("label")
