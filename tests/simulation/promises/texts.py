"""What members type is posted once, or comes back to them, and no one else writes for them."""

import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.simulation.door import Write
from tests.simulation.faults import Fault
from tests.simulation.promises.accounts import Accounts
from tests.simulation.town import Deed, Person, Town

_MARK = re.compile(r"qt\d+z")
_POST = re.compile(r"/threads/\d+/comments")
_COMMENT = re.compile(r"/comments/(\d+)")
# Each with the field that is typed in.
_TYPED = {
    "/forum post": "content",
    "/forum reply": "content",
    "/forum edit": "content",
    "forum.write_form": "text",
    "forum.edit": "text",
    "forum.draft_form": "text",
}
# Forms in which only the text is typed, so that no name has to be found first.
_FORMS = ("forum.write_form", "forum.edit")
# What the card of a kept text has.
_OF_KEPT = ("forum.ask_discard", "forum.discard")
# A text is kept for a day.
_KEPT_FOR = timedelta(hours=23)
# Beyond that, nothing is kept, and the card says so.
_MAX_KEPT = 20
_DONE = (200, 201, 204)


@dataclass(eq=False)
class Texts:
    town: Town
    accounts: Accounts
    # How often a text may be posted: each time that it was typed, or sent again in doubt.
    _allowed: Counter[str] = field(default_factory=Counter[str])
    _posted: Counter[str] = field(default_factory=Counter[str])
    # What the game has taken, as a comment or as another text of one.
    _taken: set[str] = field(default_factory=set[str])
    # Several may have one account in the game, and change what another wrote.
    _typed_by: defaultdict[str, set[Person]] = field(
        default_factory=lambda: defaultdict[str, set[Person]](set)
    )
    _tokens: defaultdict[Person, set[str]] = field(
        default_factory=lambda: defaultdict[Person, set[str]](set)
    )
    # With which of them a text may be sent: what its writer had when they had it in hand.
    _sent_with: defaultdict[str, set[str]] = field(
        default_factory=lambda: defaultdict[str, set[str]](set)
    )
    # Which comments each has asked to delete.
    _deletes: set[tuple[Person, int]] = field(default_factory=set[tuple[Person, int]])
    # What was on a card of a kept text, since when.
    _kept: dict[Person, dict[str, datetime]] = field(
        default_factory=lambda: defaultdict[Person, dict[str, datetime]](dict)
    )
    _looked_at: int = 0
    _faults: list[Fault] = field(default_factory=list[Fault])

    def link(self, deed: Deed) -> None:
        # In whatever shape a token is pasted, it is one of the game's.
        typed = str(deed.values.get("token", ""))
        self._tokens[deed.who].add(typed.strip())

    def look(self, deed: Deed) -> None:
        """Note what someone types, and check what happened to it."""
        if deed.kind == "link_form" and deed.form is None:
            self.link(deed)
        typed = str(deed.values.get(_TYPED.get(deed.kind, ""), ""))
        marks = _MARK.findall(typed)
        for mark in marks:
            self._typed_by[mark].add(deed.who)
            self._allowed[mark] += 1
        if deed.kind == "forum.send_again" and deed.pressed is not None:
            self._allowed.update(deed.pressed.marks)
        if deed.kind == "forum.delete":
            self._deletes.add((deed.who, int(deed.fields[1])))
        shown = {mark for card in deed.answers for mark in card.marks}
        self._note_tokens(deed, {*marks, *shown})
        self.look_at_game()
        self._note_kept(deed, shown)
        for mark in marks[:1]:
            self._faults += self._lost(deed, mark, shown)
        if deed.kind in ("/forum unsent", "forum.unsent") and not deed.is_refused:
            self._faults += self._unlisted(deed)
        if deed.kind == "forum.delete" and not _is_refused(deed):
            self._faults += self._undeleted(deed)

    def _note_tokens(self, deed: Deed, marks: set[str]) -> None:
        """Let what someone is sending go out with the account that they have now."""
        if deed.pressed is not None:
            marks |= deed.pressed.marks
        if deed.kind == "link_form" and deed.form is None and any(deed.fields):
            # It goes on with a text that its card doesn't show.
            marks |= {mark for mark, who in self._typed_by.items() if deed.who in who}
        tokens = {str(deed.values.get("token", "")).strip()}
        if deed.who in self.accounts.unsure:
            tokens |= self._tokens[deed.who]
        elif linked := self.accounts.tokens.get(deed.who):
            tokens.add(linked)
        for mark in marks:
            self._sent_with[mark] |= tokens if deed.who in self._typed_by[mark] else set()

    def look_at_game(self) -> None:
        """Look at what Kiosk has asked of the game since the last time."""
        writes = self.town.game.door.writes
        for write in writes[self._looked_at :]:
            self._faults += self._unasked(write)
        self._looked_at = len(writes)

    def unsent(self, who: Person) -> set[str]:
        """Return the marks of the texts that surely wait for someone to send them."""
        now = self.town.clock.now()
        kept = {
            mark
            for mark, since in self._kept[who].items()
            if now - since < _KEPT_FOR and mark not in self._taken
        }
        return kept if len(kept) < _MAX_KEPT else set()

    def may_be_unsent(self, mark: str) -> bool:
        """Tell whether a text was typed more often than the game has taken it, or is gone."""
        game = self.town.game
        texts = (comment.text for of in game.threads() for comment in game.comments(of))
        return self._posted[mark] < self._allowed[mark] or not any(mark in text for text in texts)

    async def faults(self) -> AsyncIterator[Fault]:
        for fault in self._faults:
            yield fault
        self._faults.clear()

    def _unasked(self, write: Write) -> Iterator[Fault]:
        path = write.path.removeprefix("/api/v1")
        content = str(write.body.get("content", ""))
        mark = next(iter(_MARK.findall(content)), None)
        is_done = write.done in _DONE
        if mark is not None:
            yield from self._foreign(write, mark, path)
            if is_done:
                self._taken.add(mark)
            if is_done and _POST.fullmatch(path):
                self._posted[mark] += 1
                if self._posted[mark] > self._allowed[mark]:
                    yield Fault("nothing is posted twice", mark, content)
        if write.method == "DELETE" and (found := _COMMENT.fullmatch(path)):
            number = int(found[1])
            askers = [who for who, deleted in self._deletes if deleted == number]
            if not any(write.token in self._tokens[who] for who in askers):
                yield Fault("only what its writer asks for is deleted", path, str(askers))

    def _foreign(self, write: Write, mark: str, path: str) -> Iterator[Fault]:
        typed_by = self._typed_by[mark]
        how = f"{mark} for {sorted(map(str, typed_by))}"
        if not any(write.token in self._tokens[who] for who in typed_by):
            yield Fault("only what somebody typed is written", path, how)
        elif write.token not in self._sent_with[mark]:
            yield Fault("a text is sent from the account that it was written for", path, how)

    def _lost(self, deed: Deed, mark: str, shown: set[str]) -> Iterator[Fault]:
        if mark in self._taken or not deed.answers:
            return
        how = f"{deed.who} typed {mark}: {deed.answers[-1].text[:200]!r}"
        if mark not in shown and not _asks_which(deed):
            yield Fault("nothing typed is lost", deed.kind, how)
        if deed.kind in _FORMS and not _is_refused(deed):
            yield Fault("what is said to be posted is", deed.kind, how)

    def _note_kept(self, deed: Deed, shown: set[str]) -> None:
        kept = self._kept[deed.who]
        if deed.kind == "erase":
            kept.clear()
        # These may end the text of the card, or let it become what is typed now.
        is_changed = deed.kind == "forum.draft_form" and bool(deed.values)
        ends_another = is_changed or deed.kind == "forum.discard"
        ended = deed.pressed.marks if ends_another and deed.pressed else ()
        for mark in ended:
            kept.pop(mark, None)
        if not any(card.control(kind) for card in deed.answers for kind in _OF_KEPT):
            return
        # If Kiosk dies over it, the card stays as it was.
        for mark in shown.difference(ended):
            if deed.who in self._typed_by[mark] and deed.kind in _TYPED:
                kept.setdefault(mark, self.town.clock.now())

    def _unlisted(self, deed: Deed) -> Iterator[Fault]:
        # An answer to them may have waited for their next command.
        listed = [card for card in deed.answers if not card.control("forum.write_form")]
        shown = {mark for card in listed for mark in card.marks}
        if lost := self.unsent(deed.who) - shown:
            yield Fault("what was not sent is listed", str(deed.who), str(sorted(lost)))
        others = {mark for mark in shown if deed.who not in self._typed_by[mark]}
        if others:
            yield Fault("nobody gets at another's text", str(deed.who), str(sorted(others)))

    def _undeleted(self, deed: Deed) -> Iterator[Fault]:
        number = int(deed.fields[1])
        there = {
            comment.id
            for thread_id in self.town.game.threads()
            for comment in self.town.game.comments(thread_id)
        }
        if number in there:
            yield Fault("what is said to be deleted is", str(number), f"{deed.who}")


def _is_refused(deed: Deed) -> bool:
    """Return whether Kiosk said no, or that an account has to be linked first."""
    return deed.is_refused or any(card.control("link_form") for card in deed.answers)


def _asks_which(deed: Deed) -> bool:
    """Return whether several threads fit what was typed; the text waits in the form."""
    return any(card.control("again") or card.control("go_on") for card in deed.answers)
