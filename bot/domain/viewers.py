"""Who looks at the game's texts, and where."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from bot.domain.moderation import Subject


class Hidden:
    """What a server hides of the game's forum: comments, and all that some players write.

    It is as things are now: it changes while a viewer has it.
    """

    def __init__(self, comments: Iterable[int] = (), players: Iterable[int] = ()) -> None:
        self.comments = frozenset(comments)
        self.players = frozenset(players)

    def __bool__(self) -> bool:
        """Tell whether anything is hidden at all."""
        return bool(self.comments or self.players)

    def hides(self, comment_id: int, player_id: int | None) -> bool:
        """Return whether a comment, of this player, is not to be seen."""
        return comment_id in self.comments or player_id in self.players


class Vet(Protocol):
    """What a server watches for, in one of its channels."""

    def holds_back(self, subject: Subject) -> bool:
        """Return whether a comment's text is not to be shown; moderators learn of it."""
        ...


@dataclass(frozen=True)
class Viewer:
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
    hidden: Hidden = field(default_factory=Hidden, compare=False)
    vet: Vet | None = field(default=None, compare=False)
