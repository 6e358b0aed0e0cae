"""Count the steps of a job: a command, a press, a choice from a list or a form that is sent."""

from dataclasses import dataclass
from typing import Any

import simcord

from tests.support.cards import answer_of, buttons_of, selects_of, text_of
from tests.support.forms import fill_in
from tests.support.world import World


@dataclass
class Steps:
    """Someone's way over one card after the other. Each step gives the text that answers it."""

    world: World
    actor: simcord.MemberActor
    count: int = 0
    card: Any = None
    form: Any = None

    async def use(self, command: str, **options: Any) -> str:
        return self._look(await self.world.slash(command, self.actor, **options))

    async def press(self, label: str) -> str:
        pressed = buttons_of(self.card)[label]["custom_id"]
        return self._look(await self.actor.click(self.card, custom_id=pressed))

    async def choose(self, start: str) -> str:
        """Choose the first entry that starts so, of whichever list; " · " begins what it says."""
        custom_id, value = next(
            (listed["custom_id"], each["value"])
            for listed in selects_of(self.card)
            for each in listed["options"]
            if f"{each['label']} · {each.get('description', '')}".startswith(start)
        )
        return self._look(await self.actor.select(self.card, [value], custom_id=custom_id))

    async def send(self, **changes: Any) -> str:
        return self._look(await fill_in(self.actor, self.form, **changes))

    def _look(self, shown: simcord.InteractionResult) -> str:
        self.count += 1
        if shown.modal is not None:
            self.form = shown
            return ""
        self.card = answer_of(shown)
        return text_of(self.card)
