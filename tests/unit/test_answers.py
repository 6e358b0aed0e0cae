"""What becomes of the card of a press that ends with no answer, or that two processes heard."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from bot.ui import answers
from bot.ui.answers import Interaction, acknowledge, answer, finish, is_taken
from bot.ui.cards import Card, Component, notice, paragraph

COIN = "<:coin:1>"
ALREADY_ANSWERED, INVALID_FORM, UNKNOWN_INTERACTION = 40060, 50035, 10062


class Text:
    """What stands on the card."""

    def to_dict(self) -> Component:
        return paragraph("Reading…")


class Pressed:
    """Discord's side of a press on a private card; it refuses as it is told, one by one."""

    type = discord.InteractionType.component

    def __init__(self, *refusals: discord.HTTPException) -> None:
        self.extras: dict[str, Any] = {}
        flags = SimpleNamespace(ephemeral=True)
        self.message = SimpleNamespace(flags=flags, components=[Text()])
        self.response: Any = self
        self.deferred = asyncio.Event()
        # What the card shows; nothing does while the gate is closed.
        self.shown: list[str] = []
        self.shows = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self._refusals = list(refusals)

    def is_done(self) -> bool:
        return self.deferred.is_set()

    async def defer(self) -> None:
        self.deferred.set()

    async def edit_message(self, view: Card) -> object:
        if self._refusals:
            raise self._refusals.pop(0)
        edited = await self.edit_original_response(view)
        self.deferred.set()
        return edited

    async def edit_original_response(self, view: Card, **_: object) -> discord.Object:
        self.shows.set()
        await self.gate.wait()
        self.shown.append(str(view.to_components()))
        return discord.Object(1)

    @property
    def interaction(self) -> Interaction:
        return cast(Any, self)


def refused(code: int, words: str = "") -> discord.HTTPException:
    response: Any = SimpleNamespace(status=400, reason="Bad Request")
    return discord.HTTPException(response, {"code": code, "message": words})


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the signs of an answer to come be due at once."""
    monkeypatch.setattr(answers, "_SOON", 0.0)
    monkeypatch.setattr(answers, "_PATIENCE", 0.0)


async def everything_due() -> None:
    """Return once all timers that are due have run, and what they began had its turn."""
    for _ in range(2):
        due = asyncio.Event()
        asyncio.get_running_loop().call_later(0, due.set)
        await due.wait()


@pytest.mark.usefixtures("no_patience")
async def test_a_press_that_ends_without_an_answer_is_acknowledged_and_leaves_its_card_alone() -> (
    None
):
    pressed = Pressed()

    acknowledge(pressed.interaction)
    await finish(pressed.interaction)
    await pressed.deferred.wait()
    await everything_due()

    assert pressed.shown == []


@pytest.mark.usefixtures("no_patience")
async def test_what_a_card_says_meanwhile_is_there_before_it_is_taken_back() -> None:
    pressed = Pressed()
    acknowledge(pressed.interaction)
    pressed.gate.clear()
    await pressed.shows.wait()
    pressed.shows.clear()

    finishing = asyncio.create_task(finish(pressed.interaction))
    await everything_due()
    assert not pressed.shows.is_set()
    pressed.gate.set()
    await finishing

    assert ["One moment" in shown for shown in pressed.shown] == [True, False]


async def test_of_two_processes_whose_emoji_is_refused_the_second_has_its_say() -> None:
    pressed = Pressed(refused(INVALID_FORM, "Invalid emoji"), refused(ALREADY_ANSWERED))

    await answer(pressed.interaction, notice(f"{COIN} 7 coins"))

    (shown,) = pressed.shown
    assert "7 coins" in shown
    assert COIN not in shown


@pytest.mark.parametrize("card", [None, notice("Asking…")])
async def test_an_answer_that_discord_took_is_taken(card: Card | None) -> None:
    pressed = Pressed()

    assert await is_taken(pressed.interaction, card)

    assert len(pressed.shown) == (card is not None)


@pytest.mark.parametrize("code", [ALREADY_ANSWERED, UNKNOWN_INTERACTION])
async def test_an_answer_that_discord_refused_is_not_taken(code: int) -> None:
    pressed = Pressed(refused(code))

    assert not await is_taken(pressed.interaction, notice("Asking…"))
    await answer(pressed.interaction, notice("Nothing was bought"))

    assert "Nothing was bought" in pressed.shown[-1]


async def test_an_answer_that_discord_is_silent_about_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "_DISCORD_WAITS", 0.05)
    pressed = Pressed()
    pressed.gate.clear()

    assert not await is_taken(pressed.interaction, notice("Asking…"))
    pressed.gate.set()
    await answer(pressed.interaction, notice("Nothing was bought"))

    (shown,) = pressed.shown
    assert "Nothing was bought" in shown
