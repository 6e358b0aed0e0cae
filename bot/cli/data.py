"""`python -m bot data`: back up, restore, move; give out and erase what is kept about a member."""

import asyncio
import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from pathlib import Path

from bot.cli import add_commands, failing_in_words, open_changing, open_looking, progress


def add_data_commands(parser: ArgumentParser) -> None:
    """Add the commands to what stands before them, `data`."""
    of = add_commands(parser, backup, restore, move, export, erase)
    of["backup"].add_argument(
        "file", metavar="FILE", type=Path, help="a file that is not there yet"
    )
    of["restore"].add_argument("file", metavar="FILE", type=Path, help="what `backup` has made")
    of["restore"].add_argument(
        "--replace", action="store_true", help="replace everything that is in the database"
    )
    of["move"].add_argument("source", metavar="FROM", help="sqlite:///… or postgresql://…")
    of["move"].add_argument("target", metavar="TO", help="an empty database")
    for command in (of["export"], of["erase"]):
        command.add_argument("member", metavar="MEMBER", type=_user, help="a Discord user id")


def _user(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a Discord user id")
    return int(text)


def backup(file: Path) -> None:
    """Copy the database into a file, while Kiosk runs; `restore` takes it on either engine."""
    with failing_in_words(), progress("Copying") as report:
        from bot.settings import load_settings
        from storage.copying import back_up

        rows = asyncio.run(back_up(load_settings().database_url, file, report))
    _tell(rows)


def restore(file: Path, *, replace: bool) -> None:
    """Bring a backup back into the database, once Kiosk is stopped."""
    with failing_in_words(), progress("Restoring") as report:
        from bot.settings import load_settings
        from storage.copying import restore

        url = load_settings().database_url
        rows = asyncio.run(restore(file, url, report, replaces=replace))
    _tell(rows)


def move(source: str, target: str) -> None:
    """Copy a database into an empty one, of either engine, and check that all has arrived."""
    with failing_in_words(), progress("Copying") as report:
        from storage.copying import move_database

        rows = asyncio.run(move_database(source, target, report))
    _tell(rows)


def export(member: int) -> None:
    """Print all that is kept about a member as JSON, with their texts but without their token."""
    with failing_in_words():
        print(asyncio.run(_export(member)))


def erase(member: int) -> None:
    """Remove all that is kept about a member, and say what that was."""
    with failing_in_words():
        removed, left = asyncio.run(_erase(member))
    _tell(removed)
    if not removed:
        print("nothing was kept about this member")
    for table, count in left.items():
        print(
            f"{table}: {count} under way, and kept until then: erase again later", file=sys.stderr
        )


async def _export(member_id: int) -> str:
    from storage.retention import MemberData

    async with open_looking() as (database, vault):
        found = await MemberData(database, vault).export(member_id)
    return json.dumps(found, indent=2, ensure_ascii=False)


async def _erase(member_id: int) -> tuple[Mapping[str, int], Mapping[str, int]]:
    from storage.retention import MemberData

    async with open_changing() as (database, vault):
        erased = await MemberData(database, vault).erase(member_id)
    return erased.removed, erased.left


def _tell(rows: Mapping[str, int]) -> None:
    for table, count in rows.items():
        print(f"{table}: {count}")
