"""The announcement itself: one item closely, several in a list, or many in few words."""

from collections.abc import Sequence

from msgspec.structs import replace

from bot.features.following.owing import MOST_ITEMS, item_of
from bot.features.names import Place
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import MOST_CHOICES, action_button, action_select
from bot.ui.cards import MOST_CHARACTERS, Card, Select, option, paragraph
from bot.ui.items import (
    catalog_title,
    name_of,
    order_buttons,
    plain_price,
    price_of,
    say_facts,
    type_of,
    what_is_new,
)
from bot.ui.pictures import thumbnail
from bot.ui.shared_actions import ChooseItem, OpenCatalog, OpenItem, item_value
from bot.ui.text import fitting, one_line
from storage.following import Event

# With more, their own buttons would be more components than Discord takes.
_MOST_WITH_BUTTONS = 5
_LONGEST_LABEL = 100
# So that ten items fit, whatever they cost.
_ROOM_FOR_NAME, _ROOM_FOR_TYPE = 60, 30
_ROOM_AT_THE_END = 200


def announcement(
    events: Sequence[Event], catalog: Place, role_id: int | None = None, *, is_late: bool = False
) -> Card:
    """Announce events of one catalog, whoever presses a button acts as themselves.

    It `is_late` where Discord could not be told for more than a day.
    """
    events = _one_each(events)
    card = Card(theme.SHOP)
    if role_id is not None:
        card.components.insert(0, paragraph(f"<@&{role_id}>"))
    if len(events) == 1:
        _say_one(card, events[0], catalog)
    elif is_late or any(event.is_late for event in events):
        note = t("Nothing could be announced for more than a day; this is what has changed since.")
        _say_many(card, events, catalog, note)
    elif len(events) > MOST_ITEMS:
        note = t("So much has changed at once that this is one message for all of it.")
        _say_many(card, events, catalog, note)
    else:
        _say_several(card, events, catalog)
    return card


def post_title(events: Sequence[Event], catalog: Place) -> str:
    """Return what a post in a forum channel is called."""
    if len(events) == 1:
        name = item_of(events[0]).name
        return one_line(name, _LONGEST_LABEL, plain=True) or t("News from the shop")
    count = nt("%(count)s item", "%(count)s items", len(events))
    name = catalog.name or t("Catalog %(number)s", number=catalog.game_id)
    return one_line(f"{name}: {count}", _LONGEST_LABEL, plain=True)


def _one_each(events: Sequence[Event]) -> Sequence[Event]:
    """Return one event for each item: the last, with all that was new about it."""
    by_item: dict[int, Event] = {}
    for event in events:
        before = by_item.get(event.item_id, event)
        old_cost = event.old_cost if before.old_cost is None else before.old_cost
        news = before.news | event.news
        by_item[event.item_id] = replace(event, news=news, old_cost=old_cost)
    return list(by_item.values())


def _title(catalog: Place) -> str:
    return catalog_title(catalog.game_id, catalog.name)


def _say_one(card: Card, event: Event, catalog: Place) -> None:
    card.say(f"**{what_is_new(event)}**")
    say_facts(card, item_of(event), _title(catalog), personal=False)
    buttons = order_buttons(item_of(event), event.ref)
    card.buttons(*buttons, action_button(OpenItem(*event.ref), t("Open"), emoji="🔍"))
    card.say("-# " + t("Only you see where a button leads."))


def _say_several(card: Card, events: Sequence[Event], catalog: Place) -> None:
    card.say("## " + t("News from %(catalog)s", catalog=_title(catalog)))
    has_buttons = len(events) <= _MOST_WITH_BUTTONS
    for event in events:
        _say_entry(card, event)
        if has_buttons:
            card.buttons(*order_buttons(item_of(event), event.ref))
    if not has_buttons:
        card.choose(_list(events))
    card.say("-# " + t("Only you see where a button leads."))


def _say_many(card: Card, events: Sequence[Event], catalog: Place, note: str) -> None:
    """List what comes first, as long as the list to choose from; the note says why."""
    title = "## " + t("News from %(catalog)s", catalog=_title(catalog))
    card.say(f"{title}\n-# {note}")
    room = MOST_CHARACTERS - len(title) - len(note) - _ROOM_AT_THE_END
    lines = fitting(map(_line, events[:MOST_CHOICES]), room)
    left = len(events) - len(lines)
    if left:
        lines.append(nt("and %(count)s more", "and %(count)s more", left))
    card.say("\n".join(lines))
    card.choose(_list(events[:MOST_CHOICES]))
    card.buttons(action_button(OpenCatalog(catalog.game_id), t("Browse the catalog")))


def _line(event: Event) -> str:
    item = item_of(event)
    return f"**{name_of(item.name)}** · {price_of(item)} · {what_is_new(event)}"


def _say_entry(card: Card, event: Event) -> None:
    item = item_of(event)
    facts = f"{type_of(item, _ROOM_FOR_TYPE)} · {price_of(item)}"
    name = one_line(item.name, _ROOM_FOR_NAME) or name_of("")
    lines = [f"**{name}**", facts, f"-# {what_is_new(event)}"]
    card.say("\n".join(lines), thumbnail(item.icon_url, item.name))


def _list(events: Sequence[Event]) -> Select:
    options = [
        option(
            one_line(item_of(event).name, _LONGEST_LABEL, plain=True) or str(event.item_id),
            item_value(event.ref),
            description=plain_price(item_of(event)),
        )
        for event in events
    ]
    placeholder = t("Open an item…")
    return action_select(ChooseItem(events[0].catalog_id), options, placeholder=placeholder)
