"""Lists to choose one of several comments from."""

from collections.abc import Iterable, Mapping

import discord

from bot.features.forum.threads import Found
from bot.game.models import Comment, PageKey
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import LONGEST_CHOICE, MOST_CHOICES, action_select, actions_in
from bot.ui.cards import Card, Option, option
from bot.ui.text import one_line, shortened
from cogs.forum.actions import (
    NONE,
    Choice,
    OpenOrReply,
    OpenWriteForm,
    PickComment,
    ShowComment,
)
from cogs.forum.views.parts import OPEN, REPLY, plain_name, replies_label


def comment_label(comment: Comment) -> str:
    """Name a comment in a list: plain text, since lists show no markdown."""
    return one_line(f"{plain_name(comment.player)}: {comment.content}", LONGEST_CHOICE)


def add_open_or_reply(card: Card, near: PageKey, comments: Iterable[Comment]) -> None:
    """Add the list that opens each of a page's comments, and replies to each."""
    opening: list[Option] = []
    replying: list[Option] = []
    # Nobody keeps the game from repeating an id, and Discord takes a value once.
    for comment in {comment.id: comment for comment in comments}.values():
        name, text = plain_name(comment.player), one_line(comment.content, LONGEST_CHOICE)
        opening.append(
            option(
                shortened(f"{name}: {text}", LONGEST_CHOICE),
                Choice.OPEN.of(comment.id),
                description=replies_label(comment),
                emoji=OPEN,
            )
        )
        replying.append(
            option(
                shortened(t("Reply to %(name)s", name=name), LONGEST_CHOICE),
                Choice.REPLY.of(comment.id),
                description=text,
                emoji=REPLY,
            )
        )
    if opening:
        action = OpenOrReply(near.thread_id, near.sort, near.page)
        options = [*opening, *replying]
        card.choose(action_select(action, options, placeholder=t("Open or reply to…")))


def choose_card(thread_id: int, comments: Mapping[int, Found | None]) -> Card:
    """Ask which comment of a message is meant; those not at hand are known by number alone."""
    options = [
        option(_label(comment_id, found), str(comment_id))
        for comment_id, found in list(comments.items())[:MOST_CHOICES]
    ]
    card = Card(theme.FORUM)
    card.say(f"### {t('Which comment would you like to reply to?')}")
    placeholder = t("Choose a comment")
    select = action_select(PickComment(thread_id), options, placeholder=placeholder)
    card.choose(select)
    return card


def comments_in(message: discord.Message) -> dict[int, int]:
    """Return the comments that a message shows, with their threads, in order."""
    replies = [action for action, _ in actions_in(message, OpenWriteForm)]
    shown = {each.parent_id: each.thread_id for each in replies if each.parent_id != NONE}
    for opening, _ in actions_in(message, ShowComment):
        shown.setdefault(opening.comment_id, opening.thread_id)
    for listing, entries in actions_in(message, OpenOrReply):
        for entry in entries:
            shown.setdefault(listing.comment_of(entry), listing.thread_id)
    return shown


def _label(comment_id: int, found: Found | None) -> str:
    if found is None:
        return t("Comment #%(id)s", id=comment_id)
    return comment_label(found.comment)
