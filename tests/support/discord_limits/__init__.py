"""Discord's published limits for what a bot sends: messages, forms, choices and commands.

Source: Discord's developer documentation, "Receiving and Responding" and "Message Resource".
simcord and discord.py let much of it pass.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simcord import HttpLogEntry

from tests.support.discord_limits.commands import MAX_CHOICES, command_faults
from tests.support.discord_limits.components import (
    IN_FORM,
    IN_MESSAGE,
    MAX_TEXT,
    TEXT,
    allowed,
    parts_faults,
    text,
    walk,
)
from tests.support.discord_limits.specification import unspecified

Payload = Mapping[str, Any]
Faults = Iterator[str]

MAX_COMPONENTS = 40
# Discord answers 500 to more than 10,170 bytes of what can be read, and 12 more for each text.
MAX_BYTES, BYTES_FOR_ONE_TEXT = 9000, 12
_READ = ("content", "label", "description", "placeholder")
# Of one interaction, if Kiosk was only installed by the member (code 40094).
MAX_FOLLOW_UPS = 5
_V2_FLAG = 1 << 15
_MESSAGE, _UPDATE, _CHOICES, _FORM = 4, 7, 8, 9


def all_faults(requests: Iterable[HttpLogEntry]) -> list[str]:
    """Give what these limits and Discord's own specification have against requests."""
    requests = list(requests)
    return faults_in(requests) + [
        fault
        for request in requests
        for fault in unspecified(request.method, request.path, request.json)
    ]


def faults_in(requests: Iterable[HttpLogEntry]) -> list[str]:
    """Give what Discord would refuse of these requests, each with the request's path."""
    requests = list(requests)
    return [
        f"{request.method} {request.path}: {fault}"
        for request in requests
        for fault in _request_faults(request)
    ] + [
        f"{path}: {count} follow-ups"
        for path, count in Counter(map(_followed_up, requests)).items()
        if path and count > MAX_FOLLOW_UPS
    ]


_MAX_THREAD_NAME_LENGTH = 100


def card_faults(components: Iterable[Payload]) -> list[str]:
    return list(_message_faults({"flags": _V2_FLAG, "components": list(components)}))


def _followed_up(request: HttpLogEntry) -> str:
    is_follow_up = request.method == "POST" and request.path.startswith("/webhooks/")
    return request.path if is_follow_up else ""


def _request_faults(request: HttpLogEntry) -> Faults:
    if request.json is None:
        return
    if request.path.endswith("/callback"):
        yield from _callback_faults(request.json)
    elif request.method == "PUT" and request.path.endswith("/commands"):
        yield from command_faults(request.json)
    elif request.path.endswith("/threads"):
        if not 1 <= len(request.json["name"]) <= _MAX_THREAD_NAME_LENGTH:
            yield f"a thread is called {request.json['name']!r}"
    elif request.path.startswith("/webhooks/") or "/messages" in request.path:
        yield from _message_faults(request.json, is_edit=request.method == "PATCH")


def _callback_faults(callback: Payload) -> Faults:
    data: Payload = callback.get("data") or {}
    kind = callback["type"]
    if kind in {_MESSAGE, _UPDATE}:
        yield from _message_faults(data, is_edit=kind == _UPDATE)
    elif kind == _CHOICES:
        yield from _choices_faults(data["choices"])
    elif kind == _FORM:
        yield from _form_faults(data)


_BLUE = 1
# The kinds of actions after which something is gone: they ask no one first.
_DESTRUCTIVE = {
    "announce.delete",
    "announce.dismiss",
    "announce.remove",
    "erase",
    "forum.delete",
    "forum.discard",
    "moderate.no_words",
    "setup.off",
    "setup.remove",
    "take_back",
    "unlink_now",
    "unwatch.sure",
    "unwatch.item",
}


def _message_faults(message: Payload, *, is_edit: bool = False) -> Faults:
    yield from text(message, "nonce", 0, 25)
    components: list[Payload] = message.get("components") or []
    # An edit that says nothing of flags is of a message of components.
    is_known = not is_edit or "flags" in message
    if not int(message.get("flags") or 0) & _V2_FLAG and is_known:
        embeds: list[Payload] = message.get("embeds") or []
        if message.get("content") is not None or not embeds:
            yield from text(message, "content", 1, 2000)
        for embed in embeds:
            yield from text(embed, "description", 1, 4096)
        return
    if message.get("content") or message.get("embeds") or message.get("poll"):
        yield "a message of components has content, embeds or a poll besides"
    if not components and not is_edit:
        yield "a message of components has none"
    parts = [part for component in components for part in walk(component)]
    yield from _size_faults(parts)
    yield from allowed(components, IN_MESSAGE, "a message")
    yield from parts_faults(parts)
    yield from _style_faults(parts)


def _style_faults(parts: list[Payload]) -> Faults:
    """Give what our own guide to cards doesn't let be, Discord taking it."""
    blue = [part["custom_id"] for part in parts if part.get("style") == _BLUE]
    if len(blue) > 1:
        yield f"more than one blue button: {blue}"
    for custom_id in blue:
        if custom_id.partition(":")[0].removeprefix("kiosk.") in _DESTRUCTIVE:
            yield f"a blue button that destroys: {custom_id}"


def _size_faults(parts: list[Payload]) -> Faults:
    if len(parts) > MAX_COMPONENTS:
        yield f"{len(parts)} components: show fewer entries, and a button to the next ones"
    characters = sum(len(part["content"]) for part in parts if part["type"] == TEXT)
    if characters > MAX_TEXT:
        yield f"{characters} characters: cut texts of members and the game (bot/ui/markdown.py)"
    if (size := _bytes_of(parts)) > MAX_BYTES:
        yield f"{size} bytes of UTF-8: cut texts of members and the game (bot/ui/markdown.py)"


def _bytes_of(parts: list[Payload]) -> int:
    read = [
        each[name]
        for part in parts
        for each in (part, *part.get("options", ()), *part.get("items", ()))
        for name in _READ
        if each.get(name)
    ]
    texts = [part for part in parts if part["type"] == TEXT]
    return len("".join(read).encode()) + BYTES_FOR_ONE_TEXT * len(texts)


def _form_faults(form: Payload) -> Faults:
    yield from text(form, "title", 1, 45)
    yield from text(form, "custom_id", 1, 100)
    if not 1 <= len(form["components"]) <= 5:
        yield f"{len(form['components'])} components in a form: five at most, so ask for less"
    yield from allowed(form["components"], IN_FORM, "a form")
    parts = [part for each in form["components"] for part in walk(each)]
    yield from parts_faults(parts)
    if any(part.get("disabled") for part in parts):
        yield "a disabled part of a form"


def _choices_faults(choices: list[Payload]) -> Faults:
    if len(choices) > MAX_CHOICES:
        yield f"{len(choices)} choices: suggest the best {MAX_CHOICES}"
    for choice in choices:
        yield from text(choice, "name", 1, 100)
        if isinstance(choice["value"], str):
            yield from text(choice, "value", 1, 100)
        elif abs(choice["value"]) > 2**53:
            yield f"the choice {choice['value']} is beyond what Discord carries"
