"""Show every failure to members: what went wrong, what the game said, and what to do now."""

import logging
import secrets
from collections import abc
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, cast

import aiohttp
import discord
from discord import app_commands

from bot import errors
from bot.game import game_errors
from bot.i18n import N_, listed, number, speaking, t
from bot.log import place_of
from bot.ui import custom_ids, drawing, forms, markdown, shared_actions, theme
from bot.ui.here import TOKEN_FIELD, Here
from storage import storage_errors

log = logging.getLogger(__name__)

_MAX_QUOTE_LENGTH = 300
_MAX_TYPED_LENGTH = 3000
_BAD_REQUEST = 400
_SERVER_ERROR = 500

_BUTTONS: abc.Mapping[errors.Step, abc.Callable[[], drawing.Button]] = {
    errors.Step.PLACES: lambda: shared_actions.places_button(style=drawing.BLUE),
    errors.Step.THREADS: lambda: shared_actions.places_button(
        t("Choose a thread"), style=drawing.BLUE
    ),
    errors.Step.CATALOGS: lambda: shared_actions.places_button(
        t("Choose a catalog"), style=drawing.BLUE
    ),
    errors.Step.WATCHES: partial(shared_actions.watches_button, style=drawing.BLUE),
    errors.Step.SETUP: partial(shared_actions.setup_button, style=drawing.BLUE),
    errors.Step.ANNOUNCEMENTS: partial(shared_actions.announcements_button, style=drawing.BLUE),
}
_OF_MANAGERS = (errors.Step.SETUP, errors.Step.ANNOUNCEMENTS)


class _NoRecords(errors.ExplainedError):
    title = N_("Kiosk can't use its database")
    body = N_("Kiosk's database isn't answering, or can't save anything right now.")
    next_step = N_(
        "Try again in a minute. Kiosk finishes what was already on its way and tells you the"
        " result."
    )


class _PerhapsSaved(errors.ExplainedError, step=errors.Step.HELP):
    title = N_("Kiosk may not have saved this")
    body = N_("Kiosk lost the connection to its database while it was saving.")
    next_step = N_("Check if it was saved before you try again.")


class _DiscordAway(errors.ExplainedError):
    title = N_("Discord isn't answering Kiosk")
    body = N_("Kiosk needs an answer from Discord to do this.")
    next_step = N_("Try again in a minute.")
    is_fault = False


def explained(error: Exception) -> errors.ExplainedError:
    """Return an error with its texts. An error that isn't Kiosk's or Discord's is a fault."""
    if isinstance(error, errors.ExplainedError):
        return error
    if isinstance(error, app_commands.NoPrivateMessage):
        return errors.ServerOnly()
    if isinstance(error, app_commands.CommandSignatureMismatch | app_commands.CommandNotFound):
        return errors.CommandChanged()
    if isinstance(error, discord.HTTPException) and error.status >= _SERVER_ERROR:
        return _DiscordAway()
    if isinstance(error, storage_errors.DatabaseError):
        return _PerhapsSaved() if isinstance(error, storage_errors.CommitUnknown) else _NoRecords()
    return errors.ExplainedError()


def error_card(
    error: Exception,
    reference: str = "",
    *,
    resume_id: custom_ids.Folded = custom_ids.NOTHING_FOLDED,
    buttons: tuple[drawing.Button, ...] = (),
) -> drawing.Card:
    """Say what went wrong, or what the game said about it, and what to do next.

    Unless `buttons` are given, the card of a missing link has buttons to link. Linking leads on to
    the folded press `resume_id`.
    """
    problem = explained(error)
    values = {name: _shown(value, name) for name, value in problem.values.items()}
    # The game's own words are exact. Kiosk's may be a guess.
    said = problem.message if isinstance(problem, game_errors.GameError) else None
    lines = [game_says(said) or t(problem.body, **values)]
    if said and not isinstance(problem, game_errors.UnknownOutcome):
        lines.append(t("Nothing was changed."))
    when = answers_again(problem)
    lines.append(when)
    if problem.next_step and not when:
        lines.append(t(problem.next_step, **values))
    if problem.step is errors.Step.LINK:
        source = cast("errors.TokenSource", problem.values.get("source", errors.TokenSource()))
        lines.append(shared_actions.token_words(source))
        buttons = buttons or shared_actions.link_buttons(source, resume_id)
    return drawing.notice(
        t(problem.title, **values),
        "\n".join(filter(None, lines)),
        colour=_colour_of(problem),
        footer=t("Reference: %(reference)s", reference=reference) if problem.is_fault else "",
        buttons=buttons,
    )


def _colour_of(problem: errors.ExplainedError) -> discord.Colour:
    if isinstance(problem, errors.NotLinked):
        return theme.ACCOUNT
    return theme.CALM if problem.step is errors.Step.CHOOSE else theme.PROBLEM


