"""`/help`: the commands at a glance, a page for each one of moderators, and where one stands."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from msgspec import Struct

from bot.errors import TokenSource
from bot.i18n import t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Button, Card
from bot.ui.channels import server_of
from bot.ui.commands import L, slash
from bot.ui.router import Press, route
from bot.ui.shared_actions import (
    ShowHelp,
    link_buttons,
    orders_button,
    places_button,
    setup_button,
    token_words,
)
from storage.names import PlaceKind

_OPERATOR = "operator"

AnyCommand = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu


class HelpCog(commands.Cog):
    """Help."""

    def __init__(self, bot: Kiosk) -> None:
        self._tree = bot.tree
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        bot.router.add(self)

    @slash(L("help"), L("What Kiosk can do for you"))
    async def help(self, interaction: Interaction) -> None:
        """List what a member can use."""
        await self._show(interaction, "")

    @route(ShowHelp)
    async def on_help(self, press: Press[ShowHelp]) -> None:
        """Show a page of it."""
        await self._show(press.interaction, press.action.command)

    async def _show(self, interaction: Interaction, command: str) -> None:
        member_id, server = interaction.user.id, server_of(interaction)
        standing = Standing(
            is_linked=await self._accounts.is_linked(member_id),
            is_set_up=any(
                [
                    await self._directory.all_of_kind(server, kind, member_id=member_id)
                    for kind in PlaceKind
                ]
            ),
            permissions=None if interaction.guild_id is None else interaction.permissions,
            source=self._accounts.source,
        )
        pages = Pages(self._tree.get_commands(), self._tree.ids, standing)
        await answer(interaction, pages.card(command))


class Standing(Struct, frozen=True):
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

    def card(self, name: str = "") -> Card:
        """Return everybody's page, or that of a command for moderators."""
        for command in self._commands:
            if command.name == name and not isinstance(command, app_commands.ContextMenu):
                return self._page_of(command)
        card = Card(theme.CALM)
        self._greet(card)
        for command in self._commands:
            if not isinstance(command, app_commands.ContextMenu) and not _is_restricted(command):
                card.divide()
                card.say("\n".join(self._lines(command)))
        menus = [each for each in self._commands if isinstance(each, app_commands.ContextMenu)]
        if menus:
            card.divide()
            names = ", ".join(t(menu.name) for menu in menus)
            card.say(t("In a message's menu, under Apps: %(menus)s", menus=names))
        card.buttons(*self._buttons())
        restricted = [
            action_button(ShowHelp(command.name), f"/{t(command.name)}")
            for command in self._commands
            if isinstance(command, app_commands.Group) and _is_restricted(command)
        ]
        if restricted:
            card.say("-# " + t("For moderators"))
            card.buttons(*restricted)
        return card

    def _page_of(self, command: app_commands.Command[Any, ..., Any] | app_commands.Group) -> Card:
        card = Card(theme.CALM)
        card.say("\n".join(self._lines(command)))
        permissions = self._standing.permissions
        buttons = [action_button(ShowHelp(), t("Back"))]
        if permissions is not None and permissions.manage_guild:
            buttons.append(setup_button())
        card.buttons(*buttons)
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

    def _buttons(self) -> Iterator[Button]:
        if self._standing.is_linked:
            yield orders_button()
        else:
            yield from link_buttons(self._standing.source)
        yield places_button()

    def _lines(
        self, command: app_commands.Command[Any, ..., Any] | app_commands.Group
    ) -> Iterator[str]:
        if isinstance(command, app_commands.Command):
            yield self._line(command)
            return
        yield f"**{t(command.description)}**"
        for child in sorted(command.walk_commands(), key=_place):
            may_use = _may_use(child, self._standing.permissions)
            if may_use and isinstance(child, app_commands.Command):
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


def _place(command: app_commands.Command[Any, ..., Any] | app_commands.Group) -> tuple[bool, bool]:
    """Return what sorts commands: a cog's own before what other parts add, the short ones first."""
    is_extra = isinstance(command, app_commands.Command) and (
        command.callback.__module__ != type(command.binding).__module__
    )
    return is_extra, command.parent is not command.root_parent


def _is_restricted(command: AnyCommand) -> bool:
    return command.default_permissions is not None


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


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(HelpCog(bot))
