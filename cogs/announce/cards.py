"""Announcements, and what people see who set them up, or ask why something was announced."""

from collections.abc import Mapping, Sequence
from typing import Any

import discord
from msgspec.structs import replace

from bot.features.following.owing import MOST_ITEMS, item_of
from bot.features.names import Place
from bot.i18n import N_, nt, t
from bot.ui import theme
from bot.ui.actions import MOST_CHOICES, action_button, action_select
from bot.ui.cards import MOST_CHARACTERS, Card, Select, notice, option, paragraph
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
from bot.ui.shared_actions import (
    ChooseItem,
    OpenAnnouncement,
    OpenCatalog,
    OpenItem,
    TakeOver,
    item_value,
)
from bot.ui.text import and_more, fitting, one_line
from storage.names import PlaceKind
from storage.subscriptions import UNREAD, Event

_ROOM_AT_THE_END = 200
_MOST_NAMED = 10
# With more, their own buttons would be more components than Discord takes.
_MOST_WITH_BUTTONS = 5
_LONGEST_LABEL = 100
# So that ten items fit, whatever they cost.
_ROOM_FOR_NAME, _ROOM_FOR_TYPE = 60, 30

# By Discord's code for a refusal: what is wrong, and the way to mend it.
REFUSALS: Mapping[int, tuple[str, str]] = {
    10003: (N_("the channel is gone"), N_("choose another channel")),
    10004: (N_("Kiosk is not in this server"), N_("invite it again")),
    40067: (
        N_("the forum asks for a tag"),
        N_("choose the channel once more, so that Kiosk picks one"),
    ),
    50001: (
        N_("Kiosk can't see the channel"),
        N_("allow it “View Channel” in the channel's settings, under Permissions"),
    ),
    50008: (N_("nothing can be posted there"), N_("choose another channel")),
    50013: (
        N_("Kiosk may not post there"),
        N_("choose the channel once more: the card says what is missing"),
    ),
    160005: (N_("the thread is locked"), N_("unlock it, or choose another channel")),
}
OTHER_REFUSAL = (
    N_("Discord refuses what is posted there"),
    N_("look at Kiosk's permissions there"),
)


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
    title = catalog_title(catalog.game_id, catalog.name)
    if len(events) == 1:
        event, item = events[0], item_of(events[0])
        card.say(f"**{what_is_new(event)}**")
        say_facts(card, item, title, personal=False)
        opening = action_button(OpenItem(*event.ref), t("Open"), emoji="🔍")
        card.buttons(*order_buttons(item, event.ref), opening)
        card.say("-# " + t("Only you see where a button leads."))
    elif is_late or any(event.is_late for event in events):
        note = t("Nothing could be announced for more than a day; this is what has changed since.")
        _say_many(card, events, title, note)
    elif len(events) > MOST_ITEMS:
        note = t("So much has changed at once that this is one message for all of it.")
        _say_many(card, events, title, note)
    else:
        _say_several(card, events, title)
    return card


def post_title(events: Sequence[Event], catalog: Place) -> str:
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


def _say_several(card: Card, events: Sequence[Event], catalog: str) -> None:
    card.say("## " + t("News from %(catalog)s", catalog=catalog))
    has_buttons = len(events) <= _MOST_WITH_BUTTONS
    for event in events:
        item = item_of(event)
        facts = f"{type_of(item, _ROOM_FOR_TYPE)} · {price_of(item)}"
        name = one_line(item.name, _ROOM_FOR_NAME) or name_of("")
        lines = [f"**{name}**", facts, f"-# {what_is_new(event)}"]
        card.say("\n".join(lines), thumbnail(item.icon_url, item.name))
        if has_buttons:
            card.buttons(*order_buttons(item, event.ref))
    if not has_buttons:
        card.choose(_list(events))
    card.say("-# " + t("Only you see where a button leads."))


def _say_many(card: Card, events: Sequence[Event], catalog: str, note: str) -> None:
    """List what comes first, as long as the list to choose from; the note says why."""
    title = "## " + t("News from %(catalog)s", catalog=catalog)
    card.say(f"{title}\n-# {note}")
    room = MOST_CHARACTERS - len(title) - len(note) - _ROOM_AT_THE_END
    lines = fitting(map(_line, events[:MOST_CHOICES]), room)
    card.say("\n".join(and_more(lines, len(events))))
    card.choose(_list(events[:MOST_CHOICES]))
    card.buttons(action_button(OpenCatalog(events[0].catalog_id), t("Browse the catalog")))


def _line(event: Event) -> str:
    item = item_of(event)
    return f"**{name_of(item.name)}** · {price_of(item)} · {what_is_new(event)}"


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


def paused_notice(payload: Mapping[str, Any]) -> Card:
    channel, opened = f"<#{payload['channel']}>", OpenAnnouncement(int(payload["announcement"]))
    code = int(payload["code"])
    if code == UNREAD:
        title = t("Nothing more is announced in %(channel)s", channel=channel)
        who = f"<@{payload['reader']}>"
        body = t("%(who)s, whose account read the catalog, has unlinked.", who=who)
        take_over = TakeOver(opened.subscription_id)
        blue = discord.ButtonStyle.primary
        button = action_button(take_over, t("Read with my account"), style=blue)
        return notice(title, body, colour=theme.PROBLEM, buttons=(button,))
    problem, mend = REFUSALS.get(code, OTHER_REFUSAL)
    title = t("Announcements in %(channel)s have stopped", channel=channel)
    if payload["kind"] == PlaceKind.THREAD:
        title = t("New comments no longer come to %(channel)s", channel=channel)
    body = t(
        "Discord refuses them: %(problem)s. To fix it, %(mend)s. Then open it on `/announce list`.",
        problem=t(problem),
        mend=t(mend),
    )
    return notice(title, body, colour=theme.PROBLEM, buttons=(action_button(opened, t("Open")),))
