"""What Kiosk promises, held against what Discord shows and the game has, once the world rests."""

from collections.abc import AsyncIterator

from tests.simulation.effects import EFFECTS
from tests.simulation.faults import Fault
from tests.simulation.game import Comment
from tests.simulation.promises.accounts import Accounts
from tests.simulation.promises.cases import Cases
from tests.simulation.promises.decisions import Decisions
from tests.simulation.promises.policy import Policy
from tests.simulation.town import Deed, Town


class Model:
    """Reads the truth from the game and from what people did, never from Kiosk's tables."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.accounts = Accounts(town)
        self.policy = Policy(town)
        self.cases = Cases(town, self.policy)
        self.decisions = Decisions(town, self.policy, self.accounts)

    def note(self, deed: Deed) -> None:
        """Change what is promised by what somebody did."""
        self.policy.look(deed)
        self.cases.look(deed)
        self.decisions.look(deed)
        effect = EFFECTS.get(deed.kind, "nothing")
        if effect != "nothing":
            effect(self, deed)

    def hides(self, guild_id: int | None, comment: Comment) -> bool | None:
        """Tell whether a server hides a comment of the game, None where nobody can say."""
        return self.policy.hides(guild_id, comment)

    async def faults_at_rest(self) -> AsyncIterator[Fault]:
        """Yield what stands otherwise than Kiosk promises, once nothing is left to do."""
        for part in (self.policy, self.cases, self.decisions, self.accounts):
            async for fault in part.faults():
                yield fault
