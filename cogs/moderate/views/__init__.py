"""The cards and forms of moderation."""
