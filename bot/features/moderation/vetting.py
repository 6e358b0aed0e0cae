"""Hold comments back that hold words which a server watches for, and tell its moderators."""

import asyncio
import logging
import math
import re
from collections.abc import Mapping, Sequence
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import SHARED_LIFETIME, TtlCache
from bot.features.errors import AutomodOff, NotHeldBack, NoWords, TooManyWords
from bot.features.moderation.matching import Matcher, find_all, word_key
from bot.visible import text_key
from storage.errors import DatabaseError
from storage.moderation import Subject
from storage.vetting import (
    LONGEST_WORD,
    MOST_WORDS,
    Automod,
    Hit,
    ListFull,
    TextRule,
    TextRules,
    VetLists,
)

log = logging.getLogger(__name__)

# In seconds. What may have changed is kept for comparison: lists take a while to get ready.
_LIFETIME, _NOTED_FOR = 3600.0, 86400.0
_MOST_BYTES, _MOST_BYTES_OF_TEXT = 32 * 2**20, 4 * 2**20
# What a letter of a word takes once it is ready to run, about, in bytes.
_LETTER_SIZE = 60
# Of texts, what takes a few milliseconds.
_LETTERS_AT_ONCE = 5_000
_BETWEEN_WORDS = re.compile(r"[,\r\n]")
# What moderators are told of once: in which server, of which comment and text, and whether it only
# alerts.
_Name = tuple[int, int, str, bool]
Found = Sequence[tuple[TextRule, Hit]]


class WatchedFor(Struct):
    """What one server watches for, ready to run, and the texts that are shown all the same."""

    number: int
    watched: TextRules
    matchers: Sequence[Matcher]
    released: Mapping[int, str] = field(default_factory=dict[int, str])


class VetHere(Struct, frozen=True, eq=False):
    """What is watched for in one channel; see bot.features.moderation.policy.Vet."""

    vetting: "Vetting"
    guild_id: int
    server: WatchedFor
    channels: frozenset[int]
    locale: str

    @property
    def has_exemptions(self) -> bool:
        """Whether there are channels in which a rule does not hold."""
        return any(matcher.rule.channels for matcher in self.server.matchers)

    async def look_through(self, texts: Sequence[str]) -> None:
        """Look through texts before anybody asks about them, while others are answered."""
        await self.vetting.look_through(self.server, texts)

    def holds_back(self, subject: Subject) -> bool:
        """Return whether a comment's text is not to be shown; moderators learn of it."""
        key = self.server.released.get(subject.comment_id or 0)
        return self._check(subject) and key != text_key(subject.text or "")

    def holds_back_part(self, subject: Subject) -> bool:
        """Return the same of what stands of a text somewhere, and may be less than all of it.

        Of a comment that a moderator let be shown, every part is.
        """
        is_released = subject.comment_id in self.server.released
        return not is_released and self._check(replace(subject, is_part=True))

    def _check(self, subject: Subject) -> bool:
        found = self.vetting.hits(self.server, subject.text or "")
        hits = [hit for rule, hit in found if not rule.channels & self.channels]
        if not hits:
            return False
        worst = min(hits, key=lambda hit: hit.is_alert)
        self.vetting.note(self.guild_id, self.locale, subject, worst)
        return not worst.is_alert


