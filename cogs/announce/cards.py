"""Announcements, and what people see who set them up, or ask why something was announced."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import discord
from msgspec.structs import replace

from bot.features.following.announcing import History
from bot.features.following.owing import MOST_ITEMS, item_of
from bot.features.following.rules import Filter, against
from bot.features.names import Place
from bot.i18n import N_, nt, number, t
from bot.ui import theme
from bot.ui.actions import MOST_CHOICES, action_button, action_select
from bot.ui.cards import MOST_CHARACTERS, Card, Select, notice, option, paragraph
from bot.ui.error_cards import title_of
from bot.ui.items import (
    catalog_title,
    name_of,
    order_buttons,
    plain_price,
    price_of,
    say_facts,
    type_of,
    what_is_new,
    word,
)
from bot.ui.pictures import thumbnail
from bot.ui.shared_actions import ChooseItem, OpenCatalog, OpenItem, item_value
from bot.ui.text import and_more, escape, fitting, one_line
from cogs.announce.wishes import AnnounceMissed, news_words
from storage.following import Delivery, Event, Followed, NewSubscription, Subscription
from storage.messages import NO_CONNECTION, NOT_YET, REFUSED_ONCE, MessageState, Waiting
from storage.names import PlaceKind

_ROOM_AT_THE_END = 200
_MOST_NAMED = 10
# With more, their own buttons would be more components than Discord takes.
_MOST_WITH_BUTTONS = 5
_LONGEST_LABEL = 100
# So that ten items fit, whatever they cost.
_ROOM_FOR_NAME, _ROOM_FOR_TYPE = 60, 30

_OUTCOMES = {
    MessageState.OWED: N_("⏳ %(channel)s: waits to be sent"),
    MessageState.SENT: N_("✅ %(channel)s: announced %(when)s"),
    MessageState.REFUSED: N_("⛔ %(channel)s: Discord refused it %(when)s"),
    MessageState.UNKNOWN: N_(
        "❔ %(channel)s: sent %(when)s, but nobody can say whether it arrived"
    ),
    MessageState.DROPPED: N_("⚪ %(channel)s: no longer wanted when its turn came"),
}
_AGAINST = {
    Filter.NEWS: N_("such news is not wanted there"),
    Filter.TYPE: N_("only another type is wanted there"),
    Filter.COST: N_("it costs more than is wanted there"),
}
# By how the reason of what waits begins: a code of our own, or the status Discord answered with.
_WAITS_FOR = {
    REFUSED_ONCE: N_("Discord refused it, and is asked once more"),
    NO_CONNECTION: N_("Discord can't be reached"),
    NOT_YET: N_("it is not its turn yet"),
    "429": N_("Discord asks Kiosk to wait"),
    "5": N_("Discord is having trouble"),
}
_NO_TOKEN = ("NotLinked", "LinkExpired", "LinkUnreadable")
# By Discord's code for a refusal: what is wrong, and the way to mend it.
_REFUSALS: Mapping[int, tuple[str, str]] = {
    10003: (N_("the channel is gone"), N_("choose another with `/announce edit`")),
    10004: (N_("Kiosk is not in this server"), N_("invite it again")),
    40067: (
        N_("the forum asks for a tag"),
        N_("choose the channel once more with `/announce edit`, so that Kiosk picks one"),
    ),
    50001: (
        N_("Kiosk can't see the channel"),
        N_("allow it “View Channel” in the channel's settings, under Permissions"),
    ),
    50008: (N_("nothing can be posted there"), N_("choose another with `/announce edit`")),
    50013: (
        N_("Kiosk may not post there"),
        N_("choose the channel once more with `/announce edit`: it says what is missing"),
    ),
    160005: (N_("the thread is locked"), N_("unlock it, or choose another channel")),
}
_OTHER_REFUSAL = (
    N_("Discord refuses what is posted there"),
    N_("try `/announce test`, which says more"),
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


def kept_card(one: Subscription, catalog: Place, event: Event | None) -> Card:
    title = t(
        "%(catalog)s is announced in %(channel)s",
        catalog=catalog_title(catalog.game_id, catalog.name),
        channel=f"<#{one.channel_id}>",
    )
    lines = [f"### {title}", subscription_words(one)]
    lines.append("-# " + t("What the catalog has now is no news; what comes from now on is."))
    if event is None:
        lines.append("-# " + t("The catalog shows no item just now, so there is no preview."))
    else:
        lines.append("-# " + t("Below is how it will look."))
    card = Card(theme.GOOD)
    card.say("\n".join(lines))
    if event is not None:
        card.components.append(announcement([event], catalog).components[-1])
    return card


def list_card(subscriptions: Sequence[tuple[Subscription, Place]]) -> Card:
    title = t("Announcements of this server")
    if not subscriptions:
        return notice(title, t("There are none yet. Set one up with `/announce add`."))
    listed = [_subscription(*each) for each in subscriptions]
    return notice(title, _fitting(listed, title))


def _subscription(one: Subscription, place: Place) -> str:
    if one.kind is PlaceKind.THREAD:
        name = t("Thread %(id)s", id=one.game_id) if place.name is None else escape(place.name)
        lines = [f"**{name}** → <#{one.channel_id}>", "-# " + t("new comments")]
        stopped = N_(
            "Stopped %(when)s: %(problem)s. Once that is fixed, use `/forum follow` again."
        )
    else:
        name = catalog_title(place.game_id, place.name)
        lines = [f"**{one.id}** · {name} → <#{one.channel_id}>", f"-# {subscription_words(one)}"]
        stopped = N_(
            "Stopped %(when)s: %(problem)s. To fix it, %(mend)s. Then use `/announce resume`."
        )
    if one.paused_at is not None:
        since = _when(one.paused_at)
        problem, mend = _REFUSALS.get(one.pause_reason or 0, _OTHER_REFUSAL)
        if one.pause_reason is None and one.kind is PlaceKind.CATALOG:
            paused = t("Paused %(when)s. Use `/announce resume` to go on.", when=since)
            lines.append(f"-# ⏸️ {paused}")
        else:
            words = t(stopped, when=since, problem=t(problem), mend=t(mend))
            lines.append(f"-# ⚠️ {words}")
    return "\n".join(lines)


def resumed_card(one: Subscription, missed: Sequence[Event]) -> Card:
    title = t("Announcements in %(channel)s are on again", channel=f"<#{one.channel_id}>")
    if not missed or one.paused_after is None:
        return notice(title, t("Nothing was missed meanwhile."), colour=theme.GOOD)
    head = nt(
        "%(count)s piece of news was missed:", "%(count)s pieces of news were missed:", len(missed)
    )
    listed = [
        f"- **{name_of(item_of(event).name)}** · {what_is_new(event)}"
        for event in missed[:_MOST_NAMED]
    ]
    lines = [head, *and_more(listed, len(missed))]
    button = action_button(
        AnnounceMissed(one.id, one.paused_after),
        t("Announce them now"),
        style=discord.ButtonStyle.primary,
        emoji="📣",
    )
    return notice(title, "\n".join(lines), colour=theme.GOOD, buttons=(button,))


def subscription_words(one: NewSubscription) -> str:
    parts = [news_words(one.news)]
    if one.type_name is not None:
        parts.append(word(one.type_name))
    if one.max_cost is not None:
        parts.append(t("up to %(cost)s", cost=number(one.max_cost)))
    if one.role_id is not None:
        parts.append(t("pings %(role)s", role=f"<@&{one.role_id}>"))
    return " · ".join(parts)


def paused_notice(payload: Mapping[str, Any]) -> Card:
    channel, code = f"<#{payload['channel']}>", int(payload["code"])
    problem, mend = _REFUSALS.get(code, _OTHER_REFUSAL)
    if payload["kind"] == PlaceKind.THREAD:
        title = t("New comments no longer come to %(channel)s", channel=channel)
        body = t(
            "Discord refuses them: %(problem)s. Once that is fixed, use `/forum follow` again.",
            problem=t(problem),
        )
    else:
        title = t("Announcements in %(channel)s have stopped", channel=channel)
        body = t(
            "Discord refuses them: %(problem)s. To fix it, %(mend)s. Then use `/announce resume`: "
            "it says what was missed.",
            problem=t(problem),
            mend=t(mend),
        )
    return notice(title, body, colour=theme.PROBLEM)


def why_card(histories: Sequence[History], names: Mapping[int, str | None]) -> Card:
    title = name_of(histories[0].seen.name)
    paragraphs: list[str] = []
    for history in histories:
        seen = t(
            "First seen %(when)s in %(catalog)s.",
            when=_when(history.seen.first_seen_at),
            catalog=catalog_title(history.catalog_id, names.get(history.catalog_id)),
        )
        if history.seen.gone_at is not None:
            seen += " " + t("Gone: %(when)s.", when=_when(history.seen.gone_at))
        paragraphs.append(seen)
        if not history.events:
            paragraphs.append(
                t("Nothing has been new about it since the catalog was followed here.")
            )
        for event, became in history.events:
            head = f"**{what_is_new(event)}** · {_when(event.happened_at)}"
            verdicts = [
                f"-# {_verdict(event, one, became.get(one.id))}" for one in history.subscriptions
            ]
            paragraphs.append("\n".join([head, *verdicts]))
    return notice(title, _fitting(paragraphs, title))


def status_card(
    catalogs: Sequence[tuple[Followed, datetime]], names: Mapping[int, str | None], waiting: Waiting
) -> Card:
    title = t("How the announcements are doing")
    if not catalogs:
        return notice(title, t("Nothing is announced here yet. Start with `/announce add`."))
    paragraphs = [_catalog(*each, names) for each in catalogs]
    if waiting.oldest is not None:
        paragraphs.append(
            nt(
                "%(count)s message waits to be sent, for all servers; it came %(when)s.",
                "%(count)s messages wait to be sent, for all servers; the oldest came %(when)s.",
                waiting.count,
                when=_when(waiting.oldest),
            )
        )
        if waiting.reason:
            last_try = t("Why it still waits: %(reason)s", reason=_why(waiting.reason))
            paragraphs.append(f"-# {last_try}")
    else:
        paragraphs.append(t("Nothing waits to be sent."))
    return notice(title, _fitting(paragraphs, title))


def _verdict(event: Event, one: Subscription, delivery: Delivery | None) -> str:
    channel = f"<#{one.channel_id}>"
    if delivery is not None and delivery.reason and delivery.due_at is not None:
        return t(
            "⏳ %(channel)s: Discord hasn't taken it yet (%(reason)s); the next try is due "
            "%(when)s",
            channel=channel,
            reason=_why(delivery.reason),
            when=_when(delivery.due_at),
        )
    if delivery is not None:
        when = _when(delivery.settled_at) if delivery.settled_at is not None else ""
        return t(_OUTCOMES[delivery.state], channel=channel, when=when)
    if one.created_at > event.happened_at:
        return t("⚪ %(channel)s: set up only after that", channel=channel)
    reasons = [t(_AGAINST[each]) for each in against(one, event.news, item_of(event))]
    if reasons:
        return t("⚪ %(channel)s: %(reasons)s", channel=channel, reasons="; ".join(reasons))
    return t("⏸️ %(channel)s: was paused", channel=channel)


def _why(reason: str) -> str:
    """Say why something waits; Discord's own words stand in the log alone."""
    known = (words for start, words in _WAITS_FOR.items() if reason.startswith(start))
    return t(next(known, N_("it did not go through")))


