"""Who watches what in the shop, and is told by direct message of what fits, once."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.simulation.door import Kind
from tests.simulation.faults import Fault
from tests.simulation.promises.accounts import Accounts
from tests.simulation.promises.looks import Looks
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

# At one message an hour; and what is older than a day is only counted.
_BETWEEN_MESSAGES = timedelta(hours=1)
_TOLD_WITHIN = timedelta(hours=23)
# For so long after Discord failed a message may come again.
_COMES_AGAIN = timedelta(hours=2)
# Some games show late what was bought.
_SHOWN_LATE = timedelta(minutes=15)
_OF_ITEMS = ("item", "askbuy", "askredeem", "watch")
_MAX_LISTED = 20


@dataclass(eq=False)
class Watch:
    """A wish for news of an item, or of what fits. `number` ends it, if that is seen."""

    who: Person
    # How many looks had happened, and how often each item had changed.
    begun: int
    changes: Mapping[int, int]
    catalog_id: int | None = None
    item_id: int | None = None
    max_cost: int | None = None
    is_clearance: bool = False
    number: str = ""
    # Whether the model knows all that it is for, and that it stands.
    is_sure: bool = True
    ended_at: datetime | None = None

    def fits(self, item: Any) -> bool:
        return (
            self.catalog_id in (None, item.catalog_id)
            and self.item_id in (None, item.id)
            and (self.max_cost is None or item.cost <= self.max_cost)
            and (item.is_clearance or not self.is_clearance)
        )


@dataclass(frozen=True)
class _Due:
    """What a look has found, between two moments."""

    watch: Watch
    item_id: int
    earliest: datetime
    at: datetime


@dataclass
class _Met:
    """An item as it was last, and the least that it has cost."""

    item: Any
    shown_to: frozenset[str] | None
    least: int
    at: datetime
    is_there: bool = True
    # What it was before, each with until when: news that wait say what was new then.
    was: list[tuple[datetime, Any]] = field(default_factory=list[tuple[datetime, Any]])


@dataclass(eq=False)
class Watches:
    town: Town
    accounts: Accounts
    looks: Looks
    watches: list[Watch] = field(default_factory=list[Watch])
    _met: dict[int, _Met] = field(default_factory=dict[int, _Met])
    # How often each item has changed, in all and since the last sure look.
    _changes: Counter[int] = field(default_factory=Counter[int])
    _lately: Counter[int] = field(default_factory=Counter[int])
    # What was new or cheaper than ever since then.
    _news: set[int] = field(default_factory=set[int])
    _due: list[_Due] = field(default_factory=list[_Due])
    # Which messages were read, and how often each item was told to whom.
    _read: set[int] = field(default_factory=set[int])
    _unread: list[tuple[Person, Card]] = field(default_factory=list[tuple[Person, Card]])
    _told: Counter[tuple[Person, int]] = field(default_factory=Counter[tuple[Person, int]])
    # What was told since the last sure look: another may have seen it before that.
    _told_lately: list[tuple[Person, int]] = field(default_factory=list[tuple[Person, int]])
    _sent_at: dict[Person, datetime] = field(default_factory=dict[Person, datetime])
    # Whose link the game may have refused.
    _refused: set[Person] = field(default_factory=set[Person])
    _rested_at: datetime = field(init=False)
    # When Discord was last about to fail.
    _failed_at: datetime | None = None

    def __post_init__(self) -> None:
        self._rested_at = self.town.clock.now()
        self.look_at_game()
        # What was there from the beginning has not come.
        for counted in (self._news, self._lately, self._changes):
            counted.clear()

    # What people do

    def look(self, deed: Deed) -> None:
        """Know which cards are answers, and what stood on a direct message that was pressed."""
        if deed.pressed is not None and deed.pressed.is_direct:
            self._read_card(deed.who, deed.pressed)
        for card in deed.answers:
            self._read.add(card.message_id)
            for control in card.controls:
                if control.kind == "unwatch.item":
                    catalog_id, _, item_id = map(int, control.fields[:3])
                    if not any(w.item_id == item_id for w in self._standing(deed.who)):
                        self._begin(deed, catalog_id=catalog_id, item_id=item_id, is_sure=False)

    def watch(self, deed: Deed) -> None:
        """Begin to watch an item, or what fits."""
        for card in deed.answers:
            if of_item := card.control("unwatch.item"):
                for watch in self._standing(deed.who):
                    if watch.item_id == int(of_item.fields[2]):
                        watch.is_sure = True
            elif not card.is_problem and (ends := card.control("unwatch")):
                self._begin_search(deed, ends.fields[0])

    def _begin_search(self, deed: Deed, number: str) -> None:
        known = [w for w in self._standing(deed.who) if w.number == number]
        typed = {name: value for name, value in deed.values.items() if value}
        catalog = str(typed.get("catalog", ""))
        if deed.kind == "watch.all":
            # One search may be for several catalogs.
            if {None, int(deed.fields[0])}.isdisjoint(watch.catalog_id for watch in known):
                self._begin(deed, catalog_id=int(deed.fields[0]), number=number)
        elif known:
            # It may be for more catalogs by now.
            known[0].is_sure, known[0].catalog_id = False, None
        elif deed.kind == "/shop watch" and catalog.isdecimal():
            self._begin(
                deed,
                catalog_id=int(catalog),
                max_cost=int(typed["max_cost"]) if "max_cost" in typed else None,
                is_clearance=bool(typed.get("clearance")),
                number=number,
                is_sure=not {"name", "type"} & typed.keys(),
            )
        else:
            self._begin(deed, number=number, is_sure=False)

    def _begin(self, deed: Deed, **wanted: Any) -> None:
        # What has changed since Kiosk's last look is news to it.
        changes = {number: n - self._lately[number] for number, n in self._changes.items()}
        self.watches.append(Watch(deed.who, self.looks.count, changes, **wanted))

    def end(self, deed: Deed) -> None:
        """End a watch, by its number."""
        if deed.is_refused:
            return
        standing = self._standing(deed.who)
        meant = [watch for watch in standing if watch.number == deed.fields[0]]
        for watch in meant:
            watch.ended_at = self.town.clock.now()
        for watch in () if meant else standing:
            # One of these has ended, if it is none for words or replies.
            watch.is_sure = False

    def end_item(self, deed: Deed) -> None:
        for watch in self._standing(deed.who):
            if watch.item_id == int(deed.fields[2]):
                watch.is_sure = False
                watch.ended_at = None if deed.is_refused else self.town.clock.now()

    def erase(self, deed: Deed) -> None:
        for watch in self._standing(deed.who) if not deed.is_refused else ():
            watch.ended_at = self.town.clock.now()

    def link(self, deed: Deed) -> None:
        if not deed.is_refused:
            self._refused.discard(deed.who)

    def things(self, who: Person) -> Iterator[tuple[str, bool]]:
        """Yield what someone watches, an item or a known number, and whether surely."""
        player = self.town.game.player_of(self.accounts.tokens.get(who, ""))
        for watch in self._standing(who):
            if watch.item_id is None:
                yield f"number {watch.number}", watch.is_sure and watch.number != ""
                continue
            # Items that someone owns aren't watched any more.
            is_owned = player is None or watch.item_id in self.town.game.owned(player.id)
            yield f"of {watch.item_id}", watch.is_sure and not is_owned

    def _standing(self, who: Person) -> list[Watch]:
        return [watch for watch in self.watches if watch.who is who and watch.ended_at is None]

    # What the game has

    def look_at_game(self) -> None:
        """Know what has changed in the catalogs, after a step."""
        game, now = self.town.game, self.town.clock.now()
        if self.town.fails_to_post:
            self._failed_at = now
        if any(fault.kind is Kind.REFUSES_TOKEN for fault in game.door.faults):
            self._refused.update(self.town.people)
        there = {item.id: item for number in game.catalogs() for item in game.items(number)}
        for number, item in there.items():
            met = self._met.get(number)
            if met is None:
                self._met[number] = _Met(item, game.shown_to.get(number), item.cost, now)
                self._note_change(number, is_news=True)
            elif met.item is not item or not met.is_there:
                self._compare(met, item, now)
        for number, met in self._met.items():
            shown_to = game.shown_to.get(number)
            if met.shown_to != shown_to or met.is_there != (number in there):
                met.shown_to, met.is_there, met.at = shown_to, number in there, now
                self._note_change(number)

    def _compare(self, met: _Met, item: Any, now: datetime) -> None:
        if met.item != item:
            is_cheaper = item.currency == met.item.currency and item.cost < met.least
            self._note_change(item.id, is_news=is_cheaper)
            met.at = now
            met.was.append((now, met.item))
        met.item, met.least = item, min(item.cost, met.least)

    def _note_change(self, number: int, *, is_news: bool = False) -> None:
        if is_news:
            self._news.add(number)
        self._changes[number] += 1
        self._lately[number] += 1

    def _is_shown(self, item: Any, token: str | None) -> bool:
        return any(item.id == each.id for each in self.town.game.items(item.catalog_id, token))

    # What is promised

    async def faults(self) -> AsyncIterator[Fault]:
        now = self.town.clock.now()
        if self.looks.is_new:
            self._owe(now)
        for person in self.town.people:
            for card in self.town.sight.direct(person.id):
                self._read_card(person, card)
        told = [(who, number) for who, card in self._unread for number in _items_on(card)]
        wrong = [fault for who, number in told for fault in self._wrong(who, number, now)]
        self._told_lately += told
        self._sent_at |= {who: now for who, _ in self._unread}
        late = [fault for due in list(self._due) for fault in self._late(due, now)]
        for fault in (*wrong, *late):
            yield fault
        self._unread.clear()
        if self.looks.is_new:
            self._news.clear()
            self._lately.clear()
            self._told_lately.clear()
        self._rested_at = now

    def _owe(self, now: datetime) -> None:
        """Note of what a sure look has told Kiosk for sure."""
        own = self.town.settings.game_token
        for number in sorted(self._news):
            met = self._met[number]
            if self._lately[number] > 1 or not met.is_there:
                continue
            if not self._is_shown(met.item, own.get_secret_value() if own else None):
                continue
            self._due += [
                _Due(watch, number, self._rested_at, now)
                for watch in self.watches
                if watch.is_sure
                and watch.begun < self.looks.before
                and watch.fits(met.item)
                and watch.ended_at is None
            ]

    def _late(self, due: _Due, now: datetime) -> Iterator[Fault]:
        """Forget what was told, or can't be said any more; and find what should have been."""
        who, told = due.watch.who, self._told_lately
        sent_at = self._sent_at.get(who)
        waits = sent_at is not None and due.at - sent_at < timedelta(hours=7)
        # One message may tell of more than it lists.
        is_told = (who, due.item_id) in told or sum(who is one for one, _ in told) >= _MAX_LISTED
        if is_told or now - due.earliest > _TOLD_WITHIN or self._is_unsure(due, now):
            self._due.remove(due)
        elif not waits or now - due.at >= _BETWEEN_MESSAGES:
            self._due.remove(due)
            about = f"item {due.item_id} to {who}"
            yield Fault("who watches is told of what fits", about, str(self._met[due.item_id]))

    def _is_unsure(self, due: _Due, now: datetime) -> bool:
        who, met = due.watch.who, self._met[due.item_id]
        token = self.accounts.tokens.get(who)
        player = self.town.game.player_of(token or "")
        return (
            due.watch.ended_at is not None
            or not due.watch.is_sure
            or who in self._refused
            or who in self.town.closed
            or self._is_troubled(now)
            or bool(self.town.game.door.faults)
            or player is None
            or not met.is_there
            or not self._is_shown(met.item, token)
            or due.item_id in self.town.game.owned(player.id)
        )

    def _is_troubled(self, now: datetime) -> bool:
        since = min(now - _COMES_AGAIN, self._rested_at)
        times = (self.town.trouble.get(None), self._failed_at)
        return any(at is not None and at >= since for at in times)

    def _wrong(self, who: Person, number: int, now: datetime) -> Iterator[Fault]:
        """Find what was told for nothing, or twice."""
        about = f"item {number} to {who}"
        met = self._met[number]
        before = self._rested_at
        is_steady = met.at < before
        states = [met.item, *(item for until, item in met.was if now - until < _TOLD_WITHIN)]
        watches = [
            watch
            for watch in self.watches
            if watch.who is who
            and (watch.ended_at is None or watch.ended_at >= before)
            and watch.catalog_id in (None, met.item.catalog_id)
            and watch.item_id in (None, number)
            and (not is_steady or any(map(watch.fits, states)))
        ]
        if not watches:
            yield Fault("a watch tells of what fits, and of nothing else", about, str(met))
            return
        if not self._is_troubled(now):
            self._told[who, number] += 1
        most = self._changes[number] - min(
            each.changes.get(number, 0) for each in self.watches if each.who is who
        )
        if self._told[who, number] > most:
            how = f"{self._told[who, number]} times, after {most} changes"
            yield Fault("a watch tells of what is new once", about, how)
        token = self.accounts.tokens.get(who)
        player = self.town.game.player_of(token or "")
        if player is None:
            return
        if is_steady and not self._is_shown(met.item, token):
            yield Fault("a watch tells nothing that its member isn't shown", about, str(met))
        bought_at = self.town.game.owned(player.id).get(number)
        if bought_at is not None and bought_at < (before - _SHOWN_LATE).timestamp() * 1_000_000:
            yield Fault("a watch tells nothing of what its member owns", about)

    def _read_card(self, who: Person, card: Card) -> None:
        if card.message_id not in self._read:
            self._read.add(card.message_id)
            if card.control("unwatch"):
                self._unread.append((who, card))


def _items_on(card: Card) -> list[int]:
    return sorted({int(each.fields[2]) for each in card.controls if each.kind in _OF_ITEMS})
