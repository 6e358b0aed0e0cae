"""Forms: their fields, and the input of a form that was refused."""

import hashlib
import json
import typing
from collections import abc

import discord
from discord import ui

from bot.ui import custom_ids

# Discord's limit.
MAX_TITLE_LENGTH = 45
_MAX_REMEMBERED = 500
T = typing.TypeVar("T")

# The values of each field by its name.
Filled = abc.Mapping[str, abc.Sequence[str]]


class OpenAgain(custom_ids.Action, kind="again"):
    """Open the form of a folded press, filled in as it was when refused."""

    number: int
    resume_id: custom_ids.Folded


class DoAgain(custom_ids.Action, kind="do_again"):
    """Repeat an interrupted command or press, if Kiosk remembers it: no button has room for it."""

    number: int


class Remembered(typing.Generic[T]):
    """Remembers one value for each interaction, by its number. The oldest are dropped."""

    def __init__(self) -> None:
        self._kept: dict[int, T] = {}

    def keep(self, number: int, value: T) -> None:
        if len(self._kept) >= _MAX_REMEMBERED:
            del self._kept[next(iter(self._kept))]
        self._kept[number] = value

    def find(self, number: int) -> T | None:
        return self._kept.get(number)


class ActionForm(ui.Modal):
    """A form whose id ends with a hash of its content.

    On phones, Discord shows the content it first saw under an id, and keeps what was typed there.
    """

    def __init__(self, action: custom_ids.Action, *, title: str) -> None:
        super().__init__(title=title, custom_id=action.custom_id(), timeout=None)
        self.stop()

    def fill(self, filled: Filled) -> None:
        labels = (item for item in self.children if isinstance(item, ui.Label))
        for field in (label.component for label in labels):
            values = filled.get(getattr(field, "custom_id", ""))
            if values is not None:
                _fill(field, values)
        self._mark()

    def add_item(self, item: ui.Item[typing.Any]) -> typing.Self:
        super().add_item(item)
        self._mark()
        return self

    def _mark(self) -> None:
        content = json.dumps([self.title, self.to_components()], default=str)
        digest = hashlib.blake2b(content.encode(), digest_size=3).hexdigest()
        custom_id = self.custom_id.partition(custom_ids.FORM_MARK)[0]
        # Only the id of a form that leads on to another press is longer, and that form is empty.
        if len(custom_id + custom_ids.FORM_MARK + digest) <= custom_ids.MAX_CUSTOM_ID_LENGTH:
            self.custom_id = custom_id + custom_ids.FORM_MARK + digest

    def ask(
        self, label: str, field: ui.Item[typing.Any], *, description: str | None = None
    ) -> None:
        """Add a field. Its custom id is its name in `Here.filled`."""
        self.add_item(ui.Label(text=label, description=description, component=field))


def _fill(field: ui.Item[typing.Any], values: abc.Sequence[str]) -> None:
    match field:
        case ui.TextInput():
            # A value chosen from a list may have to be typed now, if there is no list any more.
            field.default = ", ".join(values) or None
        case ui.Checkbox():
            field.default = bool(values[0])
        case ui.ChannelSelect():
            field.default_values = preset(values, discord.SelectDefaultValueType.channel)
        case ui.RoleSelect():
            field.default_values = preset(values, discord.SelectDefaultValueType.role)
        case ui.Select() | ui.CheckboxGroup() | ui.RadioGroup():
            for option in field.options:
                option.default = option.value in values
        case _:
            pass


def preset(
    chosen: abc.Iterable[int | str | None], kind: discord.SelectDefaultValueType
) -> list[discord.SelectDefaultValue]:
    return [discord.SelectDefaultValue(id=int(value), type=kind) for value in chosen if value]
