"""The command line. Commands import what they need only when used, so that help is quick."""

import argparse
import gc
import json
import os
import signal
import sys
import typing
from collections import abc
from contextlib import asynccontextmanager
from inspect import iscoroutinefunction
from io import TextIOWrapper
from pathlib import Path

import bot
from bot.clock import Clock

if typing.TYPE_CHECKING:
    from storage.database import Database
    from storage.vault import Vault

# Exit codes: of a mistyped command, as every program ends, and of one that Ctrl-C has ended.
_MISTYPED = 2
_INTERRUPTED = 130
_MIB = 1 << 20
# Discord's ids have 64 bits, and the first of them is always 0.
_MAX_ID = 2**63 - 1


def cli() -> None:
    """Do what the command line says. Report what an operator can fix in one line."""
    if sys.stdout.errors == "strict":
        # Not every terminal, nor a pipe on Windows, has each letter. No path need be UTF-8.
        typing.cast(TextIOWrapper, sys.stdout).reconfigure(errors="backslashreplace")
    options = vars(_parser().parse_args())
    do = options.pop("do")
    try:
        if iscoroutinefunction(do):
            import asyncio

            asyncio.run(do(**options))
        else:
            do(**options)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except Exception as error:
        from bot.settings import SettingsError
        from storage.storage_errors import DatabaseError
        from storage.vault import VaultError

        if isinstance(error, SettingsError):
            _fail(*error.problems)
        if isinstance(error, DatabaseError | VaultError | OSError):
            _fail(str(error))
        raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        bot.COMMAND,
        description="Kiosk brings a mobile game's forum and shop into Discord.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"kiosk {bot.__version__}")
    of = _add_commands(
        parser,
        *(init, run, check, invite),
        keys="Manage the encryption keys.",
        data="Back up, restore, move, export or erase data.",
    )
    of |= _add_commands(of["keys"], new, status, rotate)
    of |= _add_commands(of["data"], backup, restore, move, compact, export, erase)
    of["backup"].add_argument(
        "file", metavar="FILE", type=Path, help="a file that doesn't exist yet"
    )
    of["restore"].add_argument("file", metavar="FILE", type=Path, help="a file made by `backup`")
    of["restore"].add_argument(
        "--replace", action="store_true", help="replace everything in the database"
    )
    of["move"].add_argument("source", metavar="FROM", help="sqlite:///… or postgresql://…")
    of["move"].add_argument("target", metavar="TO", help="an empty database")
    _add_game_options(of["check"])
    for command in (of["export"], of["erase"]):
        command.add_argument("member", metavar="MEMBER", type=_user, help="a Discord user id")
    return parser


def _add_commands(
    parser: argparse.ArgumentParser, *functions: abc.Callable[..., object], **groups: str
) -> dict[str, argparse.ArgumentParser]:
    """Make each function a command, chosen as `do`. Return all parsers by name, of groups too."""
    parser.set_defaults(do=lambda: parser.exit(_MISTYPED, parser.format_help()))
    named = {do.__name__.replace("_", "-"): (do.__doc__, {"do": do}) for do in functions}
    named |= {name: (text, {}) for name, text in groups.items()}
    adding = parser.add_subparsers(title="commands", metavar="COMMAND")
    added: dict[str, argparse.ArgumentParser] = {}
    for name, (text, defaults) in named.items():
        added[name] = adding.add_parser(name, help=text, description=text, allow_abbrev=False)
        added[name].set_defaults(**defaults)
    return added


