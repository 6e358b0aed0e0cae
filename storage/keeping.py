"""What is kept of whom, and for how long: one row for each table of the database.

A table of storage/schema.sql is named here, or a test fails. From these rows follow what is thrown
out by age, what a member is given and has erased, what is forgotten with a server, and what is
sealed anew with another key. docs/operators.md says of each what it holds.
"""

from collections.abc import Sequence

from storage.kept import Kept, Sealed

_UNSENT = "card_id IS NULL AND state IN ('kept', 'sent', 'unknown')"
_OPEN = (
    "card_id IS NOT NULL AND (state IN ('kept', 'sent')"
    " OR kind = 'purchase' AND COALESCE(reason, '') = 'unanswered')"
)
_SERVER_OF_CASE = "(SELECT guild_id FROM cases WHERE cases.id = case_id)"

KEPT: Sequence[Kept] = (
    Kept(
        "links",
        key=("member_id",),
        member="member_id",
        secret=("sealed_token", "token_key"),
        sealed=(Sealed("sealed_token", "member_id", "link"),),
    ),
    Kept(
        "writes",
        member="member_id",
        age="kept_until",
        days=0,
        under_way=_OPEN,
        secret=("token_key",),
        sealed=(Sealed("sealed_body", "member_id", "write {id}", is_all=_UNSENT),),
    ),
    Kept(
        "inbox",
        member="member_id",
        age="created_at",
        days=90,
        sealed=(Sealed("sealed_body", "member_id", "inbox"),),
    ),
    Kept(
        "messages",
        member="member_id",
        server="guild_id",
        age="kept_until",
        days=0,
        # What was announced is on record for as long as its announcement is set up.
        may_go="member_id IS NOT NULL"
        " OR NOT EXISTS (SELECT 1 FROM message_events WHERE message_key = messages.key)",
    ),
    Kept("direct_channels", key=("member_id",), member="member_id"),
    Kept("names", key=("guild_id", "kind", "game_id"), server="guild_id"),
    Kept(
        "member_servers",
        key=("member_id", "guild_id"),
        member="member_id",
        server="guild_id",
        # Nothing tells Kiosk that a member has left a server whose names they see.
        age="used_at",
        days=30,
    ),
    Kept("subscriptions", member="member_id", acting=("created_by",), server="guild_id"),
    Kept("followed", key=("kind", "game_id"), acting=("reader_id",)),
    # They go with what is followed, with their subscription, or with their message.
    Kept("seen", key=("kind", "game_id", "id")),
    Kept("events"),
    Kept("message_events", key=("subscription_id", "event_id")),
    Kept("message_comments", key=("shown_id", "part", "line")),
    Kept(
        "moderation",
        key=("guild_id",),
        server="guild_id",
        # Of a server that nothing was set for, only the lock is there.
        blank="moderator_role_id IS NULL AND log_channel_id IS NULL AND reasons = '[]'"
        " AND NOT needs_reason AND kept_days = 90",
    ),
    Kept(
        "watched",
        key=("guild_id",),
        server="guild_id",
        blank="words = '{}' AND automod IS NULL",
    ),
    Kept(
        "cases",
        acting=("dismissed_by", "released_by"),
        server="guild_id",
        sealed=(Sealed("sealed_text", "guild_id", "removed {subject}", is_all="FALSE"),),
    ),
    Kept("removals", acting=("moderator_id", "ended_by"), server="guild_id"),
    Kept(
        "case_notes",
        acting=("moderator_id",),
        sealed=(Sealed("sealed_text", _SERVER_OF_CASE, "note {case_id}"),),
    ),
    Kept(
        "reports",
        key=("case_id", "member_id"),
        member="member_id",
        sealed=(Sealed("sealed_reason", _SERVER_OF_CASE, "report {case_id}"),),
    ),
    Kept("gone_servers", key=("guild_id",), server="guild_id"),
    Kept("identifies", key=("shard_id", "identified_at"), age="identified_at", days=1),
    Kept("claims", key=("name",)),
    Kept("emojis", key=("key",)),
    Kept("facts", key=("name",)),
)
