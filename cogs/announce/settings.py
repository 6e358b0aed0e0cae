"""What people see who set announcements up."""

from collections.abc import Sequence

import discord

from bot.features.following.owing import item_of
from bot.features.names import Place
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import MOST_CHARACTERS, Card, notice
from bot.ui.channels import ChosenChannel
from bot.ui.items import catalog_title, name_of, what_is_new, word
from bot.ui.text import escape, fitting
from cogs.announce.pauses import problem_and_mend
from cogs.announce.wishes import AnnounceMissed, news_words
from storage.following import Event, NewSubscription, Subscription

_ROOM_AT_THE_END = 100
_MOST_NAMED = 10


def kept_card(
    one: Subscription, catalog: Place, place: ChosenChannel | None, preview: Card | None
) -> Card:
    """Say what is announced from now on, above a preview of it."""
    title = t(
        "%(catalog)s is announced in %(channel)s",
        catalog=catalog_title(catalog.game_id, catalog.name),
        channel=f"<#{one.channel_id}>",
    )
    lines = [f"### {title}", subscription_words(one)]
    lines.append("-# " + t("What the catalog has now is no news; what comes from now on is."))
    if place is not None and not place.is_judged:
        lines.append(
            "-# ⚠️ " + t("Discord didn't say what Kiosk may do there. Try it with `/announce test`.")
        )
    if preview is None:
        lines.append("-# " + t("The catalog shows no item just now, so there is no preview."))
    else:
        lines.append("-# " + t("Below is how it will look."))
    card = Card(theme.GOOD)
    card.say("\n".join(lines))
    if preview is not None:
        card.components.append(preview.components[-1])
    return card


def list_card(
    subscriptions: Sequence[tuple[Subscription, Place]],
    follows: Sequence[tuple[Subscription, Place]],
) -> Card:
    """List a server's announcements and followed threads, and what keeps some from working."""
    title = t("Announcements of this server")
    if not subscriptions and not follows:
        return notice(title, t("There are none yet. Set one up with `/announce add`."))
    listed = [_line(*each) for each in subscriptions] + [_thread_line(*each) for each in follows]
    parts = fitting(listed, MOST_CHARACTERS - len(title) - _ROOM_AT_THE_END)
    left = len(listed) - len(parts)
    footer = nt("and %(count)s more", "and %(count)s more", left) if left else ""
    return notice(title, "\n".join(parts), footer=footer)


def _line(one: Subscription, catalog: Place) -> str:
    name = catalog_title(catalog.game_id, catalog.name)
    lines = [f"**{one.id}** · {name} → <#{one.channel_id}>", f"-# {subscription_words(one)}"]
    if one.paused_at is not None:
        since = discord.utils.format_dt(one.paused_at, "R")
        if one.pause_reason is None:
            lines.append(
                "-# ⏸️ " + t("Paused %(when)s. Use `/announce resume` to go on.", when=since)
            )
        else:
            problem, mend = problem_and_mend(one.pause_reason)
            lines.append(
                "-# ⚠️ "
                + t(
                    "Stopped %(when)s: %(problem)s. To fix it, %(mend)s. Then use "
                    "`/announce resume`.",
                    when=since,
                    problem=t(problem),
                    mend=t(mend),
                )
            )
    return "\n".join(lines)


def _thread_line(one: Subscription, thread: Place) -> str:
    name = t("Thread %(id)s", id=thread.game_id) if thread.name is None else escape(thread.name)
    lines = [f"**{name}** → <#{one.channel_id}>", "-# " + t("new comments")]
    if one.paused_at is not None:
        lines.append(
            "-# ⚠️ "
            + t(
                "Stopped %(when)s: %(problem)s. Once that is fixed, use `/forum follow` again.",
                when=discord.utils.format_dt(one.paused_at, "R"),
                problem=t(problem_and_mend(one.pause_reason or 0)[0]),
            )
        )
    return "\n".join(lines)


def removed_card(one: Subscription) -> Card:
    """Say that nothing is announced there any more."""
    title = t("Nothing more is announced in %(channel)s", channel=f"<#{one.channel_id}>")
    return notice(title, t("What was announced before stays."))


def paused_card(one: Subscription) -> Card:
    """Say that announcements rest."""
    title = t("Announcements in %(channel)s are paused", channel=f"<#{one.channel_id}>")
    return notice(title, t("Use `/announce resume` to go on: it says what was missed."))


def resumed_card(one: Subscription, missed: Sequence[Event]) -> Card:
    """Say that announcements go on, and offer what was missed."""
    title = t("Announcements in %(channel)s are on again", channel=f"<#{one.channel_id}>")
    if not missed or one.paused_after is None:
        return notice(title, t("Nothing was missed meanwhile."), colour=theme.GOOD)
    lines = [
        nt(
            "%(count)s piece of news was missed:",
            "%(count)s pieces of news were missed:",
            len(missed),
        )
    ]
    lines += [
        f"- **{name_of(item_of(event).name)}** · {what_is_new(event)}"
        for event in missed[:_MOST_NAMED]
    ]
    left = len(missed) - _MOST_NAMED
    if left > 0:
        lines.append(nt("and %(count)s more", "and %(count)s more", left))
    button = action_button(
        AnnounceMissed(one.id, one.paused_after),
        t("Announce them now"),
        style=discord.ButtonStyle.primary,
        emoji="📣",
    )
    return notice(title, "\n".join(lines), colour=theme.GOOD, buttons=(button,))


def caught_up_card(one: Subscription, count: int) -> Card:
    """Say that what was missed is on its way."""
    title = t("On its way to %(channel)s", channel=f"<#{one.channel_id}>")
    if not count:
        return notice(t("Nothing is missing any more"), t("It was announced already."))
    body = nt(
        "%(count)s piece of news is announced there now.",
        "%(count)s pieces of news are announced there now.",
        count,
    )
    return notice(title, body, colour=theme.GOOD)


def tested_card(one: Subscription) -> Card:
    """Say that the test is on its way."""
    title = t("A test is on its way to %(channel)s", channel=f"<#{one.channel_id}>")
    body = t("Nobody is pinged. If it doesn't come, `/announce list` says what is wrong.")
    return notice(title, body, colour=theme.GOOD)


def subscription_words(one: NewSubscription) -> str:
    """Return what a subscription is for, and whom it pings."""
    parts = [news_words(one.news)]
    if one.type_name is not None:
        parts.append(word(one.type_name))
    if one.max_cost is not None:
        parts.append(t("up to %(cost)s", cost=number(one.max_cost)))
    if one.role_id is not None:
        parts.append(t("pings %(role)s", role=f"<@&{one.role_id}>"))
    return " · ".join(parts)
