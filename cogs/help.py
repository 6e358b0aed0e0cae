"""`/help`: the commands at a glance, a page for each one of moderators, and where one stands."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from msgspec import Struct

from bot.errors import TokenSource
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import Button, Card
from bot.ui.commands import L, slash
from bot.ui.here import Here
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

AnyCommand = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu


class HelpCog(commands.Cog):
    """Help."""

    def __init__(self, bot: Kiosk) -> None:
        self._tree = bot.tree
        self._accounts = bot.features.accounts
        bot.router.add(self)

    @slash(L("help"), L("What Kiosk can do for you"))
    async def help(self, here: Here) -> None:
        await self._on_help(Press(here, ShowHelp()))

    @route(ShowHelp)
    async def _on_help(self, press: Press[ShowHelp]) -> None:
        here = press.here
        standing = Standing(
            is_linked=await self._accounts.is_linked(here.member_id),
            is_set_up=any([await here.names(kind) for kind in PlaceKind]),
            permissions=None if here.server is None else here.permissions,
            source=self._accounts.source,
        )
        pages = Pages(self._tree.get_commands(), self._tree.ids, standing)
        await here.answer(pages.card(press.action.command))


class Standing(Struct, frozen=True):
    """The state of a member's account and server; `permissions` is None outside a server."""

    is_linked: bool
    is_set_up: bool
    permissions: discord.Permissions | None
    source: TokenSource


class Pages:
    """The pages of help for a member; `ids` are Discord's ids of the commands, to press them by."""

    def __init__(
        self, commands: Sequence[AnyCommand], ids: Mapping[str, int], standing: Standing
    ) -> None:
        usable = [each for each in commands if _may_use(each, standing.permissions)]
        self._menus = [each for each in usable if isinstance(each, app_commands.ContextMenu)]
        self._commands = {
            each.name: each for each in usable if not isinstance(each, app_commands.ContextMenu)
        }
        self._ids = ids
        self._standing = standing

    def card(self, name: str = "") -> Card:
        """Return everybody's page, or that of a command for moderators."""
        card = Card(theme.CALM)
        if name in self._commands:
            card.say("\n".join(self._lines(self._commands[name])))
            permissions = self._standing.permissions
            may_set_up = permissions is not None and permissions.manage_guild
            back = action_button(ShowHelp(), t("Back"))
            card.buttons(back, *([setup_button()] if may_set_up else []))
            return card
        self._greet(card)
        restricted: list[Button] = []
        for command in self._commands.values():
            if command.default_permissions is not None:
                restricted.append(action_button(ShowHelp(command.name), f"/{t(command.name)}"))
                continue
            card.divide()
            card.say("\n".join(self._lines(command)))
        if self._menus:
            card.divide()
            names = ", ".join(t(menu.name) for menu in self._menus)
            card.say(t("In a message's menu, under Apps: %(menus)s", menus=names))
        links = (
            (orders_button(),) if self._standing.is_linked else link_buttons(self._standing.source)
        )
        card.buttons(*links, places_button())
        if restricted:
            card.say("-# " + t("For moderators"))
            card.buttons(*restricted)
        return card

    def _greet(self, card: Card) -> None:
        standing = self._standing
        greeting = t("The game's forum and shop, right here. You read and shop as yourself.")
        card.say(f"## Kiosk\n{greeting}")
        if not standing.is_linked:
            start = t("**Start here:** link your game account.")
            card.say("\n".join(filter(None, [start, token_words(standing.source)])))
        if not standing.is_set_up and standing.permissions is not None:
            begin = t("Nothing is set up here yet: ask a moderator to begin.")
            if standing.permissions.manage_guild:
                begin = t(
                    "Nothing is set up here yet: name the first thread and the first catalog."
                )
            card.say(begin)

    def _lines(
        self, command: app_commands.Command[Any, ..., Any] | app_commands.Group
    ) -> Iterator[str]:
        if isinstance(command, app_commands.Command):
            yield self._line(command)
            return
        yield f"**{t(command.description)}**"
        for child in sorted(command.walk_commands(), key=_place):
            if isinstance(child, app_commands.Command) and _may_use(
                child, self._standing.permissions
            ):
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


def _may_use(command: AnyCommand, permissions: discord.Permissions | None) -> bool:
    """Return whether Discord shows a command to a member, unless a server says otherwise.

    The application's owner knows of theirs.
    """
    if command.name == "operator":
        return False
    needed = command.default_permissions
    if needed is None:
        return True
    return permissions is not None and (permissions.administrator or permissions >= needed)


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(HelpCog(bot))
