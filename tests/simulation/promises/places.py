"""Threads and catalogs that the game has no more: the log says so once, and the list marks them."""

import re
from collections.abc import AsyncIterator

from tests.simulation.faults import Fault
from tests.simulation.promises.cases import Cases
from tests.simulation.promises.looks import Looks
from tests.simulation.promises.subscriptions import Subscriptions
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

# The name of a place that will go has a word of its own.
_MARK = re.compile(r"qg\d+z")
_NAMING = ("/setup thread", "/setup catalog")
_RENAMING = ("setup.rename_form", "setup.remove")
_LISTS = ("/announce list", "announce.list")
# Two looks in a row have to say that a place is gone, and failed ones are rarer.
_LOOKS = 3


class Places:
    def __init__(
        self, town: Town, looks: Looks, subscriptions: Subscriptions, cases: Cases
    ) -> None:
        self._town = town
        self._looks = looks
        self._subscriptions = subscriptions
        self._cases = cases
        # By server, kind and number.
        self._marks: dict[tuple[int, str, int], str] = {}
        # Of what is gone: how many looks had happened, and what the logs have told.
        self._gone: dict[tuple[str, int], int] = {}
        self._told: set[tuple[int, str, int]] = set()
        self._faults: list[Fault] = []

    def look(self, deed: Deed) -> None:
        """Note what a place is called, and look at the list of announcements."""
        guild_id = deed.guild_id or 0
        if deed.kind in _NAMING:
            found = _MARK.match(str(deed.values.get("name")))
            if found and not deed.is_refused:
                kind = deed.kind.rpartition(" ")[2]
                self._marks[guild_id, kind, int(deed.values["id"])] = found[0]
        elif deed.kind in _RENAMING and deed.form is None:
            self._marks.pop((guild_id, deed.fields[0], int(deed.fields[1])), None)
        elif deed.kind in _LISTS:
            self._look_at_list(guild_id, deed.answers)

    def _look_at_list(self, guild_id: int, cards: tuple[Card, ...]) -> None:
        for key in sorted(key for key in self._told if key[0] == guild_id):
            mark = self._marks.get(key)
            lines = [line for card in cards for line in card.text.split("\n")]
            heads = [line for line in lines if mark and mark in line and "<#" in line]
            if any(not line.startswith("⚠️") for line in heads):
                about = f"{key[1]} {key[2]}"
                self._faults.append(Fault("the list marks what is gone", about, "\n".join(heads)))

    async def faults(self) -> AsyncIterator[Fault]:
        for fault in self._faults:
            yield fault
        self._faults.clear()
        for place in self._town.game.gone:
            self._gone.setdefault(place, self._looks.count)
        for key in sorted(self._marks):
            if key[1:] in self._gone and (fault := self._untold(*key)):
                yield fault

    def _untold(self, guild_id: int, kind: str, number: int) -> Fault | None:
        """Return the fault if the log has not told once that a place is gone."""
        log = self._cases.logs.get(guild_id)
        if log is None or not self._looks.is_sure(log[0]) or self._town.deleted:
            return None
        key = guild_id, kind, number
        told = [
            card
            for card in self._town.sight.of_channel(log[0])
            if not card.is_answer
            and card.control("announce.list")
            and _MARK.findall(card.text) == [self._marks[key]]
        ]
        about = f"{kind} {number}"
        if told:
            self._told.add(key)
        if len(told) > 1:
            return Fault("the log says once that a place is gone", about, told[1].text)
        is_followed = any(
            each.guild_id == guild_id and each.place_id == number and not each.is_removed
            for each in self._subscriptions.of(kind)
        )
        is_due = self._looks.count > self._gone[kind, number] + _LOOKS
        is_due &= log[1] < self._town.game.gone[kind, number]
        if is_followed and is_due and not told:
            return Fault("the log says that a place is gone", about, f"server {guild_id}")
        return None
