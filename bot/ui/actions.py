"""What a press means, written into the button itself, so that it outlives any restart.

An action is a frozen dataclass whose fields travel in a custom id. Buttons, selects and forms
carry actions; the router hands each to the one handler of its kind. discord.py keeps no view in
memory: cards are sent as finished views, and presses reach the router as plain interactions.
"""

import dataclasses
import enum
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar, cast

import discord
from discord import ui

from bot.errors import OldButton
from bot.i18n import speaking
from bot.ui.replies import answer_error

Interaction = discord.Interaction[Any]

_LONGEST_CUSTOM_ID = 100
_PREFIX = "kiosk."


@dataclasses.dataclass(frozen=True)
class Action:
    """What a press, a choice or a filled form means.

    A subclass names its `kind` and has fields of its own: int, str, bool or a string enum.
    """

    kind: ClassVar[str]

    def custom_id(self) -> str:
        """Write the action as a custom id: `kiosk.<kind>:<field>:<field>`."""
        fields = [_write(getattr(self, field.name)) for field in dataclasses.fields(self)]
        text = ":".join([_PREFIX + self.kind, *fields])
        if len(text) > _LONGEST_CUSTOM_ID:
            raise ValueError(f"{self.kind} does not fit into a custom id")
        return text

    @classmethod
    def read(cls, texts: Sequence[str]) -> Self:
        """Read the fields back. Raises ValueError where they are not this action's."""
        fields = dataclasses.fields(cls)
        if len(fields) != len(texts):
            raise ValueError(f"{cls.kind} has {len(fields)} fields, not {len(texts)}")
        values = [_read(field.type, text) for field, text in zip(fields, texts, strict=True)]
        return cls(*values)


def _write(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    text = value.value if isinstance(value, enum.StrEnum) else str(value)
    if ":" in text:
        raise ValueError("a field of a custom id can't hold a colon")
    return text


def _read(kind: object, text: str) -> object:
    if kind is bool:
        return text == "1"
    return cast("Callable[[str], object]", kind)(text)


@dataclasses.dataclass(frozen=True)
class Given:
    """What came with an action: values chosen in a select, texts filled into a form by name."""

    values: tuple[str, ...] = ()
    texts: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])


A = TypeVar("A", bound=Action)
Handler = Callable[[Interaction, A, Given], Awaitable[None]]


class ActionButton(ui.Button[Any]):
    """A button that carries an action."""

    def __init__(
        self,
        action: Action,
        label: str | None,
        *,
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        emoji: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(
            custom_id=action.custom_id(), label=label, style=style, emoji=emoji, disabled=disabled
        )


class ActionSelect(ui.Select[Any]):
    """A list to choose one entry from, that carries an action."""

    def __init__(
        self, action: Action, options: list[discord.SelectOption], *, placeholder: str
    ) -> None:
        super().__init__(custom_id=action.custom_id(), options=options, placeholder=placeholder)


class ActionForm(ui.Modal):
    """A form that carries an action; its fields are text inputs under labels."""

    def __init__(self, action: Action, *, title: str) -> None:
        super().__init__(title=title, custom_id=action.custom_id(), timeout=None)
        self.stop()

    def ask(self, label: str, field: ui.TextInput[Any], *, description: str | None = None) -> None:
        """Add a field; its custom id is its name in `Given.texts`."""
        self.add_item(ui.Label(text=label, description=description, component=field))


class Router:
    """Knows the handler of each kind of action."""

    def __init__(self) -> None:
        self._handlers: dict[str, tuple[type[Action], Handler[Any]]] = {}

    def handle(self, action: type[A], handler: Handler[A]) -> None:
        """Hand actions of this class to this handler from now on."""
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
        kind, *fields = custom_id.removeprefix(_PREFIX).split(":")
        if custom_id.startswith(_PREFIX) and kind in self._handlers:
            action, handler = self._handlers[kind]
            try:
                return action.read(fields), handler
            except ValueError:
                pass
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
