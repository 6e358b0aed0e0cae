"""Who is linked with which account of the game."""

from collections.abc import AsyncIterator

from tests.simulation.faults import Fault
from tests.simulation.town import Deed, Person, Town


class Accounts:
    """The token that Kiosk keeps of each member."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.tokens: dict[Person, str] = {}

    def link(self, deed: Deed) -> None:
        token = str(deed.values.get("token", ""))
        if not deed.is_refused and self._town.game.player_of(token) is not None:
            self.tokens[deed.who] = token

    def unlink(self, deed: Deed) -> None:
        if not deed.is_refused:
            self.tokens.pop(deed.who, None)

    async def faults(self) -> AsyncIterator[Fault]:
        return
        yield
