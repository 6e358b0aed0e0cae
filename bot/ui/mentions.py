"""Commands that a sentence names, as mentions that members can tap."""

import re
from collections.abc import Iterable, Mapping

from bot.i18n import catalog, catalogs

# What members write has a backslash before each of these marks.
_NAMED = re.compile(r"(?<!\\)`/([^`\n]+)`")
# By each command's name in every language; known once Discord was asked for the ids.
_mentions: dict[str, str] = {}


def learn_commands(names: Iterable[str], ids: Mapping[str, int]) -> None:
    """Note what is tapped for each command's whole name; ids are those of the first word."""
    _mentions.clear()
    for name in names:
        words = name.split()
        if words[0] not in ids:
            continue
        # Discord shows it in the language of whoever reads it.
        mention = f"</{name}:{ids[words[0]]}>"
        for language in catalogs:
            _mentions[" ".join(map(catalog(language).gettext, words))] = mention


def with_mentions(text: str) -> str:
    """Return markdown in which the known commands between code marks can be tapped."""
    return _NAMED.sub(lambda named: _mentions.get(named[1], named[0]), text)
