"""What the buttons, lists and forms of the setup card mean."""

from typing import Self

from bot.domain.names import PlaceKind
from bot.ui.actions import Action

# Stands for the colon that separates an action's fields.
_COLON = "\ue000"


class OpenAddForm(Action, kind="setup.add_form"):
    """Open the form that names a thread or catalog."""

    place: PlaceKind


class SendName(Action, kind="setup.add"):
    """A number and a name were typed."""

    place: PlaceKind


class KeepName(Action, kind="keep"):
    """Keep the name of what the game doesn't have."""

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


class _OfPlace(Action):
    place: PlaceKind
    game_id: int


class ShowNamed(_OfPlace, kind="setup.named"):
    """Show what can be done with a name."""


class OpenRenameForm(_OfPlace, kind="setup.rename_form"):
    """Open the form for another name."""


class SendNewName(_OfPlace, kind="setup.rename"):
    """Another name was typed."""


class RemoveName(_OfPlace, kind="setup.remove"):
    """Take a name away."""


class PostPanel(Action, kind="setup.panel"):
    """Post the panel in this channel."""


class RemovePanel(Action, kind="setup.no_panel"):
    """Take the panel away."""
