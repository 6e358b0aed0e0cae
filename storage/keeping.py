"""What is kept of whom, and for how long: one row for each table of the database.

A table of storage/schema.sql is named here, or a test fails. From these rows follow what is thrown
out by age, what a member is given and has erased, what is forgotten with a server, what is sealed
anew with another key, and the table in docs/operators.md.
"""

from collections.abc import Sequence

from storage.kept import Kept, Sealed

_SERVER_OF_CASE = "(SELECT guild_id FROM cases WHERE cases.id = case_id)"

KEPT: Sequence[Kept] = (
    Kept(
        "links",
        "A member's access token, sealed, and who they are in the game",
        "until it is unlinked",
        key=("member_id",),
        member="member_id",
        secret=("sealed_token", "token_key"),
        sealed=(Sealed("sealed_token", "member_id", "link"),),
    ),
    Kept(
        "drafts",
        "Texts that the game doesn't have yet, sealed",
        "until the game has them",
        member="member_id",
        age="created_at",
        days=1,
        sealed=(Sealed("sealed_text", "member_id", "draft {id}"),),
    ),
    Kept(
        "heard",
        "Which commands and forms brought a text, without the text",
        member="member_id",
        age="heard_at",
        days=1,
    ),
    Kept(
        "outcomes",
        "What became of texts",
        "until the member was told",
        member="member_id",
        age="created_at",
        days=1,
    ),
    Kept(
        "authored",
        "Which comments a member wrote here, with the start of each, sealed",
        "until the comment is deleted here",
        key=("comment_id", "member_id"),
        member="member_id",
        age="created_at",
        days=365,
        sealed=(Sealed("sealed_excerpt", "member_id", "excerpt {comment_id}", is_all=False),),
    ),
    Kept(
        "orders",
        "Purchases and redemptions, and what became of them",
        member="member_id",
        age="created_at",
        days=365,
        may_go="due_at IS NULL",
        under_way="is_open",
        secret=("token_key",),
    ),
    Kept(
        "inbox",
        "What a member could not be told, sealed",
        "until the member's next command",
        member="member_id",
        age="created_at",
        days=90,
        sealed=(Sealed("sealed_body", "member_id", "inbox"),),
    ),
    Kept(
        "outbox",
        "What Kiosk posts and sends",
        "until {days} after it was sent",
        member="member_id",
        age="settled_at",
        days=7,
        may_go="due_at IS NULL",
    ),
    Kept(
        "direct_channels",
        "The channel of direct messages with a member",
        "until the member has it erased",
        key=("member_id",),
        member="member_id",
    ),
    Kept(
        "names",
        "What a server calls threads and catalogs",
        "until a moderator removes it",
        key=("guild_id", "kind", "game_id"),
        server="guild_id",
    ),
    Kept(
        "panels",
        "Where a server's panel is",
        "until a moderator takes it away",
        key=("guild_id",),
        server="guild_id",
    ),
    Kept(
        "member_servers",
        # Nothing tells Kiosk that a member has left a server whose names they see.
        "In which servers a member uses Kiosk, whose names they see in direct messages",
        "{days} after they last used it there",
        key=("member_id", "guild_id"),
        member="member_id",
        server="guild_id",
        age="used_at",
        days=30,
    ),
    Kept(
        "subscriptions",
        "What a server has announced where, and who set that up",
        "until a moderator removes it",
        acting=("created_by",),
        server="guild_id",
    ),
    Kept(
        "followed_catalogs",
        "What was seen in catalogs that are announced, and what was told of it",
        "until a catalog is announced nowhere any more",
        key=("catalog_id",),
    ),
    Kept(
        "follows",
        "Which threads' comments a server has posted where, and who set that up",
        "until a moderator removes it",
        acting=("created_by",),
        server="guild_id",
    ),
    Kept(
        "followed_threads",
        "Which comments were seen in threads that are followed, without what they say",
        "31 days, or until a thread is followed nowhere any more",
        key=("thread_id",),
    ),
    # They go with their thread or follow.
    Kept("followed_comments", key=("thread_id", "comment_id")),
    Kept("follow_posts", key=("follow_id", "comment_id")),
    # They go with their catalog or subscription.
    Kept("seen_items", key=("catalog_id", "item_id")),
    Kept("catalog_events"),
    Kept("announcements", key=("subscription_id", "event_id")),
    Kept(
        "watch_notices",
        "What a member was told of what they watch",
        "until it is no longer watched",
        key=("watch_id", "event_id"),
        member="member_id",
        age="created_at",
        days=30,
    ),
    Kept(
        "watches",
        "What a member watches in the shop",
        "until it is no longer watched",
        member="member_id",
    ),
    Kept(
        "shown_messages",
        "Which comments a public message shows",
        server="guild_id",
        age="created_at",
        days=365,
    ),
    Kept("shown_comments", key=("shown_id", "comment_id")),
    # Nobody presses a private card's button later: Discord has forgotten the card.
    Kept(
        "shares",
        "Which buttons were pressed to share, so that each counts once",
        "until it is taken back",
        key=("pressed",),
        age="created_at",
        days=7,
    ),
    Kept(
        "moderation",
        "How a server is moderated",
        key=("guild_id",),
        server="guild_id",
        # Of a server that nothing was set for, only the lock is there.
        blank="revision = 0",
    ),
    Kept(
        "watched_words",
        "The words that a server watches for",
        "until a moderator removes them",
        key=("guild_id", "word_key"),
        server="guild_id",
    ),
    Kept(
        "automod",
        "A server's AutoMod rules, as last read",
        "until a moderator switches that off",
        key=("guild_id",),
        server="guild_id",
    ),
    Kept(
        "cases",
        "Comments that were removed, reported or held back, sealed, and players who were muted",
        "{server}; what was said for 90 days, or as a server sets it",
        acting=("dismissed_by", "released_by"),
        server="guild_id",
        sealed=(Sealed("sealed_text", "guild_id", "removed comment {id}", is_all=False),),
    ),
    Kept(
        "removals",
        "Who removed or muted what, when and why",
        "with the case",
        acting=("moderator_id", "ended_by"),
        server="guild_id",
    ),
    # They go with their removal.
    Kept("removed_messages", key=("removal_id", "shown_id")),
    Kept(
        "case_notes",
        "What moderators noted, sealed",
        "with the case",
        acting=("moderator_id",),
        sealed=(Sealed("sealed_text", _SERVER_OF_CASE, "note {case_id}"),),
    ),
    Kept(
        "reports",
        "Who reported a comment, and why, sealed",
        "with the case",
        key=("case_id", "member_id"),
        member="member_id",
        sealed=(Sealed("sealed_reason", _SERVER_OF_CASE, "report {case_id}"),),
    ),
    Kept(
        "gone_servers",
        "Since when Kiosk is no longer in a server",
        key=("guild_id",),
        server="guild_id",
    ),
    Kept(
        "identifies",
        "When Kiosk connected to Discord",
        key=("shard_id", "identified_at"),
        age="identified_at",
        days=1,
    ),
    Kept("claims", "Which process does what", "until it ends", key=("name",)),
    Kept(
        "emojis",
        "Which of the game's pictures are emojis",
        "as long as the database",
        key=("key",),
    ),
    Kept(
        "facts",
        "Whose the database is, which commands Discord was given, and when Kiosk started",
        "as long as the database",
        key=("name",),
    ),
)
