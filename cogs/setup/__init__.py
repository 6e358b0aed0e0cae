"""`/setup`: moderators name the threads and catalogs of their server."""

from urllib.parse import unquote

import discord
from discord import Permissions, app_commands
from discord.ext import commands

from bot.errors import BadId
from bot.features.names import LONGEST_NAME, Place, read_id
from bot.features.panels import Listed, Proof
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action
from bot.ui.commands import ChannelOption, L, Option, slash, suggest_names
from bot.ui.here import MANAGER, Here
from bot.ui.permissions import Use, judge, lacking_card
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowPlaces, ShowSetup
from cogs.setup import cards
from cogs.setup.cards import (
    KeepName,
    OfPlace,
    OpenAddForm,
    OpenRenameForm,
    PostPanel,
    RemoveName,
    RemovePanel,
    SendName,
    SendNewName,
    ShowNamed,
)
from cogs.setup.check import CheckSetup
from cogs.setup.moderation import ModerationSetup
from cogs.setup.panels import PanelKind, places_card
from storage.names import PlaceKind

Name = app_commands.Range[str, 1, LONGEST_NAME]
PanelChannel = app_commands.Transform[
    int, ChannelOption(discord.ChannelType.text, discord.ChannelType.news)
]


_OPTIONS = {
    "channel": Option(L("channel"), L("Where to post it; leave it out to take it away")),
    "thread_id": Option(L("id"), L("The thread's number in the game")),
    "catalog_id": Option(L("id"), L("The catalog's number in the game")),
    "name": Option(L("name"), L("What members will call it")),
    "thread": Option(
        L("thread"), L("The thread's name, or its number"), suggest_names(PlaceKind.THREAD)
    ),
    "catalog": Option(
        L("catalog"), L("The catalog's name, or its number"), suggest_names(PlaceKind.CATALOG)
    ),
}


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(Permissions(manage_guild=True))
class SetupCog(
    CheckSetup,
    ModerationSetup,
    commands.GroupCog,
    name=L("setup"),
    description=L("Name this server's threads and catalogs"),
):
    thread = app_commands.Group(name=L("thread"), description=L("Threads this server reads"))
    catalog = app_commands.Group(name=L("catalog"), description=L("Catalogs this server shops in"))

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._directory = bot.features.directory
        self._moderation = bot.features.moderation
        bot.router.add(self)
        bot.dispatcher.add(PanelKind(bot))

    @slash(L("show"), L("How this server is set up, and what is missing"), needs=MANAGER)
    async def show(self, here: Here) -> None:
        await self._on_show(Press(here, ShowSetup()))

    @slash(L("panel"), L("A card for everybody that lists threads and catalogs"), _OPTIONS)
    async def panel(self, here: Here, channel: PanelChannel | None = None) -> None:
        await self._move_panel(here, channel)

    @slash(L("add"), L("Give a thread of the game a name"), _OPTIONS, group=thread)
    async def add_thread(self, here: Here, thread_id: str, name: Name) -> None:
        await self._add(here, PlaceKind.THREAD, thread_id, name)

    @slash(L("add"), L("Give a catalog of the game a name"), _OPTIONS, group=catalog)
    async def add_catalog(self, here: Here, catalog_id: str, name: Name) -> None:
        await self._add(here, PlaceKind.CATALOG, catalog_id, name)

    @slash(L("remove"), L("Remove a thread's name"), _OPTIONS, group=thread)
    async def remove_thread(self, here: Here, thread: str) -> None:
        await self._remove(here, PlaceKind.THREAD, thread)

    @slash(L("remove"), L("Remove a catalog's name"), _OPTIONS, group=catalog)
    async def remove_catalog(self, here: Here, catalog: str) -> None:
        await self._remove(here, PlaceKind.CATALOG, catalog)

    @slash(L("list"), L("Show the threads that have a name"), group=thread)
    async def list_threads(self, here: Here) -> None:
        await self._list(here, PlaceKind.THREAD)

    @slash(L("list"), L("Show the catalogs that have a name"), group=catalog)
    async def list_catalogs(self, here: Here) -> None:
        await self._list(here, PlaceKind.CATALOG)

    async def _list(self, here: Here, kind: PlaceKind) -> None:
        await here.answer(cards.list_card(kind, await here.names(kind)))

    @route(ShowSetup, needs=MANAGER)
    async def _on_show(self, press: Press[ShowSetup]) -> None:
        here, guild_id = press.here, press.here.guild_id
        listed = await self._features.panels.listed(guild_id)
        page = min(max(press.action.page, 0), cards.last_page(listed))
        shown = listed.page(page, cards.NAMES_SHOWN)
        rules = await self._moderation.rules(guild_id)
        card = cards.overview_card(
            listed,
            page,
            await self._features.panels.proofs_of(shown, await here.viewer()),
            panel_channel_id=await self._features.panels.channel_of(guild_id),
            log_channel_id=rules.log_channel_id,
        )
        await here.answer(card)

    async def _add(self, here: Here, kind: PlaceKind, typed: str, name: str) -> None:
        """Keep a name; ask first where the game does not have what it is for.

        Raises BadId, BadName, NameIsTaken.
        """
        game_id = read_id(typed)
        if game_id is None:
            raise BadId(name=typed)
        guild_id = here.guild_id
        name = await self._directory.check(guild_id, kind, game_id, name)
        known = await here.place(kind, game_id)
        proof = await self._features.panels.proof_of(kind, game_id, await here.viewer())
        if proof.has_it is False and known.name is None:
            await here.answer(cards.not_in_game_card(kind, game_id, name))
        else:
            await self._keep(here, kind, game_id, name, proof)

    async def _remove(self, here: Here, kind: PlaceKind, text: str) -> None:
        """Take a name away. Raises UnknownName."""
        place = await self._directory.remove(here.guild_id, kind, text)
        await here.answer(cards.removed_card(place))

    async def _move_panel(self, here: Here, channel_id: int | None) -> None:
        guild_id = here.guild_id
        if channel_id is None:
            await self._features.panels.remove(guild_id)
        else:
            place = await judge(here, channel_id, Use.PANEL)
            if place.lacks:
                await here.answer(lacking_card(place))
                return
            await self._features.panels.place(guild_id, channel_id, here.server_locale)
        await here.answer(cards.panel_card(channel_id))

    @route(ShowPlaces)
    async def _on_places(self, press: Press[Action]) -> None:
        here = press.here
        listed = Listed(await here.names(PlaceKind.THREAD), await here.names(PlaceKind.CATALOG))
        may_set_up = here.server is not None and here.permissions.manage_guild
        await here.answer(places_card(listed, may_set_up=may_set_up))

    @route(OpenAddForm, opens_form=True, needs=MANAGER)
    async def _on_open_add_form(self, press: Press[OpenAddForm]) -> None:
        await press.here.interaction.response.send_modal(cards.add_form(press.action.place))

    @route(SendName, needs=MANAGER)
    async def _on_add(self, press: Press[OpenAddForm]) -> None:
        typed, name = press.texts.get(cards.ID, ""), press.texts.get(cards.NAME, "")
        await self._add(press.here, press.action.place, typed, name)

    @route(KeepName, needs=MANAGER)
    async def _on_keep(self, press: Press[KeepName]) -> None:
        action, name = press.action, unquote(press.action.quoted_name)
        proof = Proof(has_it=False)
        await self._keep(press.here, action.place, action.game_id, name, proof)

    @route(ShowNamed, needs=MANAGER)
    async def _on_named(self, press: Press[OfPlace]) -> None:
        await press.here.answer(cards.named_card(await self._place(press)))

    @route(OpenRenameForm, opens_form=True, needs=MANAGER)
    async def _on_open_rename_form(self, press: Press[OfPlace]) -> None:
        place = await self._place(press)
        form = cards.rename_form(place.kind, place.game_id, place.name or "")
        await press.here.interaction.response.send_modal(form)

    @route(SendNewName, needs=MANAGER)
    async def _on_rename(self, press: Press[OfPlace]) -> None:
        action, name = press.action, press.texts.get(cards.NAME, "")
        viewer = await press.here.viewer()
        proof = await self._features.panels.proof_of(action.place, action.game_id, viewer)
        await self._keep(press.here, action.place, action.game_id, name, proof)

    @route(RemoveName, needs=MANAGER)
    async def _on_remove(self, press: Press[OfPlace]) -> None:
        await self._remove(press.here, press.action.place, str(press.action.game_id))

    @route(PostPanel, needs=MANAGER)
    async def _on_post_panel(self, press: Press[Action]) -> None:
        await self._move_panel(press.here, press.here.interaction.channel_id)

    @route(RemovePanel, needs=MANAGER)
    async def _on_remove_panel(self, press: Press[Action]) -> None:
        await self._move_panel(press.here, None)

    async def _keep(
        self, here: Here, kind: PlaceKind, game_id: int, name: str, proof: Proof
    ) -> None:
        place = await self._directory.add(here.guild_id, kind, game_id, name)
        await here.answer(cards.added_card(place, proof))

    async def _place(self, press: Press[OfPlace]) -> Place:
        return await press.here.place(press.action.place, press.action.game_id)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(SetupCog(bot))
