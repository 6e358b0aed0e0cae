"""Which tests a fault is tried on: those near by, the quickest first."""

from collections.abc import Sequence

_ANNOUNCING = ("storage/test_announcing.py", "unit/announcing", "conversations/announce")
_FOLLOWING = (
    "storage/test_follow_posts.py",
    "unit/test_thread_polls.py",
    "unit/test_following_rules.py",
    "conversations/forum/test_following.py",
    "worker/test_followed_posts.py",
    "worker/test_followed_changes.py",
    "worker/test_followed_refusals.py",
    "conversations/shop/test_watching.py",
)
_MODERATING = (
    "storage/test_removals.py",
    "storage/test_moderation_log.py",
    "storage/test_log_cards.py",
    "storage/test_vetting.py",
    "storage/test_reports.py",
    "unit/moderation/test_rules.py",
    "conversations/moderate",
)
_SQL = {
    "claims": ("storage/test_claims.py", "unit/test_worker.py"),
    "followed": (*_ANNOUNCING, *_FOLLOWING),
    "installation": (
        "storage/test_figures.py",
        "storage/test_one_alone.py",
        "unit/test_sharding.py",
        "worker/test_emoji_uploads.py",
        "conversations/test_commands.py",
    ),
    "keeping": (
        "unit/test_servers.py",
        "storage/test_purging.py",
        "storage/test_member_data.py",
        "storage/test_resealing.py",
        "storage/test_growth.py",
    ),
    "links": ("storage/test_links.py", "conversations/test_account.py"),
    "log_cards": _MODERATING,
    "moderation": _MODERATING,
    "names": (
        "unit/test_directory.py",
        "worker/test_panels.py",
        "conversations/test_names.py",
        "conversations/test_setup.py",
    ),
    "messages": ("storage/test_messages.py", "worker"),
    "removals": _MODERATING,
    "reports": _MODERATING,
    "shown": (
        "storage/test_shown.py",
        "storage/test_sharing.py",
        "conversations/forum/test_sharing.py",
        *_MODERATING,
    ),
    "message_events": (
        *_ANNOUNCING,
        "storage/test_watches.py",
        "worker/test_announcements.py",
        "worker/test_changed_announcements.py",
    ),
    "subscriptions": (*_ANNOUNCING, "storage/test_watches.py", *_FOLLOWING),
    "vetting": ("storage/test_vetting.py", "unit/moderation/test_policy.py"),
    "writes": (
        "storage/test_writes.py",
        "storage/test_orders.py",
        "storage/test_resealing.py",
        "conversations/forum/test_unsent.py",
        "conversations/forum/test_keeping.py",
        "unit/shop",
    ),
}
_ORDERING = (
    "unit/shop",
    "storage/test_orders.py",
    "conversations/shop/test_orders.py",
    "conversations/shop/test_late_games.py",
)
_WRITING = (
    "unit/writing",
    "unit/forum/test_hidden_comments.py",
    "storage/test_writes.py",
    "conversations/forum",
)
# By the beginning of the module's path; the longest counts.
_PYTHON = {
    "bot/background": ("unit/test_background.py",),
    "bot/cache": ("unit/test_cache.py",),
    "bot/visible": ("unit/test_text.py",),
    "bot/features": (
        "unit/test_matching.py",
        "unit/test_paging.py",
        "unit/test_servers.py",
        "conversations/test_names.py",
        "conversations/test_account.py",
        "conversations/test_setup.py",
        "conversations/shop/test_suggestions.py",
    ),
    "bot/features/accounts": (
        "unit/test_accounts.py",
        "unit/shop/test_shared_accounts.py",
        "storage/test_shared_knowledge.py",
        "conversations/test_account.py",
        "conversations/test_relinking.py",
    ),
    "bot/features/following": (*_ANNOUNCING, *_FOLLOWING, "unit/test_polls.py"),
    "bot/features/forum": _WRITING,
    "bot/features/writing": _WRITING,
    "bot/features/forum/trees": ("unit/forum/test_trees.py", *_WRITING),
    "bot/features/moderation": (
        "unit/moderation/test_words.py",
        "unit/moderation/test_automod_rules.py",
        "unit/moderation/test_rules.py",
        "unit/moderation/test_policy.py",
        "conversations/moderate",
    ),
    "bot/features/names": (
        "unit/test_matching.py",
        "unit/test_directory.py",
        "storage/test_shared_knowledge.py",
        "conversations/test_names.py",
        "conversations/test_setup.py",
        "conversations/shop/test_suggestions.py",
        "conversations/forum/test_opening.py",
    ),
    "bot/features/writing/orders": _ORDERING,
    "bot/features/writing/ledger": (*_WRITING, *_ORDERING),
    "bot/features/writing/rules": (*_WRITING, *_ORDERING),
    "bot/features/shop": (
        "unit/shop/test_reading.py",
        "unit/test_matching.py",
        "conversations/shop/test_browsing.py",
        "conversations/shop/test_items.py",
        "conversations/shop/test_suggestions.py",
    ),
    "bot/game": (
        "unit/game/test_reading_answers.py",
        "unit/game/test_reading_pages.py",
        "unit/game/test_complaints.py",
        "contract",
        "unit/shop/test_checkout.py",
    ),
    "bot/game/transport": ("unit/game/test_addresses.py", "contract", "unit/shop/test_checkout.py"),
    "bot/game/rate_limit": ("unit/game/test_rate_limit.py", "contract"),
    "bot/ui": (
        "unit/test_text.py",
        "unit/test_actions.py",
        "unit/test_error_cards.py",
        "unit/test_comments_on_cards.py",
        "unit/test_router.py",
        "unit/test_open_cards.py",
        "conversations/shop",
        "conversations/forum",
        "conversations/moderate",
    ),
}
# What is done to one row is done to no other.
_ALONE = "storage/test_one_alone.py"
_ALL = _PYTHON | {f"storage/sql/{stem}": (_ALONE, *places) for stem, places in _SQL.items()}


def tests_of(file: str) -> Sequence[str]:
    """Return the tests of a module or SQL file, as paths."""
    fitting = [beginning for beginning in _ALL if file.startswith(beginning)]
    return [f"tests/{place}" for place in _ALL[max(fitting, key=len)]]
