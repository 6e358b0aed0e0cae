"""The model knows watched words as docs/moderators.md says them, and what it can't know."""

import pytest

from tests.simulation.promises.watching import any_holds, words_in


@pytest.mark.parametrize(
    ("word", "text", "is_held"),
    [
        ("fool", "You FOOL!", True),
        ("fool", "foolish", False),
        ("bad*", "so badly", True),
        ("bad*", "embad", False),
        ("*worse*", "unworsened", True),
        ("fool", "f o o l", False),
        ("желудь", "**желудь** в парке", True),
        ("acorn hat", "an acorn\n hat", True),
        ("hat", "a h\u0430t", None),
        ("hell", "he'll", False),
        ("#", "# Title", None),
    ],
)
def test_a_word_is_found_where_that_is_plain(word: str, text: str, is_held: bool | None) -> None:
    assert any_holds([word], text) is is_held


def test_words_are_typed_with_commas_and_on_lines() -> None:
    assert words_in("fool, bad  word\n*hat\uff0c") == ("fool", "bad word", "*hat")
