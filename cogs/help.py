"""`/help`: what one can do here, each with its button."""

from collections.abc import Sequence

from discord.ext import commands
from msgspec import Struct

from bot.errors import KioskError
from bot.i18n import nt, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import action_button
from bot.ui.cards import BLUE, GREY, Button, Card
from bot.ui.commands import L, slash
from bot.ui.here import Here
from bot.ui.router import Press, route
from bot.ui.shared_actions import (
    OpenLinkForm,
    ShowAnnouncements,
    ShowCatalogs,
    ShowHelp,
    ShowLatestRemovals,
    ShowMyOrders,
    ShowRules,
    ShowSetup,
    ShowThreads,
    ShowWatches,
    account_button,
)
from bot.ui.text import one_line
from storage.errors import DatabaseError
from storage.names import PlaceKind

_NAME_ROOM = 60


class HelpCog(commands.Cog):
    """Help."""

    def __init__(self, bot: Kiosk) -> None:
        self._accounts = bot.features.accounts
        bot.router.add(self)

    @slash(L("help"), L("What Kiosk can do for you"))
    async def help(self, here: Here) -> None:
        await self._on_help(Press(here, ShowHelp()))

    @route(ShowHelp)
    async def _on_help(self, press: Press[ShowHelp]) -> None:
        here, name = press.here, ""
        is_linked = await self._accounts.is_linked(here.member_id)
        try:
            link = await self._accounts.find(here.member_id)
            name = one_line((link and link.player_name) or "", _NAME_ROOM, is_name=True)
        except (KioskError, DatabaseError):
            # What can't be read is told where it is used.
            pass
        rules = None if here.server is None else await here.features.moderation.rules(here.server)
        may_manage = here.server is not None and here.permissions.manage_guild
        await here.answer(
            help_card(
                Standing(
                    is_linked=is_linked,
                    name=name,
                    is_set_up=any([await here.names(kind) for kind in PlaceKind]),
                    is_in_server=here.server is not None,
                    may_moderate=rules is not None and here.may_moderate(rules.moderator_role_id),
                    may_manage=may_manage,
                    troubles=await _troubles(here) if may_manage else 0,
                )
            )
        )


class Standing(Struct, frozen=True, kw_only=True):
    """What help depends on; `name` is the linked player's, where it is known."""

    is_linked: bool
    name: str
    is_set_up: bool
    is_in_server: bool
    may_moderate: bool
    may_manage: bool
    troubles: int


async def _troubles(here: Here) -> int:
    """Count what is known to be wrong in a server without asking Discord or the game."""
    rules = await here.features.moderation.rules(here.guild_id)
    following = here.features.announcing.following
    stopped = [
        one
        for kind in PlaceKind
        for one in await following.of_guild(here.guild_id, kind)
        if one.pause_reason is not None
    ]
    return len(stopped) + rules.log_is_closed + (not here.features.game_health.is_well)


def help_card(standing: Standing) -> Card:
    account = t("link yours to write and shop")
    if standing.name:
        account = t("you are **%(name)s** in the game", name=standing.name)
    elif standing.is_linked:
        account = t("linked")
    link = action_button(OpenLinkForm(), t("Link account"), style=BLUE, emoji="🔗")
    if standing.is_linked:
        link = account_button()
    first = BLUE if standing.is_linked else GREY
    jobs = [
        (t("Threads"), t("read and write in the game's forum")),
        (t("Catalogs"), t("look at items, buy and redeem them")),
        (t("Watches"), t("hear of items by direct message")),
        (t("Orders"), t("what you bought and redeemed")),
        (t("Account"), account),
    ]
    card = Card(theme.CALM)
    greeting = t("The game's forum and shop, right here. You act as yourself.")
    card.say("\n".join([f"## Kiosk\n{greeting}", *_lines(jobs)]))
    card.buttons(
        action_button(ShowThreads(), t("Threads"), style=first),
        action_button(ShowCatalogs(), t("Catalogs")),
        action_button(ShowWatches(), t("Watches")),
        action_button(ShowMyOrders(), t("Orders")),
        link,
    )
    _add_staff(card, standing)
    if not standing.is_set_up and standing.is_in_server and not standing.may_manage:
        card.say(t("Nothing is set up here yet: ask a manager."))
    menus = [t("Reply to comment"), t("Report comment")]
    if standing.may_moderate:
        menus.append(t("Remove comment"))
    where = t("In a message's menu, under Apps: %(menus)s", menus=", ".join(menus))
    card.say(f"-# {where}")
    return card


def _add_staff(card: Card, standing: Standing) -> None:
    """Add what moderators and managers do, where one of them looks."""
    jobs: list[tuple[str, str]] = []
    buttons: list[Button] = []
    if standing.may_moderate:
        jobs.append((t("Log and rules"), t("what was removed, and what is held back")))
        buttons.append(action_button(ShowLatestRemovals(), t("Log")))
        buttons.append(action_button(ShowRules(), t("Rules")))
    if standing.may_manage:
        setup = t("whether all is well, and everything that can be set")
        if not standing.is_set_up:
            setup = t("nothing is set up here yet: begin there")
        elif standing.troubles:
            setup = nt("⚠️ one thing needs you", "⚠️ %(count)s things need you", standing.troubles)
        jobs.append((t("Setup"), setup))
        jobs.append((t("Announcements"), t("what this server announces")))
        style = GREY if standing.is_set_up or not standing.is_linked else BLUE
        buttons.append(action_button(ShowSetup(), t("Setup"), style=style))
        buttons.append(action_button(ShowAnnouncements(), t("Announcements")))
    if buttons:
        card.divide()
        card.say("\n".join(_lines(jobs)))
        card.buttons(*buttons)


def _lines(jobs: Sequence[tuple[str, str]]) -> list[str]:
    return [f"**{name}** · {words}" for name, words in jobs]


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(HelpCog(bot))
