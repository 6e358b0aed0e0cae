"""What each server hides: what moderators removed, whom they muted, which words they watch for."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.simulation.game import Comment, Naming
from tests.simulation.promises.watching import any_holds, words_in
from tests.simulation.town import Deed, Person, Town

_LENGTH = re.compile(r"(\d{1,4})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_COMMENT_MARK = re.compile(r"q[ct]\d+z")
# What Kiosk remembers of a server is so old at most, and an act takes so long on the clock.
SLACK = timedelta(seconds=30)
# A rule of a server mutes after so many, written within an hour.
_REPEATED = 3
FOR_GOOD = datetime.max.replace(tzinfo=UTC)
# So long a page of the game is at hand at most.
_AT_HAND = timedelta(minutes=6)


@dataclass
class Mute:
    since: datetime
    # None if what was typed is beyond the model.
    until: datetime | None
    # Whether what was posted before goes, too.
    deletes: bool


@dataclass
class Server:
    """What one server hides, by the numbers of comments and players."""

    removed: dict[int, datetime] = field(default_factory=dict[int, datetime])
    mutes: dict[int, Mute] = field(default_factory=dict[int, Mute])
    words: tuple[str, ...] = ()
    words_since: datetime | None = None
    # Texts and names that moderators let be shown. "" if the model can't say which.
    released_texts: dict[int, str] = field(default_factory=dict[int, str])
    released_names: dict[int, str] = field(default_factory=dict[int, str])
    mutes_repeated: bool = False
    # Of each player who was ever muted, until when at most.
    muted_until: dict[int, datetime] = field(default_factory=dict[int, datetime])
    # Whether that rule was ever on.
    has_repeated: bool = False
    # Of whom it isn't known whether they are muted, by a rule or by a press without an answer.
    unsure_players: set[int] = field(default_factory=set[int])
    unsure_comments: set[int] = field(default_factory=set[int])
    is_unsure: bool = False
    # What was ever removed, or may have been; and whose messages were asked to go with a mute.
    ever_removed: set[int] = field(default_factory=set[int])
    ever_deleted: set[int] = field(default_factory=set[int])
    # How many comments of each player may be held back, by the words and the game's changes.
    held_back: Counter[int] = field(default_factory=Counter[int])
    counted: tuple[tuple[str, ...], int] = ((), 0)

    def note_muted(self, player_id: int, until: datetime | None) -> None:
        before = self.muted_until.get(player_id, until)
        self.muted_until[player_id] = max(before or FOR_GOOD, until or FOR_GOOD)


LEADING_ON = (
    "moderate.mute_all",
    "moderate.mute_form",
    "moderate.mute_now",
    "moderate.next_dismiss",
    "moderate.next_show",
    "moderate.remove_form",
)


class Policy:
    """What is hidden in each server."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.servers: defaultdict[int, Server] = defaultdict(Server)
        # By what a button says: what was removed, and which mute was asked about.
        self.removals: dict[str, tuple[str, int]] = {}
        self._asked: dict[str, tuple[int, datetime | None]] = {}
        # Each comment as it is in the game, since when; all that its texts were marked by.
        self.known: dict[int, tuple[Comment, datetime]] = {}
        self._read: dict[int, Sequence[Comment]] = {}
        self._changes = 0
        self.marked: defaultdict[str, set[int]] = defaultdict(set)
        self._names: defaultdict[int, set[str]] = defaultdict(set)
        # All that each comment has ever said.
        self._texts: defaultdict[int, set[str]] = defaultdict(set)
        self.typed: dict[str, Person] = {}
        # The game didn't always say who wrote.
        self.is_unnamed = False

    def look(self, deed: Deed) -> None:
        """Note who typed what."""
        for value in deed.values.values():
            for mark in _COMMENT_MARK.findall(str(value)):
                self.typed[mark] = deed.who

    # What moderators do

    def remove(self, deed: Deed) -> int | None:
        """Note that a comment is removed, and its writer muted if that was typed.

        Return which one, if it surely wasn't removed before.
        """
        comment_id = _number(deed.values.get("comment")) if not deed.fields else int(deed.fields[1])
        server = self._server(deed)
        if comment_id is None:
            return None
        if not deed.answers:
            server.unsure_comments.add(comment_id)
        server.ever_removed.add(comment_id)
        if deed.is_refused and not leads_on(deed):
            return None
        is_new = comment_id not in {*server.removed, *server.unsure_comments}
        server.unsure_comments.discard(comment_id)
        server.removed.setdefault(comment_id, self._town.clock.now())
        self._learn(deed, ("comment", comment_id))
        if typed := str(deed.values.get("mute") or "").strip():
            self._mute_writer(deed, comment_id, self._until(typed))
        return comment_id if is_new else None

    def _mute_writer(self, deed: Deed, comment_id: int, until: datetime | None) -> None:
        """Mute the writer of a removed comment, unless they already are for longer."""
        server = self._server(deed)
        player_id = _field(deed, "moderate.mute_form")
        if leads_on(deed):
            # The card is the next case's, and doesn't say whether Kiosk knows who wrote this one.
            if (writer := self.writer_of(comment_id)) is not None:
                server.unsure_players.add(writer)
        elif player_id is not None:
            before = server.mutes.get(player_id)
            server.note_muted(player_id, until)
            if before is None or not self.is_muted(before):
                server.mutes[player_id] = Mute(self._town.clock.now(), until, deletes=False)
            elif before.until is None or until is None:
                before.until = None
            else:
                before.until = max(before.until, until)

    def mute(self, deed: Deed) -> None:
        """A player is muted, or it is asked first whether old messages go."""
        typed = deed.fields[0] if deed.fields else str(deed.values.get("player", ""))
        player_id = self._player(typed)
        until = self._until(str(deed.values.get("until") or "").strip())
        asked_id = next(
            (
                control.fields[1]
                for card in deed.answers
                for control in card.controls
                if control.kind == "moderate.mute_now"
            ),
            None,
        )
        if asked_id is not None and player_id is not None:
            self._asked[asked_id] = player_id, until
        elif asked_id is None:
            self._mute(deed, player_id, until, deletes=True, went=leads_on(deed) or None)

    def mute_now(self, deed: Deed) -> None:
        asked = self._asked.get(deed.fields[1])
        player_id, until = asked or (None, None)
        went = leads_on(deed) or None
        self._mute(deed, player_id, until, deletes=deed.fields[2] == "1", went=went)

    def mute_all(self, deed: Deed) -> None:
        """The player of a case in the queue is muted from now on."""
        assert deed.pressed is not None
        control = deed.pressed.control("moderate.mute_form")
        went = leads_on(deed)
        if went or not deed.answers:
            player_id = int(control.fields[0]) if control else None
            self._mute(deed, player_id, FOR_GOOD, deletes=False, went=went)

    def _mute(
        self,
        deed: Deed,
        player_id: int | None,
        until: datetime | None,
        *,
        deletes: bool,
        went: bool | None = None,
    ) -> None:
        server = self._server(deed)
        is_refused = deed.is_refused if went is None else not went
        if deletes and player_id is not None:
            server.ever_deleted.add(player_id)
        if not deed.answers or (player_id is None and not is_refused):
            # Someone is muted, or may be.
            if player_id is None:
                server.is_unsure = True
            else:
                server.unsure_players.add(player_id)
            return
        if player_id is None or is_refused:
            return
        before = server.mutes.get(player_id)
        now = self._town.clock.now()
        since = before.since if before and self.is_muted(before) else now
        deletes = deletes or (since != now and before is not None and before.deletes)
        server.mutes[player_id] = Mute(since, until, deletes)
        server.note_muted(player_id, until)
        server.unsure_players.discard(player_id)
        self._learn(deed, ("player", player_id))

    def restore(self, deed: Deed) -> tuple[str, int] | None:
        """A comment is shown again, or a player; by a button, or by what was typed.

        Return which one, if it is so.
        """
        server = self._server(deed)
        if deed.is_refused and deed.answers:
            return None
        what, number = self._restored(deed)
        if number is None:
            # A rule has muted them, their name is another one's, or a removal muted them, too.
            known = {player for what, player in self.removals.values() if what == "player"}
            others = server.mutes.keys() - known
            server.unsure_players |= others
            server.is_unsure |= server.has_repeated or not others
            return None
        # Unmute in the list ends no mute from after the one that it stands beside.
        if not deed.answers or deed.kind == "moderate.unmute":
            (server.unsure_comments if what == "comment" else server.unsure_players).add(number)
        elif what == "comment":
            server.removed.pop(number, None)
        else:
            server.mutes.pop(number, None)
            server.unsure_players.discard(number)
            server.muted_until[number] = self._town.clock.now()
        return what, number

    def _restored(self, deed: Deed) -> tuple[str, int | None]:
        if deed.kind in ("moderate.restore", "moderate.unmute"):
            return self.removals.get(deed.fields[0], ("", None))
        if deed.kind == "/moderate restore":
            return "comment", _number(deed.values.get("removed"))
        return "player", self._player(str(deed.values.get("player", "")))

    def set_words(self, deed: Deed) -> None:
        server = self._server(deed)
        if not {"words", "added", "removed"} & deed.values.keys():
            return
        # Kiosk died over it, before or after it was written down.
        server.is_unsure |= not deed.answers
        if deed.is_refused:
            return
        if "words" in deed.values:
            words = words_in(str(deed.values["words"]))
        else:
            gone = {word.casefold() for word in words_in(str(deed.values.get("removed") or ""))}
            kept = [word for word in server.words if word.casefold() not in gone]
            words = (*kept, *words_in(str(deed.values.get("added") or "")))
        server.words = tuple(dict.fromkeys(words))
        server.words_since = self._town.clock.now()

    def drop_words(self, deed: Deed) -> None:
        if not deed.is_refused:
            self._server(deed).words = ()

    def release(self, deed: Deed) -> None:
        """What was held back is shown, as long as it is as on the card."""
        if deed.is_refused and deed.answers and not leads_on(deed):
            return
        assert deed.pressed is not None
        server = self._server(deed)
        removing = deed.pressed.control("moderate.remove_form")
        muting = deed.pressed.control("moderate.mute_form")
        if removing is not None:
            comment_id = int(removing.fields[1])
            known = self.known.get(comment_id)
            text = known[0].text if known else ""
            is_same = set(_COMMENT_MARK.findall(text)) <= deed.pressed.marks
            server.released_texts[comment_id] = text if is_same and deed.answers else ""
        elif muting is not None:
            player_id = int(muting.fields[0])
            names = self._names[player_id]
            is_same = len(names) == 1 and bool(deed.answers)
            server.released_names[player_id] = min(names) if is_same else ""

    def switch(self, deed: Deed) -> None:
        if not deed.is_refused and deed.fields[0] == "mutes_repeated":
            self._server(deed).mutes_repeated = deed.fields[1] == "1"
            self._server(deed).has_repeated = True

    def _server(self, deed: Deed) -> Server:
        return self.servers[deed.guild_id or 0]

    def _learn(self, deed: Deed, what: tuple[str, int]) -> None:
        for card in deed.answers:
            if control := card.control("moderate.restore"):
                self.removals[control.fields[0]] = what

    def _player(self, typed: str) -> int | None:
        if (number := _number(typed)) is not None:
            return number
        fitting = [player_id for player_id, names in self._names.items() if typed in names]
        return fitting[0] if len(fitting) == 1 else None

    def _until(self, typed: str) -> datetime | None:
        if not typed:
            return FOR_GOOD
        if found := _LENGTH.fullmatch(typed):
            return self._town.clock.now() + timedelta(**{_UNITS[found[2]]: int(found[1])})
        try:
            return datetime.fromisoformat(typed).replace(tzinfo=UTC)
        except ValueError:
            return None

    # What is hidden

    def hides(self, guild_id: int | None, comment: Comment) -> bool | None:
        """Tell whether a server hides a comment of the game, None if the model can't say.

        The game is as it was when someone acted last, or the world came to rest.
        """
        if guild_id is None or guild_id not in self.servers:
            return False
        found = [state for state, _ in self._reasons(self.servers[guild_id], comment)]
        return True if True in found else None if None in found else False

    def leaves_out(self, guild_id: int | None, comment: Comment) -> bool | None:
        """Tell whether a server shows a comment to no one, not even as held back."""
        if guild_id is None or guild_id not in self.servers:
            return False
        found = [state for state, _ in self._gone(self.servers[guild_id], comment)]
        return True if True in found else None if None in found else False

    def may_have_hidden(self, guild_id: int, comment: Comment) -> bool:
        """Tell whether a removal or a mute may have hidden a comment since it was written."""
        server = self.servers[guild_id]
        above: Comment | None = comment
        while above is not None:
            if above.id in server.ever_removed:
                return True
            until = server.muted_until.get(above.player_id)
            if until is not None and until.timestamp() * 1_000_000 > comment.created_at:
                return True
            above = self._town.game.comment(above.parent_id) if above.parent_id else None
        return False

    def may_take_away(self, guild_id: int, comment: Comment) -> bool:
        """Tell whether someone may have had a comment's messages deleted, at any time."""
        server = self.servers[guild_id]
        above = [comment]
        while (parent_id := above[-1].parent_id) is not None:
            above.append(self._town.game.comment(parent_id))
        players = {*server.ever_deleted, *server.unsure_players}
        if server.is_unsure or not players.isdisjoint(each.player_id for each in above):
            return True
        return not server.ever_removed.isdisjoint(each.id for each in above)

    def hidden_since(self, guild_id: int | None, comment: Comment) -> datetime | None:
        """Return since when a server surely hides a comment, None if it doesn't."""
        if guild_id is None or guild_id not in self.servers:
            return None
        reasons = self._reasons(self.servers[guild_id], comment)
        return min((since for state, since in reasons if state), default=None)

    def _reasons(self, server: Server, comment: Comment) -> Iterator[tuple[bool | None, datetime]]:
        """Yield whatever hides a comment, or may, and since when."""
        yield from self._held_back(server, comment)
        yield from self._gone(server, comment)

    def _gone(self, server: Server, comment: Comment) -> Iterator[tuple[bool | None, datetime]]:
        """Yield what takes a comment away with all that stands below it."""
        above: Comment | None = comment
        while above is not None:
            yield from self._removed(server, above)
            above = self._town.game.comment(above.parent_id) if above.parent_id else None

    def _removed(self, server: Server, comment: Comment) -> Iterator[tuple[bool | None, datetime]]:
        now = self._town.clock.now()
        if comment.id in server.unsure_comments or server.is_unsure:
            yield None, now
        elif (since := server.removed.get(comment.id)) is not None:
            yield True, since
        mute = server.mutes.get(comment.player_id)
        is_unsure = server.is_unsure or comment.player_id in server.unsure_players
        if is_unsure or self._may_be_repeated(server, comment):
            yield None, now
        elif mute is not None and (is_muted := self.is_muted(mute)) is not False:
            # Whose player the game doesn't name is shown.
            yield (None if self.is_unnamed else is_muted), mute.since

    def is_muted(self, mute: Mute) -> bool | None:
        if mute.until is None:
            return None
        now = self._town.clock.now()
        return None if abs(now - mute.until) < SLACK else now < mute.until

    def _may_be_repeated(self, server: Server, comment: Comment) -> bool:
        """Tell whether a rule may have muted a writer: it goes by when Kiosk saw what."""
        if not (server.mutes_repeated and server.words):
            return False
        if server.counted != (server.words, self._changes):
            server.counted = server.words, self._changes
            server.held_back = Counter(
                known.player_id
                for known, _ in self.known.values()
                if any_holds(server.words, known.text) is not False
            )
        return server.held_back[comment.player_id] >= _REPEATED

    def _held_back(
        self, server: Server, comment: Comment
    ) -> Iterator[tuple[bool | None, datetime]]:
        if not server.words or server.words_since is None:
            return
        _, text_since = self.known.get(comment.id, (None, server.words_since))
        since = max(server.words_since, text_since)
        released = server.released_texts.get(comment.id)
        if (
            released != comment.text
            and (state := any_holds(server.words, comment.text)) is not False
        ):
            yield (None if released == "" else state), since
        names = self._names[comment.player_id] | {comment.player_name}
        released = server.released_names.get(comment.player_id)
        held = {any_holds(server.words, name) for name in names if name != released}
        if held - {False}:
            # A page at hand may have the name from before.
            is_sure = held == {True} and not self.is_unnamed and released is None
            yield (True if is_sure else None), since

    def surely_holds(self, guild_id: int, comment_id: int) -> bool:
        """Tell whether a server holds back what any page at hand has of a comment."""
        server = self.servers[guild_id]
        known = self.known.get(comment_id)
        if known is None or server.is_unsure or comment_id in server.released_texts:
            return False
        comment, since = known
        names = self._names[comment.player_id] | {comment.player_name}
        is_named = any(any_holds(server.words, name) is not False for name in names)
        is_held = any_holds(server.words, comment.text) is True
        return is_held and not is_named and self._town.clock.now() - since > _AT_HAND

    def writer_of(self, comment_id: int) -> int | None:
        known = self.known.get(comment_id)
        return known[0].player_id if known else None

    def was_typed_by(self, who: Person, comment_id: int) -> bool:
        known = self.known.get(comment_id)
        marks = _COMMENT_MARK.findall(known[0].text) if known else []
        return any(self.typed.get(mark) is who for mark in marks)

    def texts_of(self, what: str, number: int) -> list[str]:
        """Return what a comment says and has said, or what a player is and was called."""
        if what == "player":
            players = self._town.game.players()
            now = [player.name for player in players if player.id == number]
            return [*now, *sorted(self._names[number])]
        known = self.known.get(number)
        names = self._names[self.writer_of(number) or 0]
        return [known[0].text, *sorted(self._texts[number] | names)] if known else sorted(names)

    def subjects(self) -> Iterator[tuple[str, int]]:
        """Yield all that can be a case."""
        yield from (("comment", comment_id) for comment_id in self.known)
        yield from (("player", player_id) for player_id in list(self._names))

    def look_at_game(self) -> None:
        """Know each comment as the game has it."""
        game = self._town.game
        self.is_unnamed |= game.naming is not Naming.ALL
        for thread_id in game.threads():
            comments = game.comments(thread_id)
            if comments is self._read.get(thread_id):
                continue
            self._read[thread_id] = comments
            for comment in comments:
                known = self.known.get(comment.id)
                if known is not None and known[0] == comment:
                    continue
                is_same_text = known is not None and known[0].text == comment.text
                since = known[1] if known and is_same_text else self._town.clock.now()
                self._changes += 1
                self.known[comment.id] = comment, since
                self._names[comment.player_id].add(comment.player_name)
                self._texts[comment.id].add(comment.text)
                for mark in _COMMENT_MARK.findall(comment.text):
                    self.marked[mark].add(comment.id)


def _number(typed: object) -> int | None:
    """Return the number of a comment or player that is typed, such as #12."""
    digits = str(typed or "").strip().removeprefix("#").partition(" ")[0]
    return int(digits) if digits.isascii() and digits.isdecimal() else None


def _field(deed: Deed, kind: str) -> int | None:
    """Return the number on the button of a kind that an answer has."""
    found = (card.control(kind) for card in deed.answers)
    return next((int(control.fields[0]) for control in found if control), None)


def leads_on(deed: Deed) -> bool:
    """Tell whether a press in the queue shows the next case, which is red as refusals are."""
    return deed.kind in LEADING_ON and any(
        card.control(kind)
        for card in deed.answers
        for kind in ("moderate.next_dismiss", "moderate.next_show", "moderate.latest")
    )
