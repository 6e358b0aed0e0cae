"""Naming threads and catalogs: actions, forms and cards."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import discord

from bot.features.names import LONGEST_NAME, Place
from bot.features.panels import Proof
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import (
    Action,
    ListEntry,
    action_button,
    action_list,
    question,
    quoted,
    step_buttons,
)
from bot.ui.cards import BLUE, GREY, MOST_CHARACTERS, Button, Card, notice
from bot.ui.forms import ActionForm
from bot.ui.shared_actions import ShowSetup, setup_button
from bot.ui.text import escape, one_line
from storage.names import Named, PlaceKind

ID, NAME = "id", "name"
_NAME_ROOM, _PROOF_ROOM, _WRITER_ROOM = 60, 60, 30
# Of each kind a page shows so many: with what the game shows of them, two kinds fit on a card.
NAMES_SHOWN = 6
_FOUND, _MISSING, _OPEN = "✅", "⚠️", "❔"


class OpenAddForm(Action, kind="setup.add_form"):
    """Open the form that names a thread or catalog."""

    place: PlaceKind


# A number and a name were typed.
SendName = OpenAddForm.of_kind("setup.add")


class KeepName(Action, kind="keep"):
    """Keep the name of what the game doesn't have."""

    place: PlaceKind
    game_id: int
    quoted_name: str


class OfPlace(Action):
    place: PlaceKind
    game_id: int


ShowNamed = OfPlace.of_kind("setup.named")
OpenRenameForm = OfPlace.of_kind("setup.rename_form")
SendNewName = OfPlace.of_kind("setup.rename")
RemoveName = OfPlace.of_kind("setup.remove")
AskRemoveName = OfPlace.of_kind("setup.ask_remove")


class ShowNames(Action, kind="setup.names"):
    """Show the threads or the catalogs that have a name, a page of them counted from 0."""

    place: PlaceKind
    page: int = 0


def add_form(kind: PlaceKind) -> ActionForm:
    """Ask for a number and a name; the fields are ID and NAME."""
    is_thread = kind is PlaceKind.THREAD
    title = t("Add a thread") if is_thread else t("Add a catalog")
    form = ActionForm(SendName(kind), title=title)
    hint = t("The number by which the game knows it, such as 12.")
    form.ask_line(t("Number in the game"), ID, hint, longest=20, is_required=True)
    _ask_name(form, "")
    return form


def rename_form(kind: PlaceKind, game_id: int, name: str) -> ActionForm:
    form = ActionForm(SendNewName(kind, game_id), title=t("Rename"))
    _ask_name(form, name)
    return form


def _ask_name(form: ActionForm, name: str) -> None:
    hint = t("What members will call it")
    form.ask_line(t("Name"), NAME, hint, longest=LONGEST_NAME, text=name, is_required=True)


def added_card(place: Place, proof: Proof) -> Card:
    name = escape(place.name or "")
    if place.kind is PlaceKind.THREAD:
        title = t("Thread %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/forum read`.")
    else:
        title = t("Catalog %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/shop browse`.")
    shown = _proof_words(place.kind, proof)
    return notice(
        title,
        f"{body}\n-# {t('In the game: %(shown)s', shown=shown)}",
        colour=theme.GOOD,
        buttons=(setup_button(), _add_button(place.kind)),
    )


def not_in_game_card(kind: PlaceKind, game_id: int, name: str) -> Card:
    title = t("The game has no catalog %(id)s", id=game_id)
    if kind is PlaceKind.THREAD:
        title = t("The game has no thread %(id)s", id=game_id)
    again = action_button(OpenAddForm(kind), t("Another number"), style=BLUE)
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
    body = t("Catalog %(id)s in the game", id=place.game_id)
    if place.kind is PlaceKind.THREAD:
        body = t("Thread %(id)s in the game", id=place.game_id)
    rename = OpenRenameForm(place.kind, place.game_id)
    buttons = (
        action_button(rename, t("Rename"), style=BLUE),
        action_button(AskRemoveName(place.kind, place.game_id), t("Remove…")),
        action_button(ShowNames(place.kind), t("Back")),
    )
    return notice(escape(place.label), body, buttons=buttons)


def ask_remove_card(place: Place, count: int) -> Card:
    """Ask before the name goes of what is announced or followed so many times."""
    title = t("Remove the name “%(name)s”?", name=escape(place.name or ""))
    body = nt(
        "%(count)s announcement of it goes on, and is called by its number.",
        "%(count)s announcements of it go on, and are called by its number.",
        count,
    )
    where = place.kind, place.game_id
    return question(title, body, RemoveName(*where), t("Remove"), ShowNamed(*where))


def names_card(
    kind: PlaceKind,
    names: Sequence[Named],
    page: int,
    proofs: Mapping[tuple[PlaceKind, int], Proof],
    changed: str = "",
) -> Card:
    is_thread = kind is PlaceKind.THREAD
    title = t("Threads of this server") if is_thread else t("Catalogs of this server")
    last = max(len(names) - 1, 0) // NAMES_SHOWN
    page = min(max(page, 0), last)
    shown = names[page * NAMES_SHOWN : (page + 1) * NAMES_SHOWN]
    card = Card(theme.CALM)
    lines = [f"## {title}", f"**{changed}**" if changed else "", *_names(kind, shown, proofs)]
    card.say("\n".join(filter(None, lines)))
    if shown:
        entries = [
            ListEntry(each.name, ShowNamed(kind, each.game_id), str(each.game_id)) for each in shown
        ]
        card.choose(action_list(entries, placeholder=t("Open…")))
    buttons = [_add_button(kind, style=BLUE), action_button(ShowSetup(), t("Back"))]
    if last:
        before = ShowNames(kind, page - 1) if page else None
        after = ShowNames(kind, page + 1) if page < last else None
        buttons[1:1] = step_buttons(before, after)
    card.buttons(*buttons)
    return card


def _proof_words(kind: PlaceKind, proof: Proof) -> str:
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


def _add_button(kind: PlaceKind, *, style: discord.ButtonStyle = GREY) -> Button:
    label = t("Add a thread") if kind is PlaceKind.THREAD else t("Add a catalog")
    return action_button(OpenAddForm(kind), label, style=style)


def _names(
    kind: PlaceKind, names: Sequence[Named], proofs: Mapping[tuple[PlaceKind, int], Proof]
) -> Iterator[str]:
    for named in names:
        proof = proofs.get((kind, named.game_id), Proof())
        mark = {True: _FOUND, False: _MISSING, None: _OPEN}[proof.has_it]
        yield f"{mark} {one_line(named.name, _NAME_ROOM)} · {named.game_id}"
        yield f"-# {_proof_words(kind, proof)}"
    if not names:
        yield t("None yet.")
