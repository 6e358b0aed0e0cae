"""Let a member choose one of several comments."""

from collections.abc import Mapping

import discord
from discord import ui

from bot.features.forum.threads import Found
from bot.game.models import Comment
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionSelect
from bot.ui.cards import Card
from bot.ui.choices import LONGEST_CHOICE, MOST_CHOICES
from bot.ui.text import one_line
from cogs.forum.actions import PickComment


def comment_label(comment: Comment) -> str:
    """Name a comment in a list: plain text, since lists show no markdown."""
    return one_line(f"{comment.player.screen_name}: {comment.content}", LONGEST_CHOICE)


def choose_card(thread_id: int, comments: Mapping[int, Found | None]) -> Card:
    """Ask which comment of a message is meant; those not at hand are known by number alone."""
    options = [
        discord.SelectOption(label=_label(comment_id, found), value=str(comment_id))
        for comment_id, found in list(comments.items())[:MOST_CHOICES]
    ]
    card = Card(theme.FORUM)
    card.say(f"### {t('Which comment do you answer?')}")
    placeholder = t("Choose a comment")
    select = ActionSelect(PickComment(thread_id), options, placeholder=placeholder)
    card.frame.add_item(ui.ActionRow(select))
    return card


def _label(comment_id: int, found: Found | None) -> str:
    if found is None:
        return t("Comment #%(id)s", id=comment_id)
    return comment_label(found.comment)
