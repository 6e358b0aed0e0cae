"""`python -m bot data`: back up, restore, move; give out and erase what is kept about a member."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.output import failing_in_words, progress

data = typer.Typer(help="What the database holds.", no_args_is_help=True)

_Member = Annotated[int, typer.Argument(metavar="MEMBER", min=1, help="A Discord user id.")]


@data.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that is not there yet.")],
) -> None:
    """Copy the database into a file, while Kiosk runs; `restore` takes it on either engine."""
    with failing_in_words(), progress("Copying") as report:
        from bot.settings import load_settings
        from storage.backups import back_up

        rows = asyncio.run(back_up(load_settings().database_url, file, report))
    _tell(rows)


@data.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `backup` has made.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace everything that is in the database.")
    ] = False,
) -> None:
    """Bring a backup back into the database, once Kiosk is stopped."""
    with failing_in_words(), progress("Restoring") as report:
        from bot.settings import load_settings
        from storage.backups import restore

        url = load_settings().database_url
        rows = asyncio.run(restore(file, url, report, replaces=replace))
    _tell(rows)


@data.command()
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="sqlite:///… or postgresql://…")],
    target: Annotated[str, typer.Argument(metavar="TO", help="An empty database.")],
) -> None:
    """Copy a database into an empty one, of either engine, and check that all has arrived."""
    with failing_in_words(), progress("Copying") as report:
        from storage import MIGRATIONS
        from storage.database import move_database

        rows = asyncio.run(move_database(source, target, MIGRATIONS, report))
    _tell(rows)


@data.command()
def export(member: _Member) -> None:
    """Print all that is kept about a member as JSON, with their texts but without their token."""
    with failing_in_words():
        typer.echo(asyncio.run(_export(member)))


@data.command()
def erase(member: _Member) -> None:
    """Remove all that is kept about a member, and say what that was."""
    with failing_in_words():
        removed, left = asyncio.run(_erase(member))
    _tell(removed)
    if not removed:
        typer.echo("nothing was kept about this member")
    for table, count in left.items():
        typer.echo(f"{table}: {count} under way, and kept until then: erase again later", err=True)


async def _export(member_id: int) -> str:
    from bot.cli.opening import open_looking
    from storage.members import MemberData

    async with open_looking() as (database, vault):
        found = await MemberData(database, vault).export(member_id)
    return json.dumps(found, indent=2, ensure_ascii=False)


async def _erase(member_id: int) -> tuple[Mapping[str, int], Mapping[str, int]]:
    from bot.cli.opening import open_changing
    from storage.members import MemberData

    async with open_changing() as (database, vault):
        erased = await MemberData(database, vault).erase(member_id)
    return erased.removed, erased.left


def _tell(rows: Mapping[str, int]) -> None:
    for table, count in rows.items():
        typer.echo(f"{table}: {count}")
