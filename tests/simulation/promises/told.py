"""Who must be told of what by direct message: replies, and comments that hold watched words."""

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.simulation.faults import Fault
from tests.simulation.game import Comment, Naming
from tests.simulation.promises.accounts import Accounts
from tests.simulation.promises.watching import holds_surely, may_hold
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

# Whether a server hides a comment. None if the model can't say.
Hides = Callable[[int | None, Comment], bool | None]
# Since when it surely does. None if it doesn't.
HiddenSince = Callable[[int | None, Comment], datetime | None]

_LOOK_SECONDS = 300.0
_BETWEEN_MESSAGES = timedelta(hours=1)
# What is older is only counted.
_TOLD_WITHIN = timedelta(hours=23)
# A page at hand, which may not name its players, is ten minutes old at most.
_NAMES_ARE_KNOWN_AFTER = timedelta(minutes=15)
# A wish for replies lasts 90 days.
_REPLIES_LAST = timedelta(days=85)
_MAX_REPLIED_TO = 25
# A message that lists so many may leave others out.
_MAX_LISTED = 5
# Looks at a thread of up to so many comments read all of it, at a longer one some pages in turn.
_READ_WHOLE = 75
_LOOKS = 2
_LOOKS_OF_A_LONG_THREAD = 12
_MARK = re.compile(r"qt\d+z")


@dataclass(eq=False)
class Wish:
    """To be told of replies to a comment, or, without `subject_id`, of comments with words."""

    who: Person
    # In which server it was asked for: what that server hides isn't sent.
    guild_id: int | None
    at: datetime
    # The newest comment when it began: what is newer is news, and what is not newer than
    # `maybe_after` can't be.
    after: int
    maybe_after: int
    thread_ids: frozenset[int]
    subject_id: int | None = None
    words: str = ""
    # As its buttons have it.
    number: str = ""
    ended_at: datetime | None = None
    # Whether the model knows that it stands.
    is_sure: bool = True


@dataclass(eq=False)
class _Due:
    """A comment that someone must be notified about."""

    wish: Wish
    comment_id: int
    looks: int = 0


