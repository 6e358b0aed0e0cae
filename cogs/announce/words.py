"""A server's own words above what it announces, with names that stand for what is announced."""

import re
from collections import abc

from bot.features import item_queries
from bot.features.names import Place
from bot.ui import items, markdown
from bot.visible import is_visible
from storage import subscriptions

# Characters, as they are typed.
LONGEST = 500
# Characters, once they are filled in.
_ROOM = 600
_ROOM_FOR_NAME = 60
# Items, prices or types that a name stands for; more are counted.
_MOST_NAMED = 3
NAMES = ("item", "price", "catalog", "type", "role")
_NAME = re.compile(r"\{([^{}\n]*)\}")


def unknown_in(text: str) -> list[str]:
    """Return what stands in braces and is none of the names."""
    return [name for name in map(_plain, _NAME.findall(text)) if name not in NAMES]


def above(
    subscription: subscriptions.Subscription,
    events: abc.Sequence[subscriptions.Event],
    catalog: Place,
    pinged: abc.Collection[int] = (),
) -> str:
    """Return what stands above news: the server's own words and markdown, and whoever is pinged."""
    told = {event.subject_id: item_queries.item_of(event) for event in events}.values()
    values = {
        "item": _listed(items.name_of(item.name, _ROOM_FOR_NAME) for item in told),
        "price": _listed(map(items.price_of, told)),
        "catalog": items.catalog_title(catalog.game_id, catalog.name),
        "type": _listed(map(items.type_of, told)),
        "role": _mentions(subscription.role_ids),
    }
    text = _NAME.sub(lambda match: values.get(_plain(match[1]), match[0]), subscription.own_words)
    text = markdown.cut(text, _ROOM) if is_visible(text) else ""
    silent = [role_id for role_id in pinged if f"<@&{role_id}>" not in text]
    return "\n".join(filter(None, [_mentions(silent), text]))


def _plain(name: str) -> str:
    return name.strip().casefold()


def _mentions(role_ids: abc.Iterable[int]) -> str:
    return " ".join(f"<@&{role_id}>" for role_id in sorted(role_ids))


def _listed(words: abc.Iterable[str]) -> str:
    said = list(dict.fromkeys(filter(None, words)))
    return markdown.some_of(said[:_MOST_NAMED], len(said))
