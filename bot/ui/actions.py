"""Actions: the meaning of a press, written into its button, so that it outlives any restart."""

import typing
from collections import abc
from contextlib import suppress
from itertools import islice

import discord
import msgspec

from bot.features.matching import LABEL_SEPARATOR
from bot.i18n import pt, t
from bot.ui import cards, markdown, old_kinds, theme

LONGEST_CUSTOM_ID = 100
_PREFIX = "kiosk."
# A folded custom id leaves room for the kind of the action that carries it.
_LONGEST_FOLDED = 80
_FOLDED_COLON = "|"
# A field can't hold what parts fields, folded or not.
_QUOTED = {"%": "%25", ":": "%3A", "|": "%7C"}
# Begins what ends a form's id and is no part of the action: no field holds a bare "%".
FORM_MARK = ":%~"
# The database takes as much.
_MOST_BITS = 63
# Discord's limits.
MOST_CHOICES = 25
LONGEST_CHOICE = 100
# The labels of a list with more than ten entries are shorter, so that all of it is taken.
_SHORT_LIST = 10
_LONGEST_IN_LONG_LIST = 50


@typing.dataclass_transform(frozen_default=True)
class _ActionMeta(msgspec.StructMeta):
    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, typing.Any],
        *,
        kind: str | None = None,
    ) -> "_ActionMeta":
        cls: typing.Any = super().__new__(mcs, name, bases, namespace, frozen=True)
        if kind is not None:
            cls.kind = kind
        return cls


class Action(msgspec.Struct, metaclass=_ActionMeta):
    """The meaning of a press, a choice or a filled form.

    A subclass names its `kind` and has fields of its own: int, str, bool or a string enum. Buttons
    stay in chats for years, so a new field comes last and has a default, which old buttons take;
    what an old button has beyond the fields is passed over; whatever else changes makes another
    `kind`, to which old buttons are unknown.
    """

    kind: typing.ClassVar[str]

    def custom_id(self) -> str:
        """Return `kiosk.<kind>:<field>:<field>`. Raises ValueError where that is too long."""
        # A string enum formats as its value, and so travels as that.
        fields = [
            f"{int(value)}" if isinstance(value, bool) else f"{value}"
            for value in msgspec.structs.astuple(self)
        ]
        text = ":".join([_PREFIX + self.kind, *fields])
        if len(text) > LONGEST_CUSTOM_ID or text.count(":") > len(fields):
            raise ValueError(f"{self.kind} does not fit into a custom id")
        return text

    @classmethod
    def read(cls, custom_id: str) -> typing.Self:
        """Return the action of a custom id. Raises ValueError where it is not this action's."""
        route, *texts = custom_id.partition(FORM_MARK)[0].split(":")
        names = cls.__struct_fields__
        if "resume_id" in names:
            # A folded press comes last, and is unfolded with the action that carries it.
            texts[len(names) - 1 :] = [_FOLDED_COLON.join(texts[len(names) - 1 :])]
        if route != _PREFIX + cls.kind:
            raise ValueError(f"{custom_id!r} is no {cls.kind}")
        action = msgspec.convert(dict(zip(names, texts, strict=False)), cls, strict=False)
        numbers = (value for value in msgspec.structs.astuple(action) if isinstance(value, int))
        if any(number.bit_length() > _MOST_BITS for number in numbers):
            raise ValueError("no button of Kiosk's holds such a number")
        return action


A = typing.TypeVar("A", bound=Action)


def action_button(
    action: Action | str,
    label: str | None,
    *,
    style: discord.ButtonStyle = cards.GREY,
    emoji: str | None = None,
    disabled: bool = False,
) -> cards.Button:
    """Return a button that carries an action, or has a custom id; `emoji` is one character."""
    made: dict[str, typing.Any] = {
        "type": cards.BUTTON,
        "style": style.value,
        "disabled": disabled,
        "custom_id": action if isinstance(action, str) else action.custom_id(),
    }
    if label is not None:
        made["label"] = label
    if emoji is not None:
        made["emoji"] = {"name": emoji}
    return cards.Button(made)


def question(title: str, body: str, action: Action, label: str, back: Action) -> cards.Card:
    """Ask before something is done that can't be undone by a press."""
    buttons = answers(action, label, back)
    return cards.notice(title, body, colour=theme.PROBLEM, buttons=buttons)


def answers(action: Action, label: str, back: Action) -> tuple[cards.Button, cards.Button]:
    """Return the buttons below a question."""
    return action_button(action, label, style=cards.RED), action_button(back, t("Back"))


def switch_words(name: str, *, is_on: bool) -> str:
    return f"**{name}** · {pt('a switch', 'on') if is_on else pt('a switch', 'off')}"


def say_switch(card: cards.Card, name: str, hint: str, switch: Action, *, is_on: bool) -> None:
    """Say what a switch does and how it stands; `switch` is the action that turns it over."""
    button = action_button(switch, t("Switch off") if is_on else t("Switch on"))
    card.say(f"{switch_words(name, is_on=is_on)}\n-# {hint}", button)


