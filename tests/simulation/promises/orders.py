"""What members order: nothing twice, each told once, and as the game has it."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.simulation.door import Write
from tests.simulation.faults import Fault
from tests.simulation.promises.accounts import Accounts
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

_GOOD, _PROBLEM = 0x3BA55D, 0xD9534F
# The actions that confirm, each with the game's word for it, and the index of the card's id.
_CONFIRMS = {"buy": ("purchase", 4), "redeem": ("redeem", 3)}
_ORDER = re.compile(r"/items/(\d+)/(purchase|redeem)$")
# Kiosk's last look is 15 minutes after it asked, and none comes later than some minutes.
_LOOKED_FOR = timedelta(minutes=22)
_LOOKS = 5
# For so long it buys nothing again.
_NOT_AGAIN = timedelta(minutes=15)
_KEPT = timedelta(hours=23)
_LISTED_FOR = timedelta(days=360)
_ON_A_LIST = 5
_DONE = (200, 201)
_ENTRIES = ("ordered", "askagain")


@dataclass(eq=False)
class Order:
    """What a member has confirmed on one card; `write` is what the game was asked for it."""

    who: Person
    token: str | None
    kind: str
    item_id: int
    # The card that was confirmed.
    card_id: str
    at: datetime
    # What the card said that it costs; a redemption costs nothing.
    cost: int | None = None
    write: Write | None = None
    # The message that told of it, unless it shows something else by now.
    shown: Card | None = None
    # Whether that showed the result when it was confirmed.
    is_told_at_once: bool = False
    # Once the world was at rest, the game is asked for it no more.
    is_over: bool = False
    # It isn't known whether its member is notified.
    is_unsure: bool = False

    @property
    def about(self) -> str:
        return f"{self.kind} of item {self.item_id} by {self.who}"


class Orders:
    """Holds what was confirmed against the game's door, its tables, and what members read."""

    def __init__(self, town: Town, accounts: Accounts) -> None:
        self._town = town
        self._accounts = accounts
        self._orders: dict[tuple[Person, str, str], Order] = {}
        self._count = 0
        self._bought: list[Write] = []
        # What the item of each request cost by then.
        self._costs: list[int | None] = []
        self._erased_at: datetime | None = None
        # When each looked at a list of their orders last.
        self._listed_at: dict[Person, datetime] = {}
        self._rested_at: datetime | None = None
        # When Discord was last about to fail.
        self._failed_at: datetime | None = None
        self._faults: list[Fault] = []

    # What people do

    def look(self, deed: Deed) -> None:
        """Note which messages show something else from now on."""
        self.look_at_game()
        if self._town.fails_to_post:
            self._failed_at = self._town.clock.now()
        ids = {card.message_id for card in deed.answers}
        if deed.pressed is not None:
            ids.add(deed.pressed.message_id)
        own = self._orders.get(_key(deed)) if deed.kind in _CONFIRMS else None
        for order in self._orders.values() if deed.kind != "asknow" else ():
            is_shown = order.shown is not None and order.shown.message_id in ids
            if order.shown is not None and is_shown and order is not own:
                order.is_unsure |= not order.is_told_at_once and _is_open(order, order.shown)
                order.shown = None

    def confirm(self, deed: Deed) -> None:
        order = self._orders.get(key := _key(deed))
        if order is None:
            is_sure = deed.who not in self._accounts.unsure
            token = self._accounts.tokens.get(deed.who) if is_sure else None
            at = self._town.clock.now()
            cost = int(deed.fields[3]) if deed.kind == "buy" else None
            order = Order(deed.who, token, key[1], int(deed.fields[2]), key[2], at, cost)
            self._orders[key] = order
        order.shown = deed.answers[-1] if deed.answers else order.shown
        order.is_told_at_once |= order.shown is not None and not _is_open(order, order.shown)
        if not deed.answers:
            # Kiosk died over it, or Discord didn't take its answer.
            order.is_unsure = True

    def erase(self, deed: Deed) -> None:
        """Forget what someone ordered, as Kiosk does."""
        if not deed.is_refused:
            self._erased_at = self._town.clock.now()
            self._match()
            self._orders = {key: each for key, each in self._orders.items() if key[0] != deed.who}

    def list_them(self, deed: Deed) -> None:
        """Compare the list of all orders with what was ordered."""
        if deed.is_refused:
            return
        self._listed_at[deed.who] = self._town.clock.now()
        entries = [control for control in deed.answers[-1].controls if control.kind in _ENTRIES]
        listed = len({control.fields[0] for control in entries})
        token = self._accounts.tokens.get(deed.who)
        theirs = [order for order in self._orders.values() if order.who is deed.who]
        done = [order for _, order in self.done_by(deed.who) if order.token == token]
        if not min(len(done), _ON_A_LIST) <= listed <= len(theirs):
            how = f"{listed} are listed, {len(done)} of {len(theirs)} were carried out"
            self._faults.append(Fault("what was ordered is listed", str(deed.who), how))

    def look_at_game(self) -> None:
        """Note what each order cost: someone may change that in the next step."""
        game = self._town.game
        for write in game.door.writes[len(self._costs) :]:
            found = _ORDER.search(write.path)
            costs = {item.id: item.cost for of in game.catalogs() for item in game.items(of)}
            self._costs.append(costs.get(int(found[1])) if found else None)

    def done_by(self, who: Person) -> Iterator[tuple[str, Order]]:
        """Yield what someone's lists must contain, each order with the id of its card."""
        now = self._town.clock.now()
        for (by, _, card_id), order in self._orders.items():
            is_done = order.write is not None and order.write.given in _DONE
            if by is who and is_done and now - order.at < _LISTED_FOR:
                yield card_id, order

    # What is promised

    async def faults(self) -> AsyncIterator[Fault]:
        self._match()
        for order in self._orders.values():
            for fault in self._faults_of(order):
                yield fault
            order.is_over = True
        self._rested_at = self._town.clock.now()
        for fault in self._told_twice():
            yield fault
        while self._faults:
            yield self._faults.pop()

    def _match(self) -> None:
        """Find the order that each new request to the game is for."""
        writes = self._town.game.door.writes
        while self._count < len(writes):
            write = writes[self._count]
            self._count += 1
            if found := _ORDER.search(write.path):
                self._find(write, int(found[1]), found[2], self._costs[self._count - 1])

    def _find(self, write: Write, item_id: int, kind: str, cost: int | None) -> None:
        about = f"{kind} of item {item_id}"
        fitting = [
            order
            for order in self._orders.values()
            if (order.kind, order.item_id) == (kind, item_id)
            and order.token in (write.token, None)
            and order.write is None
            and not order.is_over
            and order.at <= write.at
        ]
        # What was confirmed last is asked for now; Kiosk may not have asked for what came before.
        fitting.reverse()
        # One that Kiosk died over may never have been sent.
        order = next((each for each in fitting if each.cost == cost), next(iter(fitting), None))
        if order is None:
            rule = "the game is asked once for what was confirmed on a card, and for nothing else"
            self._faults.append(Fault(rule, about, str(write)))
            return
        order.write = write
        if kind == "purchase":
            self._check_pause(write, about)
            if cost != order.cost:
                rule = "an item is bought at the cost that its card has shown"
                self._faults.append(Fault(rule, about, f"{cost}, not {order.cost}"))

    def _check_pause(self, write: Write, about: str) -> None:
        """Compare a purchase with what was bought on the account in the last quarter of an hour."""
        for other in self._bought:
            is_forgotten = self._erased_at is not None and self._erased_at >= other.at
            is_same = (other.token, other.path) == (write.token, write.path)
            is_soon = other.done in _DONE and write.at - other.at < _NOT_AGAIN
            if is_same and is_soon and not is_forgotten:
                rule = "what was bought isn't bought again for 15 minutes"
                self._faults.append(Fault(rule, about, f"at {other.at} and at {write.at}"))
        self._bought.append(write)

    def _faults_of(self, order: Order) -> Iterator[Fault]:
        town = self._town
        trouble = town.trouble.get(None)
        is_troubled = any(at is not None and at >= order.at for at in (trouble, self._failed_at))
        order.is_unsure |= order.who in town.closed or is_troubled
        # What came to nothing is forgotten a day after it was ordered, even if no one looked.
        is_early = self._rested_at is None or self._rested_at - order.at <= _LOOKED_FOR
        order.is_unsure |= is_early and town.clock.now() - order.at > _KEPT
        told = order.shown and self._now(order.shown)
        if told is None or _is_open(order, told):
            direct = [card for card in self._direct(order) if not _is_open(order, card)]
            told = direct[-1] if direct else None
        if told is not None:
            yield from self._untrue(order, told)
        # A member who has a list of their orders open may read it there.
        listed_at = self._listed_at.get(order.who)
        order.is_unsure |= told is None and listed_at is not None and listed_at > order.at
        # Each jump of the clock lets Kiosk look once.
        looks = sum(rest > order.at for rest in town.rests)
        is_due = town.clock.now() - order.at > _LOOKED_FOR and looks > _LOOKS
        # Members who share an account see what happened to each other's orders.
        is_in_way = order.write is None and any(
            (other.token, other.kind, other.item_id) == (order.token, order.kind, order.item_id)
            for other in self._orders.values()
            if other is not order
        )
        order.is_unsure |= is_in_way
        if told is None and is_due and not (order.is_told_at_once or order.is_unsure):
            yield Fault("each order ends in a word to its member", order.about, str(order.write))

    def _untrue(self, order: Order, told: Card) -> Iterator[Fault]:
        """Compare a card that shows the result of an order with the game."""
        write, colour = order.write, self._colour(told)
        player = self._town.game.player_of(order.token or "")
        about, how = order.about, f"{write} {told.text[:80]!r}"
        if colour == _GOOD and player is not None:
            game = self._town.game
            have = game.owned(player.id) if order.kind == "purchase" else game.redeemed(player.id)
            if order.item_id not in have:
                yield Fault("what is told as done is done in the game", about, how)
        if write is None or write.done not in _DONE:
            return
        if colour == _PROBLEM:
            yield Fault("what the game has done is not told as refused", about, how)
        if write.given in _DONE and colour != _GOOD:
            yield Fault("what the game confirmed is told as done", about, how)
        if order.kind == "redeem" and write.given not in _DONE and colour == _GOOD:
            yield Fault("a redemption in doubt is told as unknown", about, how)

    def _told_twice(self) -> Iterator[Fault]:
        """Find direct messages beyond those for orders whose result wasn't shown yet."""
        most = Counter[tuple[Person, int]]()
        for order in self._orders.values():
            # Of one that Kiosk died over, its member hears that it is in doubt, and the end of it.
            most[order.who, order.item_id] += (not order.is_told_at_once) + order.is_unsure
        for (who, item_id), count in most.items():
            first = min(o.at for o in self._orders.values() if o.who is who)
            told = sum(
                _is_about(card, item_id)
                for card in self._town.sight.direct(who.id)
                if datetime.fromisoformat(card.posted_at) >= first
            )
            if told > count:
                yield Fault(
                    "an order is told once", f"item {item_id} to {who}", f"{told}, not {count}"
                )

    # What is seen

    def _direct(self, order: Order) -> list[Card]:
        return [
            card
            for card in self._town.sight.direct(order.who.id)
            if _is_about(card, order.item_id) and datetime.fromisoformat(card.posted_at) >= order.at
        ]

    def _now(self, card: Card) -> Card | None:
        stored = self._town.env.backend.messages.get(card.channel_id, {}).get(card.message_id)
        return stored and self._town.sight.card(stored)

    def _colour(self, card: Card) -> int | None:
        stored = self._town.env.backend.messages.get(card.channel_id, {}).get(card.message_id)
        parts = stored.components if stored else ()
        return next((part["accent_color"] for part in parts if part.get("accent_color")), None)


def _is_open(order: Order, card: Card) -> bool:
    """Tell whether a card still asks, or says that the game is being asked, or is asked again."""
    asks = [card.control(kind) for kind in _CONFIRMS]
    is_as_it_was = any(ask and order.card_id in ask.fields for ask in asks)
    goes_on = is_as_it_was or card.control("asknow") is not None or not card.controls
    return goes_on and not card.is_problem


def card_of(deed: Deed) -> str:
    """Return the id of the card on which someone confirms an order, "" if they don't."""
    return _key(deed)[2] if deed.kind in _CONFIRMS else ""


def _key(deed: Deed) -> tuple[Person, str, str]:
    kind, place = _CONFIRMS[deed.kind]
    return deed.who, kind, deed.fields[place]


def _is_about(card: Card, item_id: int) -> bool:
    """Tell whether a direct message is about the result of an order of an item."""
    opens = card.control("at")
    return opens is not None and opens.fields[2] == str(item_id) and not card.control("unwatch")
