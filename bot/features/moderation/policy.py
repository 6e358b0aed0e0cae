"""Policy: hide what a server does not want to see, by removals, mutes, watched words and AutoMod.

Nothing else knows of them: whatever is read of the game's forum is seen through a view.
"""

import asyncio
import logging
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import SHARED_LIFETIME, TtlCache
from bot.features.errors import AutomodOff, NoWords, TooManyWords
from bot.features.moderation.matching import Matcher, find_all, word_key
from bot.visible import text_key
from storage.errors import DatabaseError
from storage.moderation import Hidden, Subject
from storage.removals import Removals
from storage.vetting import LONGEST_WORD, MOST_WORDS, Automod, Hit, TextRule, TextRules, VetLists

log = logging.getLogger(__name__)

# In seconds. What may have changed is kept for comparison: lists take a while to get ready.
_LIFETIME, _TOLD_FOR = 3600.0, 86400.0
_MOST_BYTES, _MOST_BYTES_OF_TEXT = 32 * 2**20, 4 * 2**20
# What a letter of a word, and a hidden comment, take in memory, about, in bytes.
_LETTER_SIZE, _HIDDEN_SIZE = 60, 60
# Of texts, what takes a few milliseconds.
_LETTERS_AT_ONCE = 5_000
_BETWEEN_WORDS = re.compile(r"[,\r\n]")
# What moderators are told of once: in which server, of which comment and text, and whether it only
# alerts.
_Told = tuple[int, int, str, bool]
_Found = Sequence[tuple[TextRule, Hit]]


class Viewer(Struct, frozen=True):
    """A member looking at a screen in one place; ids are Discord's, but for the player's.

    Outside a server, where `guild_id` is None, everything is seen. `channels` are the channel and
    the one that it is a thread of, `locale` is the server's language, and `player_id` is None where
    Kiosk doesn't know who the member is in the game.
    """

    member_id: int
    guild_id: int | None = None
    channels: frozenset[int] = frozenset()
    locale: str = ""
    player_id: int | None = None


class Sight(Struct, frozen=True):
    """The policy's answer for a comment: hidden, or shown with what was found in its text."""

    is_hidden: bool = False
    hit: Hit | None = None

    @property
    def is_held_back(self) -> bool:
        return self.hit is not None and not self.hit.is_alert


class _Server(Struct, frozen=True):
    """The rules of one server; it hides nothing where it `is_clear`.

    `number` names what it watches for.
    """

    is_clear: bool = True
    hidden: Hidden = field(default_factory=Hidden)
    rules: Sequence[TextRule] = ()
    number: int = 0
    matchers: Sequence[Matcher] = ()
    # Texts that are shown all the same, as their keys, by comments.
    released: Mapping[int, str] = field(default_factory=dict[int, str])


class View(Struct, frozen=True):
    policy: "Policy"
    server: _Server
    channels: frozenset[int]

    def see(self, comment: Subject) -> Sight:
        """Return how a comment is seen; what stands below a hidden one goes with it."""
        if self.server.hidden.hides(comment.comment_id, comment.player_id):
            return Sight(is_hidden=True)
        text, released = comment.text or "", self.server.released.get(comment.comment_id or 0)
        # Of a text that was let be shown, every part is.
        if released is not None and (comment.is_part or released == text_key(text)):
            return Sight()
        found = self.policy.find(self.server, text)
        hits = [hit for rule, hit in found if not rule.channels & self.channels]
        return Sight(hit=min(hits, key=lambda hit: hit.is_alert, default=None))


