"""What becomes of a press: its action, its router, its answer and the card it stands on."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from bot.clock import Clock
from bot.errors import NotLinked
from bot.game.game_errors import TooManyAtOnce
from bot.ui import answers, theme
from bot.ui.answers import Answer, Interaction
from bot.ui.custom_ids import Action, fold
from bot.ui.drawing import Card, Component, Entry, notice, paragraph
from bot.ui.here import Here
from bot.ui.router import Router
from bot.ui.sent_cards import OpenCards
from tests.support.clock import SteppedClock
from tests.support.gates import PATIENCE_SECONDS


class Order(StrEnum):
    UP = "u"
    DOWN = "d"


class Turn(Action, kind="turn"):
    thread: int
    order: Order
    title: str
    is_public: bool


class TurnNow(Turn):
    """As `Turn` is, with what a later version of the bot added."""

    steps: int = 1


class ShowOrder(Action, kind="order"):
    number: int


IDS = st.integers(0, 2**63 - 1)
# What is typed is quoted before it is put into one.
TITLES = st.text(st.characters(codec="ascii", exclude_characters=":%"), max_size=30)


def listed(entries: Iterable[Entry]) -> Component:
    card = Card(theme.CALM)
    card.choose(entries, "Choose")
    (frame,) = card.components
    (row,) = frame["components"]
    return row["components"][0]


def test_a_list_holds_as_many_plain_entries_as_discord_takes() -> None:
    entries = [
        Entry("*Straw* hat", ShowOrder(1), "_30_ Acorns", "🎩"),
        Entry("", ShowOrder(2), "a" * 101),
        *(Entry(f"{number}", ShowOrder(number)) for number in range(1, 40)),
    ]

    drawn = listed(entries)

    assert drawn["placeholder"] == "Choose"
    first, second, *others = drawn["options"]
    # Of two that do the same, the last one stands, in the first one's place.
    assert [first["label"], second["label"]] == ["1", "2"]
    assert len(others) == 23
    (hat,) = listed(entries[:1])["options"]
    assert (hat["label"], hat["description"]) == ("*Straw* hat", "_30_ Acorns")
    assert hat["emoji"]["name"] == "🎩"
    (nameless,) = listed(entries[1:2])["options"]
    assert (nameless["label"], len(nameless["description"])) == ("…", 100)


@pytest.mark.parametrize(
    ("custom_id", "folded"),
    [
        ("kiosk.order:1", "order|1"),
        ("kiosk." + "a" * 80, "a" * 80),
        ("kiosk." + "a" * 81, ""),
        ("another:1", ""),
    ],
)
def test_another_buttons_id_is_carried_where_it_has_room(custom_id: str, folded: str) -> None:
    assert fold(custom_id) == folded


@given(st.builds(Turn, IDS, st.sampled_from(Order), TITLES, st.booleans()))
def test_an_action_comes_back_from_its_custom_id(action: Turn) -> None:
    custom_id = action.custom_id()
    assert len(custom_id) <= 100
    assert Turn.read(custom_id) == action


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ["1", "u", "a"],
        ["x", "u", "a", "1"],
        ["1", "?", "a", "1"],
        [str(2**63), "u", "a", "1"],
        [str(-(2**64)), "u", "a", "1"],
    ],
)
def test_what_is_not_its_own_is_refused(fields: list[str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each field's type has words of its own
        Turn.read(":".join(["kiosk.turn", *fields]))


@pytest.mark.parametrize("title", ["a:b", "x" * 100])
def test_what_does_not_fit_into_a_custom_id_is_refused(title: str) -> None:
    with pytest.raises(ValueError, match="custom id"):
        Turn(1, Order.UP, title, is_public=True).custom_id()


@given(st.builds(Turn, IDS, st.sampled_from(Order), TITLES, st.booleans()))
def test_a_button_from_before_a_field_was_added_takes_its_default(action: Turn) -> None:
    assert TurnNow.read(action.custom_id()) == TurnNow(**asdict(action), steps=1)


@given(st.builds(TurnNow, IDS, st.sampled_from(Order), TITLES, st.booleans(), IDS))
def test_what_a_button_has_beyond_the_fields_is_passed_over(action: TurnNow) -> None:
    assert TurnNow.read(action.custom_id()) == action
    assert asdict(Turn.read(action.custom_id())).items() <= asdict(action).items()


NOW = datetime(2026, 1, 1, tzinfo=UTC)
ENGLISH = discord.Locale.american_english
COMMAND = discord.InteractionType.application_command


def arriving(
    number: int, member: int = 1, *, at: datetime = NOW, data: Mapping[str, object] | None = None
) -> discord.Interaction[Any]:
    who = {"user": SimpleNamespace(id=member), "guild_id": None, "locale": ENGLISH}
    where = {
        "client": SimpleNamespace(features=None, hooks=None, open_cards=None, clock=Clock()),
        "is_guild_integration": lambda: True,
    }
    what: dict[str, Any] = {"command": None, "custom_id": "", "permissions": None}
    what |= {"guild_locale": None, "created_at": at, "type": COMMAND, "data": data or {}}
    sent = SimpleNamespace(id=number, **who, **where, **what)
    return cast("discord.Interaction[Any]", sent)


async def test_one_member_has_so_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[type[Exception]] = []

    async def show_error(_: Here, error: Exception) -> None:
        told.append(type(error))

    monkeypatch.setattr("bot.ui.error_cards.show_error", show_error)
    router = Router()
    begun = [arriving(number) for number in range(6)]
    for interaction in begun:
        assert await router.let_in(interaction, "")

    assert not await router.let_in(arriving(7), "")
    assert told == [TooManyAtOnce]
    assert await router.let_in(arriving(8, member=2), "")
    router.end(arriving(8, member=2))
    router.end(begun[0])
    assert await router.let_in(arriving(9), "")


async def test_what_nobody_said_the_end_of_is_over_after_a_minute() -> None:
    router = Router()
    for number in range(6):
        await router.let_in(arriving(number), "")

    assert await router.let_in(arriving(7, at=NOW + timedelta(seconds=61)), "")


async def test_halves_of_surrogate_pairs_are_replaced_wherever_they_stand() -> None:
    sent = arriving(1, data={"values": [{"value": "a\ud800b"}, "\ud83d\ude00", {"x": 7}]})

    await Router().let_in(sent, "")

    assert sent.data == {"values": [{"value": "a\ufffdb"}, "😀", {"x": 7}]}


MEMBER, OTHER_MEMBER = 1, 2


class Opened:
    """A card that a member has open, as far as drawing it again asks for the interaction."""

    locale = discord.Locale.german

    def __init__(self, number: int, member: int = MEMBER) -> None:
        self.card_key = number
        self.member_id = member
        self.interaction = self
        self.drawn = 0

    async def edit_original_response(self, view: Card) -> None:
        self.drawn += 1

    @property
    def here(self) -> Here:
        return cast(Any, self)


async def draw() -> Card:
    return notice("Anew", "")


async def fail() -> Card:
    raise NotLinked


async def draw_nothing() -> None:
    return None


@pytest.mark.parametrize("redraw", [fail, draw_nothing])
async def test_a_card_that_can_not_be_drawn_keeps_no_other_from_it(redraw: Any) -> None:
    good, bad = Opened(1), Opened(2)
    cards = OpenCards(Clock())
    cards.note(good.here, [7], draw)
    cards.note(bad.here, [7], redraw)

    await cards.refresh(7, MEMBER)
    assert (good.drawn, bad.drawn) == (1, 0)


COIN = "<:coin:1>"
ALREADY_ANSWERED, INVALID_FORM, UNKNOWN_INTERACTION = 40060, 50035, 10062


class Text:
    """What stands on the card."""

    def to_dict(self) -> Component:
        return paragraph("Reading…")


class Pressed:
    """Discord's side of a press on a private card; it refuses as it is told, one by one."""

    type = discord.InteractionType.component

    def __init__(self, *refusals: discord.HTTPException, clock: Clock | None = None) -> None:
        self.client = SimpleNamespace(clock=clock or Clock())
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
    monkeypatch.setattr(answers, "_SOON_SECONDS", 0.0)
    monkeypatch.setattr(answers, "_PATIENCE_SECONDS", 0.0)


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
    answering = Answer(pressed.interaction)

    answering.acknowledge()
    await answering.finish()
    await pressed.deferred.wait()
    await everything_due()

    assert pressed.shown == []


