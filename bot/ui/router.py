"""Receive what members send, and pass each press to the handler marked for its action."""

import asyncio
import inspect
import json
import typing
from collections import abc
from contextlib import suppress

from discord import InteractionType
from msgspec import Struct

from bot import errors
from bot.game.game_errors import TooManyAtOnce
from bot.i18n import speak_once_read
from bot.log import log_context
from bot.ui import custom_ids, error_cards, forms
from bot.ui.answers import Interaction
from bot.ui.here import Here, Need
from bot.ui.shared_actions import GoOn

PRESSES = (InteractionType.component, InteractionType.modal_submit)
_MARKS = "_kiosk_routes"
# How many interactions of one member are answered at once. The card for others says to wait.
_MAX_AT_ONCE = 6
# The longest time for an answer. Older interactions count as over, even if no end was seen.
_MAX_SECONDS = 60.0
# Key in a command's extras: whether it saves something, even while Kiosk stops.
KEEPS = "keeps"


# Takes `(here, action)`, and any other arguments of its callers.
H = typing.TypeVar("H", bound=abc.Callable[..., abc.Awaitable[None]])
BoundHandler = abc.Callable[..., abc.Awaitable[None]]


class _Mark(Struct, frozen=True):
    actions: tuple[type[custom_ids.Action], ...]
    is_of_form: bool = False
    opens_form: bool = False
    in_place: bool = True
    keeps: bool = False
    needs: Need | None = None


# By the kinds of actions.
_Routes = dict[str, tuple[_Mark, BoundHandler]]


def route(
    *actions: type[custom_ids.Action],
    opens_form: bool = False,
    in_place: bool = True,
    keeps: bool = False,
    needs: Need | None = None,
) -> abc.Callable[[H], H]:
    """Mark the handler for a press of these actions. `needs` is who may press.

    A press without an answer in time gets a sign that one is coming (see `Answer.acknowledge`). A
    press that may open a form gets more time, and so does a press that `keeps` something.
    """
    mark = _Mark(actions, opens_form=opens_form, in_place=in_place, keeps=keeps, needs=needs)
    return _marked(mark)


def sent(
    *actions: type[custom_ids.Action],
    in_place: bool = True,
    keeps: bool = False,
    needs: Need | None = None,
) -> abc.Callable[[H], H]:
    """Mark the handler for the form that a press of the same action has opened.

    A form that `keeps` something is accepted even while Kiosk stops. A button isn't.
    """
    return _marked(_Mark(actions, is_of_form=True, in_place=in_place, keeps=keeps, needs=needs))


def _marked(mark: _Mark) -> abc.Callable[[H], H]:
    def mark_handler(handler: H) -> H:
        setattr(handler, _MARKS, (*getattr(handler, _MARKS, ()), mark))
        return handler

    return mark_handler


