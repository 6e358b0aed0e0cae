"""Panels: one card in each server that has one, of the places that have names today."""

from collections.abc import AsyncIterator, Iterator

from tests.simulation.faults import Fault
from tests.simulation.promises.looks import Looks
from tests.simulation.promises.subscriptions import CATALOG, THREAD
from tests.simulation.seen import Card
from tests.simulation.town import Deed, Town

_FIELD = "panel_channel_id"
# Stand together on a panel, and on nothing else that Kiosk posts by itself.
_ON_A_PANEL = frozenset({"my_orders", "show_link", "help"})
_MAX_LISTED = 25
# Change a panel, or the names on it.
_CHANGING = (
    "setup.form",
    "setup.off",
    "/setup thread",
    "/setup catalog",
    "setup.add_form",
    "setup.rename_form",
    "setup.remove",
    "keep",
)


class Panels:
    def __init__(self, town: Town, looks: Looks) -> None:
        self._town = town
        self._looks = looks
        # By server: the channel, and the names of threads and catalogs by their numbers.
        self._channels: dict[int, int | None] = {}
        self.names: dict[tuple[int, str], dict[int, str]] = {}
        # How many messages someone else had deleted when it was set: it may be among the next.
        self._deleted: dict[int, int] = {}
        self._unsure: set[int | None] = set()

    def look(self, deed: Deed) -> None:
        """Stop judging a server if Kiosk couldn't say whether a change was made."""
        if deed.kind in _CHANGING and not deed.answers and deed.form is None:
            self._unsure.add(deed.guild_id)

    def set(self, deed: Deed) -> None:
        """Note the channel of a panel that the form named; empty, Kiosk asks first."""
        chosen = deed.values.get(_FIELD)
        if deed.guild_id is not None and chosen and not _is_refused(deed):
            self._channels[deed.guild_id] = int(chosen[0].id)
            self._deleted[deed.guild_id] = len(self._town.deleted)
            self._looks.settle(int(chosen[0].id))

    def switch_off(self, deed: Deed) -> None:
        if deed.guild_id is not None and _FIELD in deed.fields[0].split(","):
            self._channels.pop(deed.guild_id, None)

    def name(self, deed: Deed) -> None:
        """Note the name of a place: the answer says which place it is."""
        named = next(
            filter(None, (card.control("setup.rename_form") for card in deed.answers)), None
        )
        if named is not None and deed.guild_id is not None:
            kind, number = named.fields
            typed = str(deed.values.get("name") or "")
            self.names.setdefault((deed.guild_id, kind), {})[int(number)] = typed

    def remove(self, deed: Deed) -> None:
        if deed.guild_id is not None and not deed.is_refused:
            kind, number = deed.fields
            self.names.get((deed.guild_id, kind), {}).pop(int(number), None)

    async def faults(self) -> AsyncIterator[Fault]:
        for guild in self._town.guilds:
            if guild.id in self._unsure:
                continue
            panels = [
                card
                for cards in self._town.sight.posted(guild.id).values()
                for card in cards
                if {control.kind for control in card.controls} >= _ON_A_PANEL
            ]
            for fault in self._faults_of(guild.id, panels):
                yield fault

    def _faults_of(self, guild_id: int, panels: list[Card]) -> Iterator[Fault]:
        channel_id = self._channels.get(guild_id)
        if not all(self._looks.is_sure(card.home_id) for card in panels):
            return
        if channel_id is not None and not self._looks.is_sure(channel_id):
            return
        about = f"server {[guild.id for guild in self._town.guilds].index(guild_id)}"
        there = [card for card in panels if card.home_id == channel_id]
        if len(panels) > len(there) or len(there) > 1:
            yield Fault("a server has one panel, where it was set", about, f"{len(panels)}")
        may_be_deleted = len(self._town.deleted) > self._deleted.get(guild_id, 0)
        if channel_id is not None and not there and not may_be_deleted:
            yield Fault("a server has its panel", about)
        for card in there:
            for kind in (THREAD, CATALOG):
                yield from self._wrong_list(card, kind, about)

    def _wrong_list(self, card: Card, kind: str, about: str) -> Iterator[Fault]:
        names = self.names.get((card.guild_id or 0, kind), {})
        listed = {int(one.fields[0]) for one in card.controls if one.kind == kind}
        if len(names) <= _MAX_LISTED and listed != names.keys():
            how = f"{sorted(listed)}, not {sorted(names)}"
            yield Fault("a panel lists what has a name", f"{about}, {kind}", how)
        for name in names.values():
            is_plain = name.isascii() and name.replace(" ", "").isalnum()
            if is_plain and name not in card.text:
                yield Fault("a panel lists each by its name", f"{about}, {kind}", name)


def _is_refused(deed: Deed) -> bool:
    """Tell whether a form was refused: else what comes is /setup show, whatever its colour."""
    return not any(card.control("setup") or card.control("setup.form") for card in deed.answers)