@pytest.mark.usefixtures("no_patience")
async def test_what_a_card_says_meanwhile_is_there_before_it_is_taken_back() -> None:
    pressed = Pressed()
    answering = Answer(pressed.interaction)
    answering.acknowledge()
    pressed.gate.clear()
    await pressed.shows.wait()
    pressed.shows.clear()

    finishing = asyncio.create_task(answering.finish())
    await everything_due()
    assert not pressed.shows.is_set()
    pressed.gate.set()
    await finishing

    assert ["One moment" in shown for shown in pressed.shown] == [True, False]


@pytest.mark.parametrize("card", [None, notice("Asking…")])
async def test_an_answer_that_discord_took_is_taken(card: Card | None) -> None:
    pressed = Pressed()
    answering = Answer(pressed.interaction)

    assert await answering.give_first(card)

    assert len(pressed.shown) == (card is not None)


@pytest.mark.parametrize("code", [ALREADY_ANSWERED, UNKNOWN_INTERACTION])
async def test_an_answer_that_discord_refused_is_not_taken(code: int) -> None:
    pressed = Pressed(refused(code))
    answering = Answer(pressed.interaction)

    assert not await answering.give_first(notice("Asking…"))
    await answering.answer(notice("Nothing was bought"))

    assert "Nothing was bought" in pressed.shown[-1]


async def test_silence_from_discord_is_no_answer() -> None:
    clock = SteppedClock(NOW)
    pressed = Pressed(clock=clock)
    answering = Answer(pressed.interaction)
    pressed.gate.clear()

    giving = asyncio.create_task(answering.give_first(notice("Asking…")))
    await pressed.shows.wait()
    clock.advance(PATIENCE_SECONDS)
    assert not await giving
    pressed.gate.set()
    await answering.answer(notice("Nothing was bought"))

    (shown,) = pressed.shown
    assert "Nothing was bought" in shown
