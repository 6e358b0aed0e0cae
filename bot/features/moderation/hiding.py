"""What each server keeps from its readers: what was removed, and what is held back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count
from weakref import WeakValueDictionary

from msgspec import Struct, field
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import SHARED_LIFETIME, TtlCache
from bot.domain.moderation import Hit, Subject, TextRule, TextRules
from bot.domain.shown import Hidden
from bot.features.moderation.matching import Matcher
from storage.moderation import Moderation
from storage.vetting import text_key

# What a hidden comment takes in memory, about, in bytes.
_SIZE = 60
Found = Sequence[tuple[TextRule, Hit]]
# Lets the moderators know of a hit.
Note = Callable[[Subject, Hit], None]


class HiddenTexts:
    """What servers hide; whoever was given it has it as it is now, not as it was then."""

    def __init__(self, moderation: Moderation, tasks: BackgroundTasks) -> None:
        self._moderation = moderation
        self._kept = TtlCache[int, Hidden](
            tasks, lifetime=SHARED_LIFETIME, size=lambda hidden: _SIZE * len(hidden.comments)
        )
        # Of each server, what readers have in hand, and the read that it is from.
        self._live = WeakValueDictionary[int, _Known]()
        self._reads = count(1)

    async def here(self, guild_id: int | None) -> Hidden:
        """Return what a server hides; outside of servers that is nothing."""
        if guild_id is None:
            return Hidden()
        return await self._kept.get(guild_id, self._read)

    async def refresh(self, guild_id: int) -> None:
        """Learn at once what has changed."""
        self._kept.forget(guild_id.__eq__)
        await self.here(guild_id)

    async def _read(self, guild_id: int) -> Hidden:
        number = next(self._reads)
        read = await self._moderation.hidden(guild_id)
        known = self._live.setdefault(guild_id, _Known())
        # One that began before another may end after it.
        if number > known.read:
            known.comments, known.players, known.read = read.comments, read.players, number
        return known


class _Known(Hidden):
    """What a server hides, and the number of the read that it is from."""

    read = 0


class WatchedFor(Struct):
    """What one server watches for, ready to run, and the texts that are shown all the same."""

    number: int
    watched: TextRules
    matchers: Sequence[Matcher]
    released: Mapping[int, str] = field(default_factory=dict[int, str])


class VetHere:
    """What is watched for in one channel; see bot.domain.shown.Vet."""

    def __init__(
        self,
        server: WatchedFor,
        channels: frozenset[int],
        hits: Callable[[WatchedFor, str], Found],
        note: Note,
        look: Callable[[WatchedFor, Sequence[str]], Awaitable[None]],
    ) -> None:
        self._server = server
        self._channels = channels
        self._hits = hits
        self._note = note
        self._look = look

    @property
    def has_exemptions(self) -> bool:
        """Whether there are channels in which a rule does not hold."""
        return any(matcher.rule.channels for matcher in self._server.matchers)

    async def look_through(self, texts: Sequence[str]) -> None:
        """Look through texts before anybody asks about them, while others are answered."""
        await self._look(self._server, texts)

    def holds_back(self, subject: Subject) -> bool:
        """Return whether a comment's text is not to be shown; moderators learn of it."""
        key = self._server.released.get(subject.comment_id or 0)
        return self._check(subject) and key != text_key(subject.text or "")

    def holds_back_part(self, subject: Subject) -> bool:
        """Return the same of what stands of a text somewhere, and may be less than all of it.

        Of a comment that a moderator let be shown, every part is.
        """
        is_released = subject.comment_id in self._server.released
        return not is_released and self._check(replace(subject, is_part=True))

    def _check(self, subject: Subject) -> bool:
        found = self._hits(self._server, subject.text or "")
        hits = [hit for rule, hit in found if not rule.channels & self._channels]
        if not hits:
            return False
        worst = min(hits, key=lambda hit: hit.is_alert)
        self._note(subject, worst)
        return not worst.is_alert
