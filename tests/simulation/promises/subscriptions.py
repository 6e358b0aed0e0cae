"""What the servers follow and announce, by what managers did."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.faults import Fault
from tests.simulation.promises.looks import Looks
from tests.simulation.seen import Control
from tests.simulation.town import Deed, Town

THREAD, CATALOG = "thread", "catalog"
_USUAL = frozenset({"new", "clearance"})
# Stand on the card of an announcement alone, and on the question about what it missed.
_ITS_CARD, _ITS_QUESTION = "announce.ask_remove", "announce.decide_missed"
# Change what is followed or announced.
_CHANGING = (
    "/announce thread",
    "announce.follow_form",
    "forum.follow",
    "an.form",
    "an.edit",
    "announce.pause",
    "announce.resume",
    "announce.decide_missed",
    "announce.remove",
    "announce.notify_form",
    "announce.newest",
)


@dataclass(frozen=True)
class Wanted:
    """Which news of a catalog are told, and whom they ping; `is_plain` if the model reads it."""

    news: frozenset[str] = _USUAL
    role_ids: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    most: int | None = None
    currency: str = ""
    is_plain: bool = True

    def fits(self, item: Any) -> bool:
        if self.types and item.item_type not in self.types:
            return False
        if self.most is None or not item.cost:
            return True
        return item.currency == self.currency and item.cost <= self.most


@dataclass(eq=False)
class Subscription:
    """A thread or catalog in a channel, from one sure look at the game on."""

    number: int
    guild_id: int
    kind: str
    place_id: int
    channel_id: int
    # The looks that had happened when it began, and when someone changed it last.
    begun: int
    changed: int
    # When it paused, None while it is active.
    paused: int | None = None
    paused_at: float = 0.0
    is_removed: bool = False
    wanted: Wanted = Wanted()
    notify_role_id: int | None = None
    pings_changed: int = 0
    # All channels that it ever went to.
    channels: set[int] = field(default_factory=set[int])
    # What its channel has to get, may get, and what it missed: comments or news of items.
    owed: set[Any] = field(default_factory=set[Any])
    missed: set[Any] = field(default_factory=set[Any])
    left: set[Any] = field(default_factory=set[Any])
    # Whether it now tells what it missed. No one can say when Kiosk found some of that.
    is_telling: bool = False

    def __post_init__(self) -> None:
        self.channels.add(self.channel_id)

    @property
    def pinged(self) -> frozenset[int]:
        notified = () if self.notify_role_id is None else (self.notify_role_id,)
        return self.wanted.role_ids.union(notified)

    @property
    def is_active(self) -> bool:
        return self.paused is None and not self.is_removed


class Subscriptions:
    def __init__(self, town: Town, looks: Looks) -> None:
        self._town = town
        self._looks = looks
        self.by_number: dict[int, Subscription] = {}
        # What went on without a question about what it missed.
        self.unasked: list[Subscription] = []
        looks.on_trouble.append(self._shake)

    def faults(self) -> Iterator[Fault]:
        while self.unasked:
            about = f"{self.unasked[0].kind} {self.unasked.pop(0).place_id}"
            yield Fault("what was missed is asked about before it goes on", about)

    def look(self, deed: Deed) -> None:
        """Note what goes on again in a channel that has refused something, or may have changed."""
        if deed.kind in _CHANGING and not deed.answers and deed.form is None:
            # Kiosk died, or could not say whether it was done.
            known = self.by_number.get(int(deed.fields[0])) if deed.fields else None
            self._looks.doubtful |= known.channels if known else set()
            if (chosen := deed.values.get("channel")) is not None:
                self._looks.doubtful.add(_channel(chosen))
            if deed.kind == "forum.follow":
                self._looks.doubtful.add(int(deed.fields[1]))
        for card in deed.answers:
            active = card.control("announce.pause")
            known = self.by_number.get(int(active.fields[0])) if active else None
            if known is not None and known.channel_id in self._looks.doubtful:
                known.changed = self._looks.count
                self._looks.settle(known.channel_id)

    def _shake(self, channel_id: int | None) -> None:
        """Note that Discord may have refused what was owed to a channel, or to all."""
        for each in self.by_number.values():
            if channel_id is None or channel_id in each.channels:
                each.changed = self._looks.count + 1
                each.missed = set()
                each.owed = set()

    def of(self, kind: str) -> Iterator[Subscription]:
        return (each for each in self.by_number.values() if each.kind == kind)

    def follow(self, deed: Deed) -> None:
        """Note that a thread is followed, by the command, the form or an entry of a list."""
        control = on_its_card(deed)
        if control is None or deed.guild_id is None:
            return
        if deed.kind == "forum.follow":
            thread, channel_id = deed.fields[0], int(deed.fields[1])
        else:
            thread, channel_id = _first(deed.values["thread"]), _channel(deed.values["channel"])
        number = int(control.fields[0])
        if known := self.by_number.get(number):
            # It is followed there already, and goes on if it was paused and missed nothing.
            if control.kind == _ITS_CARD:
                self._go_on(known, tells_missed=None)
            return
        if not str(thread).isdigit():
            # By its name: the model doesn't know which it is.
            self._looks.doubtful.add(channel_id)
            self._looks.unknown.add(channel_id)
            return
        self._add(number, deed.guild_id, THREAD, int(thread), channel_id, Wanted())

    def announce(self, deed: Deed) -> None:
        control = on_its_card(deed)
        if control is None or deed.guild_id is None:
            return
        number, catalog_id = int(control.fields[0]), int(deed.fields[0])
        channel_id = _channel(deed.values["channel"])
        wanted = self._wanted(deed, catalog_id)
        self._add(number, deed.guild_id, CATALOG, catalog_id, channel_id, wanted)

    def edit(self, deed: Deed) -> None:
        """Change what is announced where; what had stopped goes on."""
        control = on_its_card(deed)
        known = self.by_number.get(int(deed.fields[0]))
        if control is None or known is None:
            return
        known.channel_id = _channel(deed.values["channel"])
        known.channels.add(known.channel_id)
        if known.kind == CATALOG:
            before = known.wanted.role_ids
            known.wanted = self._wanted(deed, known.place_id)
            if known.notify_role_id in before - known.wanted.role_ids:
                known.notify_role_id = None
            # It missed other news than those that it would tell now.
            known.missed = set()
        known.changed = self._looks.count
        if control.kind == _ITS_CARD:
            self._go_on(known, tells_missed=None)

    def pause(self, deed: Deed) -> None:
        known = self.by_number.get(int(deed.fields[0]))
        if known is not None and on_its_card(deed) and known.paused is None:
            known.paused = known.changed = self._looks.count
            known.paused_at = self._town.clock.monotonic()
            known.missed = set()

    def resume(self, deed: Deed) -> None:
        """Let one go on, unless Kiosk asks what to do with what it missed."""
        control = on_its_card(deed)
        known = self.by_number.get(int(deed.fields[0]))
        if known is None or control is None or control.kind != _ITS_CARD:
            return
        tells = deed.fields[1] == "1" if deed.kind == "announce.decide_missed" else None
        self._go_on(known, tells_missed=tells)

    def remove(self, deed: Deed) -> None:
        known = self.by_number.get(int(deed.fields[0]))
        # The list that is shown then may say what is wrong with others.
        is_list = any(card.control("announce.follow_form") for card in deed.answers)
        if known is not None and is_list:
            known.is_removed = True
            known.changed = self._looks.count

    def notify(self, deed: Deed) -> None:
        """Note the role of Notify me, which is pinged with the others."""
        known = self.by_number.get(int(deed.fields[0]))
        if known is not None and on_its_card(deed):
            roles = deed.values.get("role") or ()
            known.notify_role_id = roles[0].id if roles else None
            known.pings_changed = self._looks.count

    def _add(
        self, number: int, guild_id: int, kind: str, place_id: int, channel_id: int, wanted: Wanted
    ) -> None:
        begun = self._looks.count
        self.by_number[number] = Subscription(
            number, guild_id, kind, place_id, channel_id, begun, begun, wanted=wanted
        )

    def _go_on(self, known: Subscription, *, tells_missed: bool | None) -> None:
        if known.paused is None:
            return
        if tells_missed:
            known.owed |= known.missed
            known.is_telling = True
        elif tells_missed is False:
            known.left |= known.missed
        elif known.missed:
            self.unasked.append(known)
        known.missed = set()
        known.paused = None
        known.changed = self._looks.count

    def _wanted(self, deed: Deed, catalog_id: int) -> Wanted:
        values = deed.values
        news = frozenset(map(str, values.get("news") or ())) or _USUAL
        role_ids = frozenset(role.id for role in values.get("role") or ())
        typed = values.get("type") or ()
        types = frozenset(typed.split(",") if isinstance(typed, str) else map(str, typed))
        types = frozenset(name.strip() for name in types if name.strip())
        most, _, currency = str(values.get("cost") or "").strip().partition(" ")
        items = self._town.game.items(catalog_id)
        is_plain = types <= {item.item_type for item in items} and (
            not most or (most.isdigit() and currency in {item.currency for item in items})
        )
        if not is_plain:
            return Wanted(news, role_ids, is_plain=False)
        return Wanted(news, role_ids, types, int(most) if most else None, currency)


def on_its_card(deed: Deed) -> Control | None:
    """Return what stands on the card of the announcement that a deed has come to, if it has."""
    for card in deed.answers:
        for kind in (_ITS_CARD, _ITS_QUESTION):
            if control := card.control(kind):
                return control
    return None


def _first(value: Any) -> Any:
    """Return what was chosen or typed: a form's list has one entry."""
    return value if isinstance(value, str) or not hasattr(value, "__getitem__") else value[0]


def _channel(value: Any) -> int:
    return int(_first(value).id)
