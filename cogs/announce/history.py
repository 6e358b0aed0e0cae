"""Show the latest news, their outcome in each channel, and why they weren't announced."""

from collections import Counter, abc
from datetime import datetime

from bot.features import item_queries
from bot.features.following import owing
from bot.features.following.comparing import against
from bot.i18n import N_, listed, nt, t
from bot.ui import custom_ids, drawing, items, markdown, problems, shared_actions, theme
from bot.ui.here import MANAGER, Here
from bot.ui.router import route
from cogs.announce import actions
from storage import messages, subscriptions
from storage.deliveries import Delivery
from storage.following import SeenComment, SeenItem
from storage.names import PlaceKind

# How many comments a thread's history shows.
_MAX_COMMENTS = 10
# How many channels are named below one piece of news.
_MAX_CHANNELS = 5
# Characters.
_ROOM_AT_THE_END = 200
_CURRENCY_ROOM = 60
_AGAINST = {
    item_queries.Misfit.NEWS: N_("the announcement doesn't include this kind of news"),
    item_queries.Misfit.TYPE: N_("the announcement only includes other types"),
    item_queries.Misfit.COST: N_("the price is above the announcement's limit"),
    item_queries.Misfit.CURRENCY: N_(
        "the price is %(price)s, and the announcement only includes prices in %(currency)s"
    ),
}
_OUTCOMES = {
    messages.MessageState.OWED: N_("⏳ %(channel)s: waiting to be sent"),
    messages.MessageState.SENT: N_("✅ %(channel)s: posted %(when)s"),
    messages.MessageState.REFUSED: N_("⛔ %(channel)s: Discord refused it %(when)s"),
    messages.MessageState.UNKNOWN: N_(
        "❔ %(channel)s: sent %(when)s, but Kiosk doesn't know if it arrived"
    ),
    messages.MessageState.DROPPED: N_("⚪ %(channel)s: canceled before it was sent"),
}
# The outcomes of messages that a manager deletes or updates.
_DELETED = {
    messages.MessageState.OWED: N_("⏳ %(channel)s: being deleted"),
    messages.MessageState.REFUSED: N_("⚠️ %(channel)s: Discord refused to delete it"),
    messages.MessageState.DROPPED: N_("🗑️ %(channel)s: posted, then deleted"),
}
_UPDATED = {
    messages.MessageState.OWED: N_("⏳ %(channel)s: posted %(when)s, being updated"),
    messages.MessageState.REFUSED: N_(
        "⚠️ %(channel)s: posted %(when)s, but Discord refused to update it"
    ),
}
# By the start of a waiting message's reason: Kiosk's own code, or Discord's status.
_WAITS_FOR = {
    messages.REFUSED_ONCE: N_("Discord refused it once"),
    messages.NO_CONNECTION: N_("Kiosk can't reach Discord"),
    messages.NOT_YET: N_("it's waiting its turn"),
    "429": N_("Discord is limiting requests"),
    "5": N_("Discord is having trouble"),
}


class ShowItemHistory(custom_ids.Action, kind="announce.why"):
    item_id: int


@route(actions.ShowHistory, needs=MANAGER)
async def on_history(here: Here, action: shared_actions.OfAnnouncement) -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    place = await here.place(subscription.kind, subscription.place_id)
    all_of_them = await announcing.subscribed.of_guild(here.guild_id)
    title = problems.announcement_title(subscription, place, all_of_them)
    entries: abc.Sequence[drawing.Entry] = ()
    if subscription.kind is PlaceKind.THREAD:
        comments = await announcing.deliveries.last_comments(subscription, _MAX_COMMENTS)
        told = [_comment_words(comment, became, subscription) for comment, became in comments]
    else:
        told, entries = await _told(here, subscription=subscription)
    told = told or [t("Nothing yet. Kiosk doesn't announce older items and comments.")]
    title = t("History of %(name)s", name=title)
    back = shared_actions.OpenAnnouncement(subscription.id)
    await here.answer(history_card(title, told, back, entries))


@route(ShowItemHistory, needs=MANAGER)
async def on_item_history(here: Here, action: ShowItemHistory) -> None:
    await show(here, str(action.item_id))


