"""A member's link to their game account."""

from dataclasses import dataclass, field
from datetime import datetime

from pydantic import SecretStr


@dataclass(frozen=True)
class Link:
    """A member's game account: who they are in Discord, and the token that acts for them.

    `token_key` is a keyed hash of the token, by which two links to one account are known.
    """

    member_id: int
    token: SecretStr
    is_refused: bool
    linked_at: datetime
    player_id: int | None
    player_name: str | None
    token_key: str
    sealed: bytes = field(repr=False)
