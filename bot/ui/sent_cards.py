"""Cards that stay: orders and texts, redrawn when their outcome is known, and shared cards."""

import logging
from collections import abc

import discord
from msgspec import Struct

from bot import errors
from bot.clock import Clock
from bot.features.feature_errors import CommentNotFound
from bot.game.game_errors import GameError
from bot.i18n import speaking, t
from bot.ui import custom_ids, drawing
from bot.ui.here import Here
from bot.ui.markdown import one_line
from bot.ui.permissions import require_may_share
from bot.ui.router import route
from storage.shown import ShownComment
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

# None if there is nothing new to show.
Redraw = abc.Callable[[], abc.Awaitable[drawing.Card | None]]

# A card for everyone, and the comments that it shows.
Draw = abc.Callable[[], abc.Awaitable[tuple[drawing.Card, abc.Sequence[ShownComment]]]]

_MAX_OPEN = 500
# How long a card can be edited after the press that brought it.
_SECONDS_OPEN = 900.0
# How often to draw a card if a comment on it is removed before it is posted.
_MAX_DRAWN = 3
_NAME_ROOM = 60


class _OpenCard(Struct, frozen=True):
    open_until: float
    here: Here
    ids: frozenset[int]
    redraw: Redraw


class OpenCards:
    """Cards about orders or texts, by the interaction that first brought them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._cards: dict[int, _OpenCard] = {}

    def note(self, here: Here, ids: abc.Iterable[int], redraw: Redraw) -> None:
        """Remember the card that now shows these orders or texts, and how to redraw it."""
        self.forget(here)
        now = self._clock.monotonic()
        for key in [key for key, card in self._cards.items() if card.open_until <= now]:
            del self._cards[key]
        if len(self._cards) >= _MAX_OPEN:
            del self._cards[next(iter(self._cards))]
        self._cards[here.card_key] = _OpenCard(now + _SECONDS_OPEN, here, frozenset(ids), redraw)

    def forget(self, here: Here) -> None:
        """Forget the card that this interaction changed into something else."""
        self._cards.pop(here.card_key, None)

    async def refresh(self, one_id: int, member_id: int) -> bool:
        """Redraw a member's cards of an order or a text. Return whether any was redrawn."""
        is_any = False
        for key, card in list(self._cards.items()):
            interaction = card.here.interaction
            is_theirs = one_id in card.ids and card.here.member_id == member_id
            if not is_theirs or card.open_until <= self._clock.monotonic():
                continue
            try:
                with speaking(interaction.locale):
                    view = await card.redraw()
                if view is not None:
                    await interaction.edit_original_response(view=view)
                    is_any = True
            except (discord.HTTPException, errors.KioskError, GameError, DatabaseError) as error:
                # The member closed it, or Discord can't edit it: no one misses it.
                log.info("Can't redraw an open card: %s", error)
                self._cards.pop(key, None)
        return is_any


class TakeBack(custom_ids.Action, kind="take_back"):
    member_id: int


def take_back_button(member_id: int) -> drawing.Button:
    return drawing.button(TakeBack(member_id), t("Delete post"))


def finish_shared(
    card: drawing.Card, sharer: discord.abc.User, *buttons: drawing.Button
) -> drawing.Card:
    """Add the parts that every shared card has, with up to four buttons of its own."""
    card.buttons(*buttons, take_back_button(sharer.id))
    member = name_of(sharer)
    card.say(
        "-# "
        + t("Shared by %(member)s. If you press a button, only you see the result.", member=member)
    )
    return card


def name_of(member: discord.abc.User) -> str:
    # Names without visible characters are common on Discord.
    return one_line(member.display_name, _NAME_ROOM, is_name=True) or f"<@{member.id}>"


async def publish_once(here: Here, draw: Draw) -> abc.Sequence[ShownComment]:
    """Post a card in the server's language, once for each press, which can be repeated if it fails.

    The comments on it are recorded before, and none of them is hidden then. Raises CannotSendHere,
    SharedAlready, CommentNotFound, and what `draw` raises.
    """
    require_may_share(here)
    channel_id = here.interaction.channel_id
    if channel_id is None:
        raise errors.CannotSendHere
    shown = here.features.shown
    moderation = here.features.moderation
    interaction = here.interaction
    server = here.server
    locale = await moderation.locale(server, here.server_locale)
    # The same button of the same card has the same key.
    card_id = interaction.message.id if interaction.message else interaction.id
    key = f"shared {card_id}:{interaction.custom_id or ''}"
    shown_id = await shown.outbox.begin_posting(key, server, channel_id)
    if shown_id is None:
        raise errors.SharedAlready
    is_posted = False
    try:
        comments: abc.Sequence[ShownComment] = []
        for _ in range(_MAX_DRAWN):
            with speaking(locale):
                card, comments = await draw()
            # Outside a server, no comment is hidden.
            if not (server and comments) or await shown.record(
                shown_id, server, channel_id, comments
            ):
                message_id = await here.publish(card)
                is_posted = True
                await shown.complete(shown_id, message_id, server)
                return comments
            moderation.policy.forget(server)
        raise CommentNotFound(name=str(comments[0].comment_id))
    finally:
        if not is_posted:
            await shown.outbox.free(shown_id)


@route(TakeBack)
async def on_take_back(here: Here, action: TakeBack) -> None:
    message = here.interaction.message
    if here.member_id != action.member_id or message is None:
        raise errors.SharedByOther
    await here.take_away()
    await here.features.shown.outbox.forget(message.id)
