"""Watched words and AutoMod rules of each server."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field, json

from storage.database import Database, Row, queries_beside
from storage.moderation import lock

QUERIES = queries_beside(__file__)
# As many, and as long, as AutoMod takes.
MOST_WORDS, LONGEST_WORD = 1000, 60


class TextRule(Struct, frozen=True):
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


class Hit(Struct, frozen=True):
    """A word or pattern that a text holds; an alert hides nothing."""

    word: str
    rule: str = ""
    is_alert: bool = False


class AutomodTrouble(StrEnum):
    CLOSED = "closed"
    NO_ANSWER = "no answer"


class Automod(Struct, frozen=True):
    """A server's AutoMod as it was last read.

    `unusable` are the names of rules with a pattern that can't be run, `word_sets` the numbers of
    Discord's own, whose words it doesn't show. `read_at` is None before the first time.
    """

    rules: tuple[TextRule, ...] = ()
    unusable: tuple[str, ...] = ()
    word_sets: tuple[int, ...] = ()
    trouble: AutomodTrouble | None = None
    read_at: datetime | None = None


class TextRules(Struct, frozen=True):
    """All that a server watches for; `automod` is None where it is off.

    Words are `keyed` by what is looked for, so that each is there once.
    """

    keyed: Mapping[str, str] = field(default_factory=dict[str, str])
    automod: Automod | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(sorted(self.keyed.values()))

    @property
    def rules(self) -> Sequence[TextRule]:
        own = [TextRule(words=self.words)] if self.keyed else []
        return [*own, *(self.automod.rules if self.automod else ())]


class VetLists(Struct, frozen=True):
    database: Database

    async def watched(self, guild_id: int) -> TextRules:
        return _read(await self.database.fetch_one(QUERIES["watched"], guild_id=guild_id))

    async def change(
        self, guild_id: int, change: Callable[[TextRules], TextRules]
    ) -> tuple[TextRules, TextRules]:
        """Change what a server watches for; return it as it was and as it is."""
        async with self.database.transaction() as transaction:
            await lock(transaction, guild_id)
            before = _read(await transaction.fetch_one(QUERIES["watched"], guild_id=guild_id))
            after = change(before)
            await transaction.execute(
                QUERIES["save"],
                guild_id=guild_id,
                words=json.encode(after.keyed).decode(),
                automod=after.automod and json.encode(after.automod).decode(),
                read_at=after.automod and after.automod.read_at,
            )
        return before, after

    async def due(self, before: datetime, most: int) -> Sequence[int]:
        """Return servers whose AutoMod was read before a moment, the one read longest ago first."""
        rows = await self.database.fetch(QUERIES["due"], before=before, most=most)
        return [row["guild_id"] for row in rows]


def _read(row: Row | None) -> TextRules:
    if row is None:
        return TextRules()
    automod = row["automod"] and json.decode(row["automod"], type=Automod)
    return TextRules(json.decode(row["words"], type=dict[str, str]), automod)
