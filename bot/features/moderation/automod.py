"""Read a server's AutoMod rules as Discord gives them, and make what can be run of them.

Keywords, patterns and allow lists are run; Discord's own word sets are not shown to bots. Rules
against spam and mentions, and those for members' profiles, say nothing about the game's texts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.features.moderation.matching import UnusableError, compiled
from storage.vetting import Automod, TextRule

# As Discord numbers them.
_MESSAGE_SENT = 1
_KEYWORD, _PRESET = 1, 4
_BLOCK = 1

# What Rust's expressions mean by these goes beyond ASCII, RE2's do not.
_CLASSES = {"d": r"\p{Nd}", "s": r"\s\x{85}\pZ", "w": r"\pL\pM\p{Nd}\p{Pc}"}
# Classes within classes, and the edges of words by name, mean nothing or something else there.
_SET_OPERATION = re.compile(r"&&|--|~~|\[(?!:)")
_WORD_EDGE = re.compile(r"\\(?:[<>]|b\{)")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.S)


def read_automod(raw: Sequence[Mapping[str, Any]]) -> Automod:
    """Return what Discord's answer says about the texts that are sent in a server."""
    rules: list[TextRule] = []
    unusable: list[str] = []
    word_sets: set[int] = set()
    for each in raw:
        if not each.get("enabled", False) or each.get("event_type") != _MESSAGE_SENT:
            continue
        about: Mapping[str, Any] = each.get("trigger_metadata") or {}
        if each.get("trigger_type") == _PRESET:
            word_sets.update(about.get("presets") or ())
        elif each.get("trigger_type") == _KEYWORD:
            patterns: Sequence[str] = about.get("regex_patterns") or ()
            usable = [pattern for pattern in patterns if is_usable(pattern)]
            unusable += [str(each["name"])] if len(usable) < len(patterns) else []
            rules.append(_rule(each, about, usable))
    return Automod(tuple(rules), tuple(unusable), tuple(sorted(word_sets)))


def is_usable(pattern: str) -> bool:
    try:
        compiled(as_re2(pattern))
    except UnusableError:
        return False
    return True


def as_re2(pattern: str) -> str:
    """Return a pattern in Rust's flavour as RE2 takes it; what it does not know stays as it is.

    Raises UnusableError for what means something else there.
    """
    parts: list[str] = []
    in_class, at = 0, 0
    while at < len(pattern):
        match = _ESCAPE.match(pattern, at)
        if match:
            parts.append(_escaped(match, in_class=bool(in_class)))
            at = match.end()
            continue
        if in_class and _SET_OPERATION.match(pattern, at):
            raise UnusableError(pattern)
        if pattern[at] == "[" or in_class:
            in_class += {"[": 1, "]": -1}.get(pattern[at], 0)
        parts.append(pattern[at])
        at += 1
    return "".join(parts)


def _escaped(match: re.Match[str], *, in_class: bool) -> str:
    code = next(filter(None, match.groups()[:3]), None)
    if code is not None:
        return rf"\x{{{code}}}"
    letter = match.group(4)
    if not in_class and _WORD_EDGE.match(match.string, match.start()):
        raise UnusableError(match.string)
    known = _CLASSES.get(letter.lower())
    if known is None:
        return match.group()
    if letter.islower():
        return known if in_class else f"[{known}]"
    # A class can't hold another's opposite.
    return match.group() if in_class else f"[^{known}]"


def _rule(raw: Mapping[str, Any], about: Mapping[str, Any], patterns: Iterable[str]) -> TextRule:
    return TextRule(
        name=str(raw["name"]),
        words=tuple(about.get("keyword_filter") or ()),
        patterns=tuple(map(as_re2, patterns)),
        allowed=tuple(about.get("allow_list") or ()),
        channels=frozenset(map(int, raw.get("exempt_channels") or ())),
        roles=frozenset(map(int, raw.get("exempt_roles") or ())),
        only_alerts=_BLOCK not in {action.get("type") for action in raw.get("actions") or ()},
    )
