"""Read the words in a server's AutoMod rules, and count what can't become watched words."""

from collections import abc
from typing import Any

from msgspec import Struct

# As Discord numbers them.
_KEYWORD = 1
_PRESET = 4
_MEMBER_PROFILE = 6
_ALERT = 2


class AutomodRules(Struct, frozen=True):
    """The keywords of the rules for messages and names, and counts of what else these say."""

    words: abc.Sequence[str]
    patterns: int
    # Discord's own, whose words it doesn't show.
    word_sets: int
    allowed: int
    exempt_channels: int
    exempt_roles: int
    # Rules that block nothing.
    alerts: int


def read_automod(raw: abc.Sequence[abc.Mapping[str, Any]]) -> AutomodRules:
    """Return what Discord's answer says of words; a rule that is switched off says nothing."""
    enabled = [rule for rule in raw if rule.get("enabled")]
    rules = [rule for rule in enabled if rule.get("trigger_type") in (_KEYWORD, _MEMBER_PROFILE)]
    presets = [rule for rule in enabled if rule.get("trigger_type") == _PRESET]
    about_words = [_about(rule) for rule in rules]
    return AutomodRules(
        words=_all("keyword_filter", about_words),
        patterns=len(_all("regex_patterns", about_words)),
        word_sets=len(_all("presets", map(_about, presets))),
        allowed=len(_all("allow_list", about_words)),
        exempt_channels=len(_all("exempt_channels", rules)),
        exempt_roles=len(_all("exempt_roles", rules)),
        alerts=sum(
            all(action.get("type") == _ALERT for action in rule.get("actions") or ())
            for rule in rules
        ),
    )


def _about(rule: abc.Mapping[str, Any]) -> abc.Mapping[str, Any]:
    return rule.get("trigger_metadata") or {}


def _all(name: str, said: abc.Iterable[abc.Mapping[str, Any]]) -> abc.Sequence[Any]:
    """Return what is listed under a name by any of these, each once."""
    return list(dict.fromkeys(entry for lists in said for entry in lists.get(name) or ()))
