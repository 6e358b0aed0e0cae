"""The Discord face of the core, and the features, in the order in which they are heard."""

CORE = ("account", "forum", "shop", "setup", "help")
FEATURES = ("panel", "replies", "decisions", "roles", "find", "unread", "announce", "moderate")
COGS = tuple(f"cogs.{name}" for name in (*CORE, *FEATURES))
