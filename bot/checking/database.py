"""The database: whose it is, whether it can be written, and what its keys have sealed."""

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from bot.checking.findings import Finding, fault
from bot.domain.names import PlaceKind
from bot.settings import Settings
from storage import MIGRATIONS
from storage.database import (
    Database,
    has_later_steps,
    open_existing_database,
    place_of,
    prove_writable,
)
from storage.errors import DatabaseError, DatabaseMissing, DatabaseTooOld
from storage.names import some_named
from storage.resealing import Seals
from storage.vault import Vault

_SUBJECT = "database"
# Of the threads and catalogs that servers have named, as many are asked for.
_MOST_PLACES = 3
_LINKS = "links.sealed_token"


class DatabaseFindings(Struct):
    """What was found, and some of the threads and catalogs that servers use."""

    findings: list[Finding] = field(default_factory=list[Finding])
    threads: tuple[int, ...] = ()
    catalogs: tuple[int, ...] = ()


async def examine_database(settings: Settings, *, is_named: bool) -> DatabaseFindings:
    """Look at the database if its address is known; nothing in it is changed."""
    found = DatabaseFindings()
    if not is_named:
        found.findings.append(fault(_SUBJECT, "can't be looked at without DATABASE_URL"))
        return found
    try:
        prove_writable(settings.database_url)
        async with open_existing_database(settings.database_url, MIGRATIONS) as database:
            await _look_inside(settings, database, found)
    except DatabaseMissing as error:
        found.findings.append(_not_there(settings, error))
    except DatabaseTooOld as error:
        found.findings.append(Finding(_SUBJECT, f"{error}: the next start runs them"))
    except DatabaseError as error:
        found.findings.append(fault(_SUBJECT, str(error)))
    return found


def _not_there(settings: Settings, error: DatabaseMissing) -> Finding:
    is_empty_file = settings.database_url.startswith("sqlite") and "no tables" in str(error)
    if not is_empty_file:
        return Finding(_SUBJECT, str(error))
    return fault(
        _SUBJECT,
        f"{error}. If there was something in it, restore a backup: `python -m bot data restore`;"
        " if not, remove the file",
    )


async def _look_inside(settings: Settings, database: Database, found: DatabaseFindings) -> None:
    where = place_of(settings.database_url)
    age = "up to date"
    if await has_later_steps(database, MIGRATIONS):
        age = "was used by a newer version, which this one can stand in for"
    found.findings.append(Finding(_SUBJECT, f"{where} is Kiosk's, {age}, and can be written"))
    found.threads = tuple(await some_named(database, PlaceKind.THREAD, _MOST_PLACES))
    found.catalogs = tuple(await some_named(database, PlaceKind.CATALOG, _MOST_PLACES))
    if settings.kiosk_keys:
        vault = Vault(settings.kiosk_keys)
        found.findings += _keys(vault, await Seals(database, vault).count())


def _keys(vault: Vault, counts: Mapping[bytes, Mapping[str, int]]) -> Iterator[Finding]:
    for key_id in vault.keys:
        age = "the newest" if key_id == vault.newest_key else "an older one"
        yield Finding("key", f"{key_id.hex()}, {age}, has sealed {_counted(counts.get(key_id))}")
    for key_id in sorted(counts.keys() - set(vault.keys)):
        yield fault(
            "key",
            f"{key_id.hex()} is not in KIOSK_KEYS, and has sealed {_counted(counts[key_id])}: add"
            " it back, or give that up with `python -m bot keys drop-unreadable`",
        )


def _counted(by_column: Mapping[str, int] | None) -> str:
    by_column = by_column or {}
    links = by_column.get(_LINKS, 0)
    others = sum(by_column.values()) - links
    return f"{links} link{'' if links == 1 else 's'} and {others} text{'' if others == 1 else 's'}"
