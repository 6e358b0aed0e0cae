"""Hand every press, choice and filled form to the handler that is marked for its action."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

from msgspec import Struct

from bot.errors import OldButton
from bot.ui.actions import Action, pressed, read_number, split_custom_id, unfold
from bot.ui.answers import Interaction, acknowledge, finish
from bot.ui.cards import Component, parts_of
from bot.ui.error_cards import answer_error, ask_to_wait
from bot.ui.incoming import Incoming
from bot.ui.shared_actions import GoOn

A = TypeVar("A", bound=Action)
_MARK = "_kiosk_route"


class Press(Struct, Generic[A], frozen=True):
    """An action that was pressed, and what came with it.

    `member_id` is who pressed, as Discord's user id. `values` are those chosen in a select, `texts`
    those filled into a form, by their fields' names.
    """

    interaction: Interaction
    member_id: int
    action: A
    values: tuple[str, ...] = ()
    texts: Mapping[str, str] = {}

    @property
    def value(self) -> str:
        """The entry chosen in a select. Raises OldButton where there is none."""
        if not self.values:
            raise OldButton
        return self.values[0]

    @property
    def number(self) -> int:
        """The entry chosen in a select, whose entries are numbers. Raises OldButton for others."""
        with suppress(ValueError):
            return read_number(self.value)
        raise OldButton

    def text(self, field: str) -> str:
        """Return what a form's field holds that can't be left empty. Raises OldButton without."""
        if field not in self.texts:
            raise OldButton
        return self.texts[field]


Handler = Callable[[Any, Press[A]], Awaitable[None]]
Answer = Callable[[Press[Any]], Awaitable[None]]


class _Mark(Struct, frozen=True):
    actions: tuple[type[Action], ...]
    opens_form: bool
    in_place: bool
    keeps: bool


def route(
    *actions: type[A],
    opens_form: bool = False,
    in_place: bool = True,
    keeps: bool = False,
) -> Callable[[Handler[A]], Handler[A]]:
    """Mark a method as the handler of these actions.

    Presses are acknowledged before it is called (see `answers.acknowledge`), unless it may open a
    form, which must be the first answer. One that `keeps` what was sent or confirmed is given the
    time to write it down first.
    """

    def mark(handler: Handler[A]) -> Handler[A]:
        setattr(handler, _MARK, _Mark(actions, opens_form, in_place, keeps))
        return handler

    return mark


class Router:
    """Knows the handler of each action."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming
        self._routes: dict[
            str | None, tuple[type[Action], _Mark, Callable[..., Awaitable[None]]]
        ] = {}
        self.add(self)

    def add(self, *owners: object) -> None:
        """Route presses to the marked methods of these objects from now on.

        Raises ValueError for a kind that another action has: buttons could not tell them apart.
        """
        for owner in owners:
            for _, handler in inspect.getmembers(owner, inspect.ismethod):
                mark: _Mark | None = getattr(handler, _MARK, None)
                if mark is None:
                    continue
                for action in mark.actions:
                    known, *_ = self._routes.get(action.kind, (action,))
                    if known is not action:
                        raise ValueError(f"{action.kind} is the kind of two actions")
                    self._routes[action.kind] = (action, mark, handler)

    def name_of(self, interaction: Interaction) -> str:
        """Return what was pressed or filled in, as its action is called in the code."""
        data = cast("Mapping[str, Any]", interaction.data or {})
        name, _ = split_custom_id(str(data.get("custom_id", "")))
        return self._routes[name][0].__name__ if name in self._routes else "unknown"

    async def dispatch(self, interaction: Interaction) -> None:
        """Answer a press, a choice or a filled form; every failure becomes a sentence."""
        if not await self._incoming.begin(interaction):
            await ask_to_wait(interaction, self._incoming.why_not)
            return
        data = cast("Mapping[str, Any]", interaction.data or {})
        try:
            action, mark, handler = self._find(pressed(data))
            if not mark.opens_form:
                acknowledge(interaction, in_place=mark.in_place, keeps=mark.keeps)
            texts = _filled(data["components"]) if "components" in data else {}
            values = tuple(data.get("values", ()))
            await handler(Press(interaction, interaction.user.id, action, values, texts))
        except Exception as error:  # noqa: BLE001 - whatever it is, the member is told
            await answer_error(interaction, error)
        finally:
            await finish(interaction)
            self._incoming.end(interaction)

    def opens_form(self, then: str) -> bool:
        """Return whether a folded press opens a form, which no other form may lead to."""
        _, mark, _ = self._find(unfold(then))
        return mark.opens_form

    async def go_on(self, interaction: Interaction, then: str) -> None:
        """Do what a folded press would have done, with an interaction that was not that press.

        Raises OldButton, and what its handler raises.
        """
        action, _, handler = self._find(unfold(then))
        await handler(Press(interaction, interaction.user.id, action))

    @route(GoOn, opens_form=True)
    async def on_go_on(self, press: Press[GoOn]) -> None:
        """Open the form that was meant."""
        await self.go_on(press.interaction, press.action.then)

    def _find(self, custom_id: str) -> tuple[Action, _Mark, Answer]:
        name, fields = split_custom_id(custom_id)
        if name in self._routes:
            action, mark, handler = self._routes[name]
            with suppress(ValueError):
                return action.read(fields), mark, handler
        raise OldButton


def _filled(components: Iterable[Component]) -> dict[str, str]:
    """Return what was filled into the fields of a form, by their names."""
    texts: dict[str, str] = {}
    for field in parts_of(components):
        match field.get("values") or field.get("value"):
            case str(text) | [str(text), *_]:
                texts[field["custom_id"]] = text
            case bool(is_set):
                texts[field["custom_id"]] = "1" if is_set else ""
            case _:
                pass
    return texts
