"""Hand every press, choice and filled form to the one handler of its kind."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar, cast

from bot.errors import OldButton
from bot.i18n import speaking
from bot.ui.actions import Action, Given, Handler, Interaction, split_custom_id
from bot.ui.replies import answer_error

A = TypeVar("A", bound=Action)


class Router:
    """Knows the handler of each kind of action."""

    def __init__(self) -> None:
        self._handlers: dict[str | None, tuple[type[Action], Handler[Any]]] = {}

    def handle(self, action: type[A], handler: Handler[A]) -> None:
        """Hand actions of this class to this handler from now on.

        Raises ValueError for a kind that another class has: buttons could not tell them apart.
        """
        known, _ = self._handlers.get(action.kind, (action, None))
        # Compared by name, since a reloaded cog brings its classes anew.
        if (known.__module__, known.__name__) != (action.__module__, action.__name__):
            raise ValueError(f"{action.kind} is the kind of two actions")
        self._handlers[action.kind] = (action, handler)

    async def dispatch(self, interaction: Interaction) -> None:
        """Answer a press, a choice or a filled form; every failure becomes a sentence."""
        data = cast("Mapping[str, Any]", interaction.data or {})
        with speaking(interaction.locale):
            try:
                action, handler = self._find(str(data.get("custom_id", "")))
                await handler(interaction, action, _given(data))
            except Exception as error:  # noqa: BLE001 - whatever it is, the member is told
                await answer_error(interaction, error)

    def _find(self, custom_id: str) -> tuple[Action, Handler[Any]]:
        kind, fields = split_custom_id(custom_id)
        if kind in self._handlers:
            action, handler = self._handlers[kind]
            with suppress(ValueError):
                return action.read(fields), handler
        raise OldButton


def _given(data: Mapping[str, Any]) -> Given:
    return Given(
        values=tuple(data.get("values", ())),
        texts=dict(_filled(data.get("components", ()))),
    )


def _filled(components: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    for component in components:
        if "component" in component:
            yield from _filled([component["component"]])
        yield from _filled(component.get("components", ()))
        if isinstance(component.get("value"), str):
            yield str(component["custom_id"]), component["value"]
