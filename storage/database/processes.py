"""Know the processes that use a database: each holds its own claim while it lives."""

import hashlib
import os
import socket
from collections import abc
from pathlib import Path

from storage.database import interface

# Prefix of the name of such a claim. What follows tells it from others.
PREFIX = "process:"
_HOLDERS = (
    "SELECT holder FROM claims WHERE substr(name, 1, 8) = 'process:' AND expires_at > {clock}"
)


async def find_living(database: interface.Database, source: interface.Source) -> abc.Sequence[str]:
    """Return the holders of these claims, without those that are surely dead."""
    rows = await source.fetch(_HOLDERS.replace("{clock}", database.clock))
    return [row["holder"] for row in rows if not is_dead(row["holder"])]


async def have_claims(database: interface.Database, source: interface.Source) -> bool:
    return bool(await source.fetch(database.columns_of, table="claims"))


async def find_hosts(database: interface.Database, source: interface.Source) -> str:
    """Return on which hosts they run, "" for none, or if the database has no claims."""
    if not await have_claims(database, source):
        return ""
    living = await find_living(database, source)
    return ", ".join(sorted({holder.partition(":")[0] for holder in living}))


def find_place() -> str:
    """Return an id of the processes that see each other in this boot, "" if it isn't known.

    Containers may have one name and one boot, but don't see each other's processes.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        seen_here = f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""
    return hashlib.sha256(seen_here.encode()).hexdigest()[:12]


def is_dead(holder: str) -> bool:
    """Return whether a holder was surely a process of this place that has ended."""
    host, _, numbers = holder.partition(":")
    pid, _, rest = numbers.partition(":")
    place = rest.partition("-")[0]
    if host != socket.gethostname() or not place or place != find_place():
        return False
    try:
        os.kill(int(pid), 0)
    except OSError as error:
        # Another user's process may not be signalled, and lives.
        return isinstance(error, ProcessLookupError)
    return False
