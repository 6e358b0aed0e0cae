"""Faults in the SQL of the storage: a guard, an assignment or an order taken out of one statement.

mutmut knows Python alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

QUERIES = Path("storage/sql")

_VALUE = r"(?:[:\w.]+|'\w*')(?![\w(])"
_COMPARISON = rf"[:\w.]+ (?:<=|>=|<>|=|<|>) {_VALUE}|[\w.]+ IS (?:NOT )?NULL"
_BRACKETS = r"\((?:[^()]|\([^()]*\))*\)"
_COMPUTED = rf"(?:CASE\b.*?\bEND\b|COALESCE{_BRACKETS}|{_VALUE})(?: (?:[-+*]|\|\|) {_VALUE})*"
_COLUMN = r"(?:(?<=SET )|(?<=, )|(?<=^       ))(?P<column>\w+) = "
# In the conditions of a statement, each wherever it stands.
_GUARD_FAULTS = (
    # What it compares keeps its type, which PostgreSQL learns from there.
    (_COMPARISON, r"(TRUE OR \g<0>)"),
    (r"<=", "<"),
    (r">=", ">"),
    (r"\bAND\b", "OR"),
    (r"\bOR\b", "AND"),
    (r"\bNOT EXISTS\b", "EXISTS"),
    (r"\bis_open\b(?= OR)", "TRUE"),
    (r" DESC\b", " ASC"),
    (rf"\bORDER BY (?:[^\n;()]|{_BRACKETS})+?(?= LIMIT|[\n;)])", ""),
    (r"\bLIMIT :\w+", ""),
    (r"\bOFFSET :\w+", ""),
)
_OTHER_FAULTS = (
    # In an upsert, the column alone might be either row's.
    (_COLUMN + _COMPUTED, r"\g<column> = {table}.\g<column>"),
    (r"\bON CONFLICT DO NOTHING", ""),
    (r"\bDISTINCT\b", ""),
)
_CHANGED = re.compile(r"\b(?:INSERT INTO|UPDATE) (\w+)")


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
        changed = _CHANGED.search(code)
        for faults, part, offset in (
            (_OTHER_FAULTS, head, 0),
            (_GUARD_FAULTS, tail, len(head) + len(where)),
        ):
            for pattern, template in faults:
                for found in re.finditer(pattern, part, re.MULTILINE | re.DOTALL):
                    after = found.expand(template).replace("{table}", changed[1] if changed else "")
                    place = statement.start() + offset + found.start()
                    yield SqlMutant(file, statement[1], place, found[0], after)