class Vetting:
    """What servers watch for, as `lists` keep it; one that watches for nothing costs nothing."""

    def __init__(self, lists: VetLists, tasks: BackgroundTasks) -> None:
        self.lists = lists
        self._tasks = tasks
        self._servers = TtlCache[int, WatchedFor](
            tasks, lifetime=_LIFETIME, most_bytes=_MOST_BYTES, size=_size
        )
        # What a text holds, by the server's number and the text.
        self._found = TtlCache[tuple[int, str], tuple[Found, int]](
            tasks, lifetime=_LIFETIME, most_bytes=_MOST_BYTES_OF_TEXT, size=lambda found: found[1]
        )
        self._noted = TtlCache[_Name, bool](tasks, lifetime=_NOTED_FOR)
        self._numbers = count(1)

    async def here(
        self, guild_id: int | None, channels: frozenset[int], locale: str
    ) -> VetHere | None:
        """Return what is watched for in a channel, whose parent may be given with it.

        `locale` is the server's language. None where nothing is.
        """
        if guild_id is None:
            return None
        server = await self._servers.get(guild_id, self._read, max_age=SHARED_LIFETIME)
        if not server.matchers:
            return None
        return VetHere(self, guild_id, server, channels, locale)

    async def blocks(
        self, guild_id: int | None, text: str, channels: frozenset[int], roles: frozenset[int]
    ) -> Hit | None:
        """Return what AutoMod would not let a member with these roles write in a channel."""
        if guild_id is None:
            return None
        server = await self._servers.get(guild_id, self._read, max_age=SHARED_LIFETIME)
        return next(
            (
                hit
                for rule, hit in self.hits(server, text)
                if rule.name
                and not hit.is_alert
                and not rule.roles & roles
                and not rule.channels & channels
            ),
            None,
        )

    async def add(self, guild_id: int, words: Sequence[str]) -> int:
        """Watch for words; return how many are new. Raises NoWords, TooManyWords."""
        keyed = _keyed(words, most=MOST_WORDS)
        # Some letters stand for eighteen: of a thousand words of them no pattern can be made.
        if long := next((word for key, word in keyed.items() if len(key) > LONGEST_WORD), ""):
            raise NoWords(name=long, count=str(LONGEST_WORD))
        try:
            return await self._tasks.run(self.lists.add_words(guild_id, keyed, MOST_WORDS))
        except ListFull as error:
            raise TooManyWords(count=str(MOST_WORDS)) from error
        finally:
            self._forget(guild_id)

    async def remove(self, guild_id: int, words: Sequence[str]) -> int:
        """Watch for words no longer; return how many were. Raises NoWords."""
        keyed = _keyed(words)
        try:
            return await self._tasks.run(self.lists.remove_words(guild_id, list(keyed)))
        finally:
            self._forget(guild_id)

    async def test(self, guild_id: int, text: str) -> Sequence[Hit]:
        """Return what a text holds of all that a server watches for."""
        server = await self._servers.get(guild_id, self._read, max_age=SHARED_LIFETIME)
        return [hit for _, hit in self.hits(server, text)]

    async def release(self, guild_id: int, case_id: int, moderator_id: int) -> None:
        """Show a text that was held back. Raises NotHeldBack."""
        try:
            releasing = self.lists.release(guild_id, case_id, moderator_id)
            if not await self._tasks.run(releasing, finish=True):
                raise NotHeldBack
        finally:
            self._forget(guild_id)

    async def switch_automod(self, guild_id: int, *, is_on: bool) -> None:
        """Let a server's AutoMod hold for the game's texts, or no longer."""
        try:
            await self.lists.switch_automod(guild_id, is_on=is_on)
        finally:
            self._forget(guild_id)

    async def keep_automod(self, guild_id: int, read: Automod) -> Automod:
        """Keep what was read of a server's AutoMod; return what holds. Raises AutomodOff."""
        await self.lists.keep_automod(guild_id, read)
        self._forget(guild_id)
        kept = (await self.lists.watched(guild_id)).automod
        if kept is None:
            raise AutomodOff
        return kept

    async def _read(self, guild_id: int) -> WatchedFor:
        watched = await self.lists.watched(guild_id)
        known = self._servers.known(guild_id)
        if known is None or known.watched.rules != watched.rules:
            # A long list takes a while.
            matchers = await asyncio.to_thread(lambda: [Matcher(rule) for rule in watched.rules])
            known = WatchedFor(next(self._numbers), watched, matchers)
        if known.matchers:
            known.released = await self.lists.released(guild_id)
        return known

    async def look_through(self, server: WatchedFor, texts: Sequence[str]) -> None:
        """Look through many or long texts beside the loop, before anybody asks about them."""
        unknown = {text for text in texts if self._found.known((server.number, text)) is None}
        if sum(map(len, unknown)) < _LETTERS_AT_ONCE:
            return
        matchers = server.matchers
        found = await asyncio.to_thread(lambda: {one: find_all(matchers, one) for one in unknown})
        for text, hits in found.items():
            self._found.put((server.number, text), (hits, len(text)))

    def hits(self, server: WatchedFor, text: str) -> Found:
        """Return what a text holds of what a server watches for."""
        key = server.number, text
        known = self._found.known(key)
        if known is None:
            known = find_all(server.matchers, text), len(text)
            self._found.put(key, known)
        return known[0]

    def _forget(self, guild_id: int) -> None:
        self._servers.outdate(guild_id.__eq__, age=SHARED_LIFETIME)

    def note(self, guild_id: int, locale: str, subject: Subject, hit: Hit) -> None:
        """Let the moderators know, once for each text, in the background."""
        key = _name_of(guild_id, subject, hit)
        if self._noted.known(key) is None:
            self._noted.put(key, value=True)
            self._tasks.start(self._hold(guild_id, subject, hit, locale), finish=True)

    async def _hold(self, guild_id: int, subject: Subject, hit: Hit, locale: str) -> None:
        try:
            await self.lists.hold(guild_id, subject, hit, locale)
        except DatabaseError as error:
            # The next reader tells of it.
            self._noted.forget(_name_of(guild_id, subject, hit).__eq__)
            log.warning("a comment that was held back could not be written down: %s", error)


def _name_of(guild_id: int, subject: Subject, hit: Hit) -> _Name:
    return guild_id, subject.comment_id or 0, text_key(subject.text or ""), hit.is_alert


def split_words(text: str) -> Sequence[str]:
    """Return the words that are separated by commas or lines."""
    parts = (" ".join(part.split()) for part in _BETWEEN_WORDS.split(text))
    return [part for part in parts if part]


def _size(server: WatchedFor) -> int:
    rules = server.watched.rules
    letters = sum(len(word) for rule in rules for word in (*rule.words, *rule.allowed))
    return letters * _LETTER_SIZE


def _keyed(words: Sequence[str], *, most: float = math.inf) -> Mapping[str, str]:
    """Return words by what is looked for.

    Raises NoWords for none, and for what is none; TooManyWords, without looking at the others.
    """
    keyed: dict[str, str] = {}
    for word in words or ("",):
        key = word_key(word)
        if not key or len(word) > LONGEST_WORD:
            raise NoWords(name=word[:LONGEST_WORD], count=str(LONGEST_WORD))
        keyed[key] = word
        if len(keyed) > most:
            raise TooManyWords(count=str(MOST_WORDS))
    return keyed
