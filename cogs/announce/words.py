"""Fill in the placeholders of a server's own words above announcements."""

import re
from collections import abc
from urllib.parse import quote

from bot import visible
from bot.features import item_queries
from bot.features.directory import Place
from bot.ui import items, markdown
from storage import subscriptions

# In characters, as typed.
MAX_LENGTH = 500
# In characters, once filled in, or twice as many bytes of UTF-8.
_ROOM = 600
MAX_BYTES = 2 * _ROOM
_ROOM_FOR_NAME = 60
# How many items, prices or types a placeholder names. More are counted.
_MAX_NAMED = 3
NAMES = ("item", "price", "catalog", "type", "role")
# A name in braces of either width.
_NAME = re.compile(r"[{\uff5b]([^{}\uff5b\uff5d\n]*)[}\uff5d]")
_OPEN_NAME = re.compile(r"[{\uff5b]\s*(\w[^{}\uff5b\uff5d\s]*)(?![^{}\uff5b\uff5d\n]*[}\uff5d])")
# Parts that Discord formats differently from a sentence: escapes, code, an address, and the label
# of a link.
_PART = re.compile(
    rf"""\\. | (?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)) | (?P<address>https?://[^\s<>)]+)
    | (?P<label>\[[^\[\]\n]*\](?=\()) | (?P<name>{_NAME.pattern})""",
    re.DOTALL | re.VERBOSE,
)


def unknown_placeholders(text: str) -> list[str]:
    """Return the names in braces that Kiosk doesn't know, and those after an open brace."""
    unknown = [f"{{{name}}}" for name in map(_plain, _NAME.findall(text)) if name not in NAMES]
    return unknown + [f"{{{_plain(name)}" for name in _OPEN_NAME.findall(text)]


def text_above(
    subscription: subscriptions.Subscription,
    events: abc.Sequence[subscriptions.Event],
    catalog: Place,
    pinged: abc.Collection[int] = (),
) -> str:
    """Return the text above news: the server's own words and markdown, and the pinged roles."""
    told = {event.subject_id: item_queries.item_of(event) for event in events}.values()
    values = {
        "item": _listed(items.name_of(item.name, _ROOM_FOR_NAME) for item in told),
        "price": _listed(map(items.price_of, told)),
        "catalog": items.catalog_title(catalog.game_id, catalog.name),
        "type": _listed(map(items.type_of, told)),
        "role": _mentions(subscription.pinged - subscription.gone_role_ids),
    }
    text = _PART.sub(lambda part: _filled(part, values), subscription.own_words)
    text = markdown.cut(text, _ROOM) if visible.is_visible(text) else ""
    # Discord doesn't ping a role in code.
    pinging = _PART.sub(lambda part: "" if part["code"] else part[0], text)
    silent = [role_id for role_id in pinged if f"<@&{role_id}>" not in pinging]
    return "\n".join(filter(None, [_mentions(silent), text]))


def _filled(part: re.Match[str], values: abc.Mapping[str, str]) -> str:
    """Return a part of the words with the names filled in, as code and links require."""

    def value(match: re.Match[str]) -> str:
        known = values.get(_plain(match[1]))
        if known is None:
            return match[0]
        if part["code"]:
            # Backslashes don't escape in code, and a backtick must not end it.
            return markdown.unescape(known).replace("`", "\u02cb")
        if part["address"]:
            return quote(markdown.unescape(known), safe="")
        if part["label"]:
            # Even an escaped bracket would end the label.
            return known.replace("\\[", "\uff3b").replace("]", "\uff3d")
        return known

    return _NAME.sub(value, part[0]) if part.lastgroup else part[0]


def _plain(name: str) -> str:
    return visible.folded(name).strip()


def _mentions(role_ids: abc.Iterable[int]) -> str:
    return " ".join(f"<@&{role_id}>" for role_id in sorted(role_ids))


def _listed(words: abc.Iterable[str]) -> str:
    said = list(dict.fromkeys(filter(None, words)))
    return markdown.some_of(said[:_MAX_NAMED], len(said))
