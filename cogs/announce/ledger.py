"""Why something was announced, or wasn't, and how the catalogs are watched."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import discord

from bot.features.following.announcing import History, Judged
from bot.features.following.poller import Status
from bot.i18n import N_, nt, number, t
from bot.ui.cards import MOST_CHARACTERS, Card, notice
from bot.ui.error_cards import title_of
from bot.ui.items import catalog_title, name_of, what_is_new
from bot.ui.text import fitting
from storage.following import Event, Filter
from storage.messages import NO_CONNECTION, NOT_YET, REFUSED_ONCE, MessageState, Waiting

_ROOM_AT_THE_END = 200

_TOLD = {
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


def why_card(histories: Sequence[History], names: Mapping[int, str | None]) -> Card:
    """Tell of an item when it was seen, what was new about it, and who heard of it."""
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
        for event, judged in history.events:
            head = f"**{what_is_new(event)}** · {_when(event.happened_at)}"
            verdicts = [f"-# {_verdict(event, each)}" for each in judged]
            paragraphs.append("\n".join([head, *verdicts]))
    return notice(title, _fitting(paragraphs, title))


def status_card(
    catalogs: Sequence[Status], names: Mapping[int, str | None], waiting: Waiting
) -> Card:
    """Tell how each catalog was read last, and what waits to be sent."""
    title = t("How the announcements are doing")
    if not catalogs:
        return notice(title, t("Nothing is announced here yet. Start with `/announce add`."))
    paragraphs = [_catalog(status, names) for status in catalogs]
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


def _verdict(event: Event, judged: Judged) -> str:
    one, channel = judged.subscription, f"<#{judged.subscription.channel_id}>"
    if judged.told is not None and judged.told.reason and judged.told.due_at is not None:
        return t(
            "⏳ %(channel)s: Discord hasn't taken it yet (%(reason)s); the next try is due "
            "%(when)s",
            channel=channel,
            reason=_why(judged.told.reason),
            when=_when(judged.told.due_at),
        )
    if judged.told is not None:
        settled = judged.told.settled_at
        return t(
            _TOLD[judged.told.state],
            channel=channel,
            when=_when(settled) if settled is not None else "",
        )
    if one.created_at > event.happened_at:
        return t("⚪ %(channel)s: set up only after that", channel=channel)
    against = [
        t(_AGAINST[each]) for each, lets_through in judged.judgement.items() if not lets_through
    ]
    if against:
        return t("⚪ %(channel)s: %(reasons)s", channel=channel, reasons="; ".join(against))
    return t("⏸️ %(channel)s: was paused", channel=channel)


def _why(reason: str) -> str:
    """Say why something waits; Discord's own words stand in the log alone."""
    known = (words for start, words in _WAITS_FOR.items() if reason.startswith(start))
    return t(next(known, N_("it did not go through")))


def _catalog(status: Status, names: Mapping[int, str | None]) -> str:
    catalog = status.followed
    lines = [f"**{catalog_title(catalog.game_id, names.get(catalog.game_id))}**"]
    if status.read_at is None:
        lines.append(t("Not read yet."))
    else:
        lines.append(t("Read %(when)s.", when=_when(status.read_at)))
    lines.append(t("The next reading is due %(when)s.", when=_when(status.next_look)))
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
    if left := len(paragraphs) - len(shown):
        shown.append("-# " + t("Not shown: %(count)s more.", count=number(left)))
    return "\n".join(shown)


def _when(moment: datetime) -> str:
    return discord.utils.format_dt(moment, "R")
