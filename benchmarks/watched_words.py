"""What it costs to look for a thousand watched words in a text of 4,000 characters.

The words are of every kind, and the texts hold none of them: one as people write it, and others as
someone may write them to keep a bot busy.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Finding, ratio_of
from bot.features.moderation.watched_words import Matcher

_WORDS = 1000
_LETTERS = 4000
_GOAL_SECONDS = 0.010
_ROUNDS = 7
# Words end with a letter that no text has, so that they begin as many words of the texts do.
_LETTERS_USED = "aionstrlmd"
_LAST_LETTER = "e"
_KINDS = ("{0}", "{0}*", "*{0}", "*{0}*", "{0} {0}")


def compare(_folder: Path) -> Iterator[Finding]:
    """Measure the processor time of one look, in every reading of a text."""
    chance = random.Random(1)
    matcher = Matcher(
        _KINDS[number % len(_KINDS)].format(_some_letters(chance) + _LAST_LETTER)
        for number in range(_WORDS)
    )
    usual = " ".join(_some_letters(chance).capitalize() for _ in range(_LETTERS // 2))
    texts = {
        "looking for 1,000 watched words in 4,000 characters": usual,
        "the same in Cyrillic look-alikes": "\u0456\u0501\u0456\u043e\u0442 " * _LETTERS,
        "the same in one letter": "o" * _LETTERS,
        "the same in letters with a mark each": "o\u0301" * _LETTERS,
    }
    for name, text in texts.items():
        ratio = ratio_of([(_look(matcher, text[:_LETTERS]), _GOAL_SECONDS) for _ in range(_ROUNDS)])
        yield Finding(name, "10 ms", ratio, at_most=1)


def _some_letters(chance: random.Random) -> str:
    return "".join(chance.choices(_LETTERS_USED, k=chance.randint(2, 10)))


def _look(matcher: Matcher, text: str) -> float:
    begun = time.process_time()
    found = matcher.find(text)
    assert not found, f"{found!r} is in the text"
    return time.process_time() - begun
