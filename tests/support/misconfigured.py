"""Commands that ended since something is wrong, and folders in which it is."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.program.kiosk import Exit
from storage import MIGRATIONS
from storage.database import open_database
from storage.database.sqlite import keep_in_one_file
from storage.links import Links
from storage.vault import Vault
from tests.support.clock import utc_now
from tests.support.one_zero import database_of_one_zero

# What says that Kiosk would now ask Discord.
OPENED = "all is opened"
# Of SQLite's header: which versions may write the file, and one that is none.
WRITTEN_BY, NOBODY = 18, b"\3"


@dataclass(frozen=True)
class Ended:
    """A command that has ended, and what was wrong, in lines."""

    code: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


Command = Callable[[], Ended]


def nothing(_: Path) -> None:
    pass


@dataclass(frozen=True)
class Wrong:
    """What is said of a mistake in a folder, or in what is given; `{folder}` stands for its path.

    `check` says it of a `setting`, or of the database that the setting names. `run` says it of the
    setting, or `logs` something else of it, and ends with a `code`, if it does.
    """

    says: str
    prepare: Callable[[Path], object] = nothing
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    setting: str = "DATABASE_URL"
    logs: str | None = None
    code: Exit = Exit.TO_MEND

    def make(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.prepare(folder)
        for name, value in self.given.items():
            monkeypatch.setenv(name, value)

    def is_said(self, folder: Path, run: Ended, check: Ended) -> None:
        """Assert that both say it, and that `run` ends as it should."""
        setting = self.setting.replace("{folder}", str(folder))
        says = self.says.replace("{folder}", str(folder))
        subject = "database" if setting == "DATABASE_URL" else setting
        assert check.code == 1
        assert any(line.startswith(subject) and says in line for line in check.lines), check

        assert run.code == self.code, run
        *before, last = run.lines
        if self.code is Exit.STOPPED:
            assert last == OPENED
            last = "".join(before)
        if self.logs is None:
            assert last.startswith(f"{setting}: ")
            assert says in last
        else:
            assert bool(last) == bool(self.logs)
            assert self.logs in last


def with_tables(folder: Path) -> None:
    async def open_once() -> None:
        async with open_database(f"sqlite:///{folder / 'kiosk.db'}", MIGRATIONS):
            pass

    asyncio.run(open_once())


def with_statements(*statements: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        with contextlib.closing(sqlite3.connect(folder / "kiosk.db")) as file, file:
            for statement in statements:
                file.execute(statement)

    return make


def with_links(*keys: str) -> Callable[[Path], None]:
    """Make a database with a token for each key, which that key has sealed."""

    async def save(folder: Path) -> None:
        async with open_database(f"sqlite:///{folder / 'kiosk.db'}", MIGRATIONS) as database:
            for member_id, key in enumerate(keys, start=1):
                links = Links(database, Vault([SecretStr(key)]), utc_now)
                await links.save(member_id, SecretStr("a-token"))

    return lambda folder: asyncio.run(save(folder))


def with_an_older_one(folder: Path) -> None:
    """One that 1.0.0 left, in one file."""
    database_of_one_zero(folder / "kiosk.db")
    keep_in_one_file(folder / "kiosk.db")


def with_a_row_that_refers_to_nothing(folder: Path) -> None:
    """One that 1.0.0 left, which someone has changed by hand."""
    with_an_older_one(folder)
    with_statements("INSERT INTO seen VALUES ('catalog', 5, 7, 'hat', '{}')")(folder)


def damaged(folder: Path) -> None:
    with_tables(folder)
    with (folder / "kiosk.db").open("r+b") as file:
        # Its first page has the list of tables behind the file's head.
        file.seek(100)
        file.write(b"\xff" * 3000)


def written(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def a_folder(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).mkdir()


def read_only(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def make_it(folder: Path) -> None:
        make(folder)
        with (folder / "kiosk.db").open("r+b") as file:
            file.seek(WRITTEN_BY)
            file.write(NOBODY)

    return make_it
