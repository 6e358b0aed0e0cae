"""Discord's published limits for application commands.

Source: Discord's developer documentation, "Application Commands".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Payload = Mapping[str, Any]
Faults = Iterator[str]

MAX_COMMANDS, MAX_MENUS, MAX_OPTIONS, MAX_CHOICES = 100, 5, 25, 25
MAX_TEXT_OF_ONE = 8000
_SLASH = 1
_SUBCOMMAND, _GROUP = 1, 2
_NAME = re.compile(r"[-_'\w]{1,32}")


def command_faults(commands: list[Payload]) -> Faults:
    slash = [command for command in commands if command.get("type", _SLASH) == _SLASH]
    if len(slash) > MAX_COMMANDS or len(commands) - len(slash) > MAX_MENUS * 2:
        yield f"{len(commands)} commands"
    for command in commands:
        is_menu = command not in slash
        for fault in _menu_faults(command) if is_menu else _part_faults(command, depth=0):
            yield f"{command['name']}: {fault}"
        for language in _languages(command):
            if (size := _size(command, language)) > MAX_TEXT_OF_ONE:
                yield f"{command['name']}: {size} characters in {language or 'English'}"


def _menu_faults(menu: Payload) -> Faults:
    for name in _in_every_language(menu, "name"):
        if not 1 <= len(name) <= 32:
            yield f"the name {name!r}"
    if menu.get("description"):
        yield "a menu has a description"


def _part_faults(part: Payload, depth: int) -> Faults:
    for name in _in_every_language(part, "name"):
        if not _NAME.fullmatch(name) or name != name.lower():
            yield f"the name {name!r}"
    for description in _in_every_language(part, "description"):
        if not 1 <= len(description) <= 100:
            yield f"the description {description!r}"
    yield from _choices_faults(part)
    yield from _bounds_faults(part)
    options: list[Payload] = part.get("options") or []
    yield from _options_faults(options, depth)
    for option in options:
        yield from _part_faults(option, depth + 1)


def _options_faults(options: list[Payload], depth: int) -> Faults:
    if len(options) > MAX_OPTIONS:
        yield f"{len(options)} commands or options below one: begin another group"
    names = [option["name"] for option in options]
    if len(set(names)) < len(names):
        yield f"options of one name: {names}"
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        yield f"an option that must be given follows one that need not: {names}"
    if any(option["type"] == _GROUP for option in options) and depth > 0:
        yield "a group below a group"
    kinds = {option["type"] in {_SUBCOMMAND, _GROUP} for option in options}
    if len(kinds) > 1:
        yield f"commands beside options: {names}"


def _choices_faults(option: Payload) -> Faults:
    choices: list[Payload] = option.get("choices") or []
    if len(choices) > MAX_CHOICES:
        yield f"{len(choices)} choices: suggest them while people type"
    if choices and option.get("autocomplete"):
        yield "choices beside suggestions"
    for choice in choices:
        for name in _in_every_language(choice, "name"):
            if not 1 <= len(name) <= 100:
                yield f"the choice {name!r}"
        if isinstance(choice["value"], str) and not 1 <= len(choice["value"]) <= 100:
            yield f"the choice's value {choice['value']!r}"


def _bounds_faults(option: Payload) -> Faults:
    if not 0 <= (option.get("min_length") or 0) <= 6000:
        yield f"at least {option['min_length']} characters"
    if not 1 <= (option.get("max_length") or 1) <= 6000:
        yield f"at most {option['max_length']} characters"
    for bound in ("min_value", "max_value"):
        if abs(option.get(bound) or 0) > 2**53:
            yield f"{bound} {option[bound]}"


def _in_every_language(part: Payload, key: str) -> Iterable[str]:
    return [part[key], *_localizations(part, key).values()]


def _localizations(part: Payload, key: str) -> Mapping[str, str]:
    return part.get(f"{key}_localizations") or {}


def _languages(part: Payload) -> set[str | None]:
    return {None, *_localizations(part, "name")}


def _size(part: Payload, language: str | None) -> int:
    """Count the characters of names, descriptions and values, as Discord does for each language."""
    size = 0
    for key in ("name", "description"):
        spoken = _localizations(part, key).get(language or "")
        size += len(spoken or part.get(key) or "")
    size += len(part["value"]) if isinstance(part.get("value"), str) else 0
    below = [*(part.get("options") or ()), *(part.get("choices") or ())]
    return size + sum(_size(child, language) for child in below)
