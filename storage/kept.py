"""How one table is kept, and what in it is sealed: the shape of a row in storage/keeping.py."""

from pathlib import Path

from msgspec import Struct

from storage.database import Row, Value, load_queries
from storage.vault import Vault

# For any table: storage/keeping.py says what differs between tables.
QUERIES = load_queries(Path(__file__).parent / "sql" / "keeping.sql")
# Servers that Kiosk is not in any more are forgotten after so many days.
SERVER_DAYS = 30


class Sealed(Struct, frozen=True):
    """A sealed column, and what its values are sealed for.

    `owner` is SQL; the row's columns are filled into the purpose. Without its key the column is
    emptied, or the row removed where that SQL says that it `is_all`.
    """

    column: str
    owner: str
    purpose: str
    is_all: str = "TRUE"

    def open(self, vault: Vault, row: Row) -> str | None:
        """Return the value in a row of the queries for any table, None where it can't be opened."""
        return vault.try_open(row[self.column], self._purpose(row), owner=row["sealed_for"])

    def seal(self, vault: Vault, row: Row, secret: str) -> bytes:
        """Seal a value for its row."""
        return vault.seal(secret, owner=row["sealed_for"], purpose=self._purpose(row))

    def _purpose(self, row: Row) -> str:
        return self.purpose.format(**dict(row))


class Kept(Struct, frozen=True):
    """How one table is kept.

    `member` and `server` are the columns that say about whom a row is, `acting` those of members
    who did something to others' rows: with them, only the name goes. `age` is when the `days`
    begin, for the rows that `may_go`. What is `under_way` stays when its member is erased. A row
    that is `blank` says nothing of its server. `secret` columns are given to nobody.
    """

    table: str
    key: tuple[str, ...] = ("id",)
    member: str | None = None
    acting: tuple[str, ...] = ()
    server: str | None = None
    age: str = ""
    days: int | None = None
    may_go: str = "TRUE"
    under_way: str = "FALSE"
    blank: str = "FALSE"
    secret: tuple[str, ...] = ()
    sealed: tuple[Sealed, ...] = ()


def query(
    name: str,
    kept: Kept,
    *,
    column: str = "",
    owner: str = "",
    rows: str = "TRUE",
) -> str:
    """Return a query of storage/sql/keeping.sql for a table; `rows` is which are meant."""
    words = {
        "kept_table": kept.table,
        "kept_key": ", ".join(kept.key),
        "kept_server": kept.server or "",
        "kept_age": kept.age,
        "kept_column": column,
        "kept_owner": owner,
        "kept_rows": rows,
        "kept_row": " AND ".join(f"{key} = :{key}" for key in kept.key),
    }
    sql = QUERIES[name]
    # The longest first: one is the beginning of another.
    for word in sorted(words, key=len, reverse=True):
        sql = sql.replace(word, words[word])
    return sql


def key_values(kept: Kept, row: Row) -> dict[str, Value]:
    """Return the parameters that name a row in these queries."""
    return {key: row[key] for key in kept.key}
