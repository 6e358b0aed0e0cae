"""Turn every failure into a sentence for the member and a line in the log."""

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast

import discord
from discord import app_commands, ui

from bot.domain.links import TokenSource
from bot.error_words import WORDS
from bot.errors import KioskError
from bot.game import errors as game
from bot.i18n import number, t
from bot.ui import theme
from bot.ui.actions import Action, fold
from bot.ui.answers import answer, tell
from bot.ui.cards import Card, notice
from bot.ui.choices import Entry, action_list, pressed
from bot.ui.next_steps import next_step
from bot.ui.shared_actions import again_button, link_buttons, setup_button, token_words
from bot.ui.text import cut
from storage.errors import DatabaseError

log = logging.getLogger(__name__)

_LONGEST_QUOTE, _MOST_QUOTES = 300, 3

# What is told in the words of another error; a class stands for those below it.
_TOLD_AS: dict[type[Exception], str] = {
    game.Unauthorized: "LinkExpired",
    game.Unavailable: "GameDown",
    game.TooManyAtOnce: "OneAtATime",
    app_commands.NoPrivateMessage: "ServerOnly",
    app_commands.CommandSignatureMismatch: "CommandChanged",
    app_commands.CommandNotFound: "CommandChanged",
}
_LINKING_HELPS = ("NotLinked", "LinkExpired", "LinkUnreadable", "TokenRefused", "TokenUnproven")
# Of those that are ours to tell members of, the faults: of Kiosk, its operator or the game.
_FAULTS = (
    *("KioskError", "GameDown", "LinkUnreadable", "TokenUnproven", "DraftUnreadable", "NotKept"),
    *("NotArrived", "ArrivalUnknown", "MayStillArrive", "IsItYours"),
)
# These pass by themselves.
_PASSING = ("GameDown", "RateLimited", "PausedUntil", "OneAtATime", "MalformedResponse")
_AGAIN, _CANDIDATES = "again", "candidates"

# What an operator may want to know of; what is in neither of these is a fault of ours.
_REFUSED = (KioskError, game.Refused, app_commands.AppCommandError)
_TROUBLE = (game.GameError, DatabaseError, discord.DiscordException)


def error_card(
    error: Exception,
    reference: str,
    *,
    then: str = "",
    can_repeat: bool = False,
    buttons: tuple[ui.Button[Any], ...] = (),
) -> Card:
    """Say what went wrong, what the game said about it, and what to do next.

    Where a link is missing, a button leads to one and on to `then`, a folded custom id; where
    the same may work later, and it `can_repeat`, one tries `then` again. Where `buttons` are given,
    they stand instead.
    """
    key = _key_of(error)
    words = WORDS[key]
    given = error.values if isinstance(error, KioskError) else {}
    values = {name: _shown(value) for name, value in given.items()}
    if key == "RateLimited" and isinstance(error, game.RateLimited) and error.retry_after:
        words = WORDS["PausedUntil"]
        until = discord.utils.utcnow() + timedelta(seconds=error.retry_after)
        values["when"] = discord.utils.format_dt(until, "R")
    # What the game says is exact, and what Kiosk makes of it may be a guess.
    quotes = [t("The game says: “%(quote)s”", quote=_shown(quote)) for quote in _said_by(error)]
    lines = [*quotes, t(words.message, **values), t(words.next_step, **values)]
    source = given.get("source")
    source = source if isinstance(source, TokenSource) else TokenSource()
    if key in _LINKING_HELPS:
        lines.append(token_words(source))
    # An ordinary mistake is nobody's fault to look for.
    is_fault = not isinstance(error, _REFUSED) or key in _FAULTS
    if buttons:
        pass
    elif key in _LINKING_HELPS:
        buttons = link_buttons(source, then)
    elif key in _PASSING and can_repeat and then:
        buttons = (again_button(then),)
    return notice(
        t(words.title, **values),
        "\n".join(filter(None, lines)),
        colour=theme.PROBLEM,
        footer=t("Reference: %(reference)s", reference=reference) if is_fault else "",
        buttons=buttons,
    )


def title_of(name: str) -> str:
    """Return what an error of the game's or ours is called, by the name of its class."""
    kind = getattr(game, name, game.MalformedResponse)
    return t(WORDS[name if name in WORDS else _key_of(kind())].title)


