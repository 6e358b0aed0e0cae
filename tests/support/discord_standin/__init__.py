"""A small Discord of our own on loopback, which outlives the bots that talk to it.

It speaks enough of the real protocol over real HTTP and WebSocket for a bot in a process of its
own: login, gateway, commands, interactions, webhooks, messages. `open_discord` starts it.
"""

from tests.support.discord_standin.objects import Exchange, Member, Message, Modal
from tests.support.discord_standin.server import Discord, NobodyListens, open_discord

__all__ = ["Discord", "Exchange", "Member", "Message", "Modal", "NobodyListens", "open_discord"]
