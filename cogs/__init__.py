"""The core's commands and the features, in the order in which hooks call them."""

CORE = ("account", "forum", "shop", "setup", "help")
FEATURES = ("panel", "replies", "decisions", "roles", "find", "unread", "announce", "moderate")
COGS = tuple(f"cogs.{name}" for name in (*CORE, *FEATURES))
