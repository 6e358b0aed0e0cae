"""Who sees what of the forum: what a server hides, and what it holds back."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct, field

from storage.moderation import Hidden, Subject


class Vet(Protocol):
    """What a server watches for, in one of its channels."""

    async def look_through(self, texts: Sequence[str]) -> None:
        """Look through texts before anybody asks about them: many, or long ones, take a while."""
        ...

    def holds_back(self, subject: Subject) -> bool:
        """Return whether a comment's text is not to be shown; moderators learn of it."""
        ...


class Viewer(Struct, frozen=True):
    """A member looking at a screen in one place; ids are Discord's, but for the player's.

    `guild_id` is None outside a server, `player_id` where Kiosk doesn't know who the member is in
    the game; `locale` is the Discord locale of what they read. Of what is `hidden` in this server
    nothing is shown; `vet` is None where nothing is watched for.
    """

    member_id: int
    guild_id: int | None
    channel_id: int | None
    locale: str
    player_id: int | None
    hidden: Hidden = field(default_factory=Hidden)
    vet: Vet | None = None
