"""What waits for moderators, what the log says of it, and who is told what they decided."""

import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.features.feature_errors import CommentGone
from tests.simulation.death import Life
from tests.simulation.faults import Fault
from tests.simulation.game import Naming
from tests.simulation.promises.hidden import Hidden
from tests.simulation.promises.policy import Mute, Policy, leads_on
from tests.simulation.promises.stops import Stops
from tests.simulation.promises.watching import any_holds
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

# A comment or a player, and its number.
Subject = tuple[str, int]
_LEADING_ON = ("moderate.next_dismiss", "moderate.next_show")
_QUEUE = ("/moderate queue", "moderate.queue", "moderate.next", *_LEADING_ON)
# How soon the queue has a comment that someone saw held back.
_TELLING = timedelta(seconds=5)
# What is chosen where no usual reason fits.
_ANOTHER = "…"
_DECIDING = ("moderate.dismiss", "moderate.release")
_RELEASING = ("moderate.release", "moderate.next_show")
_EVERYTHING = ["all", "-1"]
_NUMBERS = re.compile(r"\d+")
_REASON = re.compile(r"qt\d+z")
# The log's first page has so many lines, of so many days; a removal takes two.
_SURE_LINES = 3
_SURE_TIME = timedelta(days=29)


@dataclass
class Case:
    """What is known of a comment, or a player's name, about which moderators decide."""

    # Members whose reports are undecided. Then members who ever reported it, until when.
    reporters: set[Person] = field(default_factory=set[Person])
    reported: list[tuple[datetime, Person]] = field(default_factory=list[tuple[datetime, Person]])
    # It was seen to be held back, with this text, and not decided since.
    held_text: str | None = None
    is_decided: bool = False
    # A press had no answer, the reporter was erased, or the game didn't say who wrote it.
    is_unsure: bool = False
    is_writer_unsure: bool = False
    # Kiosk has learned that the game no longer has it.
    is_gone: bool = False

    def settle(self) -> None:
        """Know that moderators have decided."""
        self.is_decided = True
        self.is_unsure = False
        self.held_text = None
        self.reporters.clear()


