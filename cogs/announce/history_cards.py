"""What was announced, or why it wasn't, and what became of a test."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.features.following.announcing import History
from bot.features.following.rules import against
from bot.features.items import Misfit, item_of
from bot.features.names import Place
from bot.i18n import N_, nt, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import MOST_CHARACTERS, Card, notice
from bot.ui.items import catalog_title, name_of, price_of, what_is_new
from bot.ui.shared_actions import OpenAnnouncement
from bot.ui.text import and_more, fitting, one_line, room_for
from cogs.announce.actions import TakeTestBack
from cogs.announce.cards import OTHER_REFUSAL, REFUSALS, title_of
from cogs.announce.list_cards import Shown, ago, read_words
from storage.messages import (
    NO_CONNECTION,
    NOT_YET,
    REFUSED_ONCE,
    Message,
    MessageState,
    Waiting,
    code_of,
)
from storage.subscriptions import Delivery, Event, Subscription

_ROOM_AT_THE_END = 200
_CURRENCY_ROOM = 60
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
    Misfit.NEWS: N_("such news is not wanted there"),
    Misfit.TYPE: N_("only another type is wanted there"),
    Misfit.COST: N_("it costs more than is wanted there"),
    Misfit.CURRENCY: N_("it costs %(price)s, and only a cost in %(currency)s is wanted there"),
}
# By how the reason of what waits begins: a code of our own, or the status Discord answered with.
_WAITS_FOR = {
    REFUSED_ONCE: N_("Discord refused it, and is asked once more"),
    NO_CONNECTION: N_("Discord can't be reached"),
    NOT_YET: N_("it is not its turn yet"),
    "429": N_("Discord asks Kiosk to wait"),
    "5": N_("Discord is having trouble"),
}


def tried_card(one: Subscription, wish: int, message: Message | None) -> Card:
    """Say what became of a test; there is no message where it was taken back."""
    channel = f"<#{one.channel_id}>"
    back = action_button(OpenAnnouncement(one.id), t("Back"))
    take_back = action_button(TakeTestBack(one.id, wish), t("Take it back"))
    if message is None:
        return notice(t("The test is taken back"), colour=theme.GOOD, buttons=(back,))
    if message.state is MessageState.SENT:
        title = t("A test is in %(channel)s", channel=channel)
        return notice(title, colour=theme.GOOD, buttons=(take_back, back))
    if message.state is MessageState.OWED:
        title = t("A test is on its way to %(channel)s", channel=channel)
        reason = message.reason and t("It still waits: %(why)s.", why=_why(message.reason))
        return notice(title, reason or "", buttons=(take_back, back))
    if message.state is MessageState.UNKNOWN:
        title = t("Nobody can say whether the test reached %(channel)s", channel=channel)
        body = t("Discord didn't answer. Look in the channel before you post another.")
        return notice(title, body, colour=theme.PROBLEM, buttons=(back,))
    problem, mend = map(t, REFUSALS.get(code_of(message.reason or ""), OTHER_REFUSAL))
    title = t("The test didn't reach %(channel)s", channel=channel)
    body = t("Discord refused it: %(problem)s. To fix it, %(mend)s.", problem=problem, mend=mend)
    return notice(title, body, colour=theme.PROBLEM, buttons=(back,))


def history_card(
    shown: Shown, events: Sequence[Event], next_look: datetime | None, waiting: Waiting
) -> Card:
    title = t("What was announced: %(name)s", name=shown.title)
    lines = [
        f"- **{name_of(item_of(event).name)}** · {what_is_new(event)} · {ago(event.happened_at)}"
        for event in events
    ]
    if not lines:
        lines = [t("Nothing yet. What the catalog had before is no news.")]
    facts = [read_words(shown.followed)] if shown.followed and shown.followed.read_at else []
    if next_look is not None:
        facts.append(t("next reading %(when)s", when=ago(next_look)))
    if waiting.oldest is not None:
        left = nt(
            "%(count)s message waits to be sent, since %(when)s",
            "%(count)s messages wait to be sent, the oldest since %(when)s",
            waiting.count,
            when=ago(waiting.oldest),
        )
        facts.append(left)
    back = action_button(OpenAnnouncement(shown.one.id), t("Back"))
    return notice(
        title, _fitting(lines, title), colour=theme.SHOP, footer=" · ".join(facts), buttons=(back,)
    )


def why_card(histories: Sequence[History], places: Mapping[int, Place]) -> Card:
    title = name_of(histories[0].seen.name)
    paragraphs: list[str] = []
    for history in histories:
        place = places[history.catalog_id]
        seen = t(
            "First seen %(when)s in %(catalog)s.",
            when=ago(history.seen.first_seen_at),
            catalog=catalog_title(history.catalog_id, place.name),
        )
        if history.seen.gone_at is not None:
            seen += " " + t("Gone: %(when)s.", when=ago(history.seen.gone_at))
        paragraphs.append(seen)
        if not history.events:
            nothing = t("Nothing has been new about it since the catalog was followed here.")
            paragraphs.append(nothing)
        where = {one.id: _where(one, place, history) for one in history.subscriptions}
        for event, became in history.events:
            head = f"**{what_is_new(event)}** · {ago(event.happened_at)}"
            verdicts = [
                f"-# {_verdict(event, one, became.get(one.id), where[one.id])}"
                for one in history.subscriptions
            ]
            paragraphs.append("\n".join([head, *verdicts]))
    return notice(title, _fitting(paragraphs, title))


def _where(one: Subscription, place: Place, history: History) -> str:
    channel, title = f"<#{one.channel_id}>", title_of(one, place, history.subscriptions)
    is_only = title == title_of(one, place, [one])
    return channel if is_only else t("%(name)s in %(channel)s", name=title, channel=channel)


def _verdict(event: Event, one: Subscription, delivery: Delivery | None, channel: str) -> str:
    if delivery is not None and delivery.reason and delivery.due_at is not None:
        return t(
            "⏳ %(channel)s: Discord hasn't taken it yet (%(reason)s); the next try is due "
            "%(when)s",
            channel=channel,
            reason=_why(delivery.reason),
            when=ago(delivery.due_at),
        )
    if delivery is not None:
        when = ago(delivery.settled_at) if delivery.settled_at is not None else ""
        return t(_OUTCOMES[delivery.state], channel=channel, when=when)
    if one.created_at > event.happened_at:
        return t("⚪ %(channel)s: set up only after that", channel=channel)
    item = item_of(event)
    values = {"price": price_of(item), "currency": one_line(one.query.currency, _CURRENCY_ROOM)}
    reasons = [t(_AGAINST[each], **values) for each in against(one, event.news, item)]
    if reasons:
        return t("⚪ %(channel)s: %(reasons)s", channel=channel, reasons="; ".join(reasons))
    return t("⏸️ %(channel)s: was paused", channel=channel)


def _why(reason: str) -> str:
    """Say why something waits; Discord's own words stand in the log alone."""
    known = (words for start, words in _WAITS_FOR.items() if reason.startswith(start))
    return t(next(known, N_("it did not go through")))


def _fitting(paragraphs: Sequence[str], title: str) -> str:
    shown = fitting(paragraphs, MOST_CHARACTERS - room_for(title) - _ROOM_AT_THE_END)
    return "\n".join(and_more(shown, len(paragraphs)))
