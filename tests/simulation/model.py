"""What Kiosk promises, held against what Discord shows and the game has, once the world rests."""

from collections.abc import AsyncIterator
from typing import Any

from tests.simulation.effects import EFFECTS
from tests.simulation.faults import Fault
from tests.simulation.promises.accounts import Accounts
from tests.simulation.promises.announced import Announced
from tests.simulation.promises.cases import Cases
from tests.simulation.promises.channels import Channels
from tests.simulation.promises.decisions import Decisions
from tests.simulation.promises.exports import Exports
from tests.simulation.promises.hidden import Hidden
from tests.simulation.promises.looks import Looks
from tests.simulation.promises.mutes import Mutes
from tests.simulation.promises.orders import Orders
from tests.simulation.promises.panels import Panels
from tests.simulation.promises.places import Places
from tests.simulation.promises.policy import Policy
from tests.simulation.promises.reading import Reading
from tests.simulation.promises.roles import Roles
from tests.simulation.promises.subscriptions import Subscriptions
from tests.simulation.promises.texts import Texts
from tests.simulation.promises.told import Told
from tests.simulation.promises.watches import Watches
from tests.simulation.town import Deed, Town


class Model:
    """Reads the truth from the game and from what people did, never from Kiosk's tables."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.accounts = Accounts(town)
        self.policy = Policy(town)
        self.hidden = Hidden(town, self.policy)
        self.cases = Cases(town, self.policy, self.hidden)
        self.mutes = Mutes(town, self.policy)
        self.decisions = Decisions(town, self.policy, self.accounts)
        self.told = Told(town, self.policy.hides, self.policy.hidden_since, self.accounts)
        self.texts = Texts(town, self.accounts)
        self.reading = Reading(town, self.policy.leaves_out)
        self.looks = Looks(town)
        self.subscriptions = Subscriptions(town, self.looks)
        self.places = Places(town, self.looks, self.subscriptions, self.cases)
        self.channels = Channels(
            town,
            self.looks,
            self.subscriptions,
            self.told,
            self.policy.hides,
            self.policy.may_take_away,
            self.policy.may_have_hidden,
        )
        self.announced = Announced(town, self.looks, self.subscriptions)
        self.panels = Panels(town, self.looks)
        self.orders = Orders(town, self.accounts)
        self.watches = Watches(town, self.accounts, self.looks)
        self.roles = Roles(town, self.accounts)
        self.exports = Exports(
            *(town, self.accounts, self.texts, self.orders, self.looks),
            *(self.subscriptions, self.watches, self.told, self.roles),
        )

    def note(self, deed: Deed) -> None:
        """Update the promises after something that a member did."""
        self.looks.note()
        for part in (
            *(self.policy, self.hidden, self.cases, self.decisions, self.told),
            *(self.reading, self.texts, self.subscriptions, self.panels),
            *(self.places, self.orders, self.watches, self.accounts, self.roles),
        ):
            part.look(deed)
        # A form that was opened changes nothing until it is sent.
        for effect in EFFECTS[deed.kind] if deed.form is None else ():
            part, _, name = effect.rpartition(".")
            change: Any = getattr(getattr(self, part) if part else self, name)
            change(deed)
        self.exports.note(deed)

    def remove(self, deed: Deed) -> None:
        """A comment is removed, which its writer may be told."""
        removed = self.policy.remove(deed)
        self.channels.hide(deed)
        self.cases.remove(deed, is_new=removed is not None)
        if removed is not None:
            self.decisions.remove(deed, removed)

    def restore(self, deed: Deed) -> None:
        """A removal or a mute is undone."""
        if deed.kind == "/moderate unmute" and not deed.values.get("player"):
            # That lists who is muted.
            return
        restored = self.policy.restore(deed)
        self.cases.restore(deed, restored)
        if restored is not None and restored[0] == "comment":
            self.decisions.restore(restored[1])

    def post_again(self, deed: Deed) -> None:
        """A restored comment is posted in its channel again."""
        what, number = self.policy.removals.get(deed.fields[0], ("", 0))
        if what == "comment":
            self.channels.post_again(deed, number)

    def subscribe(self, deed: Deed) -> None:
        """Subscribe a channel to news from now on: what already exists is no news."""
        if deed.kind == "an.edit":
            self.subscriptions.edit(deed)
        elif deed.kind == "an.form":
            self.subscriptions.announce(deed)
        else:
            self.subscriptions.follow(deed)
        self.channels.begin()
        self.announced.begin()

    def look(self) -> list[Fault]:
        """Know what the game and Discord have after a step; return what was done wrongly."""
        self.policy.look_at_game()
        self.told.look_at_game()
        self.texts.look_at_game()
        self.watches.look_at_game()
        self.orders.look_at_game()
        return [
            *self.accounts.faults_after_step(),
            *self.roles.faults_after_step(),
            *self.exports.faults_after_step(),
        ]

    async def faults_at_rest(self) -> AsyncIterator[Fault]:
        """Yield what stands otherwise than Kiosk promises, once nothing is left to do."""
        self.looks.advance()
        for part in (
            *(self.hidden, self.cases, self.mutes, self.decisions, self.told),
            *(self.places, self.reading, self.texts, self.channels, self.announced, self.panels),
            *(self.orders, self.watches, self.roles),
        ):
            async for fault in part.faults():
                yield fault
