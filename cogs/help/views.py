"""The help card."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from discord import app_commands

from bot.i18n import t
from bot.ui import theme
from bot.ui.cards import Card

AnyCommand = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu

# Shown only to those who may use it.
_SETUP = "setup"
# For the application's owner, who knows.
_OPERATOR = "operator"


def help_card(
    commands: Sequence[AnyCommand], ids: Mapping[str, int], *, is_linked: bool, may_set_up: bool
) -> Card:
    """List what a member can use; `ids` are Discord's ids of the commands, to press them by."""
    card = Card(theme.CALM)
    card.say(
        "\n".join(
            [
                "## Kiosk",
                t("The game's forum and shop, right here. What you do here, you do as yourself."),
            ]
        )
    )
    if not is_linked:
        card.say(t("**Start here:** link your game account with `/account link`."))
    for command in commands:
        if isinstance(command, app_commands.ContextMenu):
            continue
        if command.name == _OPERATOR or (command.name == _SETUP and not may_set_up):
            continue
        card.divide()
        card.say("\n".join(_lines(command, ids)))
    menus = [
        t(command.name) for command in commands if isinstance(command, app_commands.ContextMenu)
    ]
    if menus:
        card.divide()
        card.say(t("In a message's menu, under Apps: %(menus)s", menus=", ".join(menus)))
    return card


def _lines(
    command: app_commands.Command[Any, ..., Any] | app_commands.Group, ids: Mapping[str, int]
) -> Iterable[str]:
    if isinstance(command, app_commands.Command):
        yield _line(command, ids)
        return
    yield f"**{t(command.description)}**"
    for child in command.walk_commands():
        if isinstance(child, app_commands.Command):
            yield _line(child, ids)


def _line(command: app_commands.Command[Any, ..., Any], ids: Mapping[str, int]) -> str:
    root = command.root_parent or command
    name = command.qualified_name
    own_name = " ".join(t(part) for part in name.split())
    # Discord shows the English name in what can be pressed, whatever the reader's language.
    is_pressable = root.name in ids and own_name == name
    shown = f"</{name}:{ids[root.name]}>" if is_pressable else f"`/{own_name}`"
    return f"{shown} {t(command.description)}"
