"""The forms that name threads and catalogs."""

from typing import Any

from discord import ui

from bot.domain.names import PlaceKind
from bot.features.names import LONGEST_NAME
from bot.i18n import t
from bot.ui.actions import ActionForm
from cogs.setup.actions import SendName, SendNewName

ID, NAME = "id", "name"


def add_form(kind: PlaceKind) -> ActionForm:
    """Ask for a number and a name; the fields are ID and NAME."""
    is_thread = kind is PlaceKind.THREAD
    title = t("Add a thread") if is_thread else t("Add a catalog")
    form = ActionForm(SendName(kind), title=title)
    number: ui.TextInput[Any] = ui.TextInput(custom_id=ID, max_length=20)
    form.ask(
        t("Number in the game"),
        number,
        description=t("The number by which the game knows it, such as 12."),
    )
    _ask_name(form, "")
    return form


def rename_form(kind: PlaceKind, game_id: int, name: str) -> ActionForm:
    """Ask for another name; the field is NAME."""
    form = ActionForm(SendNewName(kind, game_id), title=t("Rename"))
    _ask_name(form, name)
    return form


def _ask_name(form: ActionForm, name: str) -> None:
    field: ui.TextInput[Any] = ui.TextInput(
        custom_id=NAME, default=name or None, max_length=LONGEST_NAME
    )
    form.ask(t("Name"), field, description=t("What members will call it"))
