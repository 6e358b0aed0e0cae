"""Compare two things fairly: in turn, several times, by the ratio of their medians."""

import asyncio
import sys
import time
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import median, stdev

from bot.log import describe

# How much further a median is off than a mean, if rounds differ by chance.
_ERROR_OF_MEDIAN = 1.25
# The part of a goal beyond which a row's spread needs more rounds.
_SURE_AT_SHARE = 0.2

# The time between two looks at the loop, so that these don't change what is measured.
_BREATH_SECONDS = 0.001
HEADING = "| What | Beside | Ratio | Spread | Goal |\n| --- | --- | ---: | ---: | --- |"


@dataclass(frozen=True)
class Ratio:
    """The ratio of two medians, and how far another run's may probably be to each side."""

    value: float
    spread: float = 0.0


@dataclass(frozen=True)
class Finding:
    """One line of the table: how much of `what` there is `beside` something else, and the goal."""

    what: str
    beside: str
    ratio: Ratio
    at_most: float | None = None
    at_least: float | None = None

    @property
    def is_missed(self) -> bool:
        """Whether the goal is missed by more than the rounds differ among themselves."""
        too_much = self.at_most is not None and self.ratio.value - self.at_most > self.ratio.spread
        too_little = (
            self.at_least is not None and self.at_least - self.ratio.value > self.ratio.spread
        )
        return too_much or too_little

    def __str__(self) -> str:
        """Return its line of a Markdown table."""
        goal = "" if self.at_least is None else f"at least {self.at_least:g}"
        if self.at_most is not None:
            goal = f"at most {self.at_most:g}"
        missed = ", missed" if self.is_missed else ""
        spread = f"± {self.ratio.spread:.2f}" if self.ratio.spread else ""
        return (
            f"| {self.what} | {self.beside} | {self.ratio.value:.2f} | {spread} | {goal}{missed} |"
        )


# Measures one part in a folder of its own.
Part = Callable[[Path], Iterator[Finding]]


def measure(part: str, compare: Part, folder: Path) -> bool:
    """Print what one part finds. Return whether it could be measured and no goal was missed."""
    begun = time.monotonic()
    is_good = True
    try:
        for finding in compare(folder):
            print(finding, flush=True)
            is_good &= not finding.is_missed
    except Exception as error:  # noqa: BLE001 - the other parts are measured all the same
        traceback.print_exc()
        why = describe(error).replace("|", "/")
        print(f"| {part} | could not be measured whole: {why} | | | |", flush=True)
        is_good = False
    print(f"{part}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return is_good


def ratio_in_turn(
    measure: Callable[[], float], measure_other: Callable[[], float], *, rounds: int
) -> Ratio:
    """Measure one and the other in turn, after a round of each that does not count.

    Other work of the machine affects both.
    """
    measure()
    measure_other()
    return ratio_of([(measure(), measure_other()) for _ in range(rounds)])


async def rounds_until_sure(
    measure: Callable[[], Awaitable[tuple[float, float]]], *, goal: float, least: int, most: int
) -> Sequence[tuple[float, float]]:
    """Measure one and the other in rounds, until their ratio spreads by a fifth of the goal."""
    pairs: list[tuple[float, float]] = []
    while len(pairs) < least or (
        len(pairs) < most and ratio_of(pairs).spread > goal * _SURE_AT_SHARE
    ):
        pairs.append(await measure())
    return pairs


def ratio_of(pairs: Sequence[tuple[float, float]]) -> Ratio:
    """Return the ratio of what was measured in some rounds, of the one and the other.

    Its spread is the standard error of a median, by the ratios of single rounds.
    """
    value = median(ours for ours, _ in pairs) / median(theirs for _, theirs in pairs)
    ratios = [ours / theirs for ours, theirs in pairs]
    spread = _ERROR_OF_MEDIAN * stdev(ratios) / sqrt(len(ratios)) if len(ratios) > 1 else 0.0
    return Ratio(value, spread)


@asynccontextmanager
async def watching_loop() -> AsyncGenerator[list[float]]:
    """Give how long the loop was blocked each time, in seconds."""
    stops = [0.0]

    async def watch() -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(_BREATH_SECONDS)
            stops.append(time.perf_counter() - begun - _BREATH_SECONDS)

    task = asyncio.create_task(watch())
    try:
        yield stops
    finally:
        task.cancel()
