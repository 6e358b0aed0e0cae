"""What is said after something was written or deleted."""

import discord

from bot.domain.drafts import Authored, DraftKind
from bot.features.forum.drafts import Written
from bot.game.models import Sort
from bot.i18n import N_, t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card, notice
from bot.ui.text import escape
from cogs.forum.actions import NONE, Delete, OpenEditForm, ShowScreen

# What has happened to a text, by its kind.
BANNERS = {
    DraftKind.POST: N_("Your comment is posted"),
    DraftKind.REPLY: N_("Your reply is posted"),
    DraftKind.EDIT: N_("Your comment is changed"),
}


def unseen_card(written: Written) -> Card:
    """Say that the game took a text, though it can't be shown."""
    return notice(
        t(BANNERS[written.kind]),
        t("The game took it."),
        colour=theme.GOOD,
        buttons=_to_thread(written.thread_id),
    )


def deleted_card(thread_id: int) -> Card:
    """Say that a comment is gone."""
    return notice(
        t("The comment is deleted"),
        t("It is gone from the game."),
        colour=theme.GOOD,
        buttons=_to_thread(None if thread_id == NONE else thread_id),
    )


def unseen_delete_card(comment_id: int, authored: Authored | None) -> Card:
    """Ask before a comment is deleted that can't be seen, but may be known to Kiosk."""
    thread_id = NONE if authored is None else authored.thread_id
    shown = t("I can't see it from here.")
    if authored is not None:
        shown = escape(authored.excerpt) or shown
    return notice(
        t("Delete comment #%(id)s?", id=comment_id),
        f"{shown}\n-# {cannot_be_undone()}",
        colour=theme.PROBLEM,
        buttons=(delete_button(Delete(thread_id, comment_id)),),
    )


def delete_button(action: Delete) -> ActionButton:
    """Delete at once: to be shown beside what will go."""
    return ActionButton(action, t("Delete"), style=discord.ButtonStyle.danger, emoji="🗑️")


def cannot_be_undone() -> str:
    """Say that what is deleted is lost."""
    return t("The game keeps no copy: this can't be undone.")


def ready_to_edit_card(action: OpenEditForm) -> Card:
    """Offer the form once the game has shown the present text."""
    return notice(
        t("The comment is here now"),
        t("The game took its time to show the present text."),
        colour=theme.FORUM,
        buttons=(ActionButton(action, t("Edit"), emoji="✏️"),),
    )


def _to_thread(thread_id: int | None) -> tuple[ActionButton, ...]:
    if thread_id is None:
        return ()
    action = ShowScreen(thread_id, Sort.LATEST, 1, 0)
    return (ActionButton(action, t("Read the thread"), emoji="📜"),)
