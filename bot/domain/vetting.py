"""What a server watches for in the game's texts: words of its own, and Discord's AutoMod."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# As many, and as long, as AutoMod takes.
MOST_WORDS, LONGEST_WORD = 1000, 60


@dataclass(frozen=True)
class TextRule:
    """Words and patterns; the server's own words are a rule without a name.

    Words are whole ones, but for a `*` at their start or end; patterns are RE2's. What is
    `allowed` is no hit. In `channels`, and for members with one of `roles`, the rule does not hold.
    One that `only_alerts` hides nothing.
    """

    name: str = ""
    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    channels: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()
    only_alerts: bool = False


@dataclass(frozen=True)
class Hit:
    """A word or pattern that a text holds; an alert hides nothing."""

    word: str
    rule: str = ""
    is_alert: bool = False


class AutomodTrouble(StrEnum):
    """Why a server's AutoMod can't be read."""

    CLOSED = "closed"
    NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Automod:
    """What was last read of a server's AutoMod.

    `unusable` are patterns that can't be run, `word_sets` the numbers of Discord's own, whose words
    it doesn't show. `read_at` is None before the first time.
    """

    rules: tuple[TextRule, ...] = ()
    unusable: tuple[str, ...] = ()
    word_sets: tuple[int, ...] = ()
    trouble: AutomodTrouble | None = None
    read_at: datetime | None = None


@dataclass(frozen=True)
class TextRules:
    """All that a server watches for; `automod` is None where it is off."""

    words: tuple[str, ...] = ()
    automod: Automod | None = None

    @property
    def rules(self) -> Sequence[TextRule]:
        """What comments are held to."""
        own = [TextRule(words=self.words)] if self.words else []
        return [*own, *(self.automod.rules if self.automod else ())]
