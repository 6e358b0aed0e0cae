"""Faults in the SQL of the storage: a guard, an assignment or an order taken out of one statement.

mutmut knows Python alone.
"""

import json
import multiprocessing
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest

QUERIES = Path("storage/sql")
FOLDER = Path("mutants/sql")
NOTES = FOLDER / "outcomes.json"
# In seconds; a mutant may make a test wait for what never comes.
_LONGEST_RUN = 180
# Each run is forked from a process that has loaded what takes longest to load, and nothing of ours.
_PREPARED = multiprocessing.get_context("forkserver")
_PREPARED.set_forkserver_preload(["discord", "hypothesis", "psycopg", "schemathesis", "simcord"])
_COPIED = ("bot", "cogs", "docs", "game_service", "playground", "storage", "tests", "tools")

# The tests that a file's faults are tried on, the quickest first.
_ANNOUNCING = ("storage/test_announcing.py", "unit/announcing", "conversations/announce")
_MODERATING = (
    "storage/test_removals.py",
    "storage/test_moderation_log.py",
    "unit/moderation/test_rules.py",
    "conversations/moderate",
)
_TESTS_OF = {
    "announcements": (*_ANNOUNCING, "worker/test_announcements.py"),
    "authored": ("storage/test_drafts.py", "conversations/forum/test_writing.py"),
    "catalog_snapshots": ("storage/test_watches.py", *_ANNOUNCING),
    "changes": ("storage/test_changes.py",),
    "claims": ("storage/test_claims.py", "unit/test_worker.py"),
    "drafts": (
        "storage/test_drafts.py",
        "storage/test_untold.py",
        "unit/forum/test_sending_once.py",
        "conversations/forum/test_unsent.py",
    ),
    "emojis": ("worker/test_emoji_uploads.py",),
    "facts": ("conversations/test_commands.py",),
    "figures": ("storage/test_figures.py",),
    "follows": (
        "unit/test_thread_polls.py",
        "unit/test_following_rules.py",
        "conversations/forum/test_following.py",
        "worker/test_followed_posts.py",
    ),
    "identifies": ("unit/test_sharding.py",),
    "inbox": ("conversations/shop/test_telling.py",),
    "keeping": (
        "storage/test_purging.py",
        "storage/test_member_data.py",
        "storage/test_resealing.py",
        "storage/test_growth.py",
    ),
    "leases": ("storage/test_leases.py",),
    "links": ("storage/test_links.py", "conversations/test_account.py"),
    "log_cards": _MODERATING,
    "member_servers": ("conversations/test_names.py",),
    "moderation": _MODERATING,
    "names": (
        "storage/test_panels.py",
        "conversations/test_names.py",
        "conversations/test_setup.py",
    ),
    "orders": (
        "storage/test_orders.py",
        "storage/test_sending_orders.py",
        "storage/test_order_news.py",
        "unit/shop/test_checkout.py",
        "unit/shop/test_left_behind.py",
        "conversations/shop/test_orders.py",
    ),
    "outbox": ("storage/test_outbox.py", "worker"),
    "outcomes": ("storage/test_drafts.py", "storage/test_untold.py"),
    "panels": ("storage/test_panels.py", "worker/test_panels.py"),
    "pauses": ("storage/test_shared_limit.py",),
    "removals": _MODERATING,
    "removed_messages": _MODERATING,
    "reports": ("storage/test_reports.py", "conversations/moderate"),
    "servers": ("unit/test_servers.py", "storage/test_purging.py"),
    "shares": ("storage/test_shares.py",),
    "shown": ("storage/test_shown.py", "conversations/forum/test_sharing.py"),
    "subscriptions": _ANNOUNCING,
    "untold": (
        "storage/test_untold.py",
        "storage/test_order_news.py",
        "conversations/shop/test_telling.py",
    ),
    "vetting": ("storage/test_vetting.py", "unit/moderation/test_vetting.py"),
    "watches": ("storage/test_watches.py", "conversations/shop/test_watching.py"),
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
    # One after the other: the first are the quickest to load, too.
    return all(_run(f"tests/{place}") for place in _TESTS_OF[stem])


def _run(place: str) -> bool:
    process = _PREPARED.Process(target=_pytest, args=(place,))
    process.start()
    process.join(_LONGEST_RUN)
    process.kill()
    process.join()
    return process.exitcode == 0


def _pytest(place: str) -> None:
    os.chdir(FOLDER)
    sys.path.insert(0, str(Path.cwd()))
    # What a run says matters to nobody.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
        os.dup2(nowhere.fileno(), sys.stderr.fileno())
    # Guards are alike on both engines, and SQLite is quicker.
    args = ["-x", "-q", "-p", "no:cacheprovider", "-k", "not postgresql"]
    # Of what was loaded before.
    args += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    sys.exit(pytest.main([*args, place]))


def _noted() -> dict[str, str]:
    return json.loads(NOTES.read_bytes()) if NOTES.exists() else {}
