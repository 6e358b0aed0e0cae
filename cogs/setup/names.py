"""A server's names: what buttons and forms mean, the forms, and the cards that follow."""

from collections.abc import Sequence
from contextlib import suppress

import discord

from bot.features.names import LONGEST_NAME, Place
from bot.features.panels import Proof
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import Action, ActionForm, action_button, quoted
from bot.ui.cards import MOST_CHARACTERS, Button, Card, notice
from bot.ui.shared_actions import ShowSetup, setup_button
from bot.ui.text import escape, fitting, one_line
from storage.names import Named, PlaceKind

ID, NAME = "id", "name"
_PROOF_ROOM, _WRITER_ROOM = 60, 30


class OpenAddForm(Action, kind="setup.add_form"):
    """Open the form that names a thread or catalog."""

    place: PlaceKind


class SendName(Action, kind="setup.add"):
    """A number and a name were typed."""

    place: PlaceKind


class KeepName(Action, kind="keep"):
    """Keep the name of what the game doesn't have."""

    place: PlaceKind
    game_id: int
    quoted_name: str


class _OfPlace(Action):
    place: PlaceKind
    game_id: int


class ShowNamed(_OfPlace, kind="setup.named"):
    """Show what can be done with a name."""


class OpenRenameForm(_OfPlace, kind="setup.rename_form"):
    """Open the form for another name."""


class SendNewName(_OfPlace, kind="setup.rename"):
    """Another name was typed."""


class RemoveName(_OfPlace, kind="setup.remove"):
    """Take a name away."""


class PostPanel(Action, kind="setup.panel"):
    """Post the panel in this channel."""


class RemovePanel(Action, kind="setup.no_panel"):
    """Take the panel away."""


def add_form(kind: PlaceKind) -> ActionForm:
    """Ask for a number and a name; the fields are ID and NAME."""
    is_thread = kind is PlaceKind.THREAD
    title = t("Add a thread") if is_thread else t("Add a catalog")
    form = ActionForm(SendName(kind), title=title)
    told = t("The number by which the game knows it, such as 12.")
    form.ask_text(t("Number in the game"), ID, longest=20, is_long=False, description=told)
    _ask_name(form, "")
    return form


def rename_form(kind: PlaceKind, game_id: int, name: str) -> ActionForm:
    """Ask for another name; the field is NAME."""
    form = ActionForm(SendNewName(kind, game_id), title=t("Rename"))
    _ask_name(form, name)
    return form


def _ask_name(form: ActionForm, name: str) -> None:
    told = t("What members will call it")
    form.ask_text(t("Name"), NAME, longest=LONGEST_NAME, is_long=False, text=name, description=told)


def added_card(place: Place, proof: Proof) -> Card:
    """Say which name now stands for what, and what the game shows of it."""
    name = escape(place.name or "")
    if place.kind is PlaceKind.THREAD:
        title = t("Thread %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/forum read`.")
    else:
        title = t("Catalog %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/shop browse`.")
    shown = proof_words(place.kind, proof)
    return notice(
        title,
        f"{body}\n-# {t('In the game: %(shown)s', shown=shown)}",
        colour=theme.GOOD,
        buttons=(setup_button(), _add_button(place.kind)),
    )


def not_in_game_card(kind: PlaceKind, game_id: int, name: str) -> Card:
    """Ask before a name is kept for what the game doesn't have."""
    if kind is PlaceKind.THREAD:
        title = t("The game has no thread %(id)s", id=game_id)
    else:
        title = t("The game has no catalog %(id)s", id=game_id)
    again = action_button(
        OpenAddForm(kind), t("Another number"), style=discord.ButtonStyle.primary, emoji="✏️"
    )
    buttons = [again, setup_button()]
    # The longest names don't fit into a button.
    with suppress(ValueError):
        keep = KeepName(kind, game_id, quoted(name, MOST_CHARACTERS))
        buttons.insert(1, action_button(keep, t("Keep it anyway")))
    return notice(
        title,
        t("“%(name)s” is not kept yet. Is the number right?", name=escape(name)),
        colour=theme.PROBLEM,
        buttons=tuple(buttons),
    )