def add_next_step(here: Here, card: drawing.Card, error: Exception) -> None:
    """Offer what the member may have meant, or a next step if the card has no button yet."""
    problem = explained(error)
    if role_id := problem.values.get("moderators"):
        card.say(t("This server's moderator role is %(role)s.", role=f"<@&{role_id}>"))
    if isinstance(problem, errors.NothingNamed) and here.may_manage:
        card.say(t("You can set this up. Add your first thread and your first catalog."))
        card.buttons(shared_actions.setup_button(style=drawing.BLUE))
    elif here.entry_of is not None and problem.candidates:
        entries = map(here.entry_of, problem.candidates)
        is_alike = isinstance(problem, errors.SeveralFit)
        placeholder = here.candidates_placeholder or (
            t("Did you mean…") if is_alike else t("Choose one…")
        )
        card.choose(entries, placeholder)
    elif not any(part["type"] == drawing.BUTTON for part in drawing.parts_of(card.components)):
        resume_id = press_of(here)
        buttons = list[drawing.Button]()
        may_help = problem.step is errors.Step.AGAIN or bool(here.filled)
        if resume_id and may_help and not problem.is_over:
            buttons.append(again_button(here, resume_id))
        if problem.step is errors.Step.UNSENT:
            buttons.append(
                shared_actions.unsent_button(style=drawing.GREY if buttons else drawing.BLUE)
            )
        elif not buttons:
            is_theirs = here.may_manage or problem.step not in _OF_MANAGERS
            offer = _BUTTONS.get(problem.step) if is_theirs else None
            buttons.append((offer or shared_actions.help_button)())
        card.buttons(*buttons)
    offer_report(here, card, error)


def offer_report(here: Here, card: drawing.Card, error: Exception) -> None:
    """Add a link to the operator's support page if the operator has to fix the error."""
    support_url = here.features.contact.support_url
    problem = explained(error)
    if support_url and (problem.is_fault or problem.is_for_operator):
        card.buttons(drawing.page_button(support_url, t("Report a problem")))


def again_button(here: Here, resume: custom_ids.Action | custom_ids.Folded) -> drawing.Button:
    """Return "Try again" for an action or a folded press. A refused form opens as it was."""
    resume_id = (
        custom_ids.fold(resume.custom_id()) if isinstance(resume, custom_ids.Action) else resume
    )
    custom_id = _as_it_was(here, resume_id)
    return drawing.button(custom_id, t("Try again"), style=drawing.BLUE, emoji="🔁")


def _as_it_was(here: Here, resume_id: custom_ids.Folded) -> str:
    """Return the custom id of a folded press, or one that reopens its form as it was filled in."""
    if resume_id and here.filled and here.interaction.client.router.opens_form(resume_id):
        here.interaction.client.router.refused.keep(here.interaction.id, here.filled)
        # Without room for both, the form opens as it usually does.
        with suppress(ValueError):
            return forms.OpenAgain(here.interaction.id, resume_id).custom_id()
    return custom_ids.unfold(resume_id)


def game_says(said: str | None) -> str:
    """Return what the game said as a quote, "" if it said nothing."""
    return t("The game says: “%(quote)s”", quote=_shown(said)) if said else ""


def answers_again(error: Exception | None) -> str:
    """Return when the game accepts requests again, "" if it didn't say."""
    if not isinstance(error, game_errors.RateLimited) or error.retry_at is None:
        return ""
    return t(
        "The game accepts requests again %(when)s. Try again then.", when=_shown(error.retry_at)
    )


def title_of(code: str) -> str:
    """Return the title of a game's or a link's error by its code."""
    return t(errors.ExplainedError.by_code.get(code, game_errors.MalformedResponse).title)


def _shown(value: object, name: str = "") -> str:
    if isinstance(value, datetime):
        return discord.utils.format_dt(value, "f" if name == "until" else "R")
    if isinstance(value, int):
        return number(value)
    if isinstance(value, list):
        value = listed(cast("list[str]", value))
    return markdown.one_line(str(value), _MAX_QUOTE_LENGTH)


def told_card(here: Here, error: Exception, reference: str) -> drawing.Card:
    """Return an error's card with a next step. After linking, the interrupted press is done."""
    resume_id = custom_ids.NOTHING_FOLDED
    if explained(error).step is errors.Step.LINK:
        resume_id = _resume_of(here)
        resume_id = custom_ids.fold(_as_it_was(here, resume_id)) or resume_id
    card = error_card(error, reference, resume_id=resume_id)
    add_next_step(here, card, error)
    return card


async def answer_error(here: Here, error: Exception) -> None:
    """Show an error to the member, and log it under the reference on the card."""
    if isinstance(error, app_commands.CommandInvokeError):
        error = error.original
    reference = log_error(error)
    try:
        if here.interaction.type is discord.InteractionType.autocomplete:
            if not here.interaction.response.is_done():
                await here.interaction.response.autocomplete([])
            return
        card = told_card(here, error, reference)
        if isinstance(error, storage_errors.DatabaseError):
            # The text that was to be saved is nowhere else.
            await send_with_texts(here, card, typed_texts(here))
        elif here.interaction.type is discord.InteractionType.application_command:
            await here.answer(card)
        else:
            # The pressed card stays, so that the member can return to it.
            await here.send_private(card)
    except Exception as failure:
        # Discord is down, or the time to answer is over.
        extra = {"reference": reference}
        traceback = _traceback(failure)
        words = _in_words(failure)
        log.warning("Can't show an error card: %s", words, exc_info=traceback, extra=extra)


