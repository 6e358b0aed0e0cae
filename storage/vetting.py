"""What each server watches for, and the comments that wait for its moderators."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, json
from msgspec.structs import replace

from bot.visible import text_key
from storage.database import Database, Row, Transaction, Value, queries_beside
from storage.moderation import Subject
from storage.removals import Removals, subject_key
from storage.rows import moment, read
from storage.vault import Vault

QUERIES = queries_beside(__file__)
_REPORTS = queries_beside(__file__, "reports")
_PURPOSE = "report"
# Of the reports of a comment, the reasons of the last ones are read.
REASONS_SHOWN = 6
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
    """Why a server's AutoMod can't be read."""

    CLOSED = "closed"
    NO_ANSWER = "no answer"


class Automod(Struct, frozen=True):
    """What was last read of a server's AutoMod.

    `unusable` are patterns that can't be run, `word_sets` the numbers of Discord's own, whose words
    it doesn't show. `read_at` is None before the first time.
    """

    rules: tuple[TextRule, ...] = ()
    unusable: tuple[str, ...] = ()
    word_sets: tuple[int, ...] = ()
    trouble: AutomodTrouble | None = None
    read_at: datetime | None = None


class TextRules(Struct, frozen=True):
    """All that a server watches for; `automod` is None where it is off."""

    words: tuple[str, ...] = ()
    automod: Automod | None = None

    @property
    def rules(self) -> Sequence[TextRule]:
        """What comments are held to."""
        own = [TextRule(words=self.words)] if self.words else []
        return [*own, *(self.automod.rules if self.automod else ())]


class Reported(Struct, frozen=True):
    """A comment that members reported, or that holds a watched word.

    How many reported it, and why the last ones did; who they are stays with us. `hit` is what its
    text holds, and `is_released` says that a moderator has let that text be shown.
    """

    case_id: int
    guild_id: int
    subject: Subject
    locale: str
    count: int
    reasons: Sequence[str]
    dismissed_at: datetime | None
    dismissed_by: int | None
    hit: Hit | None = None
    is_released: bool = False
    released_by: int | None = None
    # When it was reported last.
    reported_at: datetime | None = None

    @property
    def is_held_back(self) -> bool:
        """Whether its text is not shown."""
        return self.hit is not None and not self.hit.is_alert and not self.is_released

    @property
    def is_open(self) -> bool:
        """Whether moderators have yet to decide."""
        return self.dismissed_at is None and not self.is_released

    def came_up_after(self, ended_at: datetime | None) -> bool:
        """Return whether there is something to decide since a removal ended, if it has."""
        if ended_at is None:
            return False
        return self.is_held_back or (self.reported_at is not None and self.reported_at > ended_at)


class ListFull(Exception):
    """A server watches for as many words as it may."""


class VetLists(Struct, frozen=True):
    """What all servers watch for; `now` tells the time, aware."""

    database: Database
    removals: Removals
    now: Callable[[], datetime]

    async def watched(self, guild_id: int) -> TextRules:
        """Return all that a server watches for."""
        words = await self.database.fetch(QUERIES["words"], guild_id=guild_id)
        automod = await self.database.fetch_one(QUERIES["automod"], guild_id=guild_id)
        return TextRules(
            tuple(row["word"] for row in words), None if automod is None else _read(automod)
        )

    async def add_words(self, guild_id: int, words: Mapping[str, str], most: int) -> int:
        """Add words by their keys; return how many are new. Raises ListFull; then none is."""
        rows = [{"guild_id": guild_id, "word_key": key, "word": words[key]} for key in words]
        return await self._change_words(guild_id, "add_word", rows, most)

    async def remove_words(self, guild_id: int, keys: Sequence[str]) -> int:
        """Take words away by their keys; return how many there were."""
        rows = [{"guild_id": guild_id, "word_key": key} for key in keys]
        return -await self._change_words(guild_id, "remove_word", rows)

    async def _change_words(
        self,
        guild_id: int,
        query: str,
        rows: Sequence[Mapping[str, Value]],
        most: float = math.inf,
    ) -> int:
        """Return how many more words there are."""
        async with self.database.transaction() as transaction:
            before = await _count(transaction, guild_id)
            await transaction.execute_many(QUERIES[query], rows)
            after = await _count(transaction, guild_id)
            if after > most:
                raise ListFull
        return after - before

    async def switch_automod(self, guild_id: int, *, is_on: bool) -> None:
        """Let a server's AutoMod hold for the game's texts, or no longer."""
        query = QUERIES["switch_on" if is_on else "switch_off"]
        await self.database.execute(query, guild_id=guild_id)

    async def due(self, before: datetime, most: int) -> Sequence[int]:
        """Return servers whose AutoMod was read before a moment, the one read longest ago first."""
        rows = await self.database.fetch(QUERIES["due"], before=before, most=most)
        return [row["guild_id"] for row in rows]

    async def keep_automod(self, guild_id: int, read: Automod) -> None:
        """Keep what was read of a server's AutoMod; in trouble, what was known before holds on."""
        now = self.now()
        async with self.database.transaction() as transaction:
            row = await transaction.fetch_one(QUERIES["automod"], guild_id=guild_id)
            if row is None:
                return
            known = replace(_read(row), read_at=None)
            kept = replace(known if read.trouble else read, trouble=read.trouble)
            await transaction.execute(
                QUERIES["keep_automod"],
                guild_id=guild_id,
                rules=json.encode(replace(kept, trouble=None, read_at=None)).decode(),
                trouble=kept.trouble,
                read_at=now,
            )

    async def released(self, guild_id: int) -> Mapping[int, str]:
        """Return the texts that moderators have let be shown, as their keys, by comments."""
        rows = await self.database.fetch(QUERIES["released"], guild_id=guild_id)
        return {row["comment_id"]: row["released_text_key"] for row in rows}

    async def hold(self, guild_id: int, subject: Subject, hit: Hit, locale: str) -> None:
        """Note what a comment's text was held back for, and owe its card: once for each text.

        What may be only a part of a text takes the place of none that was held back before.
        """
        key = subject_key(subject)
        async with self.database.transaction() as transaction:
            known = {"guild_id": guild_id, "subject": key, "is_alert": hit.is_alert}
            if subject.is_part and await transaction.fetch(QUERIES["hit"], **known):
                return
            case_id = await self.removals.open_case(transaction, guild_id, subject, locale)
            is_new = await transaction.execute(
                QUERIES["hold"],
                case_id=case_id,
                word=hit.word,
                rule=hit.rule,
                is_alert=hit.is_alert,
                text_key=text_key(subject.text or ""),
            )
            if is_new:
                await reopen(transaction, case_id)
                await self.removals.cards.owe_held_back(transaction, case_id, guild_id, self.now())

    async def release(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Let the text be shown that was held back; return whether it was until now."""
        return await self.removals.cards.change(
            QUERIES["release"],
            case_id=case_id,
            guild_id=guild_id,
            released_by=moderator_id,
        )


async def _count(transaction: Transaction, guild_id: int) -> int:
    (row,) = await transaction.fetch(QUERIES["count"], guild_id=guild_id)
    return int(row["words"])


def _read(row: Row) -> Automod:
    read = json.decode(row["rules"], type=Automod)
    trouble = row["trouble"] and AutomodTrouble(row["trouble"])
    return replace(read, trouble=trouble, read_at=moment(row["read_at"]))


async def reopen(transaction: Transaction, case_id: int) -> None:
    """Note that a case needs looking at, even if it was dismissed before."""
    await transaction.execute(_REPORTS["reopen"], case_id=case_id)


class Reports(Struct, frozen=True):
    """The reports of all servers; `now` tells the time, aware."""

    database: Database
    vault: Vault
    removals: Removals
    now: Callable[[], datetime]

    async def add(
        self, guild_id: int, subject: Subject, member_id: int, reason: str, locale: str
    ) -> bool:
        """Keep a member's report, and owe the case's card; return whether it is their first."""
        async with self.database.transaction() as transaction:
            case_id = await self.removals.open_case(transaction, guild_id, subject, locale)
            is_new = await transaction.execute(
                _REPORTS["add"],
                case_id=case_id,
                member_id=member_id,
                sealed_reason=self.vault.seal(
                    reason, owner=guild_id, purpose=f"{_PURPOSE} {case_id}"
                ),
                created_at=self.now(),
            )
            if is_new:
                await reopen(transaction, case_id)
                await self.removals.cards.owe(transaction, case_id)
        return is_new > 0

    async def count(self, member_id: int, *, since: datetime) -> int:
        """Return how much a member has reported since then."""
        (row,) = await self.database.fetch(_REPORTS["count"], member_id=member_id, since=since)
        return int(row["count"])

    async def dismiss(self, guild_id: int, case_id: int, moderator_id: int) -> bool:
        """Note that a case's reports need nothing; return whether they were open until now."""
        return await self.removals.cards.change(
            _REPORTS["dismiss"],
            case_id=case_id,
            guild_id=guild_id,
            dismissed_at=self.now(),
            dismissed_by=moderator_id,
        )

    async def find(self, case_id: int) -> Reported | None:
        """Return a case with its last reports, the newest reason first."""
        row = await self.database.fetch_one(_REPORTS["case"], case_id=case_id)
        if row is None:
            return None
        reports = await self.database.fetch(
            _REPORTS["of_case"], case_id=case_id, most=REASONS_SHOWN
        )
        purpose = f"{_PURPOSE} {case_id}"
        hit = None
        if row["hit_word"] is not None:
            hit = Hit(row["hit_word"], row["hit_rule"], bool(row["hit_is_alert"]))
        released, held_back = row["released_text_key"], row["hit_text_key"]
        return read(
            Reported,
            row,
            case_id=case_id,
            subject=self.removals.subject_of(row, case_id),
            count=reports[0]["reports"] if reports else 0,
            reasons=[
                self.vault.try_open(one["sealed_reason"], purpose, owner=row["guild_id"]) or ""
                for one in reports
            ],
            reported_at=moment(reports[0]["created_at"]) if reports else None,
            dismissed_by=row["dismissed_by"] or None,
            hit=hit,
            is_released=released is not None and released == held_back,
            released_by=row["released_by"] or None,
        )
