"""Remember which private cards of a thread a member has open, to bring them up to date."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import discord

from bot.ui.actions import Interaction
from cogs.forum.actions import ShowComment, ShowScreen

# Discord takes an interaction's edits for 15 minutes.
_EDITABLE = timedelta(minutes=14)
_MOST_VIEWS = 500
_MOST_OF_A_THREAD = 3


@dataclass(frozen=True)
class OpenView:
    """A private card: the interaction that can edit it, and what it shows."""

    interaction: Interaction
    action: ShowScreen | ShowComment


class OpenViews:
    """Private cards by the ids of their messages; lost at a restart, which does no harm."""

    def __init__(self) -> None:
        self._views: OrderedDict[int, OpenView] = OrderedDict()

    def remember(self, message_id: int, view: OpenView) -> None:
        """Note what a card shows now."""
        self._views[message_id] = view
        self._views.move_to_end(message_id)
        if len(self._views) > _MOST_VIEWS:
            self._views.popitem(last=False)

    def forget(self, message_id: int) -> None:
        """Note that a card shows something else now, or can't be edited."""
        self._views.pop(message_id, None)

    def of(self, member_id: int, thread_id: int) -> Sequence[tuple[int, OpenView]]:
        """Give a member's open cards of a thread, the newest first."""
        oldest = discord.utils.utcnow() - _EDITABLE
        found = [
            (message_id, view)
            for message_id, view in reversed(self._views.items())
            if view.interaction.user.id == member_id
            and view.action.thread_id == thread_id
            and view.interaction.created_at > oldest
        ]
        return found[:_MOST_OF_A_THREAD]
