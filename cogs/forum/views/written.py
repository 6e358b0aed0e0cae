"""What is said after something was written or deleted."""

import discord

from bot.domain.drafts import Authored, DraftKind, Outcome
from bot.features.errors import GivenBack, TooManyUnsent
from bot.features.forum.settling import Written
from bot.features.forum.threads import Address
from bot.game.models import PageKey
from bot.i18n import N_, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card, notice
from bot.ui.error_cards import error_card
from bot.ui.shared_actions import unsent_button
from bot.ui.text import escape, paginate
from cogs.forum.actions import Delete, OpenEditForm
from cogs.forum.views.parts import thread_button

_TEXT_ROOM = 2600

# What has happened to a text, by its kind.
BANNERS = {
    DraftKind.POST: N_("Your comment is posted"),
    DraftKind.REPLY: N_("Your reply is posted"),
    DraftKind.EDIT: N_("Your comment has been edited"),
    DraftKind.DELETE: N_("The comment is deleted"),
}


def unseen_card(written: Written) -> Card:
    """Say what the game did, where that can't be shown."""
    is_gone = written.kind is DraftKind.DELETE
    return notice(
        t(BANNERS[written.kind]),
        t("It is gone from the game.") if is_gone else t("The game accepted it."),
        colour=theme.GOOD,
        buttons=_to_thread(written.thread_id),
    )


def late_card(outcome: Outcome) -> Card:
    """Say what became of a text or a deletion whose answer did not reach the member."""
    when = discord.utils.format_dt(outcome.created_at, "R")
    return notice(
        t(BANNERS[outcome.kind]),
        t("That happened %(when)s, but you couldn't be told then.", when=when),
        colour=theme.GOOD,
        buttons=_to_thread(outcome.thread_id),
    )


def interrupted_card() -> Card:
    """Say that a text was on its way when Kiosk itself was stopped."""
    return notice(
        t("One of your texts may not have been sent"),
        t("Kiosk was interrupted while sending it. It is still here."),
        colour=theme.PROBLEM,
        buttons=(unsent_button(),),
    )


def given_back_cards(given: GivenBack, reference: str) -> list[Card]:
    """Say why a text was neither sent nor kept, and give it back whole, to be copied."""
    first = error_card(given.cause, reference)
    first_page, *pages = paginate(given.text, _TEXT_ROOM) or [""]
    if first_page:
        first.divide()
        first.say(first_page)
    if isinstance(given.cause, TooManyUnsent):
        first.buttons(unsent_button())
    cards = [first]
    for page in pages:
        cards.append(Card(theme.PROBLEM))
        cards[-1].say(page)
    return cards


def unseen_delete_card(authored: Authored) -> Card:
    """Ask before a comment is deleted that can't be seen, but was written through Kiosk."""
    shown = escape(authored.excerpt) or t("Its text can't be shown here.")
    return notice(
        t("Delete comment #%(id)s?", id=authored.comment_id),
        f"{shown}\n-# {cannot_be_undone()}",
        colour=theme.PROBLEM,
        buttons=(delete_button(Delete(authored.thread_id, authored.comment_id)),),
    )


def delete_button(action: Delete) -> Button:
    """Delete at once: to be shown beside what will go."""
    return action_button(action, t("Delete"), style=discord.ButtonStyle.danger, emoji="🗑️")


def cannot_be_undone() -> str:
    """Say that what is deleted is lost."""
    return t("The game keeps no copy: this can't be undone.")


def ready_to_edit_card(action: OpenEditForm) -> Card:
    """Offer the form once the game has shown the present text."""
    return notice(
        t("The comment is here now"),
        t("The game took a while to show its current text."),
        colour=theme.FORUM,
        buttons=(action_button(action, t("Edit"), emoji="✏️"),),
    )


def _to_thread(thread_id: int | None) -> tuple[Button, ...]:
    if thread_id is None:
        return ()
    return (thread_button(Address(PageKey(thread_id))),)