def with_seen(action: A, ids: abc.Iterable[int]) -> A:
    """Return an action with as many ids in its field `seen` as have room, with dots between."""
    room = LONGEST_CUSTOM_ID - len(action.custom_id())
    seen = ""
    for number in ids:
        more = f"{seen}.{number}" if seen else str(number)
        if len(more) > room:
            break
        seen = more
    return msgspec.structs.replace(action, seen=seen)


def step_buttons(
    before: Action | None, after: Action | None, *, in_text: bool = False
) -> tuple[cards.Button, cards.Button]:
    """Return Previous and Next, or those of a long text, pale where they lead nowhere."""
    labels = (t("Earlier part"), t("Next part")) if in_text else (t("Previous"), t("Next"))
    of = "text" if in_text else ""
    return (
        action_button(before or f"before.{of}", labels[0], disabled=before is None),
        action_button(after or f"after.{of}", labels[1], disabled=after is None),
    )


def action_select(
    action: Action, options: abc.Sequence[cards.Option], *, placeholder: str
) -> cards.Select:
    if len(options) > _SHORT_LIST:
        options = [
            cards.Option({**entry, "label": _shortened(entry["label"])}) for entry in options
        ]
    custom_id = action.custom_id()
    made = {
        "type": cards.SELECT,
        "custom_id": custom_id,
        "options": options,
        "placeholder": placeholder,
    }
    return cards.Select(made)


def _shortened(label: str) -> str:
    """Return a label for a long list, with what stands behind a name: it tells two apart."""
    name, separator, behind = label.rpartition(LABEL_SEPARATOR)
    if not separator:
        return markdown.cut(label, _LONGEST_IN_LONG_LIST)
    behind = markdown.cut(separator + behind, _LONGEST_IN_LONG_LIST // 2)
    return markdown.cut(name, _LONGEST_IN_LONG_LIST - markdown.room_for(behind)) + behind


def actions_in(message: discord.Message, wanted: type[A]) -> list[A]:
    """Return the actions of one class on a message, in order: of buttons and lists' entries."""
    found = dict[A, None]()
    for part in cards.parts_of(component.to_dict() for component in message.components):
        custom_id = part.get("custom_id", "")
        meant = [old_kinds.renewed(custom_id, entry["value"]) for entry in part.get("options", ())]
        if kind_of(custom_id) == ChooseAction.kind:
            meant = [entry["value"] for entry in part["options"]]
        for action_id in meant or [custom_id]:
            with suppress(ValueError):
                found[wanted.read(action_id)] = None
    return list(found)


def kind_of(custom_id: str) -> str:
    """Return the kind of the action in a custom id; "" when it is not one of ours."""
    route = custom_id.partition(":")[0]
    return route.removeprefix(_PREFIX) if route.startswith(_PREFIX) else ""


def read_number(text: str) -> int:
    """Return the number that an entry of a list stands for. Raises ValueError where none does."""
    number = int(text)
    if number.bit_length() > _MOST_BITS:
        raise ValueError("no list of Kiosk's holds such a number")
    return number


def fold(custom_id: str) -> str:
    """Return a custom id as a field of another action can hold it; "" where that can't be."""
    folded = custom_id.removeprefix(_PREFIX).replace(":", _FOLDED_COLON)
    return folded if len(folded) <= _LONGEST_FOLDED and custom_id.startswith(_PREFIX) else ""


def unfold(folded: str) -> str:
    return _PREFIX + folded.replace(_FOLDED_COLON, ":")


def quoted(text: str, longest: int) -> str:
    """Return the start of a text as a field of an action, which `urllib.parse.unquote` reads."""
    field = ""
    for character in text:
        more = field + _QUOTED.get(character, character)
        if len(more) > longest:
            break
        field = more
    return field


class ChooseAction(Action, kind="choose_action"):
    """An entry of a list was chosen that does what a button would; its value is a custom id."""

    # Tells apart the lists of one card.
    name: str = ""


class ListEntry(typing.NamedTuple):
    label: str
    action: Action
    description: str = ""
    emoji: str | None = None
    is_chosen: bool = False


def pressed(data: abc.Mapping[str, typing.Any]) -> str:
    """Return the custom id of what an interaction pressed, or chose from a list of these."""
    custom_id = str(data.get("custom_id", ""))
    value = str(next(iter(data.get("values", ())), ""))
    kind = kind_of(custom_id)
    if kind == ChooseAction.kind:
        return value
    return old_kinds.renewed(custom_id, value) if kind in old_kinds.OLD_KINDS else custom_id


def action_list(
    entries: abc.Iterable[ListEntry], *, placeholder: str, name: str = ""
) -> cards.Select:
    """Make a list of what can be done, as many entries as Discord takes."""
    by_value = {entry.action.custom_id(): entry for entry in entries}
    options = [
        cards.option(
            markdown.one_line(entry.label, LONGEST_CHOICE, plain=True) or "…",
            value,
            description=markdown.one_line(entry.description, LONGEST_CHOICE, plain=True),
            emoji=entry.emoji,
            is_chosen=entry.is_chosen,
        )
        for value, entry in islice(by_value.items(), MOST_CHOICES)
    ]
    return action_select(ChooseAction(name), options, placeholder=placeholder)
