"""The cards of reported and held-back comments, and a case's card in the log channel."""

from collections.abc import Sequence
from datetime import timedelta

import discord

from bot.i18n import nt, speak, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card, notice
from bot.ui.shared_actions import OpenRemoveForm
from bot.ui.text import one_line
from bot.worker.kinds import Drawn, MessageKind, Transaction
from bot.worker.verdicts import NotYet, Refused, Sent, Settled
from cogs.moderate.actions import NONE, Dismiss, PostMore, ShowHeldBack
from cogs.moderate.removal_cards import log_card, member, what_it_said
from storage.messages import Message, Priority
from storage.removals import REASONS_SHOWN, Reported
from storage.vetting import Hit

_TEXT_ROOM = 1500
_REASON_ROOM, _WORD_ROOM = 200, 60
# Cards that one press posts.
MOST_POSTED = 5


class CaseCard(MessageKind):
    """A case's card as it is to be now; owed by `LogCards`."""

    name = "case"
    priority = Priority.LIVE_POST
    # After an outage of Discord's, too, moderators have to decide.
    gives_up = False

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def draw(self, message: Message) -> Drawn | None:
        """Return the card; deleted, it is posted again where moderators have yet to decide."""
        case = await self._moderation.removals.reported(_case_id(message))
        if case is None:
            return None
        removal = await self._moderation.removals.latest(case.guild_id, case.subject)
        speak(case.locale)
        if removal is None or case.came_up_after(removal.ended_at):
            return Drawn(reported_card(case), posted_anew=case.is_open)
        return Drawn(log_card(await self._moderation.standing_of(removal)))

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Note whether the log channel takes cards."""
        channel_id = message.channel_id or 0
        # Where nothing may be posted, what was posted before may still be edited.
        if isinstance(verdict, Sent) and verdict.message_id not in (None, message.message_id):
            await self._moderation.note_log(transaction, channel_id, is_closed=False)
        elif isinstance(verdict, Refused) and not verdict.is_alone and message.is_wanted:
            await self._moderation.note_log(transaction, channel_id, is_closed=True)
            await self._moderation.cards.owe(transaction, _case_id(message), is_closed=True)


class MoreHeldBack(MessageKind):
    """How many comments were held back that have no card; owed by `LogCards`, once a minute."""

    name = "case.more"
    priority = Priority.LIVE_POST

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def draw(self, message: Message) -> Drawn | None:
        """Return the count, a minute after the first of them."""
        if not message.attempts:
            raise NotYet("more may come within the minute", timedelta(minutes=1))
        case = await self._moderation.removals.reported(_case_id(message))
        if case is None:
            return None
        waiting = await self._moderation.cards.without_card(case.guild_id)
        speak(case.locale)
        return Drawn(more_card(len(waiting))) if waiting else None


def _case_id(message: Message) -> int:
    return int(message.payload["case"])


def reported_card(case: Reported) -> Card:
    """Return the card of a comment that was reported or held back, for the log channel."""
    card = Card(theme.PROBLEM if case.is_open else theme.CALM)
    lines = [f"### {_title(case)}"]
    if case.count:
        lines.append(
            f"-# {nt('%(count)s member reported it', '%(count)s members reported it', case.count)}"
        )
    if case.hit is not None:
        lines.append(hit_line(case.hit))
    lines.append(what_it_said(case.subject, _TEXT_ROOM))
    lines += [f"🚩 {one_line(reason, _REASON_ROOM)}" for reason in case.reasons[:REASONS_SHOWN]]
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
        found = t("AutoMod rule: %(rule)s", rule=one_line(hit.rule, _WORD_ROOM))
    else:
        found = t("Watched word: %(word)s", word=one_line(hit.word, _WORD_ROOM))
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
