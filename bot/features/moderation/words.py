"""Change what a server watches for."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.features.errors import AutomodOff, NoWords, TooManyWords
from bot.features.moderation.matching import word_key
from bot.features.moderation.policy import Policy
from storage.vetting import LONGEST_WORD, MOST_WORDS, Automod, TextRules, VetLists

_BETWEEN_WORDS = re.compile(r"[,\r\n]")


class WordLists:
    """What servers watch for, as `lists` keep it; what changes holds in their policies at once."""

    def __init__(
        self, lists: VetLists, policy: Policy, tasks: BackgroundTasks, now: Callable[[], datetime]
    ) -> None:
        self.lists = lists
        self._policy = policy
        self._tasks = tasks
        self._now = now

    async def add(self, guild_id: int, words: Sequence[str]) -> int:
        """Watch for words; return how many are new. Raises NoWords, TooManyWords."""
        keyed = _keyed(words, most=MOST_WORDS)
        # Some letters stand for eighteen: of a thousand words of them no pattern can be made.
        if long := next((word for key, word in keyed.items() if len(key) > LONGEST_WORD), ""):
            raise NoWords(name=long, count=str(LONGEST_WORD))

        def with_these(known: TextRules) -> TextRules:
            together = {**keyed, **known.keyed}
            if len(together) > MOST_WORDS:
                raise TooManyWords(count=str(MOST_WORDS))
            return replace(known, keyed=together)

        before, after = await self._change(guild_id, with_these)
        return len(after.keyed) - len(before.keyed)

    async def remove(self, guild_id: int, words: Sequence[str]) -> int:
        """Watch for words no longer; return how many were. Raises NoWords."""
        keyed = _keyed(words)

        def without_these(known: TextRules) -> TextRules:
            left = {key: word for key, word in known.keyed.items() if key not in keyed}
            return replace(known, keyed=left)

        before, after = await self._change(guild_id, without_these)
        return len(before.keyed) - len(after.keyed)

    async def switch_automod(self, guild_id: int, *, is_on: bool) -> None:
        """Let a server's AutoMod hold for the game's texts, or no longer."""
        await self._change(
            guild_id,
            lambda known: replace(known, automod=(known.automod or Automod()) if is_on else None),
        )

    async def keep_automod(self, guild_id: int, read: Automod) -> Automod:
        """Keep what was read of a server's AutoMod; return what holds. Raises AutomodOff.

        In trouble, what was known before holds on.
        """

        def as_read(known: TextRules) -> TextRules:
            if known.automod is None:
                raise AutomodOff
            kept = known.automod if read.trouble else read
            kept = replace(kept, trouble=read.trouble, read_at=self._now())
            return replace(known, automod=kept)

        _, after = await self._change(guild_id, as_read)
        return after.automod or read

    async def _change(
        self, guild_id: int, change: Callable[[TextRules], TextRules]
    ) -> tuple[TextRules, TextRules]:
        try:
            return await self._tasks.run(self.lists.change(guild_id, change))
        finally:
            self._policy.forget(guild_id)


def split_words(text: str) -> Sequence[str]:
    """Return the words that are separated by commas or lines."""
    parts = (" ".join(part.split()) for part in _BETWEEN_WORDS.split(text))
    return [part for part in parts if part]


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
