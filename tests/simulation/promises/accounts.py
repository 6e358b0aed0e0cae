"""Who is linked with which account of the game, and whose token is used."""

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from tests.simulation.door import Kind
from tests.simulation.faults import Fault
from tests.simulation.game import Comment
from tests.simulation.town import Deed, Person, Town

_TYPED = re.compile(r"qt\d+z")
_CREATED = 201
# Each is pressed for how it is to be, and then offers the other way.
_SWITCHES = ("account.replies", "account.decisions", "moderate.rule", "setup.role_takes")
TOKEN = re.compile(r"walk-(?:\d|kiosk)")


class Accounts:
    """The token that Kiosk keeps of each member."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.tokens: dict[Person, str] = {}
        self._linked_at: dict[Person, datetime] = {}
        # Who may have no token any more, or one that the game was said to refuse.
        self.unsure: set[Person] = set()
        # All tokens that each had linked.
        self._ever: defaultdict[Person, set[str]] = defaultdict(set)
        # Several may have one account in the game, and change what another wrote.
        self.typed: defaultdict[str, set[Person]] = defaultdict(set)
        self._writes = 0
        self._faults: list[Fault] = []

    def look(self, deed: Deed) -> None:
        """Check what someone typed and is shown."""
        self._note_refusals()
        for value in deed.values.values():
            for mark in _TYPED.findall(str(value)):
                self.typed[mark].add(deed.who)
        if deed.kind in _SWITCHES and not deed.is_refused:
            for card in deed.answers:
                if any(
                    each.kind == deed.kind and each.fields == deed.fields for each in card.controls
                ):
                    self._fault("what is switched is so from then on", deed.who, deed.kind)
        for card in deed.answers:
            if found := TOKEN.search(card.text):
                how = f"{deed.kind} showed {found[0]}: {card.text}"
                self._faults.append(Fault("nobody is shown a token", str(deed.who), how))

    def link(self, deed: Deed) -> None:
        token = str(deed.values.get("token", ""))
        if self._town.game.player_of(token) is None:
            if any(deed.fields) or not deed.answers:
                # It may be kept, until what it goes on with finds it refused.
                self.unsure.add(deed.who)
            return
        # If it continues with another action, that action may be what is refused.
        if not deed.answers or (deed.is_refused and any(deed.fields)):
            self.unsure.add(deed.who)
            self._ever[deed.who].add(token)
        elif not deed.is_refused:
            if self.tokens.get(deed.who) != token:
                self._linked_at[deed.who] = self._town.clock.now()
            self.tokens[deed.who] = token
            self._ever[deed.who].add(token)
            self.unsure.discard(deed.who)

    def unlink(self, deed: Deed) -> None:
        if not deed.answers:
            self.unsure.add(deed.who)
        elif not deed.is_refused:
            self.unsure.discard(deed.who)
            self.tokens.pop(deed.who, None)

    def share(self, one: Person, other: Person) -> bool:
        """Tell whether two have had one account: they change each other's comments."""
        return not self._ever[one].isdisjoint(self._ever[other])

    def has_written(self, who: Person, comment: Comment) -> bool:
        """Tell whether a member's own account wrote a comment, and Kiosk can know that."""
        token = self.tokens.get(who, "")
        player = self._town.game.player_of(token)
        if player is None or who in self.unsure or comment.player_id != player.id:
            return False
        # The game's answer to a text may name its player.
        known_at = min(
            (
                write.at
                for write in self._town.game.door.writes
                if write.token == token and write.given == _CREATED and write.names_player
                if write.at >= self._linked_at[who] and write.path.endswith("/comments")
            ),
            default=None,
        )
        return known_at is not None and comment.created_at > known_at.timestamp() * 1_000_000

    def _fault(self, rule: str, who: Person, how: str) -> None:
        self._faults.append(Fault(rule, str(who), how))

    def _note_refusals(self) -> None:
        faults = self._town.game.door.faults
        if any(fault.kind is Kind.REFUSES_TOKEN and fault.met for fault in faults):
            self.unsure.update(self.tokens)

    def faults_after_step(self) -> Iterator[Fault]:
        """Yield what was done in the game as someone else."""
        game = self._town.game
        self._note_refusals()
        for who, token in self.tokens.items():
            if game.player_of(token) is None:
                self.unsure.add(who)
        for write in game.door.writes[self._writes :]:
            owners = [who for who, tokens in self._ever.items() if write.token in tokens]
            if not owners:
                self._faults.append(Fault("nobody else's token is used", str(write.token)))
            for mark in _TYPED.findall(str(write.body)):
                typed_by = self.typed.get(mark)
                if typed_by and typed_by.isdisjoint(owners):
                    how = f"{mark} of {typed_by} with the token of {owners}: {write.body}"
                    self._fault("nothing is posted as somebody else", min(typed_by, key=str), how)
        self._writes = len(game.door.writes)
        yield from self._faults
        self._faults.clear()
