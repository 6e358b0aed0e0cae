"""The parts that cards of the forum are made of."""

from collections.abc import Iterable

import discord

from bot.features.forum.threads import Found
from bot.features.forum.trees import Tree
from bot.features.names import Place
from bot.game.models import Comment, PageKey, Sort
from bot.i18n import N_, t
from bot.ui.actions import LONGEST_CHOICE, action_button, action_select, actions_in
from bot.ui.cards import Button, Card, Option, option
from bot.ui.comments import name_of, replies_label
from bot.ui.text import one_line
from cogs.forum.actions import NONE, Choice, OpenOrReply, OpenWriteForm, ShowComment, ShowScreen

_TITLE_ROOM = 120

OPEN, REPLY, THREAD, SHARE = "💬", "↩️", "📜", "📣"
SORT_NAMES = {Sort.LATEST: N_("Latest first"), Sort.HOTTEST: N_("Hottest first")}


def title_of(place: Place) -> str:
    """Return a thread's name as its server does, else its number."""
    if place.name is None:
        return t("Thread %(id)s", id=place.game_id)
    return one_line(place.name, _TITLE_ROOM)


def is_by(comment: Comment, player_id: int | None) -> bool:
    """Return whether a comment is this player's, as far as both are known."""
    return player_id is not None and comment.player.id == player_id


def reply_button(found: Found, *, style: discord.ButtonStyle) -> Button:
    """Offer to reply to a comment."""
    key = found.key
    action = OpenWriteForm(key.thread_id, found.comment.id, key.sort, key.page)
    return action_button(action, t("Reply"), style=style, emoji=REPLY)


def thread_button(
    key: PageKey, offset: int = 0, *, style: discord.ButtonStyle = discord.ButtonStyle.secondary
) -> Button:
    """Lead to the screen of a thread."""
    return action_button(ShowScreen(*key, offset), t("Thread"), style=style, emoji=THREAD)


def spot(found: Found, comment: Comment) -> tuple[int, Sort, int, int]:
    """Return the fields that address a comment of a found one's page."""
    return found.key.thread_id, found.key.sort, found.key.page, comment.id


def comment_label(comment: Comment) -> str:
    """Name a comment in a list: plain text, since lists show no markdown."""
    return one_line(
        f"{name_of(comment.player, plain=True)}: {comment.content}", LONGEST_CHOICE, plain=True
    )


def add_open_or_reply(card: Card, near: PageKey, trees: Iterable[Tree]) -> None:
    """Add the list that opens each of a page's comments, and replies to each."""
    opening: list[Option] = []
    replying: list[Option] = []
    # Nobody keeps the game from repeating an id, and Discord takes a value once.
    for comment, _, count in {tree.comment.id: tree for tree in trees}.values():
        name = name_of(comment.player, plain=True)
        opening.append(
            option(
                comment_label(comment),
                f"{Choice.OPEN}.{comment.id}",
                description=replies_label(count),
                emoji=OPEN,
            )
        )
        replying.append(
            option(
                t("Reply to %(name)s", name=name),
                f"{Choice.REPLY}.{comment.id}",
                description=one_line(comment.content, LONGEST_CHOICE, plain=True),
                emoji=REPLY,
            )
        )
    if opening:
        options = [*opening, *replying]
        card.choose(action_select(OpenOrReply(*near), options, placeholder=t("Open or reply to…")))


def threads_by_comment(message: discord.Message) -> dict[int, int]:
    """Return the thread of each comment that a message shows, in order."""
    replies = [action for action, _ in actions_in(message, OpenWriteForm)]
    shown = {each.parent_id: each.thread_id for each in replies if each.parent_id != NONE}
    for opening, _ in actions_in(message, ShowComment):
        shown.setdefault(opening.comment_id, opening.thread_id)
    for listing, entries in actions_in(message, OpenOrReply):
        for entry in entries:
            shown.setdefault(listing.comment_of(entry), listing.thread_id)
    return shown


def found_label(comment_id: int, found: Found | None) -> str:
    """Name a comment that may not be at hand; then it is known by number alone."""
    if found is None:
        return t("Comment #%(id)s", id=comment_id)
    return comment_label(found.comment)
