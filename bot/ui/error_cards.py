"""Turn every failure into a sentence for the member and a line in the log."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any, cast

import discord
from discord import app_commands

from bot import errors
from bot.errors import KioskError
from bot.game import errors as game
from bot.i18n import number, t
from bot.ui import theme
from bot.ui.actions import fold
from bot.ui.answers import answer, tell
from bot.ui.cards import Card, notice
from bot.ui.linking import link_button
from bot.ui.text import cut

log = logging.getLogger(__name__)

_LONGEST_QUOTE = 300

# The one table from error to reply; a class stands for those below it that are not named.
REPLIES: dict[type[Exception], type[KioskError]] = {
    game.Unauthorized: errors.LinkExpired,
    game.Forbidden: errors.GameForbids,
    game.NotFound: errors.NotInGame,
    game.Conflict: errors.GameConflicts,
    game.RateLimited: errors.GameBusy,
    game.Refused: errors.GameRejects,
    game.Unavailable: errors.GameDown,
    game.MalformedResponse: errors.GameUnreadable,
    game.UnknownOutcome: errors.OutcomeUnknown,
    app_commands.NoPrivateMessage: errors.ServerOnly,
    app_commands.CommandSignatureMismatch: errors.CommandChanged,
    app_commands.CommandNotFound: errors.CommandChanged,
}

# What an operator may want to know of; what is in neither of these is a fault of ours.
_REFUSED = (KioskError, game.Refused, app_commands.AppCommandError)
_TROUBLE = (game.GameError, discord.DiscordException)

_LINKING_HELPS = (errors.NotLinked, errors.LinkExpired, errors.LinkUnreadable)


def reply_for(error: Exception) -> KioskError:
    """Return the member's words for any error."""
    if isinstance(error, KioskError):
        return error
    for kind in type(error).__mro__:
        if kind in REPLIES:
            return REPLIES[kind]()
    return errors.Unexpected()


def error_card(error: Exception, reference: str, *, then: str = "") -> Card:
    """Say what went wrong, what the game said about it, and what to do next.

    Where a link is missing, a button leads to one and on to `then`, a folded custom id.
    """
    reply = reply_for(error)
    values = {name: _shown(value) for name, value in reply.values.items()}
    lines = [t(reply.message, **values)]
    quote = error.message if isinstance(error, game.GameError) else None
    if quote:
        lines.append(t("The game says: “%(quote)s”", quote=_shown(quote)))
    lines.append(t(reply.next_step, **values))
    return notice(
        t(reply.title, **values),
        "\n".join(lines),
        colour=theme.PROBLEM,
        footer=t("Reference: %(reference)s", reference=reference),
        buttons=(link_button(then),) if isinstance(reply, _LINKING_HELPS) else (),
    )


def _shown(value: object) -> str:
    return number(value) if isinstance(value, int) else cut(str(value), _LONGEST_QUOTE)


async def answer_error(interaction: discord.Interaction[Any], error: Exception) -> None:
    """Tell the member, and log the traceback under the reference they are shown."""
    if isinstance(error, app_commands.CommandInvokeError):
        error = error.original
    reference = note(error)
    try:
        if interaction.type is discord.InteractionType.autocomplete:
            if not interaction.response.is_done():
                await interaction.response.autocomplete([])
        elif interaction.type is discord.InteractionType.application_command:
            await answer(interaction, error_card(error, reference))
        else:
            # A card that was pressed stays, for the way back.
            await tell(interaction, error_card(error, reference, then=_press(interaction)))
    except Exception:
        # Discord is down, or the time to answer is over.
        log.warning("reference %s: the member could not be told", reference, exc_info=True)


def note(error: Exception) -> str:
    """Log an error with its traceback; return the reference it is found under."""
    reference = secrets.token_hex(3).upper()
    log.log(_level_of(error), "reference %s: %s", reference, type(error).__name__, exc_info=error)
    return reference


def _press(interaction: discord.Interaction[Any]) -> str:
    """Return the folded custom id of the button that was pressed, if it was one."""
    data = cast("Mapping[str, Any]", interaction.data or {})
    if data.get("component_type") != discord.ComponentType.button.value:
        return ""
    return fold(str(data["custom_id"]))


def _level_of(error: Exception) -> int:
    if isinstance(error, _REFUSED):
        return logging.INFO
    return logging.WARNING if isinstance(error, _TROUBLE) else logging.ERROR
