"""Hide what a server does not want to see, by removals, mutes and watched words."""

import asyncio
import datetime as dt
import itertools
import logging
import re
import typing
from collections import abc

import msgspec
from msgspec.structs import replace

from bot import cache
from bot.background import BackgroundTasks
from bot.features import feature_errors
from bot.features.moderation import watched_words
from bot.visible import text_key
from storage import moderation
from storage.held_back import HeldBack
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

T = typing.TypeVar("T")

# In seconds. What may have changed is kept for comparison: lists take a while to get ready.
_LIFETIME_SECONDS = 3600.0
_TOLD_FOR_SECONDS = 86400.0
_MAX_BYTES = 32 * 2**20
_MAX_BYTES_OF_TEXT = 4 * 2**20
# About how much memory a letter of a word takes, and a hidden comment.
_LETTER_BYTES = 180
_HIDDEN_BYTES = 60
# How many letters of texts take a few milliseconds to search.
_LETTERS_AT_ONCE = 5_000
# In Chinese and Japanese, too.
_BETWEEN_WORDS = re.compile(r"[,\uff0c\u3001\r\n]")
# What moderators are notified of once: in a server, of a subject, with a text or name.
_Told = tuple[int, str, str]


class Viewer(msgspec.Struct, frozen=True):
    """A member who reads, and the server whose policy applies.

    Ids are Discord's. Outside a server, where `guild_id` is None, everything is seen. `locale` is
    the server's language.
    """

    member_id: int
    guild_id: int | None = None
    locale: str = ""


class Visibility(msgspec.Struct, frozen=True):
    """A comment is hidden, held back for a word in its text or in the name of `named`, or shown."""

    is_hidden: bool = False
    word: str = ""
    named: moderation.Subject | None = None


class _Server(msgspec.Struct, frozen=True):
    """Everything that one server hides: nothing if it `is_clear`. `number` names its word list.

    `version` counts the changes from before it was read, None if they aren't counted.
    """

    version: int | None = None
    is_clear: bool = True
    hidden: moderation.Hidden = msgspec.field(default_factory=moderation.Hidden)
    words: abc.Sequence[str] = ()
    number: int = 0
    matcher: watched_words.Matcher | None = None
    # Keys of texts and names that are shown anyway, by their subjects' keys.
    released: abc.Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    # Texts that wait for a moderator, in the same way.
    held_back: abc.Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class View(msgspec.Struct, frozen=True):
    policy: "Policy"
    server: _Server

    def see(self, comment: moderation.Subject) -> Visibility:
        """Return how a comment is seen. Those below a hidden one disappear with it."""
        if self.server.hidden.hides(comment.comment_id, comment.player_id):
            return Visibility(is_hidden=True)
        name = comment.player_name
        if comment.player_id is not None and (word := self.policy.find(self.server, name)):
            named = moderation.Subject(None, player_id=comment.player_id, player_name=name)
            if self.server.released.get(named.key) != text_key(name):
                return Visibility(word=word, named=named)
        text = comment.text or ""
        released = self.server.released.get(comment.key)
        if released is not None and released == text_key(text):
            return Visibility()
        return Visibility(word=self.policy.find(self.server, text))


