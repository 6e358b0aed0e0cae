"""What each kind of action and each command changes in the model, or "nothing"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tests.simulation.model import Model
    from tests.simulation.town import Deed

Effect = Callable[["Model", "Deed"], None]

# By the kind of an action, or a command with its slash; a form counts once it is sent.
EFFECTS: Mapping[str, Effect | Literal["nothing"]] = {
    # Accounts.
    "link": lambda model, deed: model.accounts.link(deed),
    "account.keep": "nothing",
    "unlink_now": lambda model, deed: model.accounts.unlink(deed),
    "erase": lambda model, deed: model.accounts.unlink(deed),
    "/account link": "nothing",
    "/account show": "nothing",
    # Reading.
    "help": "nothing",
    "/help": "nothing",
}
