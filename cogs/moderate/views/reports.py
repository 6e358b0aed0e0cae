"""What is said of reports: to whoever reports, and to the moderators."""

import discord

from bot.domain.moderation import Reported
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card, notice
from bot.ui.shared_actions import OpenRemoveForm
from bot.ui.text import cut
from cogs.moderate.actions import NONE, Dismiss
from cogs.moderate.views.removal import member, what_it_said

_TEXT_ROOM = 1500
_REASON_ROOM = 200
_REASONS_SHOWN = 6


def thanks_card() -> Card:
    """Say that a report arrived."""
    return notice(
        t("Thank you"),
        t("This server's moderators know of it now. They are not told who you are."),
        colour=theme.GOOD,
    )


def dismissed_card() -> Card:
    """Say that a report was dismissed."""
    return notice(t("The comment stays"), t("If somebody else reports it, it comes up again."))


def reported_card(case: Reported) -> Card:
    """Return the card of a comment that members reported, for the log channel."""
    is_open = case.dismissed_at is None
    card = Card(theme.PROBLEM if is_open else theme.CALM)
    lines = [
        "### " + t("Comment #%(id)s was reported", id=case.subject.comment_id),
        f"-# {nt('%(count)s member reported it', '%(count)s members reported it', case.count)}",
        what_it_said(case.subject, _TEXT_ROOM),
    ]
    lines += [f"🚩 {cut(reason, _REASON_ROOM)}" for reason in case.reasons[:_REASONS_SHOWN]]
    if case.dismissed_at is not None:
        when = discord.utils.format_dt(case.dismissed_at, "R")
        who = member(case.dismissed_by)
        lines.append(t("%(member)s let it stay, %(when)s.", member=who, when=when))
    card.say("\n".join(lines))
    subject = case.subject
    thread_id = NONE if subject.thread_id is None else subject.thread_id
    buttons = [
        ActionButton(
            OpenRemoveForm(thread_id, subject.comment_id or 0),
            t("Remove"),
            style=discord.ButtonStyle.danger,
            emoji="🚫",
        )
    ]
    if is_open:
        buttons.append(ActionButton(Dismiss(case.case_id), t("Dismiss"), emoji="✔️"))
    card.buttons(*buttons)
    return card