class Policy:
    """Decides what each server sees. A change applies here at once, elsewhere within seconds."""

    def __init__(
        self, held_back: HeldBack, watched: moderation.WordLists, tasks: BackgroundTasks
    ) -> None:
        self._held_back = held_back
        self._removals = held_back.removals
        self.watched = watched
        self._tasks = tasks
        self._servers = cache.TtlCache[int, _Server](
            tasks, lifetime=_LIFETIME_SECONDS, most_bytes=_MAX_BYTES, size=_size
        )
        # The word that a text contains, by the word list's number and the text.
        self._found = cache.TtlCache[tuple[int, str], tuple[str, int]](
            tasks,
            lifetime=_LIFETIME_SECONDS,
            most_bytes=_MAX_BYTES_OF_TEXT,
            size=lambda found: found[1],
        )
        self._told = cache.TtlCache[_Told, bool](tasks, lifetime=_TOLD_FOR_SECONDS)
        self._numbers = itertools.count(1)

    async def prepare(self, viewer: Viewer, texts: abc.Iterable[str] = ()) -> View:
        """Return what a viewer sees. Long texts are searched while others get answers."""
        server = await self._server(viewer.guild_id)
        await self._look_through(server, texts)
        return View(self, server)

    async def _look_through(self, server: _Server, texts: abc.Iterable[str]) -> None:
        matcher = server.matcher
        if matcher is None:
            return
        unknown = {text for text in texts if self._found.known((server.number, text)) is None}
        if _are_long(unknown):
            found = await asyncio.to_thread(lambda: {text: matcher.find(text) for text in unknown})
            for text, word in found.items():
                self._found.put((server.number, text), (word, len(text)))

    def find(self, server: _Server, text: str) -> str:
        """Return a watched word that a text contains, or "" if it contains none."""
        if server.matcher is None:
            return ""
        key = server.number, text
        known = self._found.known(key)
        if known is None:
            known = server.matcher.find(text), len(text)
            self._found.put(key, known)
        return known[0]

    def tell(
        self, viewer: Viewer, comment: moderation.Subject, word: str, written_at: dt.datetime
    ) -> None:
        """Tell the moderators what a comment or a name contains, once each, in the background."""
        key = _told(viewer, comment)
        if self._told.known(key) is None:
            self._told.put(key, value=True)
            holding = self._held_back.hold_back(
                key[0], comment, key[2], word, viewer.locale, written_at
            )
            self._tasks.start(self._write(key, holding), finish=True)

    def report_no_longer_held(
        self, viewer: Viewer, view: View, comment: moderation.Subject
    ) -> None:
        """Tell the moderators, in the background, if a held-back text or name has changed."""
        writer = moderation.Subject(None, None, comment.player_id, comment.player_name)
        for subject in (comment, writer):
            before = view.server.held_back.get(subject.key)
            key = _told(viewer, subject)
            if before not in (None, key[2]) and self._told.known(key) is None:
                self._told.forget(lambda told, key=key: told[:2] == key[:2])
                self._told.put(key, value=True)
                cleaning = self._held_back.clean(key[0], subject, key[2])
                self._tasks.start(self._write(key, cleaning), finish=True)

    async def word_in(self, guild_id: int, text: str) -> str:
        server = await self._server(guild_id)
        await self._look_through(server, [text])
        return self.find(server, text)

    async def is_held_back(self, guild_id: int | None, subject: moderation.Subject) -> bool:
        """Return whether a comment or a name was held back, and waits for the moderators."""
        return subject.key in (await self._server(guild_id)).held_back

    def forget(self, guild_id: int) -> None:
        self._servers.outdate(guild_id.__eq__, age=cache.SHARED_SECONDS)

    async def set_words(
        self, guild_id: int, words: abc.Sequence[str], member_id: int
    ) -> tuple[int, int]:
        """Set the watched words. Return how many came and went. Raises NoWords, TooManyWords."""
        keyed: dict[str, str] = {}
        for word in words:
            key = watched_words.word_key(word)
            # One letter can become eighteen when it is folded.
            if not key or max(len(key), len(word)) > moderation.MAX_WORD_LENGTH:
                raise feature_errors.NoWords(
                    name=word[: moderation.MAX_WORD_LENGTH], count=str(moderation.MAX_WORD_LENGTH)
                )
            keyed[key] = word
            if len(keyed) > moderation.MAX_WORDS:
                raise feature_errors.TooManyWords(count=str(moderation.MAX_WORDS))
        writing = self.watched.change(guild_id, member_id, keyed, watched_words.word_key)
        before = await self.change(guild_id, writing)
        return len(keyed.keys() - before.keys()), len(before.keys() - keyed.keys())

    async def change(self, guild_id: int, writing: abc.Coroutine[typing.Any, typing.Any, T]) -> T:
        """Run a write that changes what a server hides, then drop its policy. Return the result."""
        try:
            return await self._tasks.run(writing, finish=True)
        finally:
            self.forget(guild_id)

    async def _write(self, key: _Told, writing: abc.Awaitable[object]) -> None:
        try:
            await writing
        except DatabaseError as error:
            # The next reader reports it.
            self._told.forget(key.__eq__)
            log.warning("Can't save what happened to a held-back comment: %s", error)
        else:
            self.forget(key[0])

    async def _server(self, guild_id: int | None) -> _Server:
        if guild_id is None:
            return _Server()
        return await self._servers.get(guild_id, self._read, max_age=cache.SHARED_SECONDS)

    async def _read(self, guild_id: int) -> _Server:
        # Before the rest: what changes in between is read the next time.
        version = await self._held_back.version(guild_id)
        known = self._servers.known(guild_id)
        if known is not None and version is not None and known.version == version:
            until = known.hidden.until
            if until is None or self._removals.now() < until:
                return known
        hidden = await self._removals.hidden(guild_id)
        words = await self.watched.words(guild_id)
        if known is None or known.words != words:
            # A long list takes a while.
            matcher = await asyncio.to_thread(watched_words.Matcher, words) if words else None
            known = _Server(words=words, number=next(self._numbers), matcher=matcher)
        if words:
            known = replace(
                known,
                released=await self._held_back.released(guild_id),
                held_back=await self._held_back.waiting(guild_id),
            )
        is_clear = not (words or hidden.comments or hidden.players)
        return replace(known, version=version, hidden=hidden, is_clear=is_clear)


def _told(viewer: Viewer, subject: moderation.Subject) -> _Told:
    return viewer.guild_id or 0, subject.key, text_key(subject.text or subject.player_name)


def _are_long(texts: abc.Collection[str]) -> bool:
    """Return whether texts take a while to search, by their letters after folding."""
    if sum(map(len, texts)) >= _LETTERS_AT_ONCE:
        return True
    return sum(map(watched_words.count_letters, texts)) >= _LETTERS_AT_ONCE


def _size(server: _Server) -> int:
    letters = sum(map(len, server.words))
    return letters * _LETTER_BYTES + len(server.hidden.comments) * _HIDDEN_BYTES


def split_words(text: str) -> abc.Sequence[str]:
    parts = (" ".join(part.split()) for part in _BETWEEN_WORDS.split(text))
    return [part for part in parts if part]
