"""Cards and documents in plain English, as far as a machine can tell."""

import re

import pytest

from tools.prose import PATTERNS, cards, documents, length, sentences

EVERYWHERE = ("A somebody", "B whoever", "F archaic")
ON_CARDS = (*EVERYWHERE, "D stand for be", "E go on")
MAX_WORDS_ON_A_CARD = 20
MAX_WORDS_IN_A_DOCUMENT = 30
# What is fine as it is, each with the reason.
ALLOWED: dict[str, str] = {}


def found(text: str, names: tuple[str, ...]) -> list[str]:
    return [
        f"{name}: {sentence}"
        for sentence in sentences(text)
        for name in names
        if re.search(PATTERNS[name], sentence) and sentence not in ALLOWED
    ]


def too_long(text: str, most: int) -> list[str]:
    return [said for said in sentences(text) if length(said) > most and said not in ALLOWED]


def test_cards_speak_plainly() -> None:
    assert not [fault for text in cards() for fault in found(text, ON_CARDS)]


def test_no_sentence_on_a_card_is_long() -> None:
    assert not [said for text in cards() for said in too_long(text, MAX_WORDS_ON_A_CARD)]


@pytest.mark.parametrize("path", documents())
def test_a_document_speaks_plainly_in_short_sentences(path: str) -> None:
    text = documents()[path]

    assert not found(text, EVERYWHERE)
    assert not too_long(text, MAX_WORDS_IN_A_DOCUMENT)


def test_what_is_allowed_is_still_said() -> None:
    said = {sentence for text in [*documents().values(), *cards()] for sentence in sentences(text)}

    assert set(ALLOWED) <= said


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Somebody wrote it. You wrote it.", ["A somebody: Somebody wrote it."]),
        ("Whoever is linked, reads it anew.", 2),
        ("A server. Anyone can read it.", []),
    ],
)
def test_a_pattern_is_found(text: str, faults: list[str] | int) -> None:
    hits = found(text, EVERYWHERE)

    assert hits == faults or len(hits) == faults