def _catalog(catalog: Followed, next_look: datetime, names: Mapping[int, str | None]) -> str:
    lines = [f"**{catalog_title(catalog.game_id, names.get(catalog.game_id))}**"]
    if catalog.read_at is None:
        lines.append(t("Not read yet."))
    else:
        lines.append(t("Read %(when)s.", when=_when(catalog.read_at)))
    lines.append(t("The next reading is due %(when)s.", when=_when(next_look)))
    if catalog.failure is not None and catalog.failing_since is not None:
        failing = nt(
            "⚠️ %(count)s reading has failed, %(when)s: %(problem)s",
            "⚠️ %(count)s readings have failed, the first %(when)s: %(problem)s",
            catalog.failures,
            when=_when(catalog.failing_since),
            problem=title_of(catalog.failure),
        )
        if catalog.failure in _NO_TOKEN:
            failing = "⚠️ " + t(
                "Nobody who set it up has a game account linked any more, so Kiosk can't read it: "
                "use `/account link`."
            )
        lines.append(failing)
    return "\n".join([lines[0], *(f"-# {line}" for line in lines[1:])])


def _fitting(paragraphs: Sequence[str], title: str) -> str:
    shown = fitting(paragraphs, MOST_CHARACTERS - len(title) - _ROOM_AT_THE_END)
    return "\n".join(and_more(shown, len(paragraphs)))


def _when(moment: datetime) -> str:
    return discord.utils.format_dt(moment, "R")
