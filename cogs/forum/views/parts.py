"""The parts that cards of the forum are made of."""

import re
from collections.abc import Sequence

import discord

from bot.features.forum.threads import Address, Found
from bot.features.forum.trees import count_replies
from bot.features.names import Place
from bot.game.models import Comment, Player, Sort
from bot.i18n import N_, nt, t
from bot.ui.actions import Action, action_button
from bot.ui.cards import Button, button
from bot.ui.comments import written_at_of
from bot.ui.text import cut, one_line
from cogs.forum.actions import AskDelete, OpenEditForm, OpenWriteForm, ShowScreen

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
