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
    # Moderation.
    "/moderate remove": lambda model, deed: model.policy.remove(deed),
    "moderate.remove": lambda model, deed: model.policy.remove(deed),
    "moderate.restore": lambda model, deed: model.policy.restore(deed),
    "/moderate restore": lambda model, deed: model.policy.restore(deed),
    "/moderate unmute": lambda model, deed: model.policy.restore(deed),
    "/moderate mute": lambda model, deed: model.policy.mute(deed),
    "moderate.mute": lambda model, deed: model.policy.mute(deed),
    "moderate.mute_now": lambda model, deed: model.policy.mute_now(deed),
    "moderate.mute_all": lambda model, deed: model.policy.mute_all(deed),
    "moderate.words": lambda model, deed: model.policy.set_words(deed),
    "moderate.no_words": lambda model, deed: model.policy.drop_words(deed),
    "moderate.release": lambda model, deed: model.policy.release(deed),
    "moderate.rule": lambda model, deed: model.policy.switch(deed),
    "moderate.remove_form": "nothing",
    "moderate.mute_form": "nothing",
    "moderate.words_form": "nothing",
    "moderate.try_form": "nothing",
    "moderate.try": "nothing",
    "moderate.export": "nothing",
    "moderate.rules": "nothing",
    "/moderate rules": "nothing",
    "menu Remove comment": "nothing",
    # Reading.
    "help": "nothing",
    "/help": "nothing",
}
