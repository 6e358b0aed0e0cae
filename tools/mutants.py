"""Try faults on the tests, and tell which ones they don't notice.

`python -m tools.mutants [--sample 100] [PATH...]` runs mutmut over what its section of
pyproject.toml names and our own `tools.sql_mutants` over `storage/sql`; a path narrows that down,
and of each path so many are drawn.
What was tried stays in `mutants/`, and is tried again only where a fault survived or its function
has changed. `mutmut show NAME` prints a fault.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from tools import sql_mutants
from tools.sql_mutants import Outcome

FOLDER = Path("mutants")
# Which tests run which function.
STATS = FOLDER / "mutmut-stats.json"
MUTMUT = Path(sys.executable).with_name("mutmut")
# What mutmut notes: how pytest ended, or why it wasn't run.
_OUTCOMES = {None: Outcome.UNTRIED, 0: Outcome.SURVIVED, 5: Outcome.UNMET, 33: Outcome.UNMET}

Outcomes = dict[str, Outcome]


def main(
    paths: Annotated[list[str] | None, typer.Argument(help="modules, SQL files or folders")] = None,
    sample: Annotated[
        int | None, typer.Option(help="try so many of each path, drawn by the seed")
    ] = None,
    seed: int = 1,
) -> None:
    """Try faults, print a table of the survivors by module, and name each."""
    wanted = tuple(paths or ["bot", "storage/sql"])
    chosen = random.Random(seed)  # noqa: S311 - drawn alike each time, and no secret
    if any(path.startswith("bot") for path in wanted):
        _run_mutmut("nothing, so that the faults are only written")
        if not STATS.exists():
            sys.exit("the tests do not pass on the sources as they are: see above")
        _try_python(
            [name for path in wanted for name in _drawn(_python_outcomes([path]), sample, chosen)]
        )
    found = _python_outcomes(wanted)
    if any(path.startswith("storage") for path in wanted):
        sql = {mutant.name: mutant for mutant in sql_mutants.mutants(wanted)}
        sql_mutants.try_out([sql[name] for name in _drawn(dict.fromkeys(sql), sample, chosen)])
        found |= sql_mutants.outcomes(sql)
    _print_table(found)


def _drawn(
    among: Mapping[str, Outcome | None], sample: int | None, chosen: random.Random
) -> list[str]:
    """Return the faults to try: of those that are drawn, the ones that weren't noticed before."""
    names = sorted(among)
    if sample is not None and sample < len(names):
        names = sorted(chosen.sample(names, sample))
    return [name for name in names if among[name] is not Outcome.KILLED]


def _try_python(names: Sequence[str]) -> None:
    if names and _run_mutmut(*names):
        sys.exit("mutmut could not run: see above")


def _run_mutmut(*names: str) -> int:
    # One at a time: several would slow each other down until tests ran out of time.
    return subprocess.run([MUTMUT, "run", "--max-children", "1", *names], check=False).returncode  # noqa: S603


def _python_outcomes(paths: Iterable[str]) -> Outcomes:
    found: Outcomes = {}
    for noted in sorted(FOLDER.glob("bot/**/*.meta")):
        module = str(noted.relative_to(FOLDER)).removesuffix(".meta")
        if module.startswith(tuple(paths)):
            codes: dict[str, int | None] = json.loads(noted.read_bytes())["exit_code_by_key"]
            found |= {name: _OUTCOMES.get(code, Outcome.KILLED) for name, code in codes.items()}
    return found


def _module_of(name: str) -> str:
    """Return the module or SQL file of a fault: `bot.game.cache.x_get__mutmut_1`, `storage/...`."""
    file, colon, _ = name.partition(":")
    return file if colon else name.rpartition(".")[0]


def _print_table(found: Outcomes) -> None:
    modules: dict[str, list[Outcome]] = {}
    for name, outcome in found.items():
        modules.setdefault(_module_of(name), []).append(outcome)
    print(f"\n{'':44}{'faults':>8}{'tried':>8}{'unmet':>8}{'survived':>10}{'rate':>8}")
    for module, outcomes in [*sorted(modules.items()), ("all", [*found.values()])]:
        tried = [outcome for outcome in outcomes if outcome is not Outcome.UNTRIED]
        unmet, survived = tried.count(Outcome.UNMET), tried.count(Outcome.SURVIVED)
        rate = f"{(unmet + survived) / len(tried):.1%}" if tried else ""
        print(f"{module:44}{len(outcomes):8}{len(tried):8}{unmet:8}{survived:10}{rate:>8}")
    print()
    for name, outcome in found.items():
        if outcome in (Outcome.SURVIVED, Outcome.UNMET):
            print(f"{outcome}: {name}")


if __name__ == "__main__":
    typer.run(main)
