"""Who looks at the game's texts, and where."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Viewer:
    """A member looking at a screen in one place; ids are Discord's, but for the player's.

    `guild_id` is None outside a server, `player_id` where Kiosk doesn't know who the member is in
    the game; `locale` is the Discord locale of what they read. Of the comments that are `hidden`
    in this server nothing is shown.
    """

    member_id: int
    guild_id: int | None
    channel_id: int | None
    locale: str
    player_id: int | None
    hidden: frozenset[int] = frozenset()
