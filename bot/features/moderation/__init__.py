"""What moderators do with the game's forum in their server, and what is hidden there."""

from bot.features.moderation.service import LogFilter, ModerationService, RemovalStatus

__all__ = ["LogFilter", "ModerationService", "RemovalStatus"]