def named_card(place: Place) -> Card:
    """Show one name, and what can be done with it."""
    if place.kind is PlaceKind.THREAD:
        body = t("Thread %(id)s in the game", id=place.game_id)
    else:
        body = t("Catalog %(id)s in the game", id=place.game_id)
    rename = OpenRenameForm(place.kind, place.game_id)
    remove = RemoveName(place.kind, place.game_id)
    return notice(
        escape(place.label),
        body,
        buttons=(
            action_button(rename, t("Rename"), emoji="✏️"),
            action_button(remove, t("Remove"), style=discord.ButtonStyle.danger),
            action_button(ShowSetup(), t("Back")),
        ),
    )


def removed_card(place: Place) -> Card:
    """Say which name is gone."""
    name = escape(place.name or "")
    if place.kind is PlaceKind.THREAD:
        title = t("Thread %(id)s is no longer called “%(name)s”", id=place.game_id, name=name)
    else:
        title = t("Catalog %(id)s is no longer called “%(name)s”", id=place.game_id, name=name)
    return notice(title, t("In the game nothing has changed."), buttons=(setup_button(),))


def panel_on_its_way_card(channel_id: int) -> Card:
    """Say where the panel is going to be."""
    return notice(
        t("The panel is on its way"),
        t(
            "It appears in %(channel)s in a moment, and follows whatever you name from now on.",
            channel=f"<#{channel_id}>",
        ),
        colour=theme.GOOD,
        buttons=(setup_button(),),
    )


def panel_removed_card() -> Card:
    """Say that there is no panel any more."""
    return notice(
        t("The panel is taken away"),
        t("Members still find everything with commands."),
        buttons=(setup_button(),),
    )


def list_card(kind: PlaceKind, names: Sequence[Named]) -> Card:
    """List the names of a kind; says how many did not fit."""
    if kind is PlaceKind.THREAD:
        title = t("Threads of this server")
        empty = t("No thread has a name yet. Give one with `/setup thread add`.")
    else:
        title = t("Catalogs of this server")
        empty = t("No catalog has a name yet. Give one with `/setup catalog add`.")
    if not names:
        return notice(title, empty, buttons=(_add_button(kind),))
    listed = (f"**{escape(named.name)}** · {named.game_id}" for named in names)
    lines = fitting(listed, MOST_CHARACTERS - len(title) - 100)
    left = len(names) - len(lines)
    footer = nt("and %(count)s more", "and %(count)s more", left) if left else ""
    return notice(title, "\n".join(lines), footer=footer, buttons=(setup_button(),))


def proof_words(kind: PlaceKind, proof: Proof) -> str:
    """Say what the game shows of a thread or catalog."""
    text = one_line(proof.text, _PROOF_ROOM)
    if proof.needs_link:
        return t("link your game account, and Kiosk can look whether the game has it")
    if proof.has_it is None:
        return t("the game could not show it just now")
    if not proof.has_it:
        return (
            t("the game has no such thread")
            if kind is PlaceKind.THREAD
            else t("the game has no such catalog")
        )
    if kind is PlaceKind.CATALOG:
        return t("first item: %(name)s", name=text) if text else t("nothing is in it yet")
    if proof.written_at is None:
        return t("nobody has written in it yet")
    when = discord.utils.format_dt(proof.written_at, "R")
    writer = one_line(proof.writer, _WRITER_ROOM)
    return t("newest comment, by %(name)s %(when)s: “%(text)s”", name=writer, when=when, text=text)


def _add_button(kind: PlaceKind) -> Button:
    label = t("Add a thread") if kind is PlaceKind.THREAD else t("Add a catalog")
    return action_button(OpenAddForm(kind), label)
