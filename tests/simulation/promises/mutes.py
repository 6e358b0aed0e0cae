"""The list of who is muted in a server, and until when."""

import re
from collections.abc import AsyncIterator, Iterator

from tests.simulation.faults import Fault
from tests.simulation.promises.policy import FOR_GOOD, SLACK, Policy
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

_NUMBERS = re.compile(r"\d+")
_MOMENTS = re.compile(r"<t:(\d+)")


class Mutes:
    def __init__(self, town: Town, policy: Policy) -> None:
        self._town = town
        self._policy = policy
        self._faults: list[Fault] = []

    def look_at_list(self, deed: Deed) -> None:
        """Look at a page of the list, once what the press has ended is known."""
        if deed.values.get("player") or deed.guild_id is None:
            return
        for card in deed.answers:
            if not card.is_problem:
                self._faults += self._wrong_with(deed.guild_id, card)

    async def faults(self) -> AsyncIterator[Fault]:
        for fault in self._faults:
            yield fault
        self._faults.clear()

    def _wrong_with(self, guild_id: int, card: Card) -> Iterator[Fault]:
        server = self._policy.servers[guild_id]
        if server.is_unsure:
            return
        states = {number: self._policy.is_muted(mute) for number, mute in server.mutes.items()}
        states |= dict.fromkeys(server.unsure_players)
        least = {number for number, state in states.items() if state}
        most = {number for number, state in states.items() if state is not False}
        listed = [
            self._policy.removals.get(control.fields[0], ("", 0))
            for control in card.controls
            if control.kind == "moderate.unmute"
        ]
        numbers = _NUMBERS.findall(card.text.partition("\n")[0]) if listed else []
        count = int(numbers[0]) if numbers else len(listed)
        # A rule may have muted others.
        if count < len(least) or (count > len(most) and not server.has_repeated):
            how = f"{count}, not {sorted(least)} to {sorted(most)}: {card.text}"
            yield Fault("the list has who is muted", f"server {guild_id}", how)
        moments = [int(moment) for moment in _MOMENTS.findall(card.text)]
        for what, number in listed:
            if what != "player":
                continue
            if number not in most and not server.has_repeated:
                yield Fault("the list has nobody who isn't muted", f"player {number}", card.text)
            until = server.mutes[number].until if number in least else None
            if until is None or until == FOR_GOOD:
                continue
            if all(abs(until.timestamp() - at) > SLACK.total_seconds() for at in moments):
                yield Fault("the list says until when", f"player {number}", f"{until}: {card.text}")
