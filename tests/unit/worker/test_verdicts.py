"""What an answer of Discord's means is known by its code; whatever is not known passes."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest

from bot.messages.pacing import Trouble
from bot.messages.verdicts import (
    PutOff,
    Settled,
    TryAgain,
    is_token_refused,
    judge,
    pause_after,
)
from storage.messages import MessageState
from tests.support.clock import ManualClock

FOR_GOOD = [10003, 10004, 50001, 50013, 50008, 160005, 40067, 50007, 50278]


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


@pytest.mark.parametrize(
    ("status", "unblocks_lane"),
    [(400, True), (404, True), (403, False), (429, False), (503, False)],
)
def test_the_others_of_a_channel_wait_for_discords_trouble_alone(
    status: int, *, unblocks_lane: bool
) -> None:
    verdict = judge(answer(status), is_doubtful=False)

    assert isinstance(verdict, PutOff)
    assert verdict.unblocks_lane is unblocks_lane


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
def test_everything_else_is_tried_again_as_certain_as_it_was(
    error: Exception, *, is_doubtful: bool
) -> None:
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
def test_discords_trouble_is_told_from_our_own(
    error: Exception, *, is_trouble: bool, is_ours: bool
) -> None:
    verdict = judge(error, is_doubtful=False)

    assert isinstance(verdict, PutOff)
    assert (verdict.is_trouble, verdict.is_ours) == (is_trouble, is_ours)


def test_a_limit_is_waited_out_as_told() -> None:
    verdict = judge(discord.RateLimited(77.0), is_doubtful=False)

    assert isinstance(verdict, PutOff)
    assert verdict.pause == timedelta(seconds=77)


def test_a_token_that_is_refused_ends_it_all() -> None:
    assert is_token_refused(answer(401))
    assert isinstance(judge(answer(401), is_doubtful=True), PutOff)
    assert not is_token_refused(answer(403))


@pytest.mark.parametrize("draw", [0.0, 0.5, 1.0])
def test_pauses_grow_differ_and_end_somewhere(draw: float) -> None:
    pauses = [pause_after(tries, lambda: draw) for tries in range(1, 200)]

    assert pauses == sorted(pauses)
    assert timedelta(seconds=1) <= pauses[0] <= timedelta(seconds=2)
    assert timedelta(minutes=5) <= pauses[-1] <= timedelta(minutes=10)


def test_in_trouble_one_alone_finds_out_when_it_is_over() -> None:
    clock = ManualClock()
    trouble = Trouble(clock.seconds)
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
