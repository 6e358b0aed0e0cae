"""Everything the stand-in remembers, shared by its HTTP side, its gateway and the tests' face."""

import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.discord_standin.commands import Commands
from tests.support.discord_standin.gateway import Gateway, Greetings, Session, shard_of
from tests.support.discord_standin.limits import Limits, TooMany
from tests.support.discord_standin.objects import (
    Exchange,
    Member,
    Message,
    Payload,
    new_id,
    timestamp,
    user_payload,
)
from tests.support.discord_standin.posting import Posting
from tests.support.discord_standin.refusals import UNKNOWN_MESSAGE, Refusal
from tests.support.gates import Gates, Happenings

TEXT_CHANNEL, DIRECT_MESSAGES = 0, 1
_GUILDS_INTENT = 1


@dataclass(frozen=True)
class Asked:
    """A request of the bot's; `path` starts behind the API's version.

    `limits` are the headers of the answer that tell how much more may be asked.
    """

    method: str
    path: str
    body: Payload
    limits: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_callback(self) -> bool:
        """Whether it is the first answer to an interaction."""
        return self.path.startswith("/interactions/")

    @property
    def is_webhook(self) -> bool:
        """Whether it shows something by an interaction's token: an edit or a follow-up."""
        return self.path.startswith("/webhooks/")

    @property
    def is_message(self) -> bool:
        """Whether it is a message to a channel, such as a direct message."""
        return self.method == "POST" and self.path.endswith("/messages")


@dataclass(eq=False)
class State:
    """One application, which is the bot, and its servers; one channel stands for all of theirs."""

    url: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    application_id: int = field(default_factory=new_id)
    guild_id: int = field(default_factory=new_id)
    channel_id: int = field(default_factory=new_id)
    members: dict[int, Member] = field(default_factory=dict[int, Member])
    # The member at the other end of each channel of direct messages.
    recipients: dict[int, Member] = field(default_factory=dict[int, Member])
    direct_channels: dict[int, int] = field(default_factory=dict[int, int])
    # Text channels besides the first, and what is said to every message there.
    channels: set[int] = field(default_factory=set[int])
    # Forum channels, and the posts in them; what was published.
    forums: set[int] = field(default_factory=set[int])
    posts: list[Payload] = field(default_factory=list[Payload])
    published: list[int] = field(default_factory=list[int])
    # The roles that members have, by both numbers, and how often each was given or taken.
    roles_had: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    role_changes: Counter[tuple[int, int]] = field(default_factory=Counter[tuple[int, int]])
    refusals: dict[int, Refusal] = field(default_factory=dict[int, Refusal])
    # If set, said to whatever is asked over HTTP but answers to members.
    refusal: Refusal | TooMany | None = None
    # What is asked waits here.
    gates: Gates[Asked] = field(default_factory=Gates[Asked])
    limits: Limits = field(default_factory=Limits)
    messages: list[Message] = field(default_factory=list[Message])
    # The messages of late by their nonces, deleted ones too, and how long they are known again.
    nonces: dict[str, tuple[Message, float]] = field(
        default_factory=dict[str, tuple[Message, float]]
    )
    nonces_hold: float = 120.0
    exchanges: dict[str, Exchange] = field(default_factory=dict[str, Exchange])
    asked: Happenings[Asked] = field(default_factory=Happenings[Asked])
    # What the stand-in could not do: requests it does not serve, and its own errors.
    faults: list[str] = field(default_factory=list[str])
    guilds: list[int] = field(init=False)
    posting: Posting = field(default_factory=Posting)
    # What else is told of a server to a bot that asks for its events.
    describe: Callable[[Payload], Payload] = dict[str, Any]
    gateway: Gateway = field(init=False)
    commands: Commands = field(init=False)

    def __post_init__(self) -> None:
        self.guilds = [self.guild_id]
        self.gateway = Gateway(self.token, self._greet)
        self.commands = Commands(self.application_id)

    @property
    def api_url(self) -> str:
        """The address of the HTTP side for the bot."""
        return f"{self.url}/api/v10"

    @property
    def gateway_url(self) -> str:
        """The address of the gateway for the bot."""
        return f"{self.url.replace('http', 'ws', 1)}/gateway/"

    def bot_user(self) -> Payload:
        return user_payload(self.application_id, "Kiosk", is_bot=True)

    def channel(self, channel_id: int) -> Payload:
        """Give a channel as the API does. Raises KeyError when there is none."""
        if channel_id == self.channel_id or channel_id in self.channels:
            return {
                "id": str(channel_id),
                "guild_id": str(self.guild_id),
                "type": TEXT_CHANNEL,
                "name": "game-talk",
                "position": 0,
                "permission_overwrites": [],
            }
        recipient = self.recipients[channel_id]
        return {
            "id": str(channel_id),
            "type": DIRECT_MESSAGES,
            "recipients": [recipient.as_user()],
            "last_message_id": None,
        }

    def direct_channel(self, member: Member) -> int:
        if member.id not in self.direct_channels:
            self.direct_channels[member.id] = new_id()
            self.recipients[self.direct_channels[member.id]] = member
        return self.direct_channels[member.id]

    def add_channel(self) -> int:
        channel_id = new_id()
        self.channels.add(channel_id)
        return channel_id

    def add_forum(self) -> int:
        channel_id = new_id()
        self.forums.add(channel_id)
        return channel_id

    def add_message(self, message: Message) -> None:
        """Let a message be seen, and known again by its nonce."""
        self.messages.append(message)
        nonce = message.body.get("nonce")
        if nonce is not None:
            self.nonces[str(nonce)] = message, self.limits.now()

    def message(self, message_id: int) -> Message:
        """Give a message; the newest are looked through first. Raises Refusal."""
        for message in reversed(self.messages):
            if message.id == message_id:
                return message
        raise UNKNOWN_MESSAGE

    def _greet(self, session: Session, identify: Payload) -> Greetings:
        _, count = session.shard
        guilds = [guild for guild in self.guilds if shard_of(guild, count) == session.shard]
        ready: Payload = {
            "v": 10,
            "user": self.bot_user(),
            "guilds": [{"id": str(guild), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.gateway_url,
            "shard": list(session.shard),
            "application": {"id": str(self.application_id), "flags": 0},
        }
        told = guilds if identify.get("intents", 0) & _GUILDS_INTENT else []
        return [
            ("READY", ready),
            *(("GUILD_CREATE", self.describe(self._guild(guild))) for guild in told),
        ]

    def listed_guild(self, guild_id: int) -> Payload:
        return {
            "id": str(guild_id),
            "name": "Acorn Park Fans",
            "icon": None,
            "banner": None,
            "owner": False,
            "permissions": str((1 << 50) - 1),
            "features": [],
        }

    def _guild(self, guild_id: int) -> Payload:
        everyone: Payload = {
            "id": str(guild_id),
            "name": "@everyone",
            "color": 0,
            "hoist": False,
            "position": 0,
            "permissions": str((1 << 50) - 1),
            "managed": False,
            "mentionable": False,
        }
        return {
            "id": str(guild_id),
            "name": "Acorn Park Fans",
            "owner_id": str(new_id()),
            "joined_at": timestamp(),
            "member_count": len(self.members) + 1,
            "roles": [everyone],
            "channels": [self.channel(self.channel_id)],
            "members": [],
            "emojis": [],
            "features": [],
            "unavailable": False,
        }