def _key_of(error: Exception) -> str:
    """Return where an error's words are; those of a class stand for what is below it."""
    is_ours = isinstance(error, (KioskError, game.GameError, DatabaseError))
    for kind in type(error).__mro__:
        key = _TOLD_AS.get(kind, kind.__name__ if is_ours else "")
        if key in WORDS:
            return key
    return "Unexpected"


def _said_by(error: Exception) -> Sequence[str]:
    """Return what the game said of each field, else of the whole."""
    said = error if isinstance(error, game.GameError) else error.__cause__
    if isinstance(said, game.Invalid) and any(said.errors.values()):
        texts = dict.fromkeys(text for texts in said.errors.values() for text in texts)
        return list(texts)[:_MOST_QUOTES]
    if isinstance(error, game.GameError) and error.message:
        return [error.message]
    return []


def _shown(value: object) -> str:
    if isinstance(value, datetime):
        return discord.utils.format_dt(value, "R")
    return number(value) if isinstance(value, int) else cut(str(value), _LONGEST_QUOTE)


async def ask_to_wait(interaction: discord.Interaction[Any]) -> None:
    """Tell a member that it is too much at once, at little cost: a flood of these is nothing."""
    words = WORDS["OneAtATime"]
    with suppress(discord.DiscordException, OSError):
        await tell(interaction, notice(t(words.title), f"{t(words.message)}\n{t(words.next_step)}"))


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
            await answer(interaction, _card(interaction, error, reference))
        else:
            # A card that was pressed stays, for the way back.
            await tell(interaction, _card(interaction, error, reference))
    except Exception:
        # Discord is down, or the time to answer is over.
        log.warning("reference %s: the member could not be told", reference, exc_info=True)


def note(error: Exception) -> str:
    """Log an error with its traceback; return the reference it is found under."""
    reference = secrets.token_hex(3).upper()
    level = logging.WARNING if isinstance(error, _TROUBLE) else logging.ERROR
    if isinstance(error, _REFUSED):
        level = logging.INFO
    log.log(level, "reference %s: %s", reference, type(error).__name__, exc_info=error)
    return reference


def offer_again(interaction: discord.Interaction[Any], action: Action) -> None:
    """Note what a command, a choice or a press does, for a button that tries it again."""
    keep_way(interaction, fold(action.custom_id()))


def keep_way(interaction: discord.Interaction[Any], then: str) -> None:
    """Note the folded press that an interaction is on the way to."""
    interaction.extras[_AGAIN] = then


def offer_candidates(
    interaction: discord.Interaction[Any], entry_of: Callable[[Any], Entry]
) -> None:
    """Note how what may be meant is listed, should an error name several candidates."""
    interaction.extras[_CANDIDATES] = entry_of


def _card(interaction: discord.Interaction[Any], error: Exception, reference: str) -> Card:
    then = _press(interaction)
    card = error_card(error, reference, then=then, can_repeat=True)
    key = _key_of(error)
    may_set_up = interaction.guild_id is not None and interaction.permissions.manage_guild
    if key == "NothingNamed" and may_set_up:
        card.say(t("You can begin: name the first thread and the first catalog."))
        card.buttons(setup_button())
    elif not add_candidates(interaction, card, error) and not _has_buttons(card):
        card.buttons(next_step(key, then))
    return card


def add_candidates(interaction: discord.Interaction[Any], card: Card, error: Exception) -> bool:
    """List what may have been meant, where the error and the command know it; return whether."""
    entry_of = interaction.extras.get(_CANDIDATES)
    if entry_of is None or not isinstance(error, KioskError) or not error.candidates:
        return False
    entries = map(entry_of, error.candidates)
    card.frame.add_item(ui.ActionRow(action_list(entries, placeholder=t("Did you mean…"))))
    return True


def _has_buttons(card: Card) -> bool:
    return any(isinstance(part, ui.Button) for part in card.walk_children())


def _press(interaction: discord.Interaction[Any]) -> str:
    """Return the folded custom id of what was pressed or meant, if a button can hold it."""
    if _AGAIN in interaction.extras:
        return str(interaction.extras[_AGAIN])
    data = cast("Mapping[str, Any]", interaction.data or {})
    is_button = data.get("component_type") == discord.ComponentType.button.value
    custom_id = pressed(data)
    # Of any other list, nothing tells what was chosen.
    return fold(custom_id) if is_button or custom_id != data.get("custom_id") else ""