class Router:
    def __init__(self) -> None:
        self._actions: dict[str, type[custom_ids.Action]] = {}
        self._pressed: _Routes = {}
        # The handlers for forms that were sent.
        self._sent: _Routes = {}
        # The interactions that are being answered, by their ids.
        self.in_hand: dict[int, Here] = {}
        self._ended = asyncio.Event()
        self.is_stopping = False
        # What was filled into forms when Kiosk refused it.
        self.refused = forms.Remembered[abc.Mapping[str, abc.Sequence[str]]]()
        # Commands and presses that a missing link interrupted and no button has room for.
        self.interrupted = forms.Remembered[abc.Callable[[Here], abc.Awaitable[None]]]()

    def add(self, *owners: object) -> None:
        """Add the marked handlers of modules or objects.

        Raises ValueError if two actions share a kind.
        """
        for owner in owners:
            for _, handler in inspect.getmembers(owner, inspect.isroutine):
                marks: abc.Iterable[_Mark] = getattr(handler, _MARKS, ())
                for mark in marks:
                    routes = self._sent if mark.is_of_form else self._pressed
                    for action in mark.actions:
                        if self._actions.setdefault(action.kind, action) is not action:
                            raise ValueError(f"{action.kind} is the kind of two actions")
                        routes[action.kind] = (mark, handler)

    def name_of(self, interaction: Interaction) -> str:
        """Return the kind of the action that was pressed or filled in, or "unknown"."""
        kind = custom_ids.kind_of(interaction.custom_id or "")
        return kind if kind in self._actions else "unknown"

    async def let_in(self, interaction: Interaction, used: str) -> bool:
        """Let an interaction in, or ask the member to wait. Return which. `used` is logged."""
        if interaction.type is not InteractionType.component:
            _replace_halves(interaction)
        await speak_once_read(interaction.locale)
        member_id = interaction.user.id
        log_context.set({"command": used, "server": interaction.guild_id, "member": member_id})
        if interaction.type is InteractionType.autocomplete:
            return True
        here = Here(interaction)
        if self.is_stopping and not self._keeps(interaction):
            await error_cards.show_error(here, errors.Restarting())
        elif self._count_in_hand(interaction) >= _MAX_AT_ONCE:
            await error_cards.show_error(here, TooManyAtOnce())
        else:
            self.in_hand[interaction.id] = here
            return True
        return False

    def _keeps(self, interaction: Interaction) -> bool:
        """Return whether this interaction saves input and must run even while Kiosk stops."""
        if interaction.command is not None:
            return bool(interaction.command.extras.get(KEEPS))
        if interaction.type is not InteractionType.modal_submit:
            return False
        data = typing.cast("abc.Mapping[str, typing.Any]", interaction.data or {})
        kind = custom_ids.kind_of(custom_ids.pressed(data))
        mark, _ = self._sent.get(kind, (None, None))
        return mark is not None and mark.keeps

    def _count_in_hand(self, interaction: Interaction) -> int:
        """Return how many interactions of a member are being answered, and forget old ones."""
        now = interaction.created_at.timestamp()
        self.in_hand = {
            number: here
            for number, here in self.in_hand.items()
            if now - here.interaction.created_at.timestamp() <= _MAX_SECONDS
        }
        return sum(here.member_id == interaction.user.id for here in self.in_hand.values())

    def here_of(self, interaction: Interaction) -> Here:
        return self.in_hand.get(interaction.id) or Here(interaction)

    def end(self, interaction: Interaction) -> None:
        self.in_hand.pop(interaction.id, None)
        self._ended.set()

    async def stop(self) -> None:
        """Start nothing new except saving texts. Return when everything `in_hand` is answered."""
        self.is_stopping = True
        while self.in_hand:
            self._ended.clear()
            await self._ended.wait()

    async def dispatch(self, interaction: Interaction) -> None:
        """Answer a press, a choice or a filled form. Every failure is shown as a sentence."""
        if not await self.let_in(interaction, custom_ids.kind_of(interaction.custom_id or "")):
            return
        here = self.in_hand[interaction.id]
        try:
            data = typing.cast("abc.Mapping[str, typing.Any]", interaction.data or {})
            is_sent = interaction.type is InteractionType.modal_submit
            routes = self._sent if is_sent else self._pressed
            action, mark, handler = self._find(routes, custom_ids.pressed(data))
            if is_sent and action.kind in self._pressed:
                here.again = action
            takes_time = mark.keeps or mark.opens_form
            here.acknowledge(in_place=mark.in_place, takes_time=takes_time)
            if mark.needs:
                await here.require(mark.needs)
            await handler(here, action)
        except Exception as error:  # noqa: BLE001 - whatever it is, the member is told
            await error_cards.answer_error(here, error)
        finally:
            await here.finish()
            self.end(interaction)
            await here.hooks.interaction_ended(here)

    def answers(self, action: type[custom_ids.Action]) -> bool:
        """Return whether a button of this action has a handler. A deleted feature has none."""
        return action.kind in self._pressed

    def opens_form(self, resume_id: custom_ids.Folded) -> bool:
        """Return whether a folded press opens a form, which no other form may lead to."""
        _, mark, _ = self._find(self._pressed, custom_ids.unfold(resume_id))
        return mark.opens_form

    async def resume_press(self, here: Here, resume_id: custom_ids.Folded) -> None:
        """Do what a folded press would have. Raises OldButton, and what its handler raises."""
        await self.press(here, custom_ids.unfold(resume_id))

    async def press(self, here: Here, custom_id: str, **given: typing.Any) -> None:
        """Do what a press would have. `given` is what else its handler takes.

        Raises OldButton, and what its handler raises.
        """
        action, mark, handler = self._find(self._pressed, custom_id)
        if mark.needs:
            await here.require(mark.needs)
        await handler(here, action, **given)

    def _find(
        self, routes: _Routes, custom_id: str
    ) -> tuple[custom_ids.Action, _Mark, BoundHandler]:
        kind = custom_ids.kind_of(custom_id)
        if kind in routes:
            with suppress(ValueError):
                return self._actions[kind].read(custom_id), *routes[kind]
        raise errors.OldButton


@route(GoOn, opens_form=True)
async def on_go_on(here: Here, action: GoOn) -> None:
    await here.interaction.client.router.resume_press(here, action.resume_id)


@route(forms.OpenAgain, opens_form=True)
async def on_open_again(here: Here, action: forms.OpenAgain) -> None:
    router = here.interaction.client.router
    here.filled = router.refused.find(action.number) or {}
    await router.resume_press(here, action.resume_id)


@route(forms.DoAgain, opens_form=True)
async def on_do_again(here: Here, action: forms.DoAgain) -> None:
    do = here.interaction.client.router.interrupted.find(action.number)
    if do is None:
        raise errors.OldButton
    await do(here)


def _replace_halves(interaction: Interaction) -> None:
    """Replace lone surrogates in what was typed: no answer and no table can hold them."""
    text = json.dumps(interaction.data or {}, ensure_ascii=False)
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    interaction.data = json.loads(sound)
