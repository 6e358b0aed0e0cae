"""What is meant by a part of a name, mistyped by one letter at most."""

import pytest

from bot.features.matching import find_by_name, holding

THREADS = ["Park life", "Patch notes", "Patch notes 2", "Quiet corner", "The park at night"]


def found(typed: str, names: list[str] = THREADS) -> list[str]:
    return find_by_name(typed, names, str)


@pytest.mark.parametrize(
    "typed",
    [
        "park life",
        "PARK LIFE",
        " park  life",
        "k li",
        "prk life",
        "aprk life",
        "parkk life",
        "bark life",
        "lief",
    ],
)
def test_a_name_is_found_in_any_case_in_part_and_with_one_typing_error(typed: str) -> None:
    assert found(typed) == ["Park life"]


@pytest.mark.parametrize("typed", ["prk lfe", "bark live", "lkie", "xyz", "pr", "Patch notes 3"])
def test_two_typing_errors_short_texts_and_other_numbers_are_not_guessed_at(typed: str) -> None:
    assert found(typed) == []


@pytest.mark.parametrize("typed", ["leve1 hats", "levle1 hats", "levell1 hats", "lavel1 hats"])
def test_a_number_beside_a_typing_error_is_as_it_was_typed(typed: str) -> None:
    assert found(typed, ["Level1 hats", "Level2 hats"]) == ["Level1 hats"]


def test_a_whole_name_is_meant_though_others_have_it_in_them() -> None:
    assert found("patch notes") == ["Patch notes"]


def test_several_that_fit_are_all_found_those_that_start_so_first() -> None:
    assert found("patch") == ["Patch notes", "Patch notes 2"]
    assert holding("park", list(reversed(THREADS)), str) == ["Park life", "The park at night"]


def test_a_typing_error_is_looked_for_only_where_nothing_fits_without() -> None:
    assert found("note", ["A vote", "A note"]) == ["A note"]


def test_of_a_long_name_no_more_is_looked_through_than_a_list_shows() -> None:
    long = "a b " * 500 + "park"

    assert found("park life", [long, "Park life"]) == ["Park life"]
    assert found("parrk", [long]) == found("park", [long]) == []


@pytest.mark.parametrize("typed", ["abdcef", "abcdfe", "bacdef", "abcdeg", "xabcdef", "abcdefx"])
def test_a_typing_error_is_found_wherever_in_a_name_it_stands(typed: str) -> None:
    assert found(typed, ["zz abcdef zz"]) == ["zz abcdef zz"]
