"""Actions: the meaning of a press, stored in its button, so that it survives restarts."""

import functools
import typing
from collections import abc

import msgspec

from bot.ui import old_kinds

MAX_CUSTOM_ID_LENGTH = 100
_PREFIX = "kiosk."
# A folded custom id leaves room for the kind of the action that carries it.
_MAX_FOLDED_LENGTH = 80
_FOLDED_COLON = "|"
# A field can't contain the characters that separate fields, folded or not.
_QUOTED = {"%": "%25", ":": "%3A", "|": "%7C"}
# The same characters by their wide forms, which a search treats as equal.
_WIDENED = str.maketrans(":|%", "\uff1a\uff5c\uff05")
_NARROWED = str.maketrans("\uff1a\uff5c\uff05", ":|%")
# Starts the end of a form's id, which isn't part of the action: no field contains a bare "%".
FORM_MARK = ":%~"
# The database's limit.
_MAX_BITS = 63
# A custom id as a field of another action, "" for none.
Folded = typing.NewType("Folded", str)
NOTHING_FOLDED = Folded("")


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

    A subclass names its `kind` and has fields of its own: int, str, bool or a string enum. Its
    first field may be an address, which is a tuple of these. Buttons stay in chats for years, so a
    new field comes last and has a default, which old buttons take. Surplus fields of an old button
    are ignored. Any other change needs a new `kind`, which makes old buttons unknown.
    """

    kind: typing.ClassVar[str]

    def custom_id(self) -> str:
        """Return `kiosk.<kind>:<field>:<field>`. Raises ValueError if that is too long."""
        # A string enum formats as its value, so the id contains the value.
        fields = [
            f"{int(value)}" if isinstance(value, bool) else f"{value}" for value in self._values()
        ]
        text = ":".join([_PREFIX + self.kind, *fields])
        if len(text) > MAX_CUSTOM_ID_LENGTH or text.count(":") > len(fields):
            raise ValueError(f"{self.kind} does not fit into a custom id")
        return text

    @classmethod
    def read(cls, custom_id: str) -> typing.Self:
        """Return the action of a custom id. Raises ValueError if it isn't this action's."""
        route, *texts = custom_id.partition(FORM_MARK)[0].split(":")
        names = cls.__struct_fields__
        if "resume_id" in names:
            # A folded press comes last, and is unfolded with the action that carries it.
            texts[len(names) - 1 :] = [_FOLDED_COLON.join(texts[len(names) - 1 :])]
        if route != _PREFIX + cls.kind:
            raise ValueError(f"{custom_id!r} is no {cls.kind}")
        size = _address_size(cls)
        values = [texts[:size], *texts[size:]] if size else texts
        action = msgspec.convert(dict(zip(names, values, strict=False)), cls, strict=False)
        numbers = (value for value in action._values() if isinstance(value, int))
        if any(number.bit_length() > _MAX_BITS for number in numbers):
            raise ValueError("no button of Kiosk's holds such a number")
        return action

    def _values(self) -> list[typing.Any]:
        """Return the values of the fields, with those of an address in its place."""
        values = [*msgspec.structs.astuple(self)]
        if values and isinstance(values[0], tuple):
            values[:1] = values[0]
        return values


@functools.cache
def _address_size(action: type[Action]) -> int:
    """Count the fields of the address that comes first in an action, 0 if there is none."""
    kinds = typing.get_type_hints(action)
    first = next((kinds[name] for name in action.__struct_fields__), None)
    return len(getattr(first, "_fields", ()))


A = typing.TypeVar("A", bound=Action)


def with_seen(action: A, ids: abc.Iterable[int]) -> A:
    """Return the action with as many ids in `seen` as fit, separated by dots."""
    room = MAX_CUSTOM_ID_LENGTH - len(action.custom_id())
    seen = ""
    for number in ids:
        more = f"{seen}.{number}" if seen else str(number)
        if len(more) > room:
            break
        seen = more
    return msgspec.structs.replace(action, seen=seen)


def kind_of(custom_id: str) -> str:
    """Return the kind of the action in a custom id, "" if it isn't Kiosk's."""
    route = custom_id.partition(":")[0]
    return route.removeprefix(_PREFIX) if route.startswith(_PREFIX) else ""


def read_number(text: str) -> int:
    """Return the number in a list entry's value. Raises ValueError if it isn't a valid number."""
    number = int(text)
    if number.bit_length() > _MAX_BITS:
        raise ValueError("no list of Kiosk's holds such a number")
    return number


def fold(custom_id: str) -> Folded:
    """Return a custom id as a field of another action, "" if it doesn't fit."""
    folded = custom_id.removeprefix(_PREFIX).replace(":", _FOLDED_COLON)
    fits = len(folded) <= _MAX_FOLDED_LENGTH and custom_id.startswith(_PREFIX)
    return Folded(folded if fits else "")


def unfold(folded: Folded) -> str:
    return _PREFIX + folded.replace(_FOLDED_COLON, ":")


def quoted(text: str, longest: int) -> str:
    """Return the start of a text as a field that `urllib.parse.unquote` reads."""
    field = ""
    for character in text:
        more = field + _QUOTED.get(character, character)
        if len(more) > longest:
            break
        field = more
    return field


def widened(text: str) -> str:
    """Return a text as a field of the same length, which `narrowed` reads."""
    return text.translate(_WIDENED)


def narrowed(field: str) -> str:
    return field.translate(_NARROWED)


class ChooseAction(Action, kind="choose_action"):
    """A choice of a list entry that does what a button would. Its value is a custom id."""

    # Distinguishes the lists of one card.
    name: str = ""


def pressed(data: abc.Mapping[str, typing.Any]) -> str:
    """Return the custom id of the button that was pressed, or of the list entry chosen."""
    custom_id = str(data.get("custom_id", ""))
    value = str(next(iter(data.get("values", ())), ""))
    kind = kind_of(custom_id)
    if kind == ChooseAction.kind:
        return value
    return old_kinds.renewed(custom_id, value) if kind in old_kinds.OLD_KINDS else custom_id
