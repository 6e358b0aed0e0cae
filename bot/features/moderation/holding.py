"""Decide whether a comment's text is held back in one channel."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from bot.domain.moderation import Hit, Subject, TextRule, TextRules
from bot.features.moderation.matching import Matcher
from storage.vetting import text_key

Found = Sequence[tuple[TextRule, Hit]]


# Lets the moderators know of a hit; the last is whether the comment may say more.
Note = Callable[[Subject, Hit, bool], None]


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
    ) -> None:
        self._server = server
        self._channels = channels
        self._hits = hits
        self._note = note

    @property
    def has_exemptions(self) -> bool:
        """Whether there are channels in which a rule does not hold."""
        return any(matcher.rule.channels for matcher in self._server.matchers)

    def holds_back(self, subject: Subject) -> bool:
        """Return whether a comment's text is not to be shown; moderators learn of it."""
        key = self._server.released.get(subject.comment_id or 0)
        return self._check(subject, is_part=False) and key != text_key(subject.text or "")

    def holds_back_part(self, subject: Subject) -> bool:
        """Return the same of what stands of a text somewhere, and may be less than all of it.

        Of a comment that a moderator let be shown, every part is.
        """
        is_released = subject.comment_id in self._server.released
        return not is_released and self._check(subject, is_part=True)

    def _check(self, subject: Subject, *, is_part: bool) -> bool:
        found = self._hits(self._server, subject.text or "")
        hits = [hit for rule, hit in found if not rule.channels & self._channels]
        if not hits:
            return False
        worst = min(hits, key=lambda hit: hit.is_alert)
        self._note(subject, worst, is_part)
        return not worst.is_alert
