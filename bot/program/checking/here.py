"""Check this machine: the settings, and the database with its keys."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from bot.game.client import check_base_url
from bot.game.errors import BadAddress
from bot.settings import Settings
from storage import MIGRATIONS
from storage.database import masked, open_database, open_existing_database, place_of
from storage.database.sqlite import PREFIX
from storage.errors import DatabaseError, DatabaseMissing
from storage.names import PlaceKind, some_named
from storage.resealing import count_sealed
from storage.vault import Vault

_DATABASE = "database"
# Of the threads and catalogs that servers have named, as many are asked for.
_MOST_PLACES = 3
# The threads and catalogs by their kinds; a kind of which there is none may be missing.
Places = Mapping[PlaceKind, Sequence[int]]


class Finding(Struct, frozen=True):
    """One check and its result; a fault says what mends it, and may be none in truth."""

    subject: str
    text: str
    is_fault: bool = False
    is_sure: bool = True

    def line(self) -> str:
        return f"{'FAULT' if self.is_fault else 'ok':5}  {self.subject:23}  {self.text}"


def fault(subject: str, text: str, *, is_sure: bool = True) -> Finding:
    return Finding(subject, text, is_fault=True, is_sure=is_sure)


def examine_settings(settings: Settings) -> Iterator[Finding]:
    if settings.discord_token is None:
        yield fault("DISCORD_TOKEN", "missing: make a bot in Discord's developer portal, step 1")
    else:
        yield Finding("DISCORD_TOKEN", "set")
    yield examine_address(settings)
    yield Finding("GAME_TOKEN", "set" if settings.game_token else "not set: not needed")
    yield Finding("GAME_PLAIN_HTTP", "allowed" if settings.game_plain_http else "not set: https")
    if settings.token_help or settings.token_url:
        yield Finding("TOKEN_HELP", settings.token_help or "not set")
        yield Finding("TOKEN_URL", settings.token_url or "not set")
    else:
        yield Finding("TOKEN_HELP", "not set: members are told to ask a moderator for a token")
    yield Finding("GAME_BODY_FORMAT", settings.game_body_format)
    yield Finding("POLL_INTERVAL", f"{settings.poll_interval:g} s")
    yield Finding("DATABASE_URL", masked(settings.database_url))
    if not settings.backup_dir:
        yield Finding("BACKUP_DIR", "not set: make backups with `python -m bot data backup`")
    elif settings.database_url.startswith(PREFIX):
        yield Finding("BACKUP_DIR", f"{settings.backup_dir}: one a day, seven kept")
    else:
        yield fault("BACKUP_DIR", "only SQLite is backed up: leave it empty, and use pg_dump")
    if settings.kiosk_keys:
        yield Finding("KIOSK_KEYS", f"{len(settings.kiosk_keys)} set")
    else:
        yield fault("KIOSK_KEYS", "missing: make one with `python -m bot keys new`")
    count = settings.shard_count
    yield Finding("SHARD_COUNT", str(count) if count else "not set: as many as Discord recommends")
    shards = ", ".join(map(str, settings.shard_ids))
    yield Finding("SHARD_IDS", shards or "not set: all of them")
    port = settings.monitoring_port
    yield Finding("MONITORING_PORT", "not set: off" if port is None else str(port))
    yield Finding("LOG_FORMAT", settings.log_format)
    yield Finding("LOG_LEVEL", settings.log_level)


def examine_address(settings: Settings) -> Finding:
    address = settings.game_base_url
    if address is None:
        return Finding("GAME_BASE_URL", "not set: `run` serves the demo game instead")
    try:
        return Finding(
            "GAME_BASE_URL", check_base_url(address, plain_http=settings.game_plain_http)
        )
    except BadAddress as error:
        # Without the address, which may hold a password.
        return fault("GAME_BASE_URL", str(error))


async def examine_database(settings: Settings) -> tuple[Sequence[Finding], Places]:
    """Look at the database, and change nothing in it; return some places that servers use, too."""
    url = settings.database_url
    try:
        async with (
            # What is not there yet is not made.
            open_existing_database(url, MIGRATIONS),
            open_database(url, MIGRATIONS) as database,
        ):
            findings = [Finding(_DATABASE, f"{place_of(url)} is Kiosk's, and can be written")]
            if settings.kiosk_keys:
                vault = settings.vault()
                findings += _keys(vault, await count_sealed(database))
            threads = await some_named(database, PlaceKind.THREAD, _MOST_PLACES)
            catalogs = await some_named(database, PlaceKind.CATALOG, _MOST_PLACES)
            return findings, {PlaceKind.THREAD: threads, PlaceKind.CATALOG: catalogs}
    except DatabaseMissing as error:
        if url.startswith("sqlite") and "no tables" in str(error):
            mend = "If there was something in it, restore a backup: `python -m bot data restore`;"
            found = fault(_DATABASE, f"{error}. {mend} if not, remove the file")
        else:
            found = Finding(_DATABASE, str(error))
    except DatabaseError as error:
        found = fault(_DATABASE, str(error))
    return [found], {}


def _keys(vault: Vault, counts: Mapping[bytes, Mapping[str, int]]) -> Iterator[Finding]:
    for key_id in vault.keys:
        age = "the newest" if key_id == vault.newest_key else "an older one"
        yield Finding(
            "key", f"{key_id.hex()}, {age}, has sealed {_counted(counts.get(key_id, {}))}"
        )
    for key_id in sorted(counts.keys() - set(vault.keys)):
        yield fault(
            "key",
            f"{key_id.hex()} is not in KIOSK_KEYS, and has sealed {_counted(counts[key_id])}: add"
            " it back; if it is lost, members link again",
        )


def _counted(by_column: Mapping[str, int]) -> str:
    links = by_column.get("links.sealed_token", 0)
    others = sum(by_column.values()) - links
    return f"{links} link{'' if links == 1 else 's'} and {others} text{'' if others == 1 else 's'}"
