"""Faults in the SQL of the storage: a guard, an assignment or an order taken out of one statement.

mutmut knows Python alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

QUERIES = Path("storage/sql")

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


def mutants() -> list[SqlMutant]:
    """Return every fault in every SQL file."""
    return [mutant for file in sorted(QUERIES.glob("*.sql")) for mutant in _of_file(file)]


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