class Told:
    def __init__(
        self, town: Town, hides: Hides, hidden_since: HiddenSince, accounts: Accounts
    ) -> None:
        self.town = town
        self.hides = hides
        self.hidden_since = hidden_since
        self.accounts = accounts
        self.wishes: list[Wish] = []
        # The server in which a member asked for all replies. None for direct messages.
        self.hears_all: dict[Person, int | None] = {}
        # Members of whom it isn't known whether they want them.
        self._unsure: set[Person] = set()
        # Who has asked for that at any time: they may wait for replies to texts without a mark.
        self.have_heard: set[Person] = set()
        # Who wrote a text through Kiosk, by its mark.
        self.typed_by: dict[str, Person] = {}
        self._due: list[_Due] = []
        # By person: the message that told of a comment, and when each message of news came.
        self._told: defaultdict[Person, dict[int, Card]] = defaultdict(dict)
        self._sent: defaultdict[Person, dict[int, datetime]] = defaultdict(dict)
        self._read: dict[int, Card] = {}
        # By thread: its comments as they were looked at last, and the newest at the last rest.
        self._seen: dict[int, Sequence[Comment]] = {}
        self._texts: defaultdict[int, list[str]] = defaultdict(list)
        self._looked_up_to: dict[int, int] = {}
        self._rested_at: datetime | None = None
        # Since when the game says who wrote each comment.
        self._named_since: datetime | None = town.clock.now()
        # What was hidden in a server at a rest, or may have been.
        self._was_hidden: set[tuple[int | None, int]] = set()
        # What has gone wrong in the game, and since when nothing more has.
        self._faults_met: list[tuple[int, int]] = []
        self._calm_since: datetime | None = None

    # What people do.

    def look(self, deed: Deed) -> None:
        """Note who typed what, and what happened to it in the game."""
        for value in deed.values.values():
            for mark in _MARK.findall(str(value)):
                self.typed_by.setdefault(mark, deed.who)
        self.look_at_game()

    def tell(self, deed: Deed) -> None:
        """Begin a wish for replies."""
        if deed.is_refused and deed.answers:
            return
        thread_id, comment_id = int(deed.fields[0]), int(deed.fields[3])
        self._begin(
            Wish(
                deed.who,
                deed.guild_id,
                self.town.clock.now(),
                self._newest(),
                # The page that Kiosk had at hand may be some minutes old.
                comment_id,
                frozenset({thread_id}),
                comment_id,
                # Kiosk may have died over it, before or after it was written down.
                is_sure=bool(deed.answers),
            )
        )

    def untell(self, deed: Deed) -> None:
        # It ends although the comment may be gone, and the answer says so.
        comment_id = int(deed.fields[3])
        for wish in self._standing(deed.who):
            if wish.subject_id == comment_id:
                if deed.is_refused:
                    wish.is_sure = False
                else:
                    self._end(wish)

    def watch(self, deed: Deed) -> None:
        """Begin a wish for words, or add threads to it."""
        if "words" not in deed.values or (deed.is_refused and deed.answers):
            return
        number = next(
            (
                control.fields[0]
                for card in deed.answers
                for control in card.controls
                if control.kind == "unwatch"
            ),
            "",
        )
        threads = self._threads_of(deed)
        newest = self._newest()
        before = max(self._looked_up_to.values(), default=0) if threads else 0
        for wish in self._standing(deed.who):
            if wish.number == number and number and wish.thread_ids == threads:
                return
        self._begin(
            Wish(
                deed.who,
                deed.guild_id,
                self.town.clock.now(),
                newest,
                min(before, newest),
                threads or frozenset(self.town.game.threads()),
                words=str(deed.values.get("words", "")),
                number=number,
                is_sure=bool(threads and deed.answers),
            )
        )

    def _threads_of(self, deed: Deed) -> frozenset[int]:
        """Return the threads in which words are watched, none if names are needed for that."""
        if deed.kind == "forum.watch_form" and deed.values.get("where") != "everywhere":
            return frozenset({int(deed.fields[0])})
        thread = str(deed.values.get("thread", ""))
        is_number = thread.isdecimal() and int(thread) in self.town.game.threads()
        return frozenset({int(thread)}) if is_number else frozenset()

    def end_watch(self, deed: Deed) -> None:
        number = deed.fields[0]
        standing = list(self._standing(deed.who))
        meant = [wish for wish in standing if wish.number == number]
        if not meant and deed.pressed is not None:
            meant = [
                wish
                for wish in standing
                if wish.subject_id is not None
                and deed.pressed.marks & self._marks_of(wish.subject_id)
            ]
        if meant and not deed.is_refused:
            for wish in meant:
                self._end(wish)
            return
        # It may be an item's, or that of a text without a mark.
        for wish in standing:
            wish.is_sure = False

    def hear_all(self, deed: Deed) -> None:
        self.have_heard.add(deed.who)
        if not deed.answers:
            # Kiosk died over it.
            self._unsure.add(deed.who)
            if deed.fields[0] == "1":
                self.hears_all.setdefault(deed.who, deed.guild_id)
            return
        if deed.is_refused:
            return
        self._unsure.discard(deed.who)
        switch = deed.answers[-1].control("account.replies")
        if switch is None:
            self.hears_all.pop(deed.who, None)
        elif switch.fields[0] == deed.fields[0]:
            return
        elif deed.fields[0] == "1":
            self.hears_all[deed.who] = deed.guild_id
        else:
            self.hears_all.pop(deed.who, None)

    def unlink(self, deed: Deed) -> None:
        if deed.answers:
            self.hears_all.pop(deed.who, None)
        else:
            self._unsure.add(deed.who)

    def erase(self, deed: Deed) -> None:
        self.unlink(deed)
        for wish in self._standing(deed.who):
            if deed.is_refused:
                wish.is_sure = False
            else:
                self._end(wish)

    def _begin(self, wish: Wish) -> None:
        if wish.subject_id is not None:
            waiting = [other for other in self._standing(wish.who) if other.subject_id is not None]
            if any(other.subject_id == wish.subject_id for other in waiting):
                return
            if len(waiting) >= _MAX_REPLIED_TO:
                self._end(waiting[0])
        self.wishes.append(wish)

    def _end(self, wish: Wish) -> None:
        wish.ended_at = self.town.clock.now()
        self._due = [due for due in self._due if due.wish is not wish]

    def _standing(self, who: Person) -> Iterator[Wish]:
        yield from [wish for wish in self.wishes if wish.who is who and wish.ended_at is None]

    def things(self, who: Person) -> Iterator[tuple[str, bool]]:
        """Yield what someone waits for, replies to a comment or a number, and whether surely."""
        now = self.town.clock.now()
        for wish in self._standing(who):
            thing = f"of {wish.subject_id}" if wish.subject_id else f"number {wish.number}"
            lasts = wish.subject_id is None or now - wish.at < _REPLIES_LAST
            yield thing, wish.is_sure and lasts and thing != "number "

    def _newest(self) -> int:
        game = self.town.game
        return max(
            (c.id for thread in game.threads() for c in game.comments(thread)[-1:]), default=0
        )

    # What there is.

    def look_at_game(self) -> None:
        """Note what the game has by now, and who is to be told of it."""
        self._note_naming()
        faults = [(id(fault), fault.met) for fault in self.town.game.door.faults]
        is_active = any(
            fault.times is None or fault.met < fault.times for fault in self.town.game.door.faults
        )
        if is_active or faults != self._faults_met:
            self._calm_since = None
            self._faults_met = faults
        elif self._calm_since is None:
            self._calm_since = self.town.clock.now()
        for thread_id in self.town.game.threads():
            comments = self.town.game.comments(thread_id)
            before = self._seen.get(thread_id)
            if comments is before:
                continue
            self._seen[thread_id] = comments
            known = {comment.id: comment.text for comment in before or ()}
            for comment in comments:
                if known.get(comment.id) == comment.text:
                    continue
                self._texts[comment.id].append(comment.text)
                if comment.id not in known and before is not None:
                    self._note_new(comment)

    def _note_naming(self) -> None:
        if self.town.game.naming is not Naming.ALL:
            self._named_since = None
        elif self._named_since is None:
            self._named_since = self.town.clock.now()

    def _note_new(self, comment: Comment) -> None:
        writer = self._writer(comment)
        if writer in self.hears_all:
            self._begin(
                Wish(
                    writer,
                    self.hears_all[writer],
                    self.town.clock.now(),
                    comment.id,
                    comment.id,
                    frozenset({comment.thread_id}),
                    comment.id,
                    # Kiosk knows of a text whose answer was lost once it has found it.
                    is_sure=writer not in self._unsure
                    and self.town.game.door.has_confirmed(comment.text),
                )
            )

    def _writer(self, comment: Comment) -> Person | None:
        """Return who wrote a comment through Kiosk."""
        return next(
            (self.typed_by[mark] for mark in _MARK.findall(comment.text) if mark in self.typed_by),
            None,
        )

    def _marks_of(self, comment_id: int) -> set[str]:
        return {mark for text in self._texts[comment_id] for mark in _MARK.findall(text)}

    def _fits(self, wish: Wish, comment: Comment, *, surely: bool) -> bool:
        if comment.thread_id not in wish.thread_ids:
            return False
        if comment.id <= (wish.after if surely else wish.maybe_after):
            return False
        if wish.subject_id is not None:
            return comment.parent_id == wish.subject_id
        texts = self._texts[comment.id] or [comment.text]
        holds = holds_surely if surely else may_hold
        return (all if surely else any)(holds(wish.words, text) for text in texts)

    # At rest.

    async def faults(self) -> AsyncIterator[Fault]:
        self.look_at_game()
        for person in self.town.people:
            for fault in self._faults_in_messages(person):
                yield fault
        now = self.town.clock.now()
        self._note_hidden()
        if self._has_looked(now):
            self._count_looks()
            for due in list(self._due):
                if fault := self._missing(due, now):
                    yield fault
            self._looked_up_to = {
                thread: comments[-1].id for thread, comments in self._seen.items() if comments
            }
            self._rested_at = now
        elif self._rested_at is None:
            self._rested_at = now

    def _note_hidden(self) -> None:
        """Note what a server hides while Kiosk may find it: it isn't told once it is shown."""
        for wish in self.wishes:
            for thread_id in wish.thread_ids if wish.ended_at is None else ():
                for comment in reversed(self._seen.get(thread_id, ())):
                    if comment.id <= wish.after:
                        break
                    if self.hides(wish.guild_id, comment) is not False:
                        self._was_hidden.add((wish.guild_id, comment.id))

    def _has_looked(self, now: datetime) -> bool:
        """Return whether Kiosk has looked at every thread since the last time it had."""
        return (
            self._rested_at is not None
            and (now - self._rested_at).total_seconds() > _LOOK_SECONDS
            and self._calm_since is not None
            # After looks that failed, the next one waits for a quarter of an hour.
            and now - self._calm_since > timedelta(minutes=20)
        )

    def _count_looks(self) -> None:
        known = {(due.wish, due.comment_id) for due in self._due}
        least = min(self._looked_up_to.values(), default=0)
        for wish in self.wishes:
            if wish.ended_at is not None or not wish.is_sure:
                continue
            for thread_id in wish.thread_ids:
                for comment in reversed(self._seen.get(thread_id, ())):
                    if comment.id <= max(wish.after, least and least - 1):
                        break
                    if (wish, comment.id) not in known and self._is_due(wish, comment):
                        self._due.append(_Due(wish, comment.id))
        for due in self._due:
            due.looks += 1

    def _is_due(self, wish: Wish, comment: Comment) -> bool:
        return (
            # A thread's first look tells of nothing that is there.
            comment.created_at > wish.at.timestamp() * 1_000_000
            and comment.id > self._looked_up_to.get(comment.thread_id, 0)
            and self._fits(wish, comment, surely=True)
            and not self._may_be_own(wish.who, comment)
        )

    def _may_be_own(self, who: Person, comment: Comment) -> bool:
        player = self.town.game.player_of(who.token) if who.token else None
        is_theirs = player is not None and comment.player_id == player.id
        return is_theirs or self._writer(comment) is who

    def _missing(self, due: _Due, now: datetime) -> Fault | None:
        """Return the fault of a comment that wasn't told; forget what is told, or not sure."""
        wish = due.wish
        who = wish.who
        if due.comment_id in self.town.game.deleted:
            self._due.remove(due)
            return None
        comment = self.town.game.comment(due.comment_id)
        written = datetime.fromtimestamp(comment.created_at / 1_000_000, now.tzinfo)
        if (
            due.comment_id in self._told[who]
            or not wish.is_sure
            or now - written > _TOLD_WITHIN
            or (wish.subject_id is not None and now - wish.at > _REPLIES_LAST)
            or (wish.guild_id, due.comment_id) in self._was_hidden
            or not self._fits(wish, comment, surely=True)
        ):
            self._due.remove(due)
            return None
        is_long = len(self._seen[comment.thread_id]) > _READ_WHOLE
        if due.looks < (_LOOKS_OF_A_LONG_THREAD if is_long else _LOOKS):
            return None
        if not self._takes_messages(who, now):
            self._due.remove(due)
            return None
        if any(now - sent < _BETWEEN_MESSAGES for sent in self._sent[who].values()):
            return None
        kind = "replies" if wish.subject_id is not None else "words"
        how = f"{who} isn't told of {comment.id} in {comment.thread_id}: {comment.text[:40]!r}"
        return Fault("who asked to be told is told", kind, how)

    def _takes_messages(self, who: Person, now: datetime) -> bool:
        """Return whether Discord let Kiosk message someone for the time it may have tried."""
        troubled_at = self.town.trouble.get(None)
        is_troubled = troubled_at is not None and now - troubled_at < _TOLD_WITHIN
        return who not in self.town.closed and not is_troubled

    def _faults_in_messages(self, who: Person) -> Iterator[Fault]:
        for card in self.town.sight.direct(who.id):
            if card is self._read.get(card.message_id) or not is_news(card):
                continue
            is_first = card.message_id not in self._read
            self._read[card.message_id] = card
            yield from self._faults_in(who, card, is_first=is_first)

    def _faults_in(self, who: Person, card: Card, *, is_first: bool) -> Iterator[Fault]:
        posted_at = datetime.fromisoformat(card.posted_at)
        told = comments_on(card)
        if is_first:
            # News of the shop come in the same message.
            before = self._sent[who]
            # One of which nothing is left is deleted, and counts no more.
            there = {each.message_id for each in self.town.sight.direct(who.id)}
            last = max((at for number, at in before.items() if number in there), default=None)
            if last and timedelta() <= posted_at - last < _BETWEEN_MESSAGES:
                yield Fault("one message an hour tells of all", str(who), str(posted_at))
            before[card.message_id] = posted_at
            if len(told) >= _MAX_LISTED:
                # It may have more than it lists.
                self._due = [due for due in self._due if due.wish.who is not who]
        for comment_id in told:
            if (earlier := self._told[who].get(comment_id)) is None:
                self._told[who][comment_id] = card
                if fault := self._unasked(who, comment_id, posted_at):
                    yield fault
            elif earlier.message_id != card.message_id:
                yield Fault("who is told is told once", str(who), f"of {comment_id}")

    def _is_named(self, comment: Comment, told_at: datetime) -> bool:
        """Return whether Kiosk surely saw who wrote a comment before it told of it."""
        if self._named_since is None:
            return False
        if comment.created_at > self._named_since.timestamp() * 1_000_000:
            return True
        # It is looked up again to be told.
        return told_at - self._named_since > _NAMES_ARE_KNOWN_AFTER

    def _unasked(self, who: Person, comment_id: int, posted_at: datetime) -> Fault | None:
        comment = self.town.game.comment(comment_id)
        how = f"{who} is told of {comment_id}: {comment.text[:40]!r}"
        is_typed = self._writer(comment) is who and self.town.game.door.has_confirmed(comment.text)
        is_theirs = is_typed or self.accounts.has_written(who, comment)
        if is_theirs and self._is_named(comment, posted_at):
            return Fault("nobody is told of what they wrote", str(who), how)
        fitting = [
            wish
            for wish in self.wishes
            if wish.who is who
            and (wish.ended_at is None or posted_at <= wish.ended_at)
            and self._fits(wish, comment, surely=False)
        ]
        if not fitting:
            return Fault("nothing is told that nobody asked for", str(who), how)
        hidden = [self.hidden_since(wish.guild_id, comment) for wish in fitting]
        # What stood there before that stays.
        if all(since is not None and since < posted_at for since in hidden):
            return Fault("nothing is told that is hidden", str(who), how)
        return None


def is_news(card: Card) -> bool:
    return not card.is_private and card.control("unwatch") is not None


def comments_on(card: Card) -> list[int]:
    """Return the comments that a message of news leads to, in order."""
    ids = [int(each.fields[3]) for each in card.controls if each.kind == "forum.comment"]
    return list(dict.fromkeys(ids))
