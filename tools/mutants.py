"""Try faults on the tests, and tell which ones they don't notice.

`python -m tools.mutants [--sample 100] [PATH...]` tries the faults that mutmut writes into what
its section of pyproject.toml names, and those of `tools.sql_mutants` in `storage/sql`, on the
tests that `tools.fault_tests` names. A path narrows that down, and of each so many are drawn.
What was tried stays in `mutants/`, and is tried again only where a fault survived or its function
has changed. `mutmut show NAME` prints a fault.
"""

import json
import random
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from tools import sql_mutants
from tools.fault_runs import load_libraries, load_tests, passes
from tools.fault_tests import tests_of

FOLDER = Path("mutants")
SQL_FOLDER = FOLDER / "sql"
NOTES = FOLDER / "outcomes.json"
MUTMUT = Path(sys.executable).with_name("mutmut")
_COPIED = ("bot", "cogs", "docs", "game_service", "playground", "storage", "tests", "tools")


@dataclass(frozen=True)
class Fault:
    """One fault in a module or an SQL file; `key` tells it from that of an earlier source."""

    name: str
    key: str
    file: str
    is_noticed_by: Callable[[str], bool]


def main() -> None:
    """Try faults, print a table of the survivors by file, and name each."""
    parser = ArgumentParser("python -m tools.mutants", description=main.__doc__)
    parser.add_argument("paths", nargs="*", help="modules, SQL files or folders")
    parser.add_argument("--sample", type=int, help="try so many of each path")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wanted, sample, seed = options.paths or ["bot", "storage/sql"], options.sample, options.seed
    load_libraries()
    tried = _try_out(_drawn(_sql_faults(), wanted, sample, seed))
    if any(path.startswith("bot") for path in wanted):
        drawn = _drawn(_python_faults(), wanted, sample, seed)
        load_tests(FOLDER, sorted({place for fault in drawn for place in tests_of(fault.file)}))
        tried |= _try_out(drawn)
    _print_table(tried)


def _drawn(
    faults: Sequence[Fault], wanted: Iterable[str], sample: int | None, seed: int
) -> list[Fault]:
    chosen = random.Random(seed)  # noqa: S311 - drawn alike each time, and no secret
    drawn: list[Fault] = []
    for path in wanted:
        among = [each for each in faults if each.file.startswith(path) or each.name == path]
        drawn += among if sample is None else chosen.sample(among, min(sample, len(among)))
    return drawn


def _try_out(faults: Sequence[Fault]) -> dict[Fault, bool]:
    """Return which faults are noticed; those that were before are not tried again."""
    noticed: set[str] = set(json.loads(NOTES.read_bytes())) if NOTES.exists() else set()
    for number, fault in enumerate(faults, start=1):
        if fault.key not in noticed and any(map(fault.is_noticed_by, tests_of(fault.file))):
            noticed.add(fault.key)
            NOTES.write_text(json.dumps(sorted(noticed), indent=1), encoding="utf-8")
        word = "noticed" if fault.key in noticed else "survived"
        print(f"{number} of {len(faults)}: {word}: {fault.name}", flush=True)
    return {fault: fault.key in noticed for fault in faults}


def _python_faults() -> list[Fault]:
    """Write the faults, and return them."""
    for copied in FOLDER.glob("*/**/*.py"):
        source = copied.relative_to(FOLDER)
        if source.parts[0] != SQL_FOLDER.name and not source.exists():
            copied.unlink()
            copied.with_name(f"{copied.name}.meta").unlink(missing_ok=True)
    # It only writes: of nothing, it tries nothing.
    command = [MUTMUT, "run", "--max-children", "1", "nothing"]
    subprocess.run(command, check=False)  # noqa: S603 - no word of it comes from elsewhere
    faults: list[Fault] = []
    for noted in sorted(FOLDER.glob("bot/**/*.meta")):
        file = str(noted.relative_to(FOLDER)).removesuffix(".meta")
        meta = json.loads(noted.read_bytes())
        for name in meta["exit_code_by_key"]:
            function = name.rpartition("__mutmut_")[0].rpartition(".")[2]
            key = f"{name} {meta['hash_by_function_name'].get(function)}"
            faults.append(Fault(name, key, file, partial(_is_noticed, FOLDER, name)))
    return faults


def _sql_faults() -> list[Fault]:
    # What is gone from the sources must not be loaded from an earlier copy.
    shutil.rmtree(SQL_FOLDER, ignore_errors=True)
    for place in _COPIED:
        shutil.copytree(place, SQL_FOLDER / place)
    shutil.copy("pyproject.toml", SQL_FOLDER)
    # A process of its own: what is loaded here would be in force for the faults, too.
    command = [sys.executable, "-m", "tools.sql_loading"]
    loading = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
    unloadable = loading.stdout.splitlines()
    for name in unloadable:
        print(f"not tried, since it does not load on both engines: {name}")
    return [
        Fault(mutant.name, mutant.name, str(mutant.file), partial(_notices_sql, mutant))
        for mutant in sql_mutants.mutants()
        if mutant.name not in unloadable
    ]


def _notices_sql(mutant: sql_mutants.SqlMutant, place: str) -> bool:
    text = mutant.file.read_text(encoding="utf-8")
    _require_passing(SQL_FOLDER, place)
    try:
        (SQL_FOLDER / mutant.file).write_text(mutant.apply(text), encoding="utf-8")
        return not passes(SQL_FOLDER, place)
    finally:
        (SQL_FOLDER / mutant.file).write_text(text, encoding="utf-8")


def _is_noticed(folder: Path, name: str, place: str) -> bool:
    _require_passing(folder, place)
    return not passes(folder, place, name)


@cache
def _require_passing(folder: Path, place: str) -> None:
    # Else every fault would seem to be noticed.
    if not passes(folder, place):
        sys.exit(f"{place} does not pass on the sources as they are")


def _print_table(tried: Mapping[Fault, bool]) -> None:
    files: dict[str, list[bool]] = {}
    for fault, is_noticed in tried.items():
        files.setdefault(fault.file, []).append(is_noticed)
    print(f"\n{'':44}{'tried':>8}{'survived':>10}{'rate':>8}")
    for file, noticed in [*sorted(files.items()), ("all", [*tried.values()])]:
        survived = noticed.count(False)
        print(f"{file:44}{len(noticed):8}{survived:10}{survived / max(len(noticed), 1):8.1%}")
    print()
    for fault, is_noticed in tried.items():
        if not is_noticed:
            print(f"survived: {fault.name}")


if __name__ == "__main__":
    main()
