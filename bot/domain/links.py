"""A member's link to their game account."""

from dataclasses import dataclass, field
from datetime import datetime

from pydantic import SecretStr


@dataclass(frozen=True)
class Link:
    """A member's game account: who they are in Discord, and the token that acts for them."""

    member_id: int
    token: SecretStr
    is_refused: bool
    linked_at: datetime
    player_id: int | None
    player_name: str | None
    sealed: bytes = field(repr=False)
