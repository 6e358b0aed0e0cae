"""Take walks: `python -m tests.simulation --seeds 0:200 --steps 100 [--shrink]`."""

import argparse
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.simulation import coverage, found, walk

_HASH_SEED = "0"
_MAX_SHOWN = 5


@dataclass
class _Report:
    """What walks have come to."""

    count: int = 0
    failed: int = 0
    pressed: Counter[str] = field(default_factory=Counter[str])
    forgiven: Counter[str] = field(default_factory=Counter[str])
    unknown_names: Counter[str] = field(default_factory=Counter[str])
    # By what was reached, the first seed that did.
    reached: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    there: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    began: float = field(default_factory=time.process_time)

    def take(self, plan: walk.Plan) -> walk.Taken:
        taken = walk.take(plan)
        self.count += taken.count
        self.failed += taken.fault is not None
        self.pressed += taken.pressed
        self.forgiven += taken.forgiven
        self.unknown_names += taken.unknown_names
        self.there = self.there or coverage.everything(taken.commands)
        for each in taken.reached:
            self.reached.setdefault(each, plan.seed)
        return taken

    def take_again(self, name: str, first: walk.Taken) -> None:
        """Hold that the same plan gives the same."""
        again = self.take(first.plan)
        if again.result != first.result:
            self.failed += 1
            print(f"{name} comes to something else when it is taken again")
            lines = zip(first.transcript, again.transcript, strict=False)
            other = (f"  {one}\n  {two}" for one, two in lines if one != two)
            print("\n".join(itertools.islice(other, _MAX_SHOWN)), flush=True)

    def missing(self) -> Iterator[str]:
        """Yield what no walk has reached, by its group."""
        for group, names in self.there.items():
            if left := sorted(name for name in names if (group, name) not in self.reached):
                yield f"{group}: {left}"
        yield f"fields that steps/words.py doesn't know: {dict(self.unknown_names.most_common())}"

    def lost(self) -> list[str]:
        """Return what was reached once and isn't any more."""
        return [
            f"{group} {name}"
            for group, entries in coverage.read_reached().items()
            for name, seed in entries.items()
            if isinstance(seed, int) and (group, name) not in self.reached
        ]

    def tell(self) -> None:
        seconds = time.process_time() - self.began
        print(f"{self.count} steps, {self.count / seconds:.0f} a second of processor;", end=" ")
        print(f"{self.failed} walks failed")
        if self.forgiven:
            print(f"known: {dict(self.forgiven)}")
        print(f"{len(self.pressed)} actions and commands: {dict(self.pressed.most_common())}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    add = parser.add_argument
    add("--seeds", default="0:20", help="from:to, each a world and a plan")
    add("--steps", type=int, default=100, help="of each walk")
    add("--minutes", type=float, help="take walks for so long, from the first seed on")
    add("--twice", type=int, default=0, help="take so many walks again, to the same result")
    add("--found", nargs="?", const="", help="take what was found instead; a name tells all of it")
    add("--newest", type=int, help="with --found: so many alone")
    add("--shrink", action="store_true", help="show the shortest plan that fails")
    add("--first", action="store_true", help="end with the first that fails")
    add("--transcript", action="store_true", help="of the walks that fail, whole")
    add("--missing", action="store_true", help="show what is not reached")
    add("--reached", action="store_true", help="fail where what reached.toml has is not reached")
    add("--write-reached", action="store_true", help="write reached.toml")
    return parser.parse_args()


def _plans(options: argparse.Namespace) -> Iterator[tuple[str, walk.Plan]]:
    if options.found is not None:
        names = [options.found] if options.found else found.names()[: options.newest]
        yield from ((name, found.load(name).PLAN) for name in names)
        return
    begin, _, end = options.seeds.partition(":")
    seeds: Iterable[int] = range(int(begin), int(end or int(begin) + 1))
    if options.minutes:
        late = time.monotonic() + options.minutes * 60
        seeds = itertools.takewhile(lambda _: time.monotonic() < late, itertools.count(int(begin)))
    for seed in seeds:
        yield f"seed {seed}", walk.draw_plan(seed, options.steps)


def _take_all(options: argparse.Namespace, report: _Report) -> None:
    for number, (name, plan) in enumerate(_plans(options)):
        taken = report.take(plan)
        if number < options.twice:
            report.take_again(name, taken)
        if options.found or (options.transcript and taken.fault):
            print("\n".join(taken.transcript))
        if taken.fault is None:
            continue
        print(f"{name}, step {taken.at}: {taken.fault}", flush=True)
        if options.shrink:
            print(walk.as_found(walk.shrink(plan, taken.fault)), flush=True)
        if options.first:
            break


def main() -> int:
    options = _options()
    report = _Report()
    _take_all(options, report)
    report.tell()
    if options.missing:
        print("\n".join(["not reached:", *report.missing()]))
    if options.write_reached:
        coverage.write_reached(report.reached)
    lost = report.lost() if options.reached else []
    if lost:
        print("\n".join(["not reached any more:", *lost]))
    return 1 if report.failed or lost else 0


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != _HASH_SEED:
        # What stands in a set is taken in the same order each time.
        os.environ["PYTHONHASHSEED"] = _HASH_SEED
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    sys.exit(main())
