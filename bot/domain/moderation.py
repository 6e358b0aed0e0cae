"""What a server watches for in the game's texts, and what its moderators do with comments."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

LONGEST_REASON = 300
LONGEST_NOTE = 1000
# For how many days what a removed comment said is kept, unless a server says otherwise.
USUAL_DAYS = 90
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


class Rules(Struct, frozen=True):
    """How a server is moderated; `reasons` are its usual ones.

    `log_is_closed` says that the log channel did not take what was last posted there.
    """

    moderator_role_id: int | None = None
    log_channel_id: int | None = None
    reasons: Sequence[str] = ()
    needs_reason: bool = False
    kept_days: int = USUAL_DAYS
    log_is_closed: bool = False


class Subject(Struct, frozen=True):
    """A comment, with what is known of it; or a player, where `comment_id` is None.

    `text` is what the comment said, None where nobody knows, or no longer; as a message shows it,
    it `is_part` of that at most.
    """

    comment_id: int | None
    thread_id: int | None = None
    player_id: int | None = None
    player_name: str = ""
    text: str | None = None
    is_part: bool = False


class GameAnswer(StrEnum):
    """What the game said when it was asked to delete a removed comment."""

    # Asked, or about to be; after a crash nobody can say.
    ASKED = "asked"
    DELETED = "deleted"
    NOT_ALLOWED = "not allowed"
    NOT_THERE = "not there"
    NOT_LINKED = "not linked"
    NO_ANSWER = "no answer"


class NewRemoval(Struct, frozen=True):
    """A comment to be removed from a server's chat, or a player to be muted there.

    `locale` is the server's language; `until` ends a mute by itself.
    """

    guild_id: int
    subject: Subject
    moderator_id: int
    reason: str
    locale: str
    asks_game: bool = False
    until: datetime | None = None


class Removal(Struct, frozen=True):
    """A removal as it is kept; `moderator_id` is None once its data was erased."""

    id: int
    case_id: int
    guild_id: int
    subject: Subject
    moderator_id: int | None
    reason: str
    locale: str
    game_answer: GameAnswer | None
    created_at: datetime
    until: datetime | None
    ended_at: datetime | None
    ended_by: int | None


class Reported(Struct, frozen=True):
    """A comment that members reported, or that holds a watched word.

    How many reported it, and why the last ones did; who they are stays with us. `hit` is what its
    text holds, and `is_released` says that a moderator has let that text be shown. Its card was
    last owed as `log_version`.
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
    log_version: int = 0

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


class Note(Struct, frozen=True):
    """What a moderator noted on a case."""

    moderator_id: int | None
    text: str
    created_at: datetime
