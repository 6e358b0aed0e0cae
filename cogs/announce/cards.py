"""Announcements, and what people see who set them up, or ask why something was announced."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from bot.features.following.owing import item_of
from bot.features.names import Place
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import BLUE, Card, notice, paragraph
from bot.ui.items import (
    MOST_PICTURED,
    catalog_title,
    marks,
    order_buttons,
    say_facts,
    say_news,
    what_is_new,
)
from bot.ui.shared_actions import OpenAnnouncement, OpenCatalog, OpenItem, TakeOver
from bot.ui.text import one_line
from storage.names import PlaceKind
from storage.subscriptions import UNREAD, Event, News

_LONGEST_LABEL = 100
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
        card.say(what_is_new(event, title))
        say_facts(card, item, marks(item, personal=False, told=event.news))
        card.buttons(*order_buttons(event.ref), action_button(OpenItem(*event.ref), t("Open")))
        card.say("-# " + t("Only you see where a button leads."))
        return card
    lines = ["## " + t("News from %(catalog)s", catalog=title), _counts(events)]
    if is_late or any(event.is_late for event in events):
        lines.append(t("Nothing could be announced for more than a day."))
    card.say("\n".join(lines))
    say_news(card, events)
    if len(events) > MOST_PICTURED:
        card.buttons(action_button(OpenCatalog(events[0].catalog_id), t("Browse the catalog")))
    card.say("-# " + t("Only you see where the list leads."))
    return card


def _counts(events: Sequence[Event]) -> str:
    first = Counter(next(each for each in News if each in event.news) for event in events)
    return " · ".join(t(_COUNTS[each], count=number(first[each])) for each in News if first[each])


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


def paused_notice(payload: Mapping[str, Any]) -> Card:
    channel, opened = f"<#{payload['channel']}>", OpenAnnouncement(int(payload["announcement"]))
    code = int(payload["code"])
    if code == UNREAD:
        title = t("Nothing more is announced in %(channel)s", channel=channel)
        who = f"<@{payload['reader']}>"
        body = t("%(who)s, whose account read the catalog, has unlinked.", who=who)
        take_over = TakeOver(opened.subscription_id)
        button = action_button(take_over, t("Read with my account"), style=BLUE)
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