class Policy:
    """The policies of all servers, with what `lists` keep of words and AutoMod.

    What one process changes holds there at once, and in others within seconds.
    """

    def __init__(self, removals: Removals, lists: VetLists, tasks: BackgroundTasks) -> None:
        self._removals = removals
        self.lists = lists
        self._tasks = tasks
        self._servers = TtlCache[int, _Server](
            tasks, lifetime=_LIFETIME, most_bytes=_MOST_BYTES, size=_size
        )
        # What a text holds, by the server's number and the text.
        self._found = TtlCache[tuple[int, str], tuple[_Found, int]](
            tasks, lifetime=_LIFETIME, most_bytes=_MOST_BYTES_OF_TEXT, size=lambda found: found[1]
        )
        self._told = TtlCache[_Told, bool](tasks, lifetime=_TOLD_FOR)
        self._numbers = count(1)

    async def prepare(self, viewer: Viewer, texts: Iterable[str] = ()) -> View:
        """Return what a viewer sees; long texts are looked through while others are answered."""
        server = await self._server(viewer.guild_id)
        if server.matchers:
            unknown = {text for text in texts if self._found.known((server.number, text)) is None}
            if sum(map(len, unknown)) >= _LETTERS_AT_ONCE:
                found = await asyncio.to_thread(
                    lambda: {text: find_all(server.matchers, text) for text in unknown}
                )
                for text, hits in found.items():
                    self._found.put((server.number, text), (hits, len(text)))
        return View(self, server, viewer.channels)

    def find(self, server: _Server, text: str) -> _Found:
        if not server.matchers:
            return ()
        key = server.number, text
        known = self._found.known(key)
        if known is None:
            known = find_all(server.matchers, text), len(text)
            self._found.put(key, known)
        return known[0]

    def tell(self, viewer: Viewer, comment: Subject, hit: Hit) -> None:
        """Let the moderators know what a comment holds, once for each text, in the background."""
        guild_id = viewer.guild_id or 0
        key = guild_id, comment.comment_id or 0, text_key(comment.text or ""), hit.is_alert
        if self._told.known(key) is None:
            self._told.put(key, value=True)
            self._tasks.start(self._tell(key, viewer.locale, comment, hit), finish=True)

    async def rules(self, guild_id: int | None) -> Sequence[TextRule]:
        return (await self._server(guild_id)).rules

    async def hits(self, guild_id: int | None, text: str) -> _Found:
        """Return what a text holds of that, whoever wrote it."""
        return self.find(await self._server(guild_id), text)

    async def blocks(
        self, guild_id: int | None, text: str, channels: frozenset[int], roles: frozenset[int]
    ) -> Hit | None:
        """Return what AutoMod would not let a member with these roles write in a channel."""
        for rule, hit in self.find(await self._server(guild_id), text):
            is_exempt = rule.roles & roles or rule.channels & channels
            if rule.name and not hit.is_alert and not is_exempt:
                return hit
        return None

    def forget(self, guild_id: int) -> None:
        self._servers.outdate(guild_id.__eq__, age=SHARED_LIFETIME)

    async def set_words(self, guild_id: int, words: Sequence[str]) -> tuple[int, int]:
        """Watch for these words from now on; return how many are new, and how many are gone.

        Raises NoWords, TooManyWords.
        """
        keyed = _keyed(words, most=MOST_WORDS) if words else dict[str, str]()
        # Some letters stand for eighteen: of a thousand words of them no pattern can be made.
        if long := next((word for key, word in keyed.items() if len(key) > LONGEST_WORD), ""):
            raise NoWords(name=long, count=str(LONGEST_WORD))
        before, after = await self._change(guild_id, lambda known: replace(known, keyed=keyed))
        return len(after.keyed.keys() - before.keyed.keys()), len(
            before.keyed.keys() - after.keyed.keys()
        )

    async def switch_automod(self, guild_id: int, *, is_on: bool) -> None:
        """Let a server's AutoMod hold for the game's texts, or no longer."""
        await self._change(
            guild_id,
            lambda known: replace(known, automod=(known.automod or Automod()) if is_on else None),
        )

    async def keep_automod(self, guild_id: int, read: Automod, now: datetime) -> Automod:
        """Keep what was read of a server's AutoMod; return what holds. Raises AutomodOff.

        In trouble, what was known before holds on.
        """

        def as_read(known: TextRules) -> TextRules:
            if known.automod is None:
                raise AutomodOff
            kept = known.automod if read.trouble else read
            kept = replace(kept, trouble=read.trouble, read_at=now)
            return replace(known, automod=kept)

        _, after = await self._change(guild_id, as_read)
        return after.automod or read

    async def _change(
        self, guild_id: int, change: Callable[[TextRules], TextRules]
    ) -> tuple[TextRules, TextRules]:
        try:
            return await self._tasks.run(self.lists.change(guild_id, change))
        finally:
            self.forget(guild_id)

    async def _tell(self, key: _Told, locale: str, comment: Subject, hit: Hit) -> None:
        try:
            await self._removals.hold(key[0], comment, hit, locale)
        except DatabaseError as error:
            # The next reader tells of it.
            self._told.forget(key.__eq__)
            log.warning("a comment that was held back could not be written down: %s", error)

    async def _server(self, guild_id: int | None) -> _Server:
        if guild_id is None:
            return _Server()
        return await self._servers.get(guild_id, self._read, max_age=SHARED_LIFETIME)

    async def _read(self, guild_id: int) -> _Server:
        hidden = await self._removals.hidden(guild_id)
        rules = (await self.lists.watched(guild_id)).rules
        known = self._servers.known(guild_id)
        if known is None or known.rules != rules:
            # A long list takes a while.
            matchers = await asyncio.to_thread(lambda: [Matcher(rule) for rule in rules])
            known = _Server(rules=rules, number=next(self._numbers), matchers=matchers)
        if rules:
            known = replace(known, released=await self._removals.released(guild_id))
        return replace(
            known, hidden=hidden, is_clear=not (rules or hidden.comments or hidden.players)
        )


def _size(server: _Server) -> int:
    words = (word for rule in server.rules for word in (*rule.words, *rule.allowed))
    return sum(map(len, words)) * _LETTER_SIZE + len(server.hidden.comments) * _HIDDEN_SIZE


def split_words(text: str) -> Sequence[str]:
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
