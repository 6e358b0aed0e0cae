"""What exists on the stand-in: people, messages, forms, and exchanges between the two sides."""

import datetime
import itertools
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.gates import Happenings

Payload = dict[str, Any]

EPHEMERAL, LOADING = 1 << 6, 1 << 7
BUTTON, TEXT_DISPLAY = 2, 10
DISCORD_EPOCH = 1_420_070_400_000
_EVERY_PERMISSION = str((1 << 50) - 1)
_counter = itertools.count()


def new_id() -> int:
    milliseconds = int(time.time() * 1000) - DISCORD_EPOCH
    return milliseconds << 22 | next(_counter) % (1 << 22)


def timestamp() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat()


@dataclass(eq=False)
class Member:
    """A person; `takes_direct_messages` is what they have set in their privacy settings."""

    name: str
    takes_direct_messages: bool = True
    id: int = field(default_factory=new_id)
    joined_at: str = field(default_factory=timestamp)

    def as_user(self) -> Payload:
        return user_payload(self.id, self.name)

    def as_member(self) -> Payload:
        return {
            "user": self.as_user(),
            "nick": None,
            "roles": [],
            "joined_at": self.joined_at,
            "deaf": False,
            "mute": False,
            "flags": 0,
            "permissions": _EVERY_PERMISSION,
        }


def user_payload(user_id: int, name: str, *, is_bot: bool = False) -> Payload:
    return {
        "id": str(user_id),
        "username": name,
        "global_name": name,
        "discriminator": "0",
        "avatar": None,
        "bot": is_bot,
    }


@dataclass(eq=False)
class Message:
    """A message as it stands now; `versions` holds all that it has ever shown, oldest first."""

    channel_id: int
    author: Payload
    body: Payload
    id: int = field(default_factory=new_id)
    versions: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.versions.append(self.text)

    def edit(self, body: Payload) -> None:
        flags = int(self.body.get("flags") or 0) & EPHEMERAL | int(body.get("flags") or 0)
        self.body = {**self.body, **body, "flags": flags & ~LOADING}
        self.versions.append(self.text)

    @property
    def is_loading(self) -> bool:
        return bool(int(self.body.get("flags") or 0) & LOADING)

    @property
    def is_private(self) -> bool:
        return bool(int(self.body.get("flags") or 0) & EPHEMERAL)

    @property
    def text(self) -> str:
        """All the text it shows, a line for each part."""
        parts = [str(self.body.get("content") or "")]
        parts += [str(embed.get("description")) for embed in self.body.get("embeds") or ()]
        parts += [str(part["content"]) for part in self.components() if "content" in part]
        return "\n".join(part for part in parts if part)

    def components(self) -> Iterator[Payload]:
        yield from walk(self.body.get("components") or ())

    def pressable(self, label: str) -> Payload:
        """Give the button with this label; a test that finds none is wrong about the message."""
        for part in self.components():
            if part.get("type") == BUTTON and part.get("label") == label and part.get("custom_id"):
                assert not part.get("disabled"), f"the button {label!r} can't be pressed"
                return part
        raise AssertionError(f"there is no button {label!r} below: {self.text}")

    def choosable(self, label: str) -> tuple[Payload, str]:
        """Give the list with an entry of this label, and the entry's value."""
        for part in self.components():
            for option in part.get("options") or ():
                if label in option["label"]:
                    return part, str(option["value"])
        raise AssertionError(f"there is no entry {label!r} below: {self.text}")

    def as_payload(self) -> Payload:
        return {
            "id": str(self.id),
            "channel_id": str(self.channel_id),
            "author": self.author,
            "type": 0,
            "content": self.body.get("content") or "",
            "timestamp": timestamp(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": self.body.get("embeds") or [],
            "components": self.body.get("components") or [],
            "pinned": False,
            "flags": int(self.body.get("flags") or 0),
            "nonce": self.body.get("nonce"),
        }


def walk(components: Iterable[Mapping[str, Any]]) -> Iterator[Payload]:
    for component in components:
        yield dict(component)
        yield from walk(component.get("components") or ())
        for single in ("component", "accessory"):
            if component.get(single):
                yield from walk([component[single]])


@dataclass(frozen=True)
class Modal:
    """A form that the bot has opened."""

    body: Payload

    @property
    def custom_id(self) -> str:
        return str(self.body["custom_id"])


@dataclass(eq=False)
class Exchange:
    """One interaction and what the bot answered to it; it outlives the bot that was asked.

    `source` is the message whose button was pressed; `original` is the message that the bot's
    first answer made, or for an update the source.
    """

    member: Member
    payload: Payload
    source: Message | None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    id: int = field(default_factory=new_id)
    is_acknowledged: bool = False
    is_dead: bool = False
    original: Message | None = None
    followups: list[Message] = field(default_factory=list[Message])
    opened: Modal | None = None
    choices: list[Payload] | None = None
    # What was answered if it was posted over HTTP.
    status: int | None = None
    changes: Happenings[None] = field(default_factory=Happenings[None])

    @property
    def messages(self) -> list[Message]:
        """What the member was shown so far; a "thinking" is not among it."""
        original = [self.original] if self.original and not self.original.is_loading else []
        return [*original, *self.followups]

    @property
    def text(self) -> str:
        """All that the member can read now."""
        return "\n".join(message.text for message in self.messages)

    async def answer(self) -> Message:
        await self.changes.until(lambda: bool(self.messages) and self.is_acknowledged)
        return self.messages[-1]

    async def says(self, text: str) -> Message:
        await self.changes.until(lambda: text in self.text)
        return next(message for message in self.messages if text in message.text)

    async def suggestions(self) -> list[Payload]:
        await self.changes.until(lambda: self.choices is not None)
        assert self.choices is not None
        return self.choices

    async def modal(self) -> Modal:
        await self.changes.until(lambda: self.opened is not None)
        assert self.opened is not None
        return self.opened
