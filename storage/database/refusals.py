"""What PostgreSQL says if it won't let Kiosk in until someone changes something.

psycopg has no SQLSTATE for a refused connection, so the English words have to do. A problem that
isn't in a row here may pass by itself: a server that starts or is full, and any other language.
"""

import re
from collections import defaultdict

_USER = "Correct the user and the password in the address"
_NAMED = "Create this database, or correct its name in the address"
_LET_IN = (
    "Let this machine and user in with a line of pg_hba.conf, or add ?sslmode=require to the"
    " address"
)
# What the server, libpq or PgBouncer says from there on, and how to fix it.
_MENDS = {
    re.compile(said): mend
    for said, mend in {
        "password authentication failed": _USER,
        "Peer authentication failed": _USER,
        # PgBouncer's words for the same.
        "SASL authentication failed": _USER,
        "no password supplied": _USER,
        'role ".*" does not exist': "Create this user, or correct it in the address",
        'role ".*" is not permitted to log in': "Give this user LOGIN, or use another user",
        'database ".*" does not exist': _NAMED,
        "no such database": _NAMED,
        "permission denied for database": "Grant Kiosk's user CONNECT on it",
        "no pg_hba.conf entry": _LET_IN,
        "pg_hba.conf rejects connection": _LET_IN,
        "server does not support SSL": "Turn SSL on there, or remove sslmode from the address",
        "root certificate file": "Set sslrootcert to the CA file of its certificate",
        r"invalid \w+ value": "Correct this in the address",
        ".*statement pooling mode": "Set pool_mode = transaction in PgBouncer",
    }.items()
}


def find_refusal(error: BaseException | None) -> str | None:
    """Return the refusal and its fix, if every server of the address refuses Kiosk."""
    said = str(error).splitlines() or [""]
    by_server: dict[str, list[str | None]] = defaultdict(list)
    # A name may have several addresses. Each try of several is a line of its own.
    for line in [line for line in said if line.startswith("- host: ")] or said[:1]:
        server, _, _ = line.partition(", hostaddr: ")
        by_server[server if "hostaddr" in line else ""].append(_find_mend(line))
    refusals = [next(filter(None, found), None) for found in by_server.values()]
    return refusals[0] if all(refusals) else None


def _find_mend(line: str) -> str | None:
    for said, mend in _MENDS.items():
        if found := said.search(line):
            return f"{line[found.start() :]}. {mend}"
    return None