class Cases:
    def __init__(self, town: Town, policy: Policy, hidden: Hidden) -> None:
        self._town = town
        self._policy = policy
        self._hidden = hidden
        self.cases: defaultdict[int, defaultdict[Subject, Case]] = defaultdict(
            lambda: defaultdict(Case)
        )
        # By server: the log channel and since when; which words were ever watched.
        self.logs: dict[int, tuple[int, datetime] | None] = {}
        self._words: defaultdict[int, set[str]] = defaultdict(set)
        self._subjects: dict[str, Subject] = {}
        # The last removal's reason by server, when that was, and how many lines the log has since.
        self._reasons: dict[int, tuple[str, datetime, int]] = {}
        # Held-back comments that someone saw since the last rest, with server, Kiosk and time.
        self._held: list[tuple[int, int, Life, datetime]] = []
        # Whether a server wants a reason for each removal, if that is known.
        self._needs_reason: dict[int, bool] = {}
        self._faults: list[Fault] = []
        self.stops = Stops(town)

    # What people do

    def report(self, deed: Deed) -> None:
        case = self._case(deed, ("comment", int(deed.fields[1])))
        if not deed.answers:
            case.is_unsure = True
        elif not deed.is_refused:
            case.reporters.add(deed.who)
            case.reported.append((self._town.clock.now(), deed.who))
            case.is_decided = case.is_gone = False
            game = self._town.game
            # Then Kiosk may not know who wrote it, and whom a mute concerns.
            case.is_writer_unsure |= bool(game.door.faults) or game.naming is not Naming.ALL

    def decide(self, deed: Deed) -> None:
        """A case is dismissed, or what was held back is shown."""
        assert deed.pressed is not None
        subject = self._subject_on(deed.pressed, deed.fields[0])
        if subject is None:
            return
        case = self._case(deed, subject)
        if not deed.answers:
            case.is_unsure = True
        elif not deed.is_refused or leads_on(deed):
            case.settle()
            self.line(deed)
        if deed.kind in _LEADING_ON:
            for card in deed.answers:
                self._look_at_queue(deed.guild_id or 0, deed, card)

    def dismiss_about(self, deed: Deed) -> None:
        """Dismiss all reports about a player, except what is held back."""
        about = self._subjects.get(deed.fields[0])
        player_id = None if about is None else self._player(about)

        def is_meant(subject: Subject, case: Case) -> bool | None:
            if case.is_writer_unsure or player_id is None:
                return None
            return self._player(subject) == player_id

        self._dismiss_many(deed, is_meant)

    def dismiss_by(self, deed: Deed) -> None:
        """What one member alone has reported is dismissed, and their reports may be stopped."""
        who = self._reporter(deed)
        self._dismiss_many(deed, lambda _, case: None if who is None else case.reporters == {who})
        self.stops.stop(deed, who)

    def ask_by(self, deed: Deed) -> None:
        self._look_for_reporter(deed, self._reporter(deed))

    def _reporter(self, deed: Deed) -> Person | None:
        """Return whom a button means by when they reported a case, None if no one can say."""
        about = self._subjects.get(deed.fields[0])
        if about is None:
            return None
        micros = int(deed.fields[3])
        reported = sorted(self._case(deed, about).reported, key=lambda each: each[0])
        return next((who for at, who in reported if at.timestamp() * 1_000_000 >= micros), None)

    def _look_for_reporter(self, deed: Deed, who: Person | None) -> None:
        """Moderators aren't told who reports."""
        for card in deed.answers:
            if who is not None and not who.is_staff and f"<@{who.id}>" in card.text:
                self._faults.append(Fault("nobody is told who reported", deed.kind, card.text))

    def _dismiss_many(self, deed: Deed, is_meant: Callable[[Subject, Case], bool | None]) -> None:
        """Know what is decided of many cases; what isn't sure, or may be held back, is unsure."""
        guild_id = deed.guild_id or 0
        if deed.answers and not _is_in_queue(deed):
            return
        for subject, case in self.cases[guild_id].items():
            if subject[0] != "comment" or not case.reporters or is_meant(subject, case) is False:
                continue
            # What is hidden waits for no one, and waits again once it is shown.
            waits = self.waits(guild_id, subject)
            is_sure = waits and is_meant(subject, case) and bool(deed.answers)
            if is_sure and not self._may_be_held(guild_id, subject):
                case.settle()
            elif waits is not False:
                case.is_unsure = True
        self.line(deed)
        for card in deed.answers:
            self._look_at_queue(guild_id, deed, card)

    def restore(self, deed: Deed, subject: Subject | None) -> None:
        """What was reported before a comment was restored is decided."""
        if subject is not None and subject[0] == "comment":
            self._case(deed, subject).reporters.clear()

    def remove(self, deed: Deed, *, is_new: bool) -> None:
        """Note the reason of a removal, and whom the server tells of it."""
        is_refused = deed.is_refused and not leads_on(deed)
        if is_refused or not is_new or deed.guild_id is None:
            return
        usual: Sequence[str] = deed.values.get("usual") or ()
        has_reason = deed.values.get("reason") or list(usual) not in ([], [_ANOTHER])
        if self._needs_reason.get(deed.guild_id) and not has_reason:
            rule = "a removal has its reason where a server wants one"
            self._faults.append(Fault(rule, deed.kind, str(deed.values)))
        marks = _REASON.findall(str(deed.values.get("reason") or ""))
        if marks and not deed.values.get("usual") and not deed.values.get("mute"):
            self._reasons[deed.guild_id] = marks[0], self._town.clock.now(), 0
        else:
            self._reasons.pop(deed.guild_id, None)

    def line(self, deed: Deed) -> None:
        """Count what else the log may have lines for."""
        guild_id = deed.guild_id or 0
        if guild_id in self._reasons:
            mark, at, lines = self._reasons[guild_id]
            self._reasons[guild_id] = mark, at, lines + 1

    def lines(self, deed: Deed) -> None:
        """Count as many lines as announcements that go on together may have."""
        self._reasons.pop(deed.guild_id or 0, None)

    def set_words(self, deed: Deed) -> None:
        self.line(deed)
        self._words[deed.guild_id or 0].update(self._policy.servers[deed.guild_id or 0].words)

    def set_log(self, deed: Deed) -> None:
        """The log channel is named; the card of all settings says that it is kept."""
        self.line(deed)
        kept = [card for card in deed.answers if _is_settings(card)]
        chosen = deed.values.get("log_channel_id")
        if deed.guild_id is None or deed.fields[:1] != ("Moderation",):
            return
        self._needs_reason.pop(deed.guild_id, None)
        if kept and "needs_reason" in deed.values:
            self._needs_reason[deed.guild_id] = bool(deed.values["needs_reason"])
        if not deed.answers:
            self.logs.pop(deed.guild_id, None)
        elif kept and chosen:
            before = self.logs.get(deed.guild_id)
            if before is None or before[0] != chosen[0].id:
                self.logs[deed.guild_id] = chosen[0].id, self._town.clock.now()

    def switch_off(self, deed: Deed) -> None:
        self.line(deed)
        if "log_channel_id" in deed.fields[0]:
            self.logs.pop(deed.guild_id or 0, None)

    def erase(self, deed: Deed) -> None:
        """Delete what someone reported, like everything else of theirs."""
        for cases in self.cases.values():
            for case in cases.values():
                case.is_unsure |= deed.who in case.reporters
                case.reporters.discard(deed.who)
                case.reported = [each for each in case.reported if each[1] is not deed.who]
        self.stops.erase(deed)

    def _case(self, deed: Deed, subject: Subject) -> Case:
        return self.cases[deed.guild_id or 0][subject]

    def _subject_on(self, card: Card, case_id: str) -> Subject | None:
        """Return what a card is about, by what it offers to remove or to mute."""
        if (known := self._subjects.get(case_id)) is not None:
            return known
        removing = card.control("moderate.remove_form")
        muting = card.control("moderate.mute_form")
        subject = None
        if removing is not None:
            subject = "comment", int(removing.fields[1])
        elif muting is not None:
            subject = "player", int(muting.fields[0])
        if subject is not None:
            self._subjects[case_id] = subject
        return subject

    # What waits

    def waits(self, guild_id: int, subject: Subject) -> bool | None:
        """Tell whether moderators have yet to decide, None if the model can't say."""
        case = self.cases[guild_id].get(subject, _NOTHING)
        is_hidden = self._is_hidden(guild_id, subject, case)
        if is_hidden or case.is_gone:
            return False
        # Kiosk may have learned by itself that a comment is gone.
        may_be_gone = subject[0] == "comment" and subject[1] in self._town.game.deleted
        if case.is_unsure or is_hidden is None or may_be_gone:
            return None
        if case.reporters and not case.is_decided:
            return True
        may_be_held = self._may_be_held(guild_id, subject)
        if case.held_text is None:
            return None if may_be_held else False
        # Its writer may have changed it, which Kiosk learns when someone reads it.
        return True if case.held_text == self._text(subject) else None

    def _is_hidden(self, guild_id: int, subject: Subject, case: Case) -> bool | None:
        server = self._policy.servers[guild_id]
        what, number = subject
        if server.is_unsure:
            return None
        if what == "comment":
            if number in server.unsure_comments:
                return None
            if number in server.removed:
                return True
        player_id = self._player(subject)
        if player_id in server.unsure_players or player_id is None or server.mutes_repeated:
            return None
        mute = server.mutes.get(player_id)
        is_muted = mute is not None and self._policy.is_muted(mute)
        # Of what the game didn't name the player of, a mute closes nothing.
        is_writer_unsure = case.is_writer_unsure or self._policy.is_unnamed
        return None if is_muted is not False and is_writer_unsure else is_muted

    def _may_be_held(self, guild_id: int, subject: Subject) -> bool:
        words = self._words[guild_id] | set(self._policy.servers[guild_id].words)
        texts = self._policy.texts_of(*subject)
        return any(any_holds(words, text) is not False for text in texts)

    def _text(self, subject: Subject) -> str | None:
        return next(iter(self._policy.texts_of(*subject)), None)

    def _player(self, subject: Subject) -> int | None:
        return subject[1] if subject[0] == "player" else self._policy.writer_of(subject[1])

    def _is_right(self, guild_id: int, count: int) -> str:
        """Return "" if so many cases can wait, else how many do."""
        cases = self.cases[guild_id]
        states = Counter(self.waits(guild_id, subject) for subject in list(cases))
        least = states[True]
        most = least + states[None]
        server = self._policy.servers[guild_id]
        if count > most and (self._words[guild_id] or server.words or server.is_unsure):
            # Kiosk may have held back what no one here has seen yet.
            others = (each for each in self._policy.subjects() if each not in cases)
            most += sum(self.waits(guild_id, subject) is None for subject in others)
        return "" if least <= count <= most else f"{count}, not {least} to {most}"

    # What is seen

    def look(self, deed: Deed) -> None:
        """Look at the queue and the log as moderators are shown them."""
        guild_id = deed.guild_id
        if guild_id is None:
            return
        self.stops.look(deed)
        if deed.kind in _QUEUE:
            self._learn_held(_TELLING)
        for card in deed.answers:
            self._note_held(guild_id, deed, card)
            self._learn(guild_id, card)
            if deed.kind in _QUEUE and deed.kind not in _LEADING_ON:
                self._look_at_queue(guild_id, deed, card)
            elif deed.kind in ("/moderate log", "moderate.latest"):
                self._faults += self._log_faults(guild_id, deed, card)
        if deed.kind == "comment" and any(CommentGone.title in card.text for card in deed.answers):
            self._learn_gone(int(deed.fields[1]))

    def _learn_gone(self, comment_id: int) -> None:
        """Note that someone opened a deleted comment, so that it waits nowhere."""
        game = self._town.game
        if comment_id not in game.deleted or game.door.faults:
            return
        for guild_id in list(self.cases):
            case = self.cases[guild_id].get(("comment", comment_id))
            # What waited for no one in a server is not closed there.
            if case is not None and case.reporters and not (case.is_decided or case.is_unsure):
                case.is_gone = True

    def _note_held(self, guild_id: int, deed: Deed, card: Card) -> None:
        """Note the held-back comments on a page: they go to the moderators."""
        if card is deed.pressed or self._town.life.held or self._town.life.is_dead:
            return
        for control in card.controls:
            if control.kind == "forum.comment":
                comment_id = int(control.fields[3])
                if self._policy.surely_holds(guild_id, comment_id):
                    held = guild_id, comment_id, self._town.life, self._town.clock.now()
                    self._held.append(held)

    def _learn_held(self, age: timedelta = timedelta()) -> None:
        """Know that what was read so long ago waits for moderators by now."""
        until = self._town.clock.now() - age
        for guild_id, comment_id, life, at in self._held:
            # If Kiosk died before it told them, it tells them at the next reading.
            is_told = life is self._town.life and at <= until
            if is_told and self._policy.surely_holds(guild_id, comment_id):
                subject = "comment", comment_id
                self.cases[guild_id][subject].held_text = self._text(subject)
        self._held = [each for each in self._held if each[3] > until]

    def _learn(self, guild_id: int, card: Card) -> None:
        """Know from a card which case is about what, and what is held back."""
        for kind in (*_DECIDING, *_LEADING_ON):
            control = card.control(kind)
            subject = self._subject_on(card, control.fields[0]) if control else None
            if subject is not None and kind in _RELEASING:
                case = self.cases[guild_id][subject]
                text = self._text(subject)
                if not case.is_decided and text is not None and _is_on(text, card):
                    case.held_text = text

    def _look_at_queue(self, guild_id: int, deed: Deed, card: Card) -> None:
        if _has_case(card) or card.control("moderate.latest"):
            self._faults += self._queue_faults(guild_id, deed, card)

    def _queue_faults(self, guild_id: int, deed: Deed, card: Card) -> Iterator[Fault]:
        # What was decided last stands above the line that counts.
        counted = next((line for line in card.text.split("\n") if line.startswith("-# ")), "")
        numbers = [int(number) for number in _NUMBERS.findall(counted)]
        count = max(numbers, default=0) if _has_case(card) else 0
        is_filtered = list(deed.fields[1:3]) not in ([], _EVERYTHING)
        if not is_filtered and (wrong := self._is_right(guild_id, count)):
            yield Fault("the queue has what waits", f"server {guild_id}", f"{wrong}: {card.text}")
        subject = self._subject_shown(card)
        if subject is None:
            return
        if self.cases[guild_id][subject].is_gone:
            yield Fault("what is gone from the game waits for nobody", _name(subject), card.text)
        elif self.waits(guild_id, subject) is False:
            yield Fault("the queue has nothing that was decided", _name(subject), card.text)

    def _subject_shown(self, card: Card) -> Subject | None:
        removing = card.control("moderate.remove_form")
        if removing is not None:
            return "comment", int(removing.fields[1])
        muting = card.control("moderate.mute_form")
        return ("player", int(muting.fields[0])) if muting else None

    def _log_faults(self, guild_id: int, deed: Deed, card: Card) -> Iterator[Fault]:
        is_narrowed = {"moderator", "writer", "days"} & deed.values.keys()
        if guild_id not in self._reasons or is_narrowed or card.is_problem:
            return
        mark, at, lines = self._reasons[guild_id]
        is_there = lines <= _SURE_LINES and self._town.clock.now() - at < _SURE_TIME
        is_sure = is_there and not self._policy.servers[guild_id].mutes_repeated
        if is_sure and card.text.count(mark) != 1:
            how = f"{card.text.count(mark)} times: {card.text}"
            yield Fault("the log has each removal once", mark, how)

    # What stands

    async def faults(self) -> AsyncIterator[Fault]:
        for fault in (*self._faults, *self.stops.faults):
            yield fault
        self._faults.clear()
        self.stops.faults.clear()
        self._learn_held()
        for guild in self._town.guilds:
            if guild.id in self.cases or guild.id in self.logs:
                for fault in self._log_channel_faults(guild.id):
                    yield fault

    def _log_channel_faults(self, guild_id: int) -> Iterator[Fault]:
        cards = list(self._town.sight.public(guild_id))
        for card in cards:
            self._learn(guild_id, card)
        yield from self._card_faults(guild_id, cards)
        log = self.logs.get(guild_id)
        if log is None or any(self._hidden.is_troubled(card.channel_id) for card in cards):
            return
        if self._hidden.is_troubled(log[0]):
            return
        queues = [card for card in cards if card.control("moderate.queue")]
        if len(queues) > 1:
            yield Fault("one card counts what waits", f"server {guild_id}", queues[1].text)
        if queues:
            yield from self._miscounted(guild_id, queues[0])
        else:
            yield from self._missing(guild_id, cards)

    def _miscounted(self, guild_id: int, card: Card) -> Iterator[Fault]:
        """Yield that the log's card counts something else than what waits."""
        count = int(_NUMBERS.findall(card.text)[0])
        if wrong := self._is_right(guild_id, count):
            rule = "a card in the log counts what waits"
            yield Fault(rule, f"server {guild_id}", f"{wrong}: {card.text}")

    def _missing(self, guild_id: int, cards: list[Card]) -> Iterator[Fault]:
        """Yield what waits, and is on no card of the log."""
        shown = {
            self._subject_shown(card)
            for card in cards
            if any(card.control(kind) for kind in _DECIDING)
        }
        deleted = self._town.deleted
        for subject in sorted(self.cases[guild_id]):
            if self.waits(guild_id, subject) and subject not in shown and not deleted:
                yield Fault("what waits is in the log channel", _name(subject))

    def _card_faults(self, guild_id: int, cards: list[Card]) -> Iterator[Fault]:
        """Yield buttons that stand twice, or on what was decided or has ended."""
        controls = [
            (card, control.kind, control.fields[0])
            for card in cards
            if not self._hidden.is_troubled(card.channel_id)
            for control in card.controls
            if control.kind in (*_DECIDING, "moderate.restore")
        ]
        found = Counter((kind, number) for _, kind, number in controls)
        for (kind, number), count in sorted(found.items()):
            if count > 1:
                yield Fault("a case has one card in the log", f"{kind} {number}", f"{count} cards")
        for card, kind, number in controls:
            if kind == "moderate.restore":
                yield from self._ended(guild_id, card, number)
            elif kind == "moderate.dismiss":
                subject = self._subject_on(card, number)
                if subject is not None and self.waits(guild_id, subject) is False:
                    yield Fault("what is decided can't be dismissed", _name(subject), card.text)

    def _ended(self, guild_id: int, card: Card, removal_id: str) -> Iterator[Fault]:
        """Yield a removal or a mute that has ended, and can be undone on its card all the same."""
        what, number = self._policy.removals.get(removal_id, ("", 0))
        server = self._policy.servers[guild_id]
        if server.is_unsure:
            return
        if what == "comment" and number not in {*server.removed, *server.unsure_comments}:
            yield Fault("what has ended can't be undone", f"comment {number}", card.text)
        mute: Mute | None = server.mutes.get(number)
        if what != "player" or number in server.unsure_players:
            return
        if mute is None or self._policy.is_muted(mute) is False:
            yield Fault("what has ended can't be undone", f"player {number}", card.text)


_NOTHING = Case()


def _is_in_queue(deed: Deed) -> bool:
    return any(_has_case(card) or card.control("moderate.latest") for card in deed.answers)


def _is_settings(card: Card) -> bool:
    return any(card.control(kind) for kind in ("setup.permissions", "setup.off"))


def _has_case(card: Card) -> bool:
    return any(card.control(kind) for kind in ("moderate.remove_form", "moderate.mute_form"))


def _is_on(text: str, card: Card) -> bool:
    """Tell whether a card shows a text as it is now, by its marks."""
    return set(re.findall(r"q[a-z]\d+z", text)) <= card.marks


def _name(subject: Subject) -> str:
    return f"{subject[0]} {subject[1]}"