def _add_game_options(check: argparse.ArgumentParser) -> None:
    options = check.add_argument_group("a game's service, without any setting of Kiosk's")
    options.add_argument("--game", metavar="URL", help="the service's address, with its path")
    options.add_argument("--thread", metavar="ID", type=_game_id, help="a thread that it has")
    options.add_argument("--catalog", metavar="ID", type=_game_id, help="a catalog that it has")
    options.add_argument(
        "--write",
        action="store_true",
        help="post, edit and delete a comment, with the account of GAME_TOKEN",
    )
    # Else argparse would repeat the token in its error.
    options.add_argument(
        "--token", type=_refuse_token, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def _game_id(text: str) -> int:
    if not text.isdecimal() or int(text) > _MAX_ID:
        raise argparse.ArgumentTypeError(f"{text!r} isn't an id")
    return int(text)


def _refuse_token(_token: str) -> typing.NoReturn:
    raise argparse.ArgumentTypeError("set GAME_TOKEN, because others can read arguments")


def _user(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MAX_ID:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a Discord user id")
    return int(text)


def init() -> None:
    """Create a first .env: ask for two tokens and the game's address, and test them."""
    from bot.program.first_settings import write_first_settings

    link = write_first_settings()
    print(".env is written. Only you can read it. Keep a copy of its KIOSK_KEYS somewhere else.")
    print(f"Add Kiosk to your server: {link}")
    print(f"Then start it with `{bot.COMMAND} run`, and use /setup show in your server.")


def run() -> None:
    """Run the bot until Ctrl-C or SIGTERM. Without GAME_BASE_URL, it serves a demo game too."""
    for number in (signal.SIGTERM, signal.SIGINT):
        # Without a word, if a signal comes before a loop can handle it, as while libraries load.
        signal.signal(number, lambda _number, _frame: sys.exit(0))
    # Objects that libraries make while they load stay. A search through them found nothing.
    gc.disable()
    # Pydantic would look through every package that is installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from bot.program import running

    sys.exit(running.run())


async def check(
    game: str | None = None,
    thread: int | None = None,
    catalog: int | None = None,
    *,
    write: bool = False,
) -> None:
    """Check settings, database, keys, game and Discord, and say how to fix problems.

    With --game, check only that game's endpoints.
    """
    if game is not None:
        await _check_game(game, thread, catalog, write=write)
        return
    if thread is not None or catalog is not None or write:
        _fail("--thread, --catalog and --write need --game", status=_MISTYPED)
    from bot.program.checking import examine

    findings = await examine()
    for finding in findings:
        print(finding.line())
    if any(finding.is_fault for finding in findings):
        sys.exit(1)


async def _check_game(
    address: str, thread_id: int | None, catalog_id: int | None, *, write: bool
) -> None:
    from bot.game.game_errors import BadAddress
    from bot.program.checking import conformance
    from bot.settings import SettingsError

    needs_token = catalog_id is not None or write
    try:
        settings = conformance.read_service_settings(address, needs_token=needs_token)
    except SettingsError as error:
        _fail(*error.problems, status=_MISTYPED)
    except BadAddress as error:
        _fail(str(error), status=_MISTYPED)
    if thread_id is None and (catalog_id is None or settings.game_token is None):
        _fail(
            "nothing to ask: name a thread with --thread, or a catalog with --catalog and a token"
            " in GAME_TOKEN",
            status=_MISTYPED,
        )
    verdicts: list[conformance.Verdict] = []

    def report(judgment: conformance.Judgment) -> None:
        print(judgment.line(), flush=True)
        verdicts.append(judgment.verdict)

    await conformance.examine_service(
        settings, report, thread_id=thread_id, catalog_id=catalog_id, may_write=write
    )
    if conformance.Verdict.NOT_AS_EXPECTED in verdicts:
        sys.exit(1)


async def invite() -> None:
    """Print the link that adds Kiosk to a server, with the permissions it needs."""
    from bot.program.first_settings import find_link
    from bot.settings import load_settings

    print(await find_link(load_settings()))


async def backup(file: Path) -> None:
    """Back up SQLite or PostgreSQL to a file, even while Kiosk runs."""
    from bot.settings import load_settings
    from storage.copying import back_up

    _tell(await back_up(load_settings().database_url, file))
    print(f"Backup saved to {file}. It doesn't contain the keys.")


async def restore(file: Path, *, replace: bool) -> None:
    """Restore a backup into SQLite or PostgreSQL. Stop Kiosk first."""
    from bot.settings import load_settings
    from storage.copying import restore

    _tell(await restore(file, load_settings().database_url, Clock().now(), replaces=replace))
    print("Backup restored. Start Kiosk again.")


async def move(source: str, target: str) -> None:
    """Copy a database into an empty one, SQLite or PostgreSQL: everything or nothing."""
    from storage.copying import move_database

    _tell(await move_database(source, target))
    print("Database copied. Set DATABASE_URL to the new database, and start Kiosk again.")


async def compact() -> None:
    """Shrink a SQLite file while Kiosk is stopped."""
    from bot.settings import load_settings
    from storage.copying import compact

    before, after = await compact(load_settings().database_url)
    print(f"The file had {before / _MIB:.1f} MiB, and has {after / _MIB:.1f} MiB now.")
    print("Start Kiosk again.")


async def export(member: int) -> None:
    """Print all data about a member as JSON, with their texts but without their token."""
    from storage.purging import MemberData

    async with _open(only_look=True) as (database, vault):
        found = await MemberData(database, vault, Clock().now).export(member)
    if not found:
        print("Kiosk keeps nothing about this member.", file=sys.stderr)
    # UTF-8, as JSON is, whatever the terminal has.
    sys.stdout.buffer.write(f"{json.dumps(found, indent=2, ensure_ascii=False)}\n".encode())


async def erase(member: int) -> None:
    """Erase all data about a member, and print what it was."""
    from storage.purging import MemberData

    async with _open(only_look=False) as (database, vault):
        removed, left = await MemberData(database, vault, Clock().now).erase(member)
    _tell(removed)
    for table, count in left.items():
        print(f"{table}: {count} not finished, kept until then. Erase again later", file=sys.stderr)
    if removed or not left:
        print("Data erased." if removed else "Kiosk kept nothing about this member.")


def _tell(rows: abc.Mapping[str, int]) -> None:
    for table, count in rows.items():
        print(f"{table}: {count}")


def new() -> None:
    """Print a new key. Put it first in KIOSK_KEYS, before older keys."""
    from storage.vault import new_key

    print(new_key())


async def status() -> None:
    """Show how much data each key encrypts, and whether KIOSK_KEYS has it."""
    from storage.retention import count_sealed

    async with _open(only_look=True) as (database, vault):
        counts = await count_sealed(database)
    for key_id in (vault.newest_key, *sorted(counts.keys() - {vault.newest_key})):
        state = "older" if vault.has_key_of(key_id) else "NOT IN KIOSK_KEYS"
        state = "newest" if key_id == vault.newest_key else state
        by_column = counts.get(key_id, {})
        listed = ", ".join(f"{name} {count}" for name, count in by_column.items())
        print(f"{key_id.hex()}  {state:17}  {listed or 'nothing'}")


async def rotate() -> None:
    """Re-encrypt everything with the newest key, even while Kiosk runs. Safe to interrupt.

    It refuses if a running process lacks this key.
    """
    from storage.claims import Claims
    from storage.retention import seal_anew

    async with _open(only_look=False) as (database, vault):
        if lacking := await Claims(database).processes_without(vault.newest_key):
            _fail(
                f"{', '.join(lacking)} can't decrypt with the newest key, {vault.newest_key.hex()}."
                " Restart Kiosk with these KIOSK_KEYS first"
            )
        done, unreadable = await seal_anew(database, vault)
    print(f"re-encrypted: {done}")
    if unreadable:
        _fail(
            f"{unreadable} can't be decrypted with KIOSK_KEYS. Add back the key that"
            f" `{bot.COMMAND} keys status` shows. If it is lost, members must link again"
        )


def _fail(*lines: str, status: int = 1) -> typing.NoReturn:
    for line in lines:
        print(line, file=sys.stderr)
    sys.exit(status)


@asynccontextmanager
async def _open(*, only_look: bool) -> "abc.AsyncGenerator[tuple[Database, Vault]]":
    """Open a database that is there. Raises SettingsError, DatabaseError."""
    from bot.settings import load_settings
    from storage import MIGRATIONS
    from storage.database import open_database, open_existing_database

    settings = load_settings()
    vault = settings.vault()
    async with open_existing_database(settings.database_url, MIGRATIONS) as database:
        if only_look:
            yield database, vault
            return
    async with open_database(settings.database_url, MIGRATIONS) as database:
        yield database, vault
