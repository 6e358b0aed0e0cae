"""Faults in the SQL of the storage: a guard, an assignment or an order taken out of one statement.

mutmut knows Python alone.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

QUERIES = Path("storage/sql")
FOLDER = Path("mutants/sql")
NOTES = FOLDER / "outcomes.json"
# In seconds; a mutant may make a test wait for what never comes.
_LONGEST_RUN = 180
_COPIED = ("bot", "cogs", "game_service", "playground", "storage", "tests", "tools")

# The tests that a file's faults are tried on, the quickest first.
_TESTS_OF = {
    "authored": ("tests/storage/test_drafts.py", "tests/conversations/forum/test_writing.py"),
    "drafts": (
        "tests/storage/test_drafts.py",
        "tests/unit/forum/test_sending_once.py",
        "tests/conversations/forum/test_unsent.py",
    ),
    "facts": ("tests/conversations/test_commands.py",),
    "inbox": ("tests/conversations/shop/test_telling.py",),
    "leases": ("tests/storage/test_leases.py",),
    "links": ("tests/storage/test_links.py", "tests/conversations/test_account.py"),
    "names": ("tests/conversations/test_setup.py",),
    "orders": (
        "tests/storage/test_orders.py",
        "tests/unit/shop/test_checkout.py",
        "tests/unit/shop/test_left_behind.py",
        "tests/conversations/shop/test_orders.py",
    ),
    "shares": ("tests/storage/test_shares.py",),
    "shown": ("tests/storage/test_shown.py", "tests/conversations/forum/test_sharing.py"),
}

_COMPARISON = r"[\w.]+ (?:<=|>=|<>|=|<|>) (?:[:\w.]+|'\w*')|\w+ IS (?:NOT )?NULL"
# In the conditions of a statement, each wherever it stands.
_GUARD_FAULTS = (
    (_COMPARISON, "TRUE"),
    (r"<=", "<"),
    (r">=", ">"),
    (r"\bAND\b", "OR"),
    (r"\bOR\b", "AND"),
    (r"\bNOT EXISTS\b", "EXISTS"),
    (r"\bis_open\b(?= OR)", "TRUE"),
    (r" DESC\b", " ASC"),
    (r"\bORDER BY [^\n;]+", ""),
    (r"\bLIMIT :\w+", ""),
    (r"\bOFFSET :\w+", ""),
)
_OTHER_FAULTS = (
    (r"(?<=SET )(\w+) = [\w.:']+|(?<=, )(\w+) = [\w.:']+|(?<=^       )(\w+) = [\w.:']+", None),
    (r"\bON CONFLICT DO NOTHING", ""),
    (r"\bDISTINCT\b", ""),
)


class Outcome(StrEnum):
    """What became of a fault; UNMET where no test runs the code at all."""

    UNTRIED = "not tried"
    KILLED = "killed"
    SURVIVED = "survived"
    UNMET = "met by no test"


@dataclass(frozen=True)
class SqlMutant:
    """A fault: `before` stands at `start` in the file, and `after` comes in its place."""

    file: Path
    statement: str
    start: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """The file, then what is changed where."""
        return f"{self.file}:{self.statement} {self.before!r} -> {self.after!r} at {self.start}"

    def apply(self, text: str) -> str:
        """Return the file's text with the fault."""
        return text[: self.start] + self.after + text[self.start + len(self.before) :]


def mutants(paths: Iterable[str]) -> list[SqlMutant]:
    """Return every fault in the SQL files that begin with one of the paths."""
    files = [file for file in sorted(QUERIES.glob("*.sql")) if str(file).startswith(tuple(paths))]
    return [mutant for file in files for mutant in _of_file(file)]


def outcomes(names: Iterable[str]) -> dict[str, Outcome]:
    """Return what is known of each fault."""
    noted = _noted()
    return {name: Outcome(noted.get(name, Outcome.UNTRIED)) for name in names}


def try_out(chosen: Sequence[SqlMutant]) -> None:
    """Run the tests on each fault that wasn't noticed before, in a copy of the sources."""
    for place in _COPIED:
        shutil.copytree(place, FOLDER / place, dirs_exist_ok=True)
    shutil.copy("pyproject.toml", FOLDER)
    for stem in sorted({mutant.file.stem for mutant in chosen}):
        # Else every fault would seem to be noticed.
        if not _passes(stem):
            sys.exit(f"the tests of {stem} do not pass on the sources as they are")
    noted = _noted()
    left = [mutant for mutant in chosen if noted.get(mutant.name) != Outcome.KILLED]
    for number, mutant in enumerate(left, start=1):
        text = mutant.file.read_text(encoding="utf-8")
        (FOLDER / mutant.file).write_text(mutant.apply(text), encoding="utf-8")
        noted[mutant.name] = Outcome.SURVIVED if _passes(mutant.file.stem) else Outcome.KILLED
        (FOLDER / mutant.file).write_text(text, encoding="utf-8")
        NOTES.write_text(json.dumps(noted, indent=1), encoding="utf-8")
        print(f"{number} of {len(left)}: {noted[mutant.name]}: {mutant.name}", flush=True)


def _of_file(file: Path) -> Iterator[SqlMutant]:
    text = file.read_text(encoding="utf-8")
    for statement in re.finditer(r"-- name: (\w+).*?(?=-- name:|\Z)", text, re.DOTALL):
        # Comments are no code, but places count from the file's beginning.
        code = re.sub(r"--[^\n]*", lambda comment: " " * len(comment[0]), statement[0])
        head, where, tail = code.partition("WHERE")
        for faults, part, offset in (
            (_OTHER_FAULTS, head, 0),
            (_GUARD_FAULTS, tail, len(head) + len(where)),
        ):
            for pattern, after in faults:
                for found in re.finditer(pattern, part, re.MULTILINE):
                    column = next(filter(None, found.groups()), "")
                    put = f"{column} = {column}" if after is None else after
                    place = statement.start() + offset + found.start()
                    yield SqlMutant(file, statement[1], place, found[0], put)


def _passes(stem: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    try:
        ended = subprocess.run(  # noqa: S603 - our own command
            [*command, *_TESTS_OF[stem]],
            cwd=FOLDER,
            timeout=_LONGEST_RUN,
            capture_output=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def _noted() -> dict[str, str]:
    return json.loads(NOTES.read_bytes()) if NOTES.exists() else {}
