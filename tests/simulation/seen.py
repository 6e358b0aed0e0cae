"""What stands in Discord, as people see it: who sees which card, its words and its buttons."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import simcord
from simcord.components import walk_components

_BUTTON = 2
_STRING_SELECT = 3
_SELECTS = (3, 5, 6, 7, 8)
_TEXT = 10
_LINKS = (5, 6)
_PROBLEM = 0xD9534F
_PUBLISHED = 1 << 1
_OURS = "kiosk."
# Each text and name of the world has a word of its own, such as qc12z for a comment.
_MARK = re.compile(r"q[a-z]\d+z")
# The newest cards of a channel that someone still looks at.
_PRIVATE_LOOKED_AT = 4
_PUBLIC_LOOKED_AT = 12


def kind_of(custom_id: str) -> str:
    """Return the kind of action of a custom id, such as "forum.tell"."""
    return custom_id.partition(":")[0].removeprefix(_OURS)


def fields_of(custom_id: str) -> tuple[str, ...]:
    return tuple(custom_id.partition(":%~")[0].split(":")[1:])


@dataclass(frozen=True)
class Control:
    """A button, an entry of a list that is an action, or a list of something else."""

    kind: str
    custom_id: str
    # Of an entry of a list: what is chosen.
    value: str | None = None
    # Of a list of channels, roles or plain values.
    select: Mapping[str, Any] | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        return fields_of(self.value or self.custom_id)


@dataclass(frozen=True)
class Card:
    """A message of Kiosk's as it stands; `owner_id` is whom a private one is shown to."""

    message_id: int
    channel_id: int
    guild_id: int | None
    is_private: bool
    is_direct: bool
    text: str
    marks: frozenset[str]
    controls: tuple[Control, ...]
    is_problem: bool
    # By the newest version: a card that was changed since it was posted pings no one.
    pinged_roles: tuple[int, ...]
    is_changed: bool
    posted_at: str
    # Whether someone's press brought it. Kiosk posts the others by itself.
    is_answer: bool
    is_published: bool
    # The forum channel of a post, else the channel.
    home_id: int

    def control(self, kind: str) -> Control | None:
        return next((control for control in self.controls if control.kind == kind), None)


def _texts(component: Mapping[str, Any]) -> Iterator[str]:
    for part in walk_components([component]):
        for name in ("content", "label", "description"):
            if part.get(name):
                yield str(part[name])
        for option in part.get("options") or ():
            yield f"{option.get('label', '')} {option.get('description') or ''}"


def controls_in(components: list[Mapping[str, Any]]) -> Iterator[Control]:
    for part in walk_components([dict(each) for each in components]):
        custom_id = part.get("custom_id")
        if not custom_id or part.get("disabled") or part.get("style") in _LINKS:
            continue
        if part.get("type") == _BUTTON:
            yield Control(kind_of(custom_id), custom_id)
        elif part.get("type") in _SELECTS:
            values = [str(option["value"]) for option in part.get("options") or ()]
            if part["type"] == _STRING_SELECT and values and values[0].startswith(_OURS):
                for value in values:
                    yield Control(kind_of(value), custom_id, value)
            else:
                yield Control(kind_of(custom_id), custom_id, select=part)


def read_card(backend: Any, message: Any) -> Card:
    channel = backend.channels[message.channel_id]
    texts = [text for component in message.components for text in _texts(component)]
    texts += [str(embed.get("description") or "") for embed in message.embeds]
    text = "\n".join(filter(None, [message.content, *texts]))
    return Card(
        message.id,
        message.channel_id,
        channel.guild_id,
        message.is_ephemeral,
        channel.guild_id is None,
        text,
        frozenset(_MARK.findall(text)),
        tuple(controls_in(message.components)),
        any(part.get("accent_color") == _PROBLEM for part in message.components),
        tuple(sorted(message.ping_role_ids)),
        message.edited_timestamp is not None,
        message.timestamp,
        message.interaction_metadata is not None,
        bool(message.flags & _PUBLISHED),
        channel.parent_id if channel.is_thread and channel.parent_id else channel.id,
    )


class Visibility:
    """Reads cards, each once until it changes."""

    def __init__(self, env: simcord.Env) -> None:
        self._backend: Any = env.backend
        self._bot_id = env.backend.bot_user.id
        self._read: dict[int, tuple[Any, tuple[Any, ...], Card]] = {}
        # Cards that came or changed, until they are checked.
        self.unchecked: list[Card] = []

    def card(self, message: Any) -> Card:
        version = message.edited_timestamp, message.flags
        known = self._read.get(message.id)
        if known and known[0] is message.components and known[1] == version:
            return known[2]
        card = read_card(self._backend, message)
        self._read[message.id] = message.components, version, card
        self.unchecked.append(card)
        return card

    def of_channel(self, channel_id: int) -> list[Card]:
        """Return Kiosk's public cards of a channel, oldest first."""
        return [
            self.card(message)
            for message in self._backend.messages.get(channel_id, {}).values()
            if message.author_id == self._bot_id and not message.is_ephemeral
        ]

    def public(self, guild_id: int | None = None) -> Iterator[Card]:
        """Yield every public card of a server, or of all."""
        for channel_id, channel in self._backend.channels.items():
            if channel.guild_id is None or (guild_id and channel.guild_id != guild_id):
                continue
            yield from self.of_channel(channel_id)

    def posted(self, guild_id: int) -> dict[int, list[Card]]:
        """Return what Kiosk has posted by itself, by its channel: of a forum's posts, the forum."""
        found: dict[int, list[Card]] = {}
        for card in self.public(guild_id):
            if not card.is_answer:
                found.setdefault(card.home_id, []).append(card)
        return found

    def direct(self, user_id: int) -> list[Card]:
        channel = self._backend.dm_channels.get(user_id)
        return [] if channel is None else self.of_channel(channel)

    def looked_at(self, channel_id: int, user_id: int) -> list[Card]:
        """Return the newest cards of a channel that someone sees, oldest first."""
        private: list[Card] = []
        public: list[Card] = []
        for message in reversed(self._backend.messages.get(channel_id, {}).values()):
            if message.author_id != self._bot_id or not message.visible_to(user_id):
                continue
            some, most = (
                (private, _PRIVATE_LOOKED_AT)
                if message.is_ephemeral
                else (public, _PUBLIC_LOOKED_AT)
            )
            if len(some) < most:
                some.append(self.card(message))
        return sorted(private + public, key=lambda card: card.message_id)
