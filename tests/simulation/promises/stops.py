"""Whose reports a server takes no more, for a day."""

from datetime import datetime, timedelta

from bot.features.feature_errors import ReportsStopped
from bot.i18n import speaking, t
from tests.simulation.faults import Fault
from tests.simulation.town import Deed, Person, Town

_REPORTING = ("moderate.report_form", "menu Report comment")
_DAY = timedelta(days=1)
# How long a press takes on the clock.
_SLACK = timedelta(seconds=30)


class Stops:
    def __init__(self, town: Town) -> None:
        self._town = town
        # By server and member.
        self._until: dict[tuple[int, Person], datetime] = {}
        # Who may be stopped, or not; None for all of a server.
        self._unsure: set[tuple[int, Person | None]] = set()
        self.faults: list[Fault] = []

    def stop(self, deed: Deed, who: Person | None) -> None:
        """Note that a moderator dismissed what someone reported, and whether that stops them."""
        if deed.fields[4:5] != ("1",):
            return
        guild_id = deed.guild_id or 0
        if who is None or not deed.answers:
            self._unsure.add((guild_id, who))
        else:
            self._until[guild_id, who] = self._town.clock.now() + _DAY

    def erase(self, deed: Deed) -> None:
        """Let a member who has everything erased report again."""
        for guild_id, who in list(self._until):
            if who is deed.who:
                del self._until[guild_id, who]
                if deed.is_refused:
                    self._unsure.add((guild_id, who))

    def look(self, deed: Deed) -> None:
        """Check that no one who is stopped may report, and everyone else may."""
        if deed.kind not in _REPORTING or deed.guild_id is None:
            return
        until = self._until.get((deed.guild_id, deed.who))
        left = None if until is None else until - self._town.clock.now()
        is_let = deed.form is not None or (
            deed.kind == "moderate.report_form" and not deed.is_refused
        )
        if is_let and left is not None and left > _SLACK:
            self.faults.append(Fault("who is stopped reports nothing", deed.who.name, deed.kind))
        with speaking(deed.who.locale):
            is_refused = any(t(ReportsStopped.title) in card.text for card in deed.answers)
        is_unsure = not self._unsure.isdisjoint({(deed.guild_id, deed.who), (deed.guild_id, None)})
        if is_refused and not is_unsure and (left is None or left < -_SLACK):
            self.faults.append(Fault("who isn't stopped may report", deed.who.name, deed.kind))
