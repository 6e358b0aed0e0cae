"""What moderators see of their server's names."""

from collections.abc import Sequence
from contextlib import suppress

import discord

from bot.domain.names import Named, PlaceKind
from bot.features.names import Place
from bot.features.panels import Proof
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import MOST_CHARACTERS, Button, Card, notice
from bot.ui.shared_actions import ShowSetup, setup_button
from bot.ui.text import escape, fitting
from cogs.setup.actions import KeepName, OpenAddForm, OpenRenameForm, RemoveName
from cogs.setup.views.overview import proof_words


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
        keep = KeepName.of(kind, game_id, name)
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
        escape(place.name or str(place.game_id)),
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


def _add_button(kind: PlaceKind) -> Button:
    label = t("Add a thread") if kind is PlaceKind.THREAD else t("Add a catalog")
    return action_button(OpenAddForm(kind), label)
