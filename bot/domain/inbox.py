"""A message that waits for a member's next command."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Message:
    """A title and a body in Discord's markdown, in the member's language when it was written."""

    id: int
    title: str
    body: str
    created_at: datetime
