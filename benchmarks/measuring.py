"""Compare two things fairly: in turn, several times, by the ratio of their medians."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Finding:
    """One line of the table: how much of `what` there is `beside` something else."""

    what: str
    beside: str
    ratio: float
    goal: str


def ratio_in_turn(
    measure: Callable[[], float], measure_other: Callable[[], float], *, rounds: int
) -> float:
    """Measure one and the other in turn, after a round of each that does not count.

    Whatever else the machine does meanwhile, it does to both.
    """
    measure()
    measure_other()
    pairs = [(measure(), measure_other()) for _ in range(rounds)]
    return median(one for one, _ in pairs) / median(other for _, other in pairs)


def table(findings: Iterator[Finding]) -> Iterator[str]:
    """Give the lines of a Markdown table, each as soon as it is found."""
    yield "| What | Beside | Ratio | Goal |"
    yield "| --- | --- | ---: | --- |"
    for finding in findings:
        yield f"| {finding.what} | {finding.beside} | {finding.ratio:.2f} | {finding.goal} |"
