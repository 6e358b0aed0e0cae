"""Types of form fields: each adds its field to a form, and reads what was filled in."""

import typing
from collections import abc
from enum import StrEnum

import discord
from discord import ui
from msgspec import Struct

from bot import errors
from bot.features.feature_errors import EveryoneChosen
from bot.i18n import t
from bot.ui import drawing, forms
from bot.ui.here import Here
from bot.ui.markdown import one_line

E = typing.TypeVar("E", bound=StrEnum)


class TextInput(Struct, frozen=True):
    """A text of at most `longest` characters, on one line or several."""

    name: str
    longest: int = 100
    is_line: bool = False
    is_required: bool = False

    def ask(
        self, form: forms.ActionForm, label: str, hint: str | None = None, *, text: str = ""
    ) -> None:
        """Add the field, filled with `text`."""
        field: ui.TextInput[typing.Any] = ui.TextInput(
            custom_id=self.name,
            style=discord.TextStyle.short if self.is_line else discord.TextStyle.paragraph,
            default=text or None,
            required=self.is_required,
            max_length=self.longest,
        )
        form.ask(label, field, description=hint)

    def read(self, here: Here) -> str:
        """Return what was typed, "" for nothing. A line has no spaces around it."""
        text = here.first_of(self.name)
        return text.strip() if self.is_line else text


class Channel(Struct, frozen=True):
    name: str
    kinds: abc.Sequence[discord.ChannelType]
    is_required: bool = True

    def ask(
        self,
        form: forms.ActionForm,
        label: str,
        hint: str | None = None,
        *,
        chosen: int | None = None,
    ) -> None:
        field: ui.ChannelSelect[typing.Any] = ui.ChannelSelect(
            custom_id=self.name,
            channel_types=[*self.kinds],
            required=self.is_required,
            min_values=int(self.is_required),
            default_values=forms.preset([chosen], discord.SelectDefaultValueType.channel),
        )
        form.ask(label, field, description=hint)

    def read(self, here: Here) -> int | None:
        text = here.first_of(self.name)
        return int(text) if text.isdecimal() else None


class Roles(Struct, frozen=True):
    """Up to `most` roles."""

    name: str
    most: int = 1
    is_required: bool = False

    def ask(
        self,
        form: forms.ActionForm,
        label: str,
        hint: str | None = None,
        *,
        chosen: abc.Iterable[int | None] = (),
    ) -> None:
        field: ui.RoleSelect[typing.Any] = ui.RoleSelect(
            custom_id=self.name,
            required=self.is_required,
            min_values=int(self.is_required),
            max_values=self.most,
            placeholder=None if self.is_required else t("No role"),
            default_values=forms.preset(chosen, discord.SelectDefaultValueType.role),
        )
        form.ask(label, field, description=hint)

    def read(self, here: Here) -> frozenset[int]:
        """Return the roles that are chosen. Raises EveryoneChosen."""
        chosen = here.filled.get(self.name, ())
        role_ids = frozenset(int(text) for text in chosen if text.isdecimal())
        if here.server in role_ids:
            raise EveryoneChosen
        return role_ids

    def read_one(self, here: Here) -> int | None:
        """Return the role that is chosen, None for none. Raises EveryoneChosen."""
        return next(iter(self.read(here)), None)


class OneOf(Struct, typing.Generic[E], frozen=True):
    """One of two to ten choices."""

    name: str
    choices: type[E]

    def ask(
        self, form: forms.ActionForm, label: str, words: abc.Mapping[E, str], chosen: E | None
    ) -> None:
        """Add the field, with words to be translated for each choice."""
        buttons = [
            discord.RadioGroupOption(label=t(text), value=choice, default=choice is chosen)
            for choice, text in words.items()
        ]
        form.ask(label, ui.RadioGroup[typing.Any](custom_id=self.name, options=buttons))

    def read(self, here: Here) -> E:
        """Return what was chosen. Raises OldButton if that isn't one of the choices."""
        try:
            return self.choices(here.first_of(self.name))
        except ValueError as error:
            raise errors.OldButton from error


class SomeOf(Struct, typing.Generic[E], frozen=True):
    """At least one of up to ten choices."""

    name: str
    choices: type[E]

    def ask(
        self,
        form: forms.ActionForm,
        label: str,
        words: abc.Mapping[E, str],
        chosen: abc.Container[E],
    ) -> None:
        """Add the field, with words to be translated for each choice."""
        boxes = [
            discord.CheckboxGroupOption(label=t(text), value=choice, default=choice in chosen)
            for choice, text in words.items()
        ]
        field: ui.CheckboxGroup[typing.Any] = ui.CheckboxGroup(
            custom_id=self.name, options=boxes, min_values=1, max_values=len(boxes)
        )
        form.ask(label, field)

    def read(self, here: Here) -> frozenset[E]:
        filled = here.filled.get(self.name, ())
        return frozenset(choice for choice in self.choices if choice.value in filled)


class Choice(typing.NamedTuple):
    value: str
    label: str
    is_chosen: bool = False


class Listed(Struct, frozen=True):
    """Entries of a list, of which up to `most` can be chosen."""

    name: str
    most: int = 1

    def ask(
        self,
        form: forms.ActionForm,
        label: str,
        choices: abc.Iterable[Choice],
        hint: str | None = None,
        *,
        is_required: bool = False,
    ) -> None:
        """Add the field, with as many entries as Discord takes."""
        entries = {
            choice.value: discord.SelectOption(
                label=one_line(choice.label, drawing.MAX_CHOICE_LENGTH, plain=True) or choice.value,
                value=choice.value,
                default=choice.is_chosen,
            )
            for choice in choices
            if 0 < len(choice.value) <= drawing.MAX_CHOICE_LENGTH
        }
        field = ui.Select[typing.Any](
            custom_id=self.name,
            options=list(entries.values())[: drawing.MAX_CHOICES],
            required=is_required,
            min_values=int(is_required),
            max_values=min(self.most, len(entries), drawing.MAX_CHOICES),
        )
        form.ask(label, field, description=hint)

    def read(self, here: Here) -> frozenset[str]:
        """Return what was chosen, or what was typed if the list had no entries."""
        return frozenset(here.filled.get(self.name, ())) - {""}

    def read_one(self, here: Here) -> str:
        return here.first_of(self.name)


class Flag(Struct, frozen=True):
    name: str

    def ask(
        self, form: forms.ActionForm, label: str, hint: str | None = None, *, is_set: bool
    ) -> None:
        field = ui.Checkbox[typing.Any](custom_id=self.name, default=is_set)
        form.ask(label, field, description=hint)

    def read(self, here: Here) -> bool:
        return bool(here.first_of(self.name))
