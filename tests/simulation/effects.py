"""What each kind of action and each command changes in the model, or "nothing"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tests.simulation.model import Model
    from tests.simulation.town import Deed

Effect = Callable[["Model", "Deed"], object]

# By the kind of an action, or a command with its slash; a form counts once it is sent.
EFFECTS: Mapping[str, Effect | Literal["nothing"]] = {
    # Accounts.
    "link": lambda model, deed: (model.accounts.link(deed), model.decisions.relink(deed)),
    "account.keep": "nothing",
    "unlink_now": lambda model, deed: (model.accounts.unlink(deed), model.decisions.relink(deed)),
    "account.decisions": lambda model, deed: model.decisions.hear(deed),
    "erase": lambda model, deed: (
        model.accounts.unlink(deed),
        model.cases.erase(deed),
        model.decisions.relink(deed),
    ),
    "/account link": "nothing",
    "/account show": "nothing",
    # Moderation.
    "/moderate remove": lambda model, deed: _remove(model, deed),
    "moderate.remove": lambda model, deed: _remove(model, deed),
    "moderate.restore": lambda model, deed: _restore(model, deed),
    "/moderate restore": lambda model, deed: _restore(model, deed),
    "/moderate unmute": lambda model, deed: _restore(model, deed),
    "/moderate mute": lambda model, deed: (model.policy.mute(deed), model.cases.line(deed)),
    "moderate.mute": lambda model, deed: (model.policy.mute(deed), model.cases.line(deed)),
    "moderate.mute_now": lambda model, deed: (model.policy.mute_now(deed), model.cases.line(deed)),
    "moderate.mute_all": lambda model, deed: (model.policy.mute_all(deed), model.cases.line(deed)),
    "moderate.words": lambda model, deed: (
        model.policy.set_words(deed),
        model.cases.set_words(deed),
    ),
    "moderate.no_words": lambda model, deed: (
        model.policy.drop_words(deed),
        model.cases.line(deed),
    ),
    "moderate.release": lambda model, deed: (model.policy.release(deed), model.cases.decide(deed)),
    "moderate.dismiss": lambda model, deed: model.cases.decide(deed),
    "moderate.report": lambda model, deed: model.cases.report(deed),
    "moderate.rule": lambda model, deed: (
        model.policy.switch(deed),
        model.cases.line(deed),
        model.decisions.switch(deed),
    ),
    "setup.settings": lambda model, deed: model.cases.set_log(deed),
    "setup.off": lambda model, deed: model.cases.switch_off(deed),
    # A log channel that takes messages again is no other one.
    "setup.again": lambda model, deed: model.cases.line(deed),
    # It is drawn again what Discord didn't delete.
    "moderate.again": "nothing",
    "moderate.remove_form": "nothing",
    "moderate.mute_form": "nothing",
    "moderate.report_form": "nothing",
    "moderate.words_form": "nothing",
    "moderate.try_form": "nothing",
    "moderate.try": "nothing",
    "moderate.export": "nothing",
    "moderate.rules": "nothing",
    "moderate.queue": "nothing",
    "moderate.next": "nothing",
    "moderate.latest": "nothing",
    "moderate.page": "nothing",
    "/moderate rules": "nothing",
    "/moderate queue": "nothing",
    "/moderate log": "nothing",
    "menu Remove comment": "nothing",
    "menu Report comment": "nothing",
    # Reading.
    "help": "nothing",
    "/help": "nothing",
}


def _remove(model: Model, deed: Deed) -> None:
    removed = model.policy.remove(deed)
    model.cases.remove(deed, is_new=removed is not None)
    if removed is not None:
        model.decisions.remove(deed, removed)


def _restore(model: Model, deed: Deed) -> None:
    restored = model.policy.restore(deed)
    model.cases.restore(deed, restored)
    if restored is not None and restored[0] == "comment":
        model.decisions.restore(restored[1])
