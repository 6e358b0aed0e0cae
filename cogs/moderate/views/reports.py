"""What is said of reports: to whoever reports, and to the moderators."""

from collections.abc import Sequence

import discord

from bot.domain.moderation import Hit, Reported
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card, notice
from bot.ui.shared_actions import OpenRemoveForm
from bot.ui.text import cut
from cogs.moderate.actions import NONE, Dismiss, PostMore, ShowHeldBack
from cogs.moderate.views.removal import member, what_it_said

_TEXT_ROOM = 1500
_REASON_ROOM, _WORD_ROOM = 200, 60
_REASONS_SHOWN = 6
# Cards that one press posts.
MOST_POSTED = 5


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


def released_card() -> Card:
    """Say that a comment is held back no longer."""
    return notice(
        t("The comment is shown"),
        t("It stays visible in this server as long as its text stays the same."),
        colour=theme.GOOD,
    )


def reported_card(case: Reported) -> Card:
    """Return the card of a comment that was reported or held back, for the log channel."""
    is_open = case.dismissed_at is None and not case.is_released
    card = Card(theme.PROBLEM if is_open else theme.CALM)
    lines = [f"### {_title(case)}"]
    if case.count:
        lines.append(
            f"-# {nt('%(count)s member reported it', '%(count)s members reported it', case.count)}"
        )
    if case.hit is not None:
        lines.append(hit_line(case.hit))
    lines.append(what_it_said(case.subject, _TEXT_ROOM))
    lines += [f"🚩 {cut(reason, _REASON_ROOM)}" for reason in case.reasons[:_REASONS_SHOWN]]
    if case.dismissed_at is not None:
        when = discord.utils.format_dt(case.dismissed_at, "R")
        who = member(case.dismissed_by)
        lines.append(t("%(member)s let it stay, %(when)s.", member=who, when=when))
    if case.is_released:
        lines.append(t("%(member)s let it be shown.", member=member(case.released_by)))
    card.say("\n".join(lines))
    card.buttons(*_buttons(case))
    return card


def more_card(count: int) -> Card:
    """Say how many comments are held back without a card, for the log channel."""
    title = nt(
        "%(count)s more comment is held back", "%(count)s more comments are held back", count
    )
    told = t("So many came at once that they have no card here yet.")
    return notice(title, told, colour=theme.PROBLEM, buttons=(_more_button(),))


def posting_more_card(waiting: int) -> Card:
    """Say how many cards are on their way of those that were waiting."""
    if not waiting:
        return notice(t("All of them have a card by now"))
    title = nt(
        "%(count)s card is on its way to the log channel",
        "%(count)s cards are on their way to the log channel",
        min(waiting, MOST_POSTED),
    )
    left = waiting - MOST_POSTED
    if left <= 0:
        return notice(title, colour=theme.GOOD)
    told = nt("%(count)s more is waiting.", "%(count)s more are waiting.", left)
    return notice(title, told, colour=theme.GOOD, buttons=(_more_button(),))


def _more_button() -> Button:
    return action_button(PostMore(), t("Post the next ones"), emoji="📥")


def hit_line(hit: Hit) -> str:
    """Say what a text holds, and whether that hides it."""
    if hit.rule:
        found = t("AutoMod rule: %(rule)s", rule=cut(hit.rule, _WORD_ROOM))
    else:
        found = t("Watched word: %(word)s", word=cut(hit.word, _WORD_ROOM))
    if hit.is_alert and not hit.rule:
        return f"{found}\n-# {t('Shown: the word only appears when spaces are left out.')}"
    if hit.is_alert:
        return f"{found}\n-# {t('Shown: this rule only alerts.')}"
    return found


def _title(case: Reported) -> str:
    comment_id = case.subject.comment_id
    if case.is_held_back:
        return t("Comment #%(id)s is held back here", id=comment_id)
    if case.count or case.hit is None:
        return t("Comment #%(id)s was reported", id=comment_id)
    if case.is_released:
        return t("Comment #%(id)s is shown here", id=comment_id)
    return t("Comment #%(id)s may need a look", id=comment_id)


def _buttons(case: Reported) -> Sequence[Button]:
    subject = case.subject
    thread_id = NONE if subject.thread_id is None else subject.thread_id
    buttons = [
        action_button(
            OpenRemoveForm(thread_id, subject.comment_id or 0),
            t("Remove"),
            style=discord.ButtonStyle.danger,
            emoji="🚫",
        )
    ]
    if case.is_held_back:
        buttons.append(action_button(ShowHeldBack(case.case_id), t("Show"), emoji="👁️"))
    is_alert = case.hit is not None and case.hit.is_alert
    if case.dismissed_at is None and (case.count or is_alert):
        buttons.append(action_button(Dismiss(case.case_id), t("Dismiss"), emoji="✔️"))
    return buttons
