"""Check this machine: the settings, and the database with its keys."""

from collections import abc
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile

from msgspec import Struct, structs

from bot.game.game_client import check_base_url
from bot.game.game_errors import BadAddress
from bot.program.needs import find_unmet
from bot.settings import Settings
from storage import MIGRATIONS, names, storage_errors
from storage.clocks import find_wrong_clock
from storage.database import Database, open_database, open_existing_database, place_of
from storage.database.processes import find_hosts
from storage.database.sqlite import DAMAGE_MEND, PREFIX, database_path, find_damage
from storage.database.steps import find_room
from storage.retention import count_sealed

_DATABASE = "database"
_SECRETS = {"discord_token", "game_token", "kiosk_keys"}
# Discord's Developer Policy asks for these pages, which /help links.
_PAGES = {
    "support_url": "a page to report problems, linked in /help and on error cards",
    "privacy_url": "a privacy policy, linked in /help (docs/privacy.md is a template)",
}
NO_ACCOUNT = (
    "not set, so Kiosk has no account of its own for the shop. Announcements and watches of items"
    " wait until an access token is set here (see .env.example)"
)
# A thread and a catalog that a server has named. A kind of which there is none is missing.
Places = abc.Mapping[names.PlaceKind, int]


class Finding(Struct, frozen=True):
    """One check and its result. A fault says how to fix it.

    A finding that isn't sure may be no fault in truth, or a note on what couldn't be seen.
    """

    subject: str
    text: str
    is_fault: bool = False
    is_sure: bool = True

    def line(self) -> str:
        return f"{'FAULT' if self.is_fault else 'ok':5}  {self.subject:23}  {self.text}"


def fault(subject: str, text: str, *, is_sure: bool = True) -> Finding:
    return Finding(subject, text, is_fault=True, is_sure=is_sure)


def examine_settings(settings: Settings) -> abc.Sequence[Finding]:
    """Return what is missing or wrong, and the settings that differ from their defaults."""
    findings = [fault(name, text) for name, text in find_unmet(settings)]
    if not (address := examine_address(settings)).is_fault:
        findings.insert(0, address)
    if settings.backup_dir and (wrong := _why_no_backups(settings)):
        findings.append(fault("BACKUP_DIR", wrong))
    findings += _notes(settings)
    # The address of the database is reported with the database.
    told = {"DATABASE_URL", *(finding.subject for finding in findings)}
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        subject = name.upper()
        if value != field.default and subject not in told:
            findings.append(Finding(subject, "set" if name in _SECRETS else str(value)))
    return findings


def _notes(settings: Settings) -> abc.Iterator[Finding]:
    """Yield notes on settings that aren't set."""
    if settings.game_token is None and settings.game_base_url is not None:
        yield Finding("GAME_TOKEN", NO_ACCOUNT)
    for name, page in _PAGES.items():
        if not getattr(settings, name):
            yield Finding(name.upper(), f"not set. Discord asks for {page}")


def _why_no_backups(settings: Settings) -> str:
    if not settings.database_url.startswith(PREFIX):
        return "only SQLite is backed up. Leave BACKUP_DIR empty, and use pg_dump"
    folder = Path(settings.backup_dir).absolute()
    try:
        while not _is_there(folder):
            # The first backup makes it.
            folder = folder.parent
        if not folder.is_dir():
            return f"{folder} isn't a folder. Choose a folder, or move this file away"
        with TemporaryFile(dir=folder, buffering=0) as file:
            # A full disk takes an empty one.
            file.write(b"\0")
            return ""
    except OSError as error:
        mend = "Let the user that runs Kiosk write there, or choose another folder"
        return f"can't write to {folder}: {error.strerror}. {mend}"


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def examine_address(settings: Settings) -> Finding:
    address = settings.game_base_url
    if address is None:
        return Finding("GAME_BASE_URL", "not set. `run` serves the demo game instead")
    try:
        return Finding(
            "GAME_BASE_URL", check_base_url(address, plain_http=settings.game_plain_http)
        )
    except BadAddress as error:
        # Without the address, which may hold a password.
        return fault("GAME_BASE_URL", str(error))


async def examine_database(
    settings: Settings, now: abc.Callable[[], datetime]
) -> tuple[abc.Sequence[Finding], Places]:
    """Check the database, and change nothing in it. Also return places that servers use."""
    url = settings.database_url
    of_older: list[Finding] = []

    async def look_at_older(older: Database) -> None:
        of_older.extend(await _examine_older(settings, older))

    try:
        async with (
            # A database that is not there yet is not made.
            open_existing_database(url, MIGRATIONS, at_older=look_at_older),
            open_database(url, MIGRATIONS) as database,
        ):
            return await _examine_own(settings, database, now), await find_places(database)
    except storage_errors.DatabaseMissing as error:
        findings = [Finding(_DATABASE, str(error))]
    except storage_errors.DatabaseOlder as error:
        first, *others = of_older
        findings = [structs.replace(first, text=f"{error}. {first.text}"), *others]
    except storage_errors.DatabaseError as error:
        return [fault(_DATABASE, str(error))], {}
    try:
        async with open_database(url, MIGRATIONS, only_try=True):
            pass
    except storage_errors.DatabaseMissing:
        # If there is no file, its folder was tried.
        pass
    except storage_errors.DatabaseError as error:
        findings = [fault(_DATABASE, str(error))]
    return findings, {}


async def find_places(database: Database) -> Places:
    named = {kind: await names.first_named(database, kind) for kind in names.PlaceKind}
    return {kind: place for kind, place in named.items() if place is not None}


async def _examine_own(
    settings: Settings, database: Database, now: abc.Callable[[], datetime]
) -> abc.Sequence[Finding]:
    """Check a database whose tables are those of this version."""
    url = settings.database_url
    place = place_of(url)
    if url.startswith(PREFIX) and (damage := await find_damage(database_path(url))):
        return [fault(_DATABASE, f"{place} is damaged ({damage}). {DAMAGE_MEND}")]
    findings = [Finding(_DATABASE, f"{place} is Kiosk's, and is writable")]
    findings += _lost_keys(settings, await count_sealed(database))
    if wrong := await find_wrong_clock(database, now):
        findings.append(fault("clock", f"{wrong}. Set both clocks with NTP"))
    return findings


async def _examine_older(settings: Settings, older: Database) -> abc.Sequence[Finding]:
    """Return what the next start does with an older database, and what could keep it from that."""
    does = "That start keeps a copy of the old database next to it"
    if not settings.database_url.startswith(PREFIX):
        does = "Stop every process, and back it up with `pg_dump` first"
    if hosts := await find_hosts(older, older):
        does += f". The start waits a minute for Kiosk on {hosts} to stop"
    room = await find_room(older, older)
    found = Finding(_DATABASE, f"{does}. {room}")
    if not room.is_enough:
        found = fault(_DATABASE, f"{found.text}. Free some space there")
    return [found, *_lost_keys(settings, await count_sealed(older))]


def _lost_keys(
    settings: Settings, counts: abc.Mapping[bytes, abc.Mapping[str, int]]
) -> abc.Iterator[Finding]:
    known = set(settings.vault().keys) if settings.kiosk_keys else set[bytes]()
    for key_id in sorted(counts.keys() - known):
        by_column = counts[key_id]
        links = by_column.get("links.sealed_token", 0)
        others = sum(by_column.values()) - links
        yield fault(
            "KIOSK_KEYS",
            f"the key {key_id.hex()} is missing (tokens: {links}, texts: {others}). Add it back. If"
            " it is lost, members must link again",
        )
