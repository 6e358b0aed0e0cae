"""Announcements, and what people see who set them up, or ask why something was announced."""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from discord import Colour
from msgspec.structs import replace

from bot.features.items import ItemNews, item_of, ref_of
from bot.features.names import Place
from bot.i18n import N_, nt, number, t
from bot.ui import items, theme
from bot.ui.actions import action_button
from bot.ui.cards import BLUE, Button, Card, notice
from bot.ui.comments import thread_title
from bot.ui.shared_actions import (
    OpenAnnouncement,
    OpenCatalog,
    OpenItem,
    ShowAnnouncements,
    TakeOver,
)
from bot.ui.text import and_more, one_line
from storage.names import PlaceKind
from storage.subscriptions import Event, News, Subscription

_LONGEST_LABEL = 100
_MOST_PAUSED = 10
_COUNTS = {
    News.NEW: N_("%(count)s new"),
    News.BACK: N_("%(count)s back again"),
    News.CLEARANCE: N_("%(count)s on clearance"),
    News.CHEAPER: N_("%(count)s cheaper"),
    News.MEMBERS: N_("%(count)s for subscribers only, or no longer"),
}

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


def title_of(one: Subscription, place: Place, all_of_them: Sequence[Subscription]) -> str:
    """Return an announcement's name, with a number where a channel has several of one catalog."""
    name = items.catalog_title(place.game_id, place.name)
    if one.kind is PlaceKind.THREAD:
        name = thread_title(place)
    of = one.channel_id, one.kind, one.place_id
    alike = [each.id for each in all_of_them if (each.channel_id, each.kind, each.place_id) == of]
    return f"{name} ({alike.index(one.id) + 1})" if len(alike) > 1 else name


def announcement(
    events: Sequence[Event], catalog: Place, *, is_late: bool = False, colour: Colour = theme.SHOP
) -> Card:
    """Return the card; its last paragraph is about what can be pressed, as `as_embed` wants."""
    events = _one_each(events)
    card = Card(colour)
    title = items.catalog_title(catalog.game_id, catalog.name)
    if len(events) == 1:
        (event,) = events
        items.say_event(card, event, title)
        opening = action_button(OpenItem(*ref_of(event)), t("Open"))
        card.buttons(*items.order_buttons(ref_of(event)), opening)
        card.say("-# " + t("Only you see where a button leads."))
        return card
    first = Counter(next(each for each in News if each in event.news) for event in events)
    counts = [t(_COUNTS[each], count=number(first[each])) for each in News if first[each]]
    lines = ["## " + t("News from %(catalog)s", catalog=title), " · ".join(counts)]
    if is_late or any(event.is_late for event in events):
        lines.append(t("Nothing could be announced for more than a day."))
    card.say("\n".join(lines))
    items.say_news(card, events)
    if len(events) > items.MOST_PICTURED:
        catalog_id = events[0].place_id
        card.buttons(action_button(OpenCatalog(catalog_id), t("Browse the catalog"), style=BLUE))
    card.say("-# " + t("Only you see where the list leads."))
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
        before = by_item.get(event.subject_id, event)
        old_cost = ItemNews.of(before.payload).old_cost
        if old_cost is not None:
            payload = dataclasses.replace(ItemNews.of(event.payload), old_cost=old_cost).to_json()
            event = replace(event, payload=payload)
        by_item[event.subject_id] = replace(event, news=before.news | event.news)
    return list(by_item.values())


def paused_notice(paused: Mapping[Subscription, str]) -> Card:
    """Say what has stopped, each with its title: Discord refused it, or nobody reads it."""
    first = next(iter(paused))
    problem, mend = map(t, REFUSALS.get(first.pause_reason or 0, OTHER_REFUSAL))
    buttons: list[Button] = []
    if first.is_unread:
        take_over = TakeOver(first.id)
        buttons.append(action_button(take_over, t("Read with my account"), style=BLUE))
    if len(paused) > 1:
        lines = [
            "- " + t("**%(name)s** in %(channel)s", name=name, channel=f"<#{one.channel_id}>")
            for one, name in list(paused.items())[:_MOST_PAUSED]
        ]
        title = t("%(count)s announcements have stopped", count=number(len(paused)))
        why = items.unread_words(*paused)
        if not first.is_unread:
            refused = N_("Discord refuses them: %(problem)s. To fix it, %(mend)s.")
            why = t(refused, problem=problem, mend=mend)
        body = "\n".join([*and_more(lines, len(paused)), why])
        buttons.append(action_button(ShowAnnouncements(), t("Open the list")))
    else:
        channel = f"<#{first.channel_id}>"
        name = t("%(name)s in %(channel)s", name=paused[first], channel=channel)
        title, body = t("%(name)s is no longer announced", name=name), items.unread_words(first)
        if not first.is_unread:
            title = t("%(name)s can't be posted", name=name)
            refused = N_("Discord refuses it: %(problem)s. To fix it, %(mend)s.")
            body = t(refused, problem=problem, mend=mend)
            buttons.append(action_button(OpenAnnouncement(first.id), t("Open"), style=BLUE))
    return notice(title, body, colour=theme.PROBLEM, buttons=tuple(buttons))
