"""What can be pressed about announcements."""

from dataclasses import dataclass
from typing import ClassVar

from bot.ui.actions import Action


@dataclass(frozen=True)
class AnnounceMissed(Action):
    """Announce what was missed after an event, while a subscription was paused."""

    kind: ClassVar[str] = "announce_missed"
    subscription_id: int
    after: int
