"""Who is linked with which account of the game, whose token is used, and what an export holds."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from tests.simulation.faults import Fault
from tests.simulation.game import Kind
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Person, Town

_TYPED = re.compile(r"qt\d+z")
_TOKEN = re.compile(r"walk-(?:\d|kiosk)")
# What an export may hold although all was erased: what is under way, and that somebody was here.
_LEFT = {"writes", "messages", "member_servers", "direct_channels"}


class Accounts:
    """The token that Kiosk keeps of each member."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.tokens: dict[Person, str] = {}
        # Who may have no token any more, or one that the game was said to refuse.
        self.unsure: set[Person] = set()
        # All tokens that each had linked.
        self._ever: defaultdict[Person, set[str]] = defaultdict(set)
        # Several may have one account in the game, and change what another wrote.
        self._typed: defaultdict[str, set[Person]] = defaultdict(set)
        self._writes = 0
        # Who had all erased, and has done nothing else since.
        self._erased: set[Person] = set()
        self._faults: list[Fault] = []

    def look(self, deed: Deed) -> None:
        """Look at what somebody typed and is shown."""
        for value in deed.values.values():
            for mark in _TYPED.findall(str(value)):
                self._typed[mark].add(deed.who)
        for card in deed.answers:
            if found := _TOKEN.search(card.text):
                how = f"{deed.kind} showed {found[0]}: {card.text}"
                self._faults.append(Fault("nobody is shown a token", str(deed.who), how))
        if deed.kind not in ("erase", "export"):
            self._erased.discard(deed.who)

    def link(self, deed: Deed) -> None:
        token = str(deed.values.get("token", ""))
        if self._town.game.player_of(token) is None:
            return
        # Where it goes on with something, that may be what is refused.
        if not deed.answers or (deed.is_refused and any(deed.fields)):
            self.unsure.add(deed.who)
            self._ever[deed.who].add(token)
        elif not deed.is_refused:
            self.tokens[deed.who] = token
            self._ever[deed.who].add(token)
            self.unsure.discard(deed.who)

    def unlink(self, deed: Deed) -> None:
        if not deed.answers:
            self.unsure.add(deed.who)
        elif not deed.is_refused:
            self.unsure.discard(deed.who)
            self.tokens.pop(deed.who, None)
            if deed.kind == "erase":
                self._erased.add(deed.who)

    def export(self, deed: Deed) -> None:
        """What the file says is what its member did, and holds no secret."""
        for card in deed.answers:
            for name, content in _files(self._town, card):
                if name == "kiosk.zip":
                    with ZipFile(BytesIO(content)) as archive:
                        content = archive.read("kiosk.json")
                self._check_export(deed.who, content.decode())

    def _check_export(self, who: Person, text: str) -> None:
        kept: Mapping[str, list[Mapping[str, Any]]] = json.loads(text)["kept"]
        if found := _TOKEN.search(text):
            self._fault("an export holds no token", who, found[0])
        if who not in self.unsure and bool(kept.get("links")) != (who in self.tokens):
            self._fault("an export says who is linked", who, str(kept.get("links")))
        # Of a removal that they ended, moderators have the other's reason, as they have in the log.
        removed = [row for row in kept.get("removals", ()) if row["moderator_id"] == str(who.id)]
        for mark in sorted(set(_TYPED.findall(json.dumps({**kept, "removals": removed})))):
            # Those who share an account change each other's comments.
            others = [each for each in self._typed.get(mark, ()) if not self._share(each, who)]
            if others and who not in self._typed[mark]:
                self._fault("an export holds nothing of others", who, f"{mark}: {text}")
        if who in self._erased and (left := kept.keys() - _LEFT):
            self._fault("what was erased is gone", who, ", ".join(sorted(left)))

    def _share(self, one: Person, other: Person) -> bool:
        return not self._ever[one].isdisjoint(self._ever[other])

    def _fault(self, rule: str, who: Person, how: str) -> None:
        self._faults.append(Fault(rule, str(who), how))

    def faults_after_step(self) -> Iterator[Fault]:
        """Yield what was done in the game as somebody else."""
        game = self._town.game
        if any(fault.kind is Kind.REFUSES_TOKEN and fault.met for fault in game.faults):
            self.unsure.update(self.tokens)
        for who, token in self.tokens.items():
            if game.player_of(token) is None:
                self.unsure.add(who)
        for write in game.writes[self._writes :]:
            owners = [who for who, tokens in self._ever.items() if write.token in tokens]
            if not owners:
                self._faults.append(Fault("nobody else's token is used", str(write.token)))
            for mark in _TYPED.findall(str(write.body)):
                typed_by = self._typed.get(mark)
                if typed_by and typed_by.isdisjoint(owners):
                    how = f"{mark} of {typed_by} with the token of {owners}: {write.body}"
                    self._fault("nothing is posted as somebody else", min(typed_by, key=str), how)
        self._writes = len(game.writes)
        yield from self._faults
        self._faults.clear()


def _files(town: Town, card: Card) -> Iterator[tuple[str, bytes]]:
    backend = town.env.backend
    message = backend.messages[card.channel_id].get(card.message_id)
    for attached in message.attachments if message else ():
        yield attached["filename"], backend.cdn.get(attached["url"]) or b""
