"""Forms: their fields, and what stood in one that was refused."""

import hashlib
import json
import typing
from collections import abc
from functools import partialmethod

import discord
from discord import ui

from bot.i18n import t
from bot.ui import actions, cards
from bot.ui.markdown import one_line

# Discord's limit.
LONGEST_TITLE = 45
_MOST_REMEMBERED = 500
T = typing.TypeVar("T")

# The values of each field by its name.
Filled = abc.Mapping[str, abc.Sequence[str]]


class OpenAgain(actions.Action, kind="again"):
    """Do what a folded press does, which opens a form, and fill it in as it was when refused."""

    number: int
    resume_id: str


class DoAgain(actions.Action, kind="do_again"):
    """Do what was asked for before, if Kiosk still remembers it: no button has room for it."""

    number: int


class Remembered(typing.Generic[T]):
    """Remembers one thing of each interaction, by its number, as long as there are few."""

    def __init__(self) -> None:
        self._kept: dict[int, T] = {}

    def keep(self, number: int, value: T) -> None:
        if len(self._kept) >= _MOST_REMEMBERED:
            del self._kept[next(iter(self._kept))]
        self._kept[number] = value

    def find(self, number: int) -> T | None:
        return self._kept.get(number)


class FormOption(typing.NamedTuple):
    value: str
    label: str
    is_chosen: bool = False


class ActionForm(ui.Modal):
    """A form whose id ends with a hash of what stands in it.

    Discord shows on phones what it first saw under an id, and keeps what somebody typed there.
    """

    def __init__(self, action: actions.Action, *, title: str) -> None:
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
        custom_id = self.custom_id.partition(actions.FORM_MARK)[0]
        # Only one that leads on to much else is longer, and nothing stands in that.
        if len(custom_id + actions.FORM_MARK + digest) <= actions.LONGEST_CUSTOM_ID:
            self.custom_id = custom_id + actions.FORM_MARK + digest

    def ask(
        self, label: str, field: ui.Item[typing.Any], *, description: str | None = None
    ) -> None:
        """Add a field; its custom id is its name in `Here.texts` and `Here.filled`."""
        self.add_item(ui.Label(text=label, description=description, component=field))

    def ask_text(
        self,
        label: str,
        name: str,
        description: str | None = None,
        *,
        longest: int,
        text: str = "",
        is_required: bool = True,
        style: discord.TextStyle = discord.TextStyle.paragraph,
    ) -> None:
        """Add a field of this name for a text; `text` stands in it already."""
        field: ui.TextInput[typing.Any] = ui.TextInput(
            custom_id=name,
            style=style,
            default=text or None,
            required=is_required,
            max_length=longest,
        )
        self.ask(label, field, description=description)

    ask_line = partialmethod(
        ask_text, longest=100, is_required=False, style=discord.TextStyle.short
    )

    def ask_channel(
        self,
        label: str,
        name: str,
        kinds: abc.Iterable[discord.ChannelType],
        *,
        chosen: int | None = None,
        description: str | None = None,
        is_required: bool = True,
    ) -> None:
        field: ui.ChannelSelect[typing.Any] = ui.ChannelSelect(
            custom_id=name,
            channel_types=[*kinds],
            required=is_required,
            min_values=int(is_required),
            default_values=_preset([chosen], discord.SelectDefaultValueType.channel),
        )
        self.ask(label, field, description=description)

    def ask_role(
        self,
        label: str,
        name: str,
        *,
        chosen: abc.Iterable[int | None] = (),
        most: int = 1,
        description: str | None = None,
        is_required: bool = False,
    ) -> None:
        field: ui.RoleSelect[typing.Any] = ui.RoleSelect(
            custom_id=name,
            required=is_required,
            min_values=int(is_required),
            max_values=most,
            placeholder=None if is_required else t("Nobody"),
            default_values=_preset(chosen, discord.SelectDefaultValueType.role),
        )
        self.ask(label, field, description=description)

    def ask_which(self, label: str, name: str, options: abc.Iterable[FormOption]) -> None:
        """Add checkboxes, of which at least one is to be set."""
        boxes = [
            discord.CheckboxGroupOption(
                label=option.label, value=option.value, default=option.is_chosen
            )
            for option in options
        ]
        field: ui.CheckboxGroup[typing.Any] = ui.CheckboxGroup(
            custom_id=name, options=boxes, min_values=1, max_values=len(boxes)
        )
        self.ask(label, field)

    def ask_one(self, label: str, name: str, options: abc.Iterable[FormOption]) -> None:
        """Add a choice of two to ten."""
        buttons = [
            discord.RadioGroupOption(
                label=option.label, value=option.value, default=option.is_chosen
            )
            for option in options
        ]
        self.ask(label, ui.RadioGroup[typing.Any](custom_id=name, options=buttons))

    def ask_from(
        self,
        label: str,
        name: str,
        options: abc.Iterable[FormOption],
        *,
        most: int = 1,
        is_required: bool = False,
        description: str | None = None,
    ) -> None:
        """Add a list of as many entries as Discord takes, of which so many can be chosen."""
        entries = {
            option.value: discord.SelectOption(
                label=one_line(option.label, cards.LONGEST_CHOICE, plain=True) or option.value,
                value=option.value,
                default=option.is_chosen,
            )
            for option in options
            if 0 < len(option.value) <= cards.LONGEST_CHOICE
        }
        field = ui.Select[typing.Any](
            custom_id=name,
            options=list(entries.values())[: cards.MOST_CHOICES],
            required=is_required,
            min_values=int(is_required),
            max_values=min(most, len(entries), cards.MOST_CHOICES),
        )
        self.ask(label, field, description=description)


def _fill(field: ui.Item[typing.Any], values: abc.Sequence[str]) -> None:
    match field:
        case ui.TextInput():
            # What was chosen in a list may be typed now, where there is no list any more.
            field.default = ", ".join(values) or None
        case ui.Checkbox():
            field.default = bool(values[0])
        case ui.ChannelSelect():
            field.default_values = _preset(values, discord.SelectDefaultValueType.channel)
        case ui.RoleSelect():
            field.default_values = _preset(values, discord.SelectDefaultValueType.role)
        case ui.Select() | ui.CheckboxGroup() | ui.RadioGroup():
            for option in field.options:
                option.default = option.value in values
        case _:
            pass


def _preset(
    chosen: abc.Iterable[int | str | None], kind: discord.SelectDefaultValueType
) -> list[discord.SelectDefaultValue]:
    return [discord.SelectDefaultValue(id=int(value), type=kind) for value in chosen if value]
