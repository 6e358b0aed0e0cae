"""Retention: what each table keeps of whom, for how long, and sealed with which key."""

import re
from collections import abc, defaultdict

from msgspec import Struct

from storage.database import Database, Row, Value, queries_beside
from storage.vault import Vault

# For any table. `query` fills in what differs between them.
QUERIES = queries_beside(__file__)
# How many days after Kiosk has left a server its rows are deleted.
SERVER_DAYS = 30
# Maximum rows that one transaction changes, so that no one waits long for it.
AT_ONCE = 500


class Sealed(Struct, frozen=True):
    """A sealed column. `owner` is SQL. The row's columns are filled into the `purpose`."""

    column: str
    owner: str
    purpose: str

    def open(self, vault: Vault, row: Row) -> str | None:
        purpose = self.purpose.format_map(row)
        return vault.try_open(row[self.column], purpose, owner=row["sealed_for"])

    def seal(self, vault: Vault, row: Row, secret: str) -> bytes:
        purpose = self.purpose.format_map(row)
        return vault.seal(secret, owner=row["sealed_for"], purpose=purpose)


class TableRetention(Struct, frozen=True):
    """The retention of one table.

    `member` and `server` are the columns that say whom a row is about. `acting` are those of
    members who did something to others' rows: only their names are deleted. `age` is when the
    `days` begin, for the rows that `may_go`. Rows `under_way` stay when their member is erased.
    `secret` columns are given to no one.
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
    secret: tuple[str, ...] = ()
    sealed: Sealed | None = None


def query(name: str, retention: TableRetention, *, column: str = "", rows: str = "TRUE") -> str:
    """Return a query of storage/sql/retention.sql for a table. `rows` says for which rows."""
    words = {
        "table": retention.table,
        "key": ", ".join(retention.key),
        "column": column,
        "owner": retention.sealed.owner if retention.sealed else "NULL",
        "rows": rows,
        "row": " AND ".join(f"{key} = :{key}" for key in retention.key),
    }
    return re.sub(r"\bkept_(\w+)", lambda found: words[found[1]], QUERIES[name])


RETENTION: abc.Sequence[TableRetention] = (
    TableRetention(
        "links",
        key=("member_id",),
        member="member_id",
        age="kept_until",
        days=0,
        secret=("sealed_token", "token_key"),
        sealed=Sealed("sealed_token", "member_id", "link"),
    ),
    TableRetention(
        "writes",
        member="member_id",
        age="kept_until",
        days=0,
        under_way="is_open",
        secret=("token_key",),
        sealed=Sealed("sealed_body", "member_id", "write {id}"),
    ),
    TableRetention(
        "messages",
        member="COALESCE(about_member, member_id)",
        server="guild_id",
        age="kept_until",
        days=0,
        # A role that Discord has not taken away yet.
        under_way="about_member IS NOT NULL AND NOT is_wanted AND state IN ('owed', 'refused')",
        # A stopped announcement would send again what is no longer on record as sent.
        may_go="NOT EXISTS (SELECT 1 FROM message_events JOIN subscriptions"
        " ON subscriptions.id = subscription_id"
        " WHERE message_key = messages.key AND missed_after < event_id)",
    ),
    TableRetention("direct_channels", key=("member_id",), member="member_id"),
    TableRetention("names", key=("guild_id", "kind", "game_id"), server="guild_id"),
    TableRetention(
        "member_servers",
        key=("member_id", "guild_id"),
        member="member_id",
        server="guild_id",
        # Nothing tells Kiosk that a member has left a server whose names they see.
        age="used_at",
        days=90,
    ),
    TableRetention(
        "threads_read", key=("member_id", "thread_id"), member="member_id", age="read_at", days=90
    ),
    TableRetention(
        "subscriptions",
        member="member_id",
        acting=("created_by",),
        server="guild_id",
        # No one waits for ever for replies to one comment.
        age="created_at",
        days=90,
        may_go="member_id IS NOT NULL AND kind = 'thread' AND subject_id IS NOT NULL",
    ),
    TableRetention("followed", key=("kind", "place_id")),
    # These are deleted with what is followed, with their subscription, or with their message.
    TableRetention("seen", key=("kind", "place_id", "subject_id")),
    TableRetention(
        "events",
        age="happened_at",
        days=365,
        # Events that are still to be sent, or that a stopped announcement can still send, stay.
        may_go="NOT EXISTS (SELECT 1 FROM message_events WHERE event_id = events.id)"
        " AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE kind = 'catalog'"
        " AND kind = events.kind AND place_id = events.place_id AND missed_after < events.id)",
    ),
    TableRetention("message_events", key=("subscription_id", "event_id")),
    TableRetention("message_comments", key=("shown_id", "comment_id")),
    TableRetention("moderation", key=("guild_id",), server="guild_id"),
    TableRetention("watched", key=("guild_id",), server="guild_id"),
    TableRetention(
        "cases",
        acting=("dismissed_by", "released_by"),
        server="guild_id",
        # What someone else wrote isn't a record about the moderator who decided about it.
        secret=("sealed_text",),
        sealed=Sealed("sealed_text", "guild_id", "removed {subject}"),
    ),
    TableRetention(
        "held_texts",
        key=("case_id",),
        sealed=Sealed(
            "sealed_text",
            "(SELECT guild_id FROM cases WHERE cases.id = case_id)",
            "first {case_id}",
        ),
    ),
    TableRetention("log_lines", acting=("member_id",), server="guild_id"),
    TableRetention("removals", acting=("moderator_id", "ended_by"), server="guild_id"),
    TableRetention(
        "reports",
        key=("case_id", "member_id"),
        member="member_id",
        sealed=Sealed(
            "sealed_reason",
            "(SELECT guild_id FROM cases WHERE cases.id = case_id)",
            "report {case_id}",
        ),
    ),
    TableRetention(
        "report_stops",
        key=("guild_id", "member_id"),
        member="member_id",
        acting=("stopped_by",),
        server="guild_id",
        age="until",
        days=0,
        # Moderators never learn whom they stopped, and members never learn by whom.
        secret=("member_id", "stopped_by"),
    ),
    TableRetention("role_rules", acting=("created_by",), server="guild_id"),
    TableRetention("gone_servers", key=("guild_id",), server="guild_id"),
    TableRetention("claims", key=("name",)),
    TableRetention("facts", key=("name",)),
)
_SEALED = [(retention, retention.sealed) for retention in RETENTION if retention.sealed]


async def count_sealed(database: Database) -> abc.Mapping[bytes, abc.Mapping[str, int]]:
    """Return how many values each key has sealed, by its id and then by table and column.

    An older database may lack a table.
    """
    counts: defaultdict[bytes, dict[str, int]] = defaultdict(dict)
    tables = {row["name"] for row in await database.fetch(database.tables)}
    for retention, sealed in _SEALED:
        if retention.table not in tables:
            continue
        sql = query("count_by_key", retention, column=sealed.column)
        for row in await database.fetch(sql):
            counts[bytes(row["key_id"])][f"{retention.table}.{sealed.column}"] = row["rows"]
    return counts


async def seal_anew(database: Database, vault: Vault) -> tuple[int, int]:
    """Seal again with the newest key what an older key has sealed.

    It may be interrupted and started again, while others read and write. Returns how many values
    were sealed again, and how many can't be opened.
    """
    done = unreadable = 0
    for retention, sealed in _SEALED:
        reseal = query("reseal", retention, column=sealed.column)
        all_sealed = await database.fetch(query("all_sealed", retention, column=sealed.column))
        rows = [row for row in all_sealed if not row[sealed.column].startswith(vault.newest_key)]
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            changes: list[dict[str, Value]] = [
                {
                    "sealed": sealed.seal(vault, row, secret),
                    "sealed_before": row[sealed.column],
                    **{key: row[key] for key in retention.key},
                }
                for row in some
                if (secret := sealed.open(vault, row)) is not None
            ]
            async with database.transaction() as transaction:
                await transaction.execute_many(reseal, changes)
            done += len(changes)
            unreadable += len(some) - len(changes)
    return done, unreadable
