"""Who is told why a comment of theirs was removed: once, where they and the server want that."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.simulation.faults import Fault
from tests.simulation.game import Naming
from tests.simulation.promises.accounts import Accounts
from tests.simulation.promises.policy import Policy, leads_on
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

# A server tells a member about five comments a day.
_MAX_TOLD = 5
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Owed:
    """A decision that a member is to be told of."""

    who: Person
    server: str
    comment_id: int
    at: datetime


class Decisions:
    def __init__(self, town: Town, policy: Policy, accounts: Accounts) -> None:
        self._town = town
        self._policy = policy
        self._accounts = accounts
        self._tells: set[int] = set()
        # None if an account was linked again since.
        self._hears: dict[Person, bool | None] = {}
        self._have_heard: set[Person] = set()
        # Where each member has used Kiosk since they linked.
        self._uses: defaultdict[Person, set[int]] = defaultdict(set)
        self._owed: list[Owed] = []

    def look(self, deed: Deed) -> None:
        if deed.guild_id is not None and deed.answers:
            self._uses[deed.who].add(deed.guild_id)

    def switch(self, deed: Deed) -> None:
        """A server tells writers, or no more."""
        if deed.is_refused or deed.fields[0] != "tells_writers" or deed.guild_id is None:
            return
        (self._tells.add if deed.fields[1] == "1" else self._tells.discard)(deed.guild_id)

    def hear(self, deed: Deed) -> None:
        """Note whether a member wants to be notified about decisions."""
        is_on = deed.fields[0] == "1"
        if is_on:
            self._have_heard.add(deed.who)
        is_sure = not deed.is_refused and deed.who in self._accounts.tokens
        self._hears[deed.who] = is_on if is_sure else None
        if not is_on:
            self._forget(deed.who)

    def relink(self, deed: Deed) -> None:
        """Note that a member who links, unlinks or erases may have to ask again."""
        self._hears[deed.who] = None
        self._uses[deed.who].clear()
        self._forget(deed.who)

    def remove(self, deed: Deed, comment_id: int) -> None:
        """A comment was removed that wasn't before."""
        player_id = self._policy.writer_of(comment_id)
        game = self._town.game
        # Kiosk may not know whose comment it is: then the removal's card doesn't offer a mute.
        is_known = any(card.control("moderate.mute_form") for card in deed.answers)
        # In the queue, that is the next case's card.
        if (
            leads_on(deed)
            or not is_known
            or deed.guild_id not in self._tells
            or game.naming is not Naming.ALL
        ):
            return
        name = next(guild.name for guild in self._town.guilds if guild.id == deed.guild_id)
        now = self._town.clock.now()
        for who, token in self._accounts.tokens.items():
            player = game.player_of(token)
            is_asked = self._hears.get(who) and deed.guild_id in self._uses[who]
            # Of what was written elsewhere, or without an answer, Kiosk may not know whose it is.
            is_theirs = player is not None and player.id == player_id
            is_typed = self._policy.was_typed_by(who, comment_id)
            is_typed &= game.door.has_confirmed(game.comment(comment_id).text)
            if not (is_theirs and is_typed and is_asked) or who is deed.who:
                continue
            lately = [owed for owed in self._owed if owed.who is who and now - owed.at < _DAY]
            if len(lately) < _MAX_TOLD:
                self._owed.append(Owed(who, name, comment_id, now))

    def restore(self, comment_id: int) -> None:
        """What was undone before it was told isn't told."""
        now = self._town.clock.now()
        self._owed = [
            owed for owed in self._owed if owed.comment_id != comment_id or owed.at < now - _DAY
        ]

    def _forget(self, who: Person) -> None:
        self._owed = [owed for owed in self._owed if owed.who is not who]

    async def faults(self) -> AsyncIterator[Fault]:
        for who in self._town.people:
            cards = [card for card in self._town.sight.direct(who.id) if _is_decision(card)]
            for fault in self._faults_of(who, cards):
                yield fault
        # It was checked while it was there. The member who gets it may delete it.
        self._owed = [owed for owed in self._owed if self._town.clock.now() - owed.at < _DAY]

    def _faults_of(self, who: Person, cards: list[Card]) -> Iterator[Fault]:
        if cards and who not in self._have_heard:
            yield Fault("nobody is told of decisions who didn't ask", who.name, cards[0].text)
        names = [guild.name for guild in self._town.guilds]
        told = Counter(
            (next((name for name in names if name in card.text), ""), _comment_on(card))
            for card in cards
        )
        for (server, comment_id), count in sorted(told.items()):
            if count > 1 and comment_id:
                how = f"{who.name} of {server}: {count} times"
                yield Fault("a decision is told once", f"comment {comment_id}", how)
        if who in self._town.closed or None in self._town.trouble:
            return
        for owed in self._owed:
            if owed.who is who and not told[owed.server, owed.comment_id]:
                how = f"{who.name} of {owed.server}"
                yield Fault("a decision is told to who asked", f"comment {owed.comment_id}", how)


def _is_decision(card: Card) -> bool:
    is_account = card.control("export") or card.control("unlink")
    return card.control("account.decisions") is not None and not is_account


def _comment_on(card: Card) -> int:
    control = card.control("comment")
    return int(control.fields[1]) if control else 0
