"""The parts of an interaction that Kiosk needs to answer it, as Discord posts them."""

import typing

from msgspec import Meta, Struct

Id = typing.Annotated[str, Meta(pattern="^[0-9]{1,19}$")]
T = typing.TypeVar("T")


class User(Struct):
    id: Id


class _Member(Struct):
    user: User


class _Option(Struct):
    name: str
    type: int
    value: str | float | bool = ""
    options: list["_Option"] = []


class _Command(Struct):
    name: str
    type: typing.Literal[1, 2, 3]
    options: list[_Option] = []
    target_id: str = ""


class _Press(Struct):
    custom_id: str


class _Label(Struct):
    component: _Press | None = None


class _Form(_Press):
    components: list[_Label]


class _Used(Struct, typing.Generic[T]):
    id: Id
    token: str
    locale: str
    data: T
    user: User | None = None
    member: _Member | None = None
    guild_id: Id | None = None
    guild_locale: str = ""

    def __post_init__(self) -> None:
        if not (self.user or (self.member and self.guild_id)):
            raise ValueError("it has no member")


# What a member used, by the number of its kind: a command, a press, what is typed, a form.
USED = {2: _Used[_Command], 3: _Used[_Press], 4: _Used[_Command], 5: _Used[_Form]}
