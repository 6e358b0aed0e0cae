"""What members share: cards of one shape, which whoever shared them can take back."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Self

from bot.errors import NotYourShare
from bot.i18n import t
from bot.ui.actions import Action, action_button
from bot.ui.answers import Interaction, take_away
from bot.ui.cards import Button, Card
from bot.ui.router import Press, route
from bot.ui.text import cut

_NAME_ROOM = 60


class TakeBack(Action, kind="take_back"):
    """Take back what a member has shared."""

    member_id: int


def take_back_button(member_id: int) -> Button:
    """Offer to take a public card back, to the member who posted it."""
    return action_button(TakeBack(member_id), t("Take back"))


class Sharer(NamedTuple):
    """A member who shares: Discord's id, and their name there."""

    member_id: int
    name: str

    @classmethod
    def of(cls, interaction: Interaction) -> Self:
        """Return whoever pressed."""
        return cls(interaction.user.id, interaction.user.display_name)


def finish_shared(card: Card, sharer: Sharer, *buttons: Button) -> Card:
    """Add what stands on every shared card, with up to four buttons of its own."""
    card.buttons(*buttons, take_back_button(sharer.member_id))
    member = cut(sharer.name, _NAME_ROOM)
    card.say("-# " + t("Shared by %(member)s. Only you see where a button leads.", member=member))
    return card


def press_name(interaction: Interaction) -> str:
    """Return what names a press: the same button of the same card has the same name."""
    card = interaction.message.id if interaction.message else interaction.id
    data: Any = interaction.data or {}
    return f"{card}:{data.get('custom_id', '')}"


class SharedCards:
    """Answers "Take back" on any card; `forget` is called with the id of the message."""

    def __init__(self, forget: Callable[[int], Awaitable[None]]) -> None:
        self._forget = forget

    @route(TakeBack)
    async def on_take_back(self, press: Press[TakeBack]) -> None:
        """Delete the message at its sharer's wish."""
        message = press.interaction.message
        if press.member_id != press.action.member_id or message is None:
            raise NotYourShare
        await take_away(press.interaction)
        await self._forget(message.id)