async def show(here: Here, item: str | None) -> None:
    """Show the last news of all announcements, or of the item that was typed."""
    if item is None:
        told, entries = await _told(here)
        told = told or [t("Nothing yet. Kiosk doesn't announce older items and comments.")]
        back = shared_actions.ShowAnnouncements()
        await here.answer(history_card(t("History"), told, back, entries))
        return
    here.offer_candidates(
        lambda seen: drawing.Entry(
            items.entry_name(seen.name), ShowItemHistory(seen.id), f"#{seen.id}"
        )
    )
    found = await here.features.announcing.seen(here.guild_id, item)
    first_seen: list[str] = []
    for catalog_id, seen in found:
        place = await here.place(PlaceKind.CATALOG, catalog_id)
        catalog = items.catalog_title(catalog_id, place.name)
        when = markdown.relative_time(seen.first_seen_at)
        words = t("First seen %(when)s in %(catalog)s.", when=when, catalog=catalog)
        if seen.gone_at is not None:
            words += " " + t("It disappeared %(when)s.", when=markdown.relative_time(seen.gone_at))
        first_seen.append(words)
    (_, first), *_ = found
    told, entries = await _told(here, item=first)
    told = told or [t("There has been no news about this item since Kiosk first read its catalog.")]
    back = shared_actions.ShowAnnouncements()
    title = items.name_of(first.name)
    await here.answer(history_card(title, told, back, entries, first_seen))


async def _told(
    here: Here,
    *,
    subscription: subscriptions.Subscription | None = None,
    item: SeenItem | None = None,
) -> tuple[list[str], abc.Sequence[drawing.Entry]]:
    """Return news as texts, with the outcome in each channel, and a list of the messages."""
    announcing = here.features.announcing
    all_of_them = await announcing.subscribed.of_guild(here.guild_id, PlaceKind.CATALOG)
    history = await announcing.history(
        here.guild_id, number=subscription and subscription.id, item_id=item and item.id
    )
    names: dict[int, str] = {}
    for other in all_of_them:
        place = await here.place(other.kind, other.place_id)
        title = problems.announcement_title(other, place, all_of_them)
        channel = f"<#{other.channel_id}>"
        names[other.id] = t("%(name)s in %(channel)s", name=title, channel=channel)
    forgotten_before = here.clock.now() - owing.RETENTION
    announced = [subscription] if subscription else all_of_them
    title = items.name_of(item.name) if item else ""
    told = [
        _event_words(event, became, announced, names, forgotten_before, title)
        for event, became in history
    ]
    return told, list(_entries(history, announced))


def history_card(
    title: str,
    told: abc.Sequence[str],
    back: custom_ids.Action,
    entries: abc.Sequence[drawing.Entry] = (),
    first_seen: abc.Sequence[str] = (),
) -> drawing.Card:
    room = drawing.MAX_CHARACTERS - markdown.room_for(title) - _ROOM_AT_THE_END
    first = "\n".join(markdown.fitting(first_seen, room))
    shown = markdown.fitting(told, room - markdown.room_for(first))
    card = drawing.notice(title, first, colour=theme.SHOP)
    for text in markdown.and_more(shown, len(told)):
        card.gap()
        card.say(text)
    card.choose(entries, t("Open a message…"))
    card.buttons(drawing.button(back, t("Back")))
    return card


def _entries(
    history: abc.Sequence[tuple[subscriptions.Event, abc.Mapping[int, Delivery]]],
    announced: abc.Sequence[subscriptions.Subscription],
) -> abc.Iterator[drawing.Entry]:
    """Yield an entry for each message that is or may be there, by its first piece of news."""
    told = [
        (event, subscription, became[subscription.id])
        for event, became in history
        for subscription in announced
        if subscription.id in became
    ]
    counts = Counter(delivery.key for _, _, delivery in told)
    # The newest come first. The first news of a message come last and so win.
    by_key = {delivery.key: (event, subscription) for event, subscription, delivery in told}
    there = {
        delivery.key
        for _, _, delivery in told
        if delivery.message_id is not None or delivery.state is messages.MessageState.UNKNOWN
    }
    for key, (event, subscription) in by_key.items():
        if key in there:
            channel = f"#{subscription.channel_name or subscription.channel_id}"
            count = nt("%(count)s item", "%(count)s items", counts[key])
            yield drawing.Entry(
                items.entry_name(item_queries.item_of(event).name),
                actions.OpenPosted(subscription.id, event.id),
                f"{channel} · {count}",
            )


