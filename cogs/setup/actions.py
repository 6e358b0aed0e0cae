"""What the buttons, lists and forms of the setup card mean."""

from dataclasses import dataclass
from typing import ClassVar, Self

from bot.domain.names import PlaceKind
from bot.ui.actions import Action

# Stands for the colon that separates an action's fields.
_COLON = "\ue000"


@dataclass(frozen=True)
class OpenAddForm(Action):
    """Open the form that names a thread or catalog."""

    kind: ClassVar[str] = "setup.add_form"
    place: PlaceKind


@dataclass(frozen=True)
class SendName(Action):
    """A number and a name were typed."""

    kind: ClassVar[str] = "setup.add"
    place: PlaceKind


@dataclass(frozen=True)
class KeepName(Action):
    """Keep the name of what the game doesn't have."""

    kind: ClassVar[str] = "keep"
    place: PlaceKind
    game_id: int
    folded: str

    @classmethod
    def of(cls, place: PlaceKind, game_id: int, name: str) -> Self:
        """Return the action that keeps a name."""
        return cls(place, game_id, name.replace(":", _COLON))

    @property
    def name(self) -> str:
        """The name."""
        return self.folded.replace(_COLON, ":")


@dataclass(frozen=True)
class _OfPlace(Action):
    place: PlaceKind
    game_id: int


@dataclass(frozen=True)
class ShowNamed(_OfPlace):
    """Show what can be done with a name."""

    kind: ClassVar[str] = "setup.named"


@dataclass(frozen=True)
class OpenRenameForm(_OfPlace):
    """Open the form for another name."""

    kind: ClassVar[str] = "setup.rename_form"


@dataclass(frozen=True)
class SendNewName(_OfPlace):
    """Another name was typed."""

    kind: ClassVar[str] = "setup.rename"


@dataclass(frozen=True)
class RemoveName(_OfPlace):
    """Take a name away."""

    kind: ClassVar[str] = "setup.remove"


@dataclass(frozen=True)
class PostPanel(Action):
    """Post the panel in this channel."""

    kind: ClassVar[str] = "setup.panel"


@dataclass(frozen=True)
class RemovePanel(Action):
    """Take the panel away."""

    kind: ClassVar[str] = "setup.no_panel"