async def show_error(
    here: Here,
    error: errors.ExplainedError,
    *,
    send: abc.Callable[[drawing.Card], abc.Awaitable[object]] | None = None,
) -> None:
    with speaking(here.interaction.locale), suppress(discord.DiscordException, OSError):
        card = error_card(error)
        if isinstance(here.interaction.command, app_commands.Command) and not press_of(here):
            card.say(f"`/{here.interaction.command.qualified_name}`")
        add_next_step(here, card, error)
        await send_with_texts(here, card, typed_texts(here), send=send)


def log_error(error: Exception) -> str:
    """Log an error and the request to the game. Return the reference to find it by."""
    reference = secrets.token_hex(3).upper()
    extra: dict[str, object] = {"reference": reference, "place": place_of(error)}
    for cause in _causes(error):
        if isinstance(cause, game_errors.GameError) and cause.asked is not None:
            method, path = cause.asked
            extra |= {"method": method, "path": path, "status": cause.status}
            break
    level = logging.ERROR if explained(error).is_fault else logging.INFO
    log.log(level, "Error: %s", _in_words(error), exc_info=_traceback(error), extra=extra)
    return reference


def _traceback(error: Exception) -> Exception | None:
    """Return the error if its traceback helps: not one of Kiosk's, nor one of any network."""
    # discord.py lets the last two through.
    usual = (
        errors.ExplainedError
        | storage_errors.DatabaseError
        | discord.DiscordException
        | aiohttp.ClientError
        | OSError
    )
    is_our_mistake = isinstance(error, discord.HTTPException) and error.status == _BAD_REQUEST
    return error if is_our_mistake or not isinstance(error, usual) else None


def _in_words(error: Exception) -> str:
    said = ((type(cause).__name__, " ".join(str(cause).split())) for cause in _causes(error))
    return ", from ".join(
        f"{name}: {text}" if text not in ("", name) else name for name, text in said
    )


def _causes(error: BaseException | None) -> abc.Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _resume_of(here: Here) -> custom_ids.Folded:
    """Return the folded press that continues what was asked, once the member has linked.

    A press that no button has room for is remembered, and so is a command with its options.
    """
    custom_id = _pressed(here)
    router = here.interaction.client.router
    do = partial(router.press, custom_id=custom_id) if custom_id else here.repeat
    if (folded := custom_ids.fold(custom_id)) or do is None:
        return folded
    router.interrupted.keep(here.interaction.id, do)
    return custom_ids.fold(forms.DoAgain(here.interaction.id).custom_id())


def press_of(here: Here) -> custom_ids.Folded:
    """Return the folded custom id of what was pressed or meant, if it fits in a button."""
    return custom_ids.fold(_pressed(here))


def _pressed(here: Here) -> str:
    """Return the custom id of what was pressed or meant, "" if it has none."""
    if isinstance(here.again, custom_ids.Action):
        return here.again.custom_id()
    if here.again is not None:
        return custom_ids.unfold(here.again)
    data = cast("abc.Mapping[str, Any]", here.interaction.data or {})
    is_button = data.get("component_type") == discord.ComponentType.button.value
    custom_id = custom_ids.pressed(data)
    # In any other list, the custom id doesn't say what was chosen.
    return custom_id if is_button or custom_id != data.get("custom_id") else ""


async def send_with_texts(
    here: Here,
    card: drawing.Card,
    texts: abc.Sequence[str],
    *,
    send: abc.Callable[[drawing.Card], abc.Awaitable[object]] | None = None,
) -> None:
    """Send a card with texts to copy on it, and as many more cards as they need."""
    cards = [card]
    for place, text in enumerate(texts):
        if place and markdown.room_for(text) > cards[-1].room:
            cards.append(drawing.Card(theme.CALM))
        else:
            cards[-1].divide()
        cards[-1].say(text)
    await (send or here.send_private)(card)
    for more in cards[1:]:
        await here.send_private(more)


def typed_texts(here: Here) -> abc.Sequence[str]:
    """Return what was typed, except a token, in parts that fit on a card."""
    data = cast("abc.Mapping[str, Any]", here.interaction.data or {})
    texts = [
        str(field.get("value") or "")
        for field in drawing.parts_of(data.get("components") or ())
        if field.get("type") == discord.ComponentType.text_input.value
        and field.get("custom_id") != TOKEN_FIELD
    ]
    if isinstance(here.interaction.command, app_commands.Command):
        # Options that are typed freely, not picked from a list.
        texts += [
            str(getattr(here.interaction.namespace, option.name, None) or "")
            for option in here.interaction.command.parameters
            if option.type is discord.AppCommandOptionType.string
            and not (option.autocomplete or option.choices)
        ]
    return [page for text in texts for page in markdown.paginate(text, _MAX_TYPED_LENGTH)]
