"""Find the text and writer of a comment that someone reports or removes."""

import logging
from typing import TypeVar

import discord

from bot import errors
from bot.features import feature_errors
from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import Found
from bot.game.game_errors import GameError
from bot.game.models import PageKey
from bot.ui import shared_actions, theme
from bot.ui.comments import choose_card
from bot.ui.here import Here
from storage.moderation import Subject

log = logging.getLogger(__name__)

A = TypeVar("A", bound=shared_actions.AboutComment)
# How long to ask the game for a comment that isn't loaded.
_SECONDS_TO_READ = 1.0


async def find_evidence(here: Here, comment_id: int, near: PageKey | None) -> Subject:
    """Return a comment with its text, as it is loaded or as the game has it."""
    threads = here.features.threads
    # A comment that a server hides is evidence, too, so it is read as outside the server.
    viewer = Viewer(here.member_id)
    if near is None:
        written = await here.features.writes.text_of_comment(comment_id)
        showing = await here.features.shown.showing(here.guild_id, Subject(comment_id))
        thread_ids = [message.thread_id for message in showing if message.thread_id is not None]
        if written is not None or thread_ids:
            near = PageKey(written.place_id if written else thread_ids[0])
    found = await threads.known_comment(viewer, None, comment_id)
    if found is None and near is not None:
        try:
            found = await threads.comment_within(_SECONDS_TO_READ, viewer, near, comment_id)
        except (errors.KioskError, GameError) as error:
            log.info("Removing a comment that Kiosk can't read: %s", error)
            if isinstance(error, (feature_errors.CommentNotFound, feature_errors.ThreadNotInGame)):
                comment = near.thread_id, comment_id
                await here.features.moderation.learn_gone(here.member_id, *comment)
    return _subject(found, comment_id, near)


async def find_at_hand(
    here: Here, viewer: Viewer, comment_id: int, near: PageKey | None
) -> Subject:
    """Return what is known about a comment that a viewer may see, without asking the game."""
    found = await here.features.threads.known_comment(viewer, near, comment_id)
    return _subject(found, comment_id, near)


def _subject(found: Found | None, comment_id: int, near: PageKey | None) -> Subject:
    if found is None:
        return Subject(comment_id, None if near is None else near.thread_id)
    player = found.comment.player
    text = found.comment.content
    return Subject(comment_id, found.key.thread_id, player.id, player.screen_name, text)


async def find_chosen(
    here: Here, message: discord.Message, kind: type[A], question: str
) -> A | None:
    """Return the action for a message's comment. If it shows several, ask which one.

    Raises NoCommentShown.
    """
    features = here.features
    actions = {
        comment.comment_id: kind(
            shared_actions.NO_ID if comment.thread_id is None else comment.thread_id,
            comment.comment_id,
        )
        for comment in await features.shown.shown_in(message.id)
    }
    if not actions:
        raise feature_errors.NoCommentShown
    if len(actions) == 1:
        return next(iter(actions.values()))
    await here.answer(
        await choose_card(features.threads, here.viewer, actions, question, theme.PROBLEM)
    )
    return None
