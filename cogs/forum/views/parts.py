"""The parts that cards of the forum are made of."""

import re
from collections.abc import Iterable, Sequence

import discord

from bot.features.forum.threads import Address, Found
from bot.features.forum.trees import count_replies
from bot.features.names import Place
from bot.game.models import Comment, PageKey, Player, Sort
from bot.i18n import N_, nt, t
from bot.ui.actions import LONGEST_CHOICE, Action, action_button, action_select, actions_in
from bot.ui.cards import Button, Card, Option, button, option
from bot.ui.comments import written_at_of
from bot.ui.text import cut, one_line, shortened
from cogs.forum.actions import (
    NONE,
    AskDelete,
    Choice,
    OpenEditForm,
    OpenOrReply,
    OpenWriteForm,
    ShowComment,
    ShowScreen,
)

NAME_ROOM = 60
TITLE_ROOM = 120
# Of a name no more is looked at.
_LONGEST_NAME = 500

# What addresses a comment: thread, order, page and id.
Spot = tuple[int, Sort, int, int]

SUBSCRIBER, VERIFIED = "⭐", "☑️"
OPEN, REPLY, THREAD, SHARE = "💬", "↩️", "📜", "📣"
# With what looks like them: no name may fake one.
_MARKS = re.compile("[⭐★🌟✭✮✯☑✅✔✓🗸]\ufe0f?")
SORT_NAMES = {Sort.LATEST: N_("Latest first"), Sort.HOTTEST: N_("Hottest first")}


def title_of(place: Place) -> str:
    """Return a thread's name as its server does, else its number."""
    if place.name is None:
        return t("Thread %(id)s", id=place.game_id)
    return cut(place.name, TITLE_ROOM)


def name_of(player: Player, room: int = NAME_ROOM) -> str:
    """Return a player's name, without what only the game gives."""
    return cut(_unmarked(player), room) or t("Nameless")


def plain_name(player: Player) -> str:
    """Return a player's name where Discord formats nothing."""
    return one_line(_unmarked(player), NAME_ROOM) or t("Nameless")


def byline(comment: Comment, *, spells_marks: bool = False) -> str:
    """Return who wrote a comment and when, in two lines; marks spelled out where there is room."""
    player = comment.player
    marks = ""
    if player.is_subscribed:
        marks += f" {SUBSCRIBER} {t('subscriber')}" if spells_marks else f" {SUBSCRIBER}"
    if player.verified_at:
        marks += f" {VERIFIED} {t('verified')}" if spells_marks else f" {VERIFIED}"
    return f"**{name_of(player)}**{marks}\n-# {written_at_of(comment.created_at, comment.id)}"


def is_by(comment: Comment, player_id: int | None) -> bool:
    """Return whether a comment is this player's, as far as both are known."""
    return player_id is not None and comment.player.id == player_id


def replies_label(comment: Comment) -> str:
    """Return how many replies a comment has, those to replies among them; "" where it has none."""
    count = count_replies(comment)
    return nt("%(count)s reply", "%(count)s replies", count) if count else ""


def step_button(action: Action | None, label: str | None, emoji: str, *, name: str) -> Button:
    """Return a button that leads on, or a pale one where there is no way; `name` tells it apart."""
    if action is not None:
        return action_button(action, label, emoji=emoji)
    return button(f"nowhere.{name}", label, emoji=emoji, disabled=True)


def own_buttons(spot: Spot) -> Sequence[Button]:
    """Return what only a comment's writer can do with it."""
    return [
        action_button(OpenEditForm(*spot), t("Edit"), emoji="✏️"),
        action_button(AskDelete(*spot), t("Delete"), emoji="🗑️"),
    ]


def reply_button(found: Found, *, style: discord.ButtonStyle) -> Button:
    """Offer to reply to a comment."""
    key = found.key
    action = OpenWriteForm(key.thread_id, found.comment.id, key.sort, key.page)
    return action_button(action, t("Reply"), style=style, emoji=REPLY)


def thread_button(
    address: Address, *, style: discord.ButtonStyle = discord.ButtonStyle.secondary
) -> Button:
    """Lead to the screen of a thread."""
    return action_button(ShowScreen.at(address), t("Thread"), style=style, emoji=THREAD)


def spot(found: Found, comment: Comment) -> Spot:
    """Return the fields that address a comment of a found one's page."""
    return found.key.thread_id, found.key.sort, found.key.page, comment.id


def _unmarked(player: Player) -> str:
    return _MARKS.sub("", player.screen_name[:_LONGEST_NAME])


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


def found_label(comment_id: int, found: Found | None) -> str:
    """Name a comment that may not be at hand; then it is known by number alone."""
    if found is None:
        return t("Comment #%(id)s", id=comment_id)
    return comment_label(found.comment)
