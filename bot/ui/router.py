"""Take in what members send, and hand each press to the handler that is marked for its action."""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

from discord import InteractionType
from msgspec import Struct

from bot.errors import OldButton, Restarting
from bot.features.errors import EveryoneChosen
from bot.game.errors import TooManyAtOnce
from bot.i18n import speak
from bot.log import log_context
from bot.ui.actions import Action, kind_of, pressed, read_number, unfold
from bot.ui.answers import Interaction, acknowledge, finish
from bot.ui.cards import Component, parts_of
from bot.ui.error_cards import TOKEN_FIELD, answer_error, say_why_not
from bot.ui.forms import OpenAgain, RefusedForms, note_filled
from bot.ui.here import Here, Need
from bot.ui.shared_actions import GoOn

A = TypeVar("A", bound=Action)
PRESSES = (InteractionType.component, InteractionType.modal_submit)
_MARK = "_kiosk_route"
# Answered at the same time for one member; who sends more is told to wait.
_MOST_AT_ONCE = 6
# An answer takes at most so long, in seconds; what was begun before is over, heard of or not.
_LONGEST = 60.0


class Press(Struct, Generic[A], frozen=True):
    """An action that was pressed, the values chosen in a select, and what a form's fields hold.

    `texts` has the text of each field, or the first of its values, and `chosen` all of them; a
    checkbox that is set has the text "1".
    """

    here: Here
    action: A
    values: tuple[str, ...] = ()
    texts: Mapping[str, str] = {}
    chosen: Mapping[str, tuple[str, ...]] = {}

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

    def id_of(self, field: str) -> int | None:
        """Return the channel or role that is chosen in a form's field, None for none."""
        text = self.texts.get(field, "")
        return int(text) if text.isdecimal() else None

    def role_of(self, field: str) -> int | None:
        """Return the role that is chosen in a form's field. Raises EveryoneChosen."""
        role_id = self.id_of(field)
        if role_id is not None and role_id == self.here.server:
            raise EveryoneChosen
        return role_id

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
    needs: Need | None


def route(
    *actions: type[A],
    opens_form: bool = False,
    in_place: bool = True,
    keeps: bool = False,
    needs: Need | None = None,
) -> Callable[[Handler[A]], Handler[A]]:
    """Mark a method as the handler of these actions, pressed by whom it `needs`.

    Presses are acknowledged before it is called (see `answers.acknowledge`), unless it may open a
    form, which must be the first answer.
    """

    def mark(handler: Handler[A]) -> Handler[A]:
        setattr(handler, _MARK, _Mark(actions, opens_form, in_place, keeps, needs))
        return handler

    return mark


class Router:
    def __init__(self) -> None:
        self._routes: dict[str, tuple[type[Action], _Mark, Answer]] = {}
        # What is being answered, by its id.
        self.in_hand: dict[int, Interaction] = {}
        self._ended = asyncio.Event()
        self.is_stopping = False
        self.refused = RefusedForms()
        self.add(self)

    def add(self, *owners: object) -> None:
        """Route presses to the marked methods. Raises ValueError where two actions share a kind."""
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
        """Return the kind of what was pressed or filled in, where there is such a kind."""
        kind = kind_of(interaction.custom_id or "")
        return kind if kind in self._routes else "unknown"

    async def begin(self, interaction: Interaction, used: str) -> bool:
        """Begin an answer, or tell the member to wait; return whether it may; `used` is logged."""
        # Halves of surrogate pairs, which no answer and no table can hold, are replaced.
        text = json.dumps(interaction.data or {}, ensure_ascii=False)
        sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        interaction.data = json.loads(sound)
        speak(interaction.locale)
        member_id = interaction.user.id
        log_context.set({"command": used, "server": interaction.guild_id, "member": member_id})
        if interaction.type is InteractionType.autocomplete:
            return True
        now, unanswered = interaction.created_at.timestamp(), 0
        for other in list(self.in_hand.values()):
            if now - other.created_at.timestamp() > _LONGEST:
                del self.in_hand[other.id]
            else:
                unanswered += other.user.id == member_id
        # What was typed is kept while Kiosk stops, too.
        is_text = interaction.type is InteractionType.modal_submit or '"content"' in text
        if unanswered >= _MOST_AT_ONCE or (self.is_stopping and not is_text):
            await say_why_not(interaction, Restarting() if self.is_stopping else TooManyAtOnce())
            return False
        self.in_hand[interaction.id] = interaction
        return True

    def end(self, interaction: Interaction) -> None:
        self.in_hand.pop(interaction.id, None)
        self._ended.set()

    async def stop(self) -> None:
        """Begin nothing more but to keep texts; return once all that is in hand is answered."""
        self.is_stopping = True
        while self.in_hand:
            self._ended.clear()
            await self._ended.wait()

    async def dispatch(self, interaction: Interaction) -> None:
        """Answer a press, a choice or a filled form; every failure becomes a sentence."""
        if not await self.begin(interaction, kind_of(interaction.custom_id or "")):
            return
        data = cast("Mapping[str, Any]", interaction.data or {})
        try:
            action, mark, handler = self._find(pressed(data))
            keeps = mark.keeps or mark.opens_form
            acknowledge(interaction, in_place=mark.in_place, keeps=keeps)
            here = Here(interaction)
            if mark.needs:
                await here.require(mark.needs)
            chosen = _filled(data.get("components", ()))
            if TOKEN_FIELD not in chosen:
                note_filled(interaction, chosen)
            texts = {name: values[0] for name, values in chosen.items() if values}
            await handler(Press(here, action, tuple(data.get("values", ())), texts, chosen))
        except Exception as error:  # noqa: BLE001 - whatever it is, the member is told
            await answer_error(interaction, error)
        finally:
            await finish(interaction)
            self.end(interaction)

    def opens_form(self, resume_id: str) -> bool:
        """Return whether a folded press opens a form, which no other form may lead to."""
        _, mark, _ = self._find(unfold(resume_id))
        return mark.opens_form

    async def go_on(self, here: Here, resume_id: str) -> None:
        """Do what a folded press would have. Raises OldButton, and what its handler raises."""
        action, mark, handler = self._find(unfold(resume_id))
        if mark.needs:
            await here.require(mark.needs)
        await handler(Press(here, action))

    @route(GoOn, opens_form=True)
    async def on_go_on(self, press: Press[GoOn]) -> None:
        await self.go_on(press.here, press.action.resume_id)

    @route(OpenAgain, opens_form=True)
    async def on_open_again(self, press: Press[OpenAgain]) -> None:
        self.refused.take(press.action.number, press.here.interaction)
        await self.go_on(press.here, press.action.resume_id)

    def _find(self, custom_id: str) -> tuple[Action, _Mark, Answer]:
        kind = kind_of(custom_id)
        if kind in self._routes:
            action, mark, handler = self._routes[kind]
            with suppress(ValueError):
                return action.read(custom_id), mark, handler
        raise OldButton


def _filled(components: Iterable[Component]) -> dict[str, tuple[str, ...]]:
    chosen: dict[str, tuple[str, ...]] = {}
    for field in parts_of(components):
        value = field.get("values", field.get("value"))
        if isinstance(value, bool):
            chosen[field["custom_id"]] = ("1" if value else "",)
        elif isinstance(value, str):
            chosen[field["custom_id"]] = (value,)
        elif isinstance(value, list):
            chosen[field["custom_id"]] = tuple(map(str, cast("list[object]", value)))
    return chosen
