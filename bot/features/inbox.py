"""What could not be told to a member in time; cogs know it from here."""

from storage.inbox import Inbox, Message

__all__ = ["Inbox", "Message"]
