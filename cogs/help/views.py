"""The help card: a page for everybody, and one for moderators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discord
from discord import app_commands

from bot.domain.links import TokenSource
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ActionButton
from bot.ui.cards import Card
from bot.ui.shared_actions import (
    ShowHelp,
    link_buttons,
    orders_button,
    places_button,
    setup_button,
    token_words,
)

_OPERATOR = "operator"

AnyCommand = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu


@dataclass(frozen=True)
class Standing:
    """Where a member stands; `permissions` are theirs where they are, None outside a server."""

    is_linked: bool
    is_set_up: bool
    permissions: discord.Permissions | None
    source: TokenSource


class Pages:
    """What a member can use; `ids` are Discord's ids of the commands, to press them by."""

    def __init__(
        self, commands: Sequence[AnyCommand], ids: Mapping[str, int], standing: Standing
    ) -> None:
        self._commands = [each for each in commands if _may_use(each, standing.permissions)]
        self._ids = ids
        self._standing = standing

    def card(self, *, for_moderators: bool) -> Card:
        """Return one of the pages."""
        card = Card(theme.CALM)
        if for_moderators:
            card.say(f"## {t('Kiosk for moderators')}")
        else:
            self._greet(card)
        menus: list[str] = []
        for command in self._commands:
            if (command.default_permissions is not None) != for_moderators:
                continue
            if isinstance(command, app_commands.ContextMenu):
                menus.append(t(command.name))
            else:
                card.divide()
                card.say("\n".join(self._lines(command)))
        if menus:
            card.divide()
            card.say(t("In a message's menu, under Apps: %(menus)s", menus=", ".join(menus)))
        card.buttons(*self._buttons(for_moderators=for_moderators))
        return card

    def _greet(self, card: Card) -> None:
        standing = self._standing
        greeting = t("The game's forum and shop, right here. You read and shop as yourself.")
        card.say(f"## Kiosk\n{greeting}")
        if not standing.is_linked:
            start = t("**Start here:** link your game account.")
            card.say("\n".join(filter(None, [start, token_words(standing.source)])))
        if not standing.is_set_up and standing.permissions is not None:
            may_set_up = standing.permissions.manage_guild
            card.say(
                t("Nothing is set up here yet: name the first thread and the first catalog.")
                if may_set_up
                else t("Nothing is set up here yet: ask a moderator to begin.")
            )

    def _buttons(self, *, for_moderators: bool) -> Iterator[discord.ui.Button[Any]]:
        standing = self._standing
        if for_moderators:
            if standing.permissions is not None and standing.permissions.manage_guild:
                yield setup_button()
            yield ActionButton(ShowHelp(), t("Back"))
            return
        if not standing.is_linked:
            yield from link_buttons(standing.source)
        yield places_button()
        if standing.is_linked:
            yield orders_button()
        if any(command.default_permissions is not None for command in self._commands):
            yield ActionButton(ShowHelp(for_moderators=True), t("For moderators"), emoji="🛡️")

    def _lines(
        self, command: app_commands.Command[Any, ..., Any] | app_commands.Group
    ) -> Iterator[str]:
        if isinstance(command, app_commands.Command):
            yield self._line(command)
            return
        yield f"**{t(command.description)}**"
        for child in command.walk_commands():
            if isinstance(child, app_commands.Command):
                yield self._line(child)

    def _line(self, command: app_commands.Command[Any, ..., Any]) -> str:
        root = command.root_parent or command
        name = command.qualified_name
        own_name = " ".join(t(part) for part in name.split())
        shown = f"`/{own_name}`"
        if root.name in self._ids:
            # Discord shows the English name in what can be pressed, whoever reads it.
            pressable = f"</{name}:{self._ids[root.name]}>"
            shown = pressable if own_name == name else f"{pressable} ({own_name})"
        return f"{shown} {t(command.description)}"


def _may_use(command: AnyCommand, permissions: discord.Permissions | None) -> bool:
    """Return whether Discord shows a command to a member, unless a server says otherwise.

    The application's owner knows of theirs.
    """
    if command.name == _OPERATOR:
        return False
    needed = command.default_permissions
    if needed is None:
        return True
    return permissions is not None and (permissions.administrator or permissions >= needed)
