"""Change what a server watches for, and let be shown what was held back."""

import math
import re
from collections.abc import Mapping, Sequence

from bot.background import BackgroundTasks
from bot.features.errors import AutomodOff, NotHeldBack, NoWords, TooManyWords
from bot.features.moderation.matching import word_key
from bot.features.moderation.policy import Policy
from storage.vetting import LONGEST_WORD, MOST_WORDS, Automod, ListFull, VetLists

_BETWEEN_WORDS = re.compile(r"[,\r\n]")


class WordLists:
    """What servers watch for, as `lists` keep it; what changes holds in their policies at once."""

    def __init__(self, lists: VetLists, policy: Policy, tasks: BackgroundTasks) -> None:
        self.lists = lists
        self._policy = policy
        self._tasks = tasks

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
            self._policy.forget(guild_id)

    async def remove(self, guild_id: int, words: Sequence[str]) -> int:
        """Watch for words no longer; return how many were. Raises NoWords."""
        keyed = _keyed(words)
        try:
            return await self._tasks.run(self.lists.remove_words(guild_id, list(keyed)))
        finally:
            self._policy.forget(guild_id)

    async def release(self, guild_id: int, case_id: int, moderator_id: int) -> None:
        """Show a text that was held back. Raises NotHeldBack."""
        try:
            releasing = self.lists.release(guild_id, case_id, moderator_id)
            if not await self._tasks.run(releasing, finish=True):
                raise NotHeldBack
        finally:
            self._policy.forget(guild_id)

    async def switch_automod(self, guild_id: int, *, is_on: bool) -> None:
        """Let a server's AutoMod hold for the game's texts, or no longer."""
        try:
            await self.lists.switch_automod(guild_id, is_on=is_on)
        finally:
            self._policy.forget(guild_id)

    async def keep_automod(self, guild_id: int, read: Automod) -> Automod:
        """Keep what was read of a server's AutoMod; return what holds. Raises AutomodOff."""
        await self.lists.keep_automod(guild_id, read)
        self._policy.forget(guild_id)
        kept = (await self.lists.watched(guild_id)).automod
        if kept is None:
            raise AutomodOff
        return kept


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