def _event_words(
    event: subscriptions.Event,
    became: abc.Mapping[int, Delivery],
    announced: abc.Sequence[subscriptions.Subscription],
    names: abc.Mapping[int, str],
    forgotten_before: datetime,
    title: str,
) -> str:
    item = item_queries.item_of(event)
    name = items.name_of(item.name)
    head = f"{items.what_is_new(event)} · {markdown.relative_time(event.happened_at)}"
    if name != title:
        head = f"**{name}** · {head}"
    all_concerned = [
        subscription for subscription in announced if subscription.place_id == event.place_id
    ]
    is_old = event.happened_at < forgotten_before
    concerned = [
        subscription
        for subscription in all_concerned
        if not (is_old and subscription.id not in became and _may_have_told(subscription, event))
    ]
    # Channels with the message come first.
    concerned.sort(key=lambda subscription: subscription.id not in became)
    lines = [
        f"-# {_outcome(event, subscription, became.get(subscription.id), names[subscription.id])}"
        for subscription in concerned[:_MAX_CHANNELS]
    ]
    lines = markdown.and_more(lines, len(concerned))
    if len(concerned) < len(all_concerned):
        lines.append("-# " + t("⚪ After 90 days, Kiosk no longer knows where this was posted"))
    return "\n".join([head, *lines])


def _may_have_told(subscription: subscriptions.Subscription, event: subscriptions.Event) -> bool:
    is_missed = subscription.missed_after is not None and event.id > subscription.missed_after
    return subscription.created_at <= event.happened_at and not is_missed


def _outcome(
    event: subscriptions.Event,
    subscription: subscriptions.Subscription,
    delivery: Delivery | None,
    channel: str,
) -> str:
    if delivery is not None:
        return delivery_words(delivery, channel)
    if subscription.created_at > event.happened_at:
        return t("⚪ %(channel)s: announcement added later", channel=channel)
    item = item_queries.item_of(event)
    currency = markdown.one_line(subscription.query.currency, _CURRENCY_ROOM)
    values = {"price": items.price_of(item), "currency": currency}
    reasons = [t(_AGAINST[misfit], **values) for misfit in against(subscription, event.news, item)]
    if reasons:
        return t("⚪ %(channel)s: %(reasons)s", channel=channel, reasons=listed(reasons))
    return t("⏸️ %(channel)s: not active at the time", channel=channel)


def _comment_words(
    comment: SeenComment, delivery: Delivery | None, subscription: subscriptions.Subscription
) -> str:
    when = markdown.relative_time(comment.written_at)
    head = t("Comment %(number)s, written %(when)s", number=comment.id, when=when)
    channel = f"<#{subscription.channel_id}>"
    if delivery is not None and delivery.is_removed:
        who = f"<@{delivery.removed_by}>" if delivery.removed_by else t("someone")
        words = t("🚫 %(channel)s: posted, then removed by %(member)s", channel=channel, member=who)
    elif delivery is not None:
        words = delivery_words(delivery, channel)
    elif subscription.missed_after is not None and comment.id > subscription.missed_after:
        words = t("⏸️ %(channel)s: not active at the time", channel=channel)
    else:
        words = t("⚪ %(channel)s: skipped, or only counted in a summary", channel=channel)
    return f"{head}\n-# {words}"


def delivery_words(delivery: Delivery | messages.Message, channel: str) -> str:
    """Say what happened to a message. Only the log has Discord's own words."""
    if delivery.reason and delivery.due_at is not None:
        starts = _WAITS_FOR.items()
        known = (words for start, words in starts if delivery.reason.startswith(start))
        return t(
            "⏳ %(channel)s: Discord hasn't accepted it yet (%(reason)s), next try %(when)s",
            channel=channel,
            reason=t(next(known, N_("it didn't go through"))),
            when=markdown.relative_time(delivery.due_at),
        )
    when = markdown.relative_time(delivery.settled_at) if delivery.settled_at is not None else ""
    words = _OUTCOMES[delivery.state]
    if not delivery.is_wanted:
        words = _DELETED.get(delivery.state, words)
    elif delivery.message_id is not None:
        words = _UPDATED.get(delivery.state, words)
    said = t(words, channel=channel, when=when)
    if words != _OUTCOMES[messages.MessageState.REFUSED]:
        return said
    return f"{said} · {problems.refusal_words(messages.code_of(delivery.reason or ''))}"
