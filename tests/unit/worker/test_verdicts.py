"""What an answer of Discord's means, and when the next request may leave."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest

from bot.ui.messages.pacing import MAX_INVALID, RATE, Openings, Pacing, Trouble
from bot.ui.messages.verdicts import PutOff, Settled, TryAgain, is_token_refused, judge
from storage.messages import MessageState
from tests.support.clock import ManualClock, SteppedClock, utc_now

FOR_GOOD = [10003, 10004, 50001, 50013, 50008, 160005, 40067, 50007, 50278, 60003]


def answer(status: int, code: int = 0) -> discord.HTTPException:
    response = cast("aiohttp.ClientResponse", SimpleNamespace(status=status, reason="said so"))
    body: dict[str, Any] = {"code": code, "message": ""}
    return discord.HTTPException(response, body)


@pytest.mark.parametrize("code", FOR_GOOD)
@pytest.mark.parametrize("status", [400, 403, 404])
def test_a_refusal_for_good_is_one_whatever_its_status(code: int, status: int) -> None:
    verdict = judge(answer(status, code), is_doubtful=False)
    assert isinstance(verdict, Settled)
    assert verdict.is_closed


@pytest.mark.parametrize("code", [20009, 200000, 200001, 240000])
def test_what_discord_takes_of_nobody_says_nothing_of_the_channel(code: int) -> None:
    verdict = judge(answer(400, code), is_doubtful=False)

    assert isinstance(verdict, Settled)
    assert verdict.state is MessageState.REFUSED
    assert verdict.only_this_entry


@pytest.mark.parametrize("code", FOR_GOOD)
def test_a_refusal_for_good_says_nothing_of_an_earlier_try(code: int) -> None:
    verdict = judge(answer(403, code), is_doubtful=True)
    assert isinstance(verdict, Settled)
    assert verdict.state is MessageState.UNKNOWN


@pytest.mark.parametrize(
    "error",
    [
        answer(403, 40333),
        answer(403),
        answer(404),
        answer(400, 50035),
        answer(429),
        answer(500),
        answer(503),
        OSError(104, "reset"),
        TimeoutError(),
        aiohttp.ServerDisconnectedError(),
        TryAgain("later"),
        ZeroDivisionError(),
    ],
)
@pytest.mark.parametrize("is_doubtful", [True, False])
def test_everything_else_is_tried_again(error: Exception, *, is_doubtful: bool) -> None:
    verdict = judge(error, is_doubtful=is_doubtful)

    assert isinstance(verdict, PutOff)
    assert verdict.is_doubtful is is_doubtful
    assert verdict.pause is None


@pytest.mark.parametrize(
    ("error", "is_trouble", "is_ours"),
    [
        (answer(403, 40333), True, False),
        (answer(503), True, False),
        (OSError(104, "reset"), True, False),
        (answer(400, 50035), False, True),
        (TryAgain("later"), False, False),
        (ZeroDivisionError(), False, True),
    ],
)
def test_trouble_is_told_apart(error: Exception, *, is_trouble: bool, is_ours: bool) -> None:
    verdict = judge(error, is_doubtful=False)
    assert isinstance(verdict, PutOff)
    assert (verdict.is_trouble, verdict.is_ours) == (is_trouble, is_ours)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (answer(403, 20026), logging.ERROR),
        (answer(403, 40003), logging.WARNING),
        (answer(403, 123456), logging.WARNING),
        (answer(400, 123456), logging.WARNING),
        (answer(500), logging.WARNING),
        # That is logged as a fault of Kiosk's, and the others are waits that Discord names.
        (answer(400, 50035), logging.NOTSET),
        (discord.RateLimited(77.0), logging.NOTSET),
        (TryAgain("later"), logging.NOTSET),
    ],
)
def test_what_may_be_put_off_for_ever_is_said_in_the_log(error: Exception, said: int) -> None:
    verdict = judge(error, is_doubtful=False)
    assert isinstance(verdict, PutOff)
    assert verdict.log_level == said


def test_a_limit_is_waited_out_as_told() -> None:
    verdict = judge(discord.RateLimited(77.0), is_doubtful=False)
    assert isinstance(verdict, PutOff)
    assert verdict.pause == timedelta(seconds=77)


def test_a_token_that_is_refused_ends_it_all() -> None:
    assert is_token_refused(answer(401))
    assert isinstance(judge(answer(401), is_doubtful=True), PutOff)
    assert not is_token_refused(answer(403))


def test_in_trouble_one_alone_finds_out_when_it_is_over() -> None:
    clock = ManualClock()
    trouble = Trouble(clock)
    for _ in range(4):
        trouble.count(is_trouble=True)
    assert trouble.most(100) == 100

    trouble.count(is_trouble=True)
    assert trouble.most(100) == 0
    clock.advance(trouble.seconds() + 1e-6)
    assert trouble.most(100) == 1
    for _ in range(100):
        trouble.count(is_trouble=True)
    assert trouble.seconds() <= 60
    trouble.count(is_trouble=False)
    assert trouble.most(100) == 100


# As many as Discord surely takes within a second.
TAKEN = 48


@dataclass
class Hurried(ManualClock):
    """Is moved by each sleeper, a bit too far."""

    late: float = 0.0

    async def sleep(self, seconds: float) -> None:
        # The clock counts whole microseconds.
        self.advance(seconds + self.late + 1e-6)


class Road:
    """Passes turns, and notes when each was answered."""

    def __init__(self, *, late: float = 0.0) -> None:
        self.clock = Hurried(late=late)
        self.pacing = Pacing(self.clock)
        self.turns: list[float] = []
        self._unanswered = 0

    async def pass_turns(self, count: int, *, answered: bool = True) -> None:
        for _ in range(count):
            await self.pacing.turn()
            self._unanswered += 1
            if answered:
                self.answer()

    def answer(self) -> None:
        """Let all that left arrive and be answered now."""
        for _ in range(self._unanswered):
            self.turns.append(self.clock.seconds())
            self.pacing.count_answer()
        self._unanswered = 0

    def most_in_a_second(self) -> int:
        return max(
            sum(start <= turn < start + 1 for turn in self.turns[at : at + 2 * RATE])
            for at, start in enumerate(self.turns)
        )


@pytest.mark.parametrize("late", [0.0, 0.001, 0.013])
async def test_a_second_has_nearly_as_many_requests_as_may_be(late: float) -> None:
    road = Road(late=late)

    await road.pass_turns(10 * RATE)

    assert road.most_in_a_second() <= TAKEN
    took = road.turns[-1] - road.turns[0]
    assert 10 * 0.95 < took < 10 * 1.05


async def test_turns_are_spread_over_the_second() -> None:
    road = Road()

    await road.pass_turns(RATE)

    gaps = [after - before for before, after in pairwise(road.turns)]
    assert min(gaps) > 0.9 / RATE


async def test_too_many_invalid_requests_end_all_turns_for_their_ten_minutes() -> None:
    road = Road()
    for _ in range(MAX_INVALID):
        road.pacing.count_answer(is_invalid=True)
        road.clock.advance(0.01)
    first = road.clock.seconds() - MAX_INVALID * 0.01

    await road.pass_turns(1)

    assert road.turns[0] >= first + 600 - 0.001


def test_direct_channels_are_opened_one_after_the_other() -> None:
    clock = SteppedClock(utc_now())
    openings = Openings(10, clock)

    assert [openings.wait(member) for member in (1, 2, 3, 2)] == [0, 10, 20, 10]
    clock.advance(15)
    # A member who comes late keeps the others at their distance.
    assert openings.wait(2) == 0
    assert openings.wait(3) == 10
    assert openings.wait(4) == pytest.approx(15)
    clock.advance(85)
    assert openings.wait(5) == 0


def test_who_was_refused_comes_first_once_direct_channels_are_opened_again() -> None:
    clock = SteppedClock(utc_now())
    openings = Openings(10, clock)
    assert [openings.wait(member) for member in (1, 2, 3)] == [0, 10, 20]

    openings.hold(1, 600)
    assert [openings.wait(member) for member in (1, 2, 3, 4)] == [600, 610, 620, 630]
    clock.advance(600)
    assert openings.wait(1) == 0
    assert openings.wait(2) == 10
