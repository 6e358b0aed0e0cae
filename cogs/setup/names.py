"""Naming the threads and catalogs of a server."""

from urllib.parse import unquote

from bot.errors import BadId
from bot.features.names import Place, read_id
from bot.features.panels import Listed, Proof
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui.error_cards import offer_again
from bot.ui.here import MANAGER, Here
from bot.ui.router import Press, route
from bot.ui.text import escape
from cogs.setup import cards
from cogs.setup.cards import (
    NAMES_SHOWN,
    AskRemoveName,
    KeepName,
    OfPlace,
    OpenAddForm,
    OpenRenameForm,
    RemoveName,
    SendName,
    SendNewName,
    ShowNamed,
    ShowNames,
)
from storage.names import PlaceKind


class NameHandlers:
    def __init__(self, bot: Kiosk) -> None:
        self._panels = bot.features.panels
        self._directory = bot.features.directory
        self._following = bot.features.announcing.following

    @route(ShowNames, needs=MANAGER)
    async def on_names(self, press: Press[ShowNames]) -> None:
        await self._show(press.here, press.action.place, press.action.page)

    async def _show(self, here: Here, kind: PlaceKind, page: int = 0, changed: str = "") -> None:
        names = await here.names(kind)
        first = max(page, 0) * NAMES_SHOWN
        shown = names[first : first + NAMES_SHOWN]
        listed = Listed(shown, ()) if kind is PlaceKind.THREAD else Listed((), shown)
        proofs = await self._panels.proofs_of(listed, await here.viewer())
        await here.answer(cards.names_card(kind, names, page, proofs, changed))

    @route(OpenAddForm, opens_form=True, needs=MANAGER)
    async def on_open_add_form(self, press: Press[OpenAddForm]) -> None:
        await press.here.open_form(cards.add_form(press.action.place))

    @route(SendName, needs=MANAGER)
    async def on_add(self, press: Press[OpenAddForm]) -> None:
        typed, name = press.texts.get(cards.ID, ""), press.texts.get(cards.NAME, "")
        offer_again(press.here.interaction, OpenAddForm(press.action.place))
        await self.add(press.here, press.action.place, typed, name)

    async def add(self, here: Here, kind: PlaceKind, typed: str, name: str) -> None:
        """Keep a name; ask first where the game does not have what it is for.

        Raises BadId, BadName, NameIsTaken.
        """
        game_id = read_id(typed)
        if game_id is None:
            raise BadId(name=typed)
        name = await self._directory.check(here.guild_id, kind, game_id, name)
        known = await here.place(kind, game_id)
        proof = await self._panels.proof_of(kind, game_id, await here.viewer())
        if proof.has_it is False and known.name is None:
            await here.answer(cards.not_in_game_card(kind, game_id, name))
        else:
            await self._keep(here, kind, game_id, name, proof)

    @route(KeepName, needs=MANAGER)
    async def on_keep(self, press: Press[KeepName]) -> None:
        action, name = press.action, unquote(press.action.quoted_name)
        proof = Proof(has_it=False)
        await self._keep(press.here, action.place, action.game_id, name, proof)

    @route(ShowNamed, needs=MANAGER)
    async def on_named(self, press: Press[OfPlace]) -> None:
        await press.here.answer(cards.named_card(await self._place(press)))

    @route(OpenRenameForm, opens_form=True, needs=MANAGER)
    async def on_open_rename_form(self, press: Press[OfPlace]) -> None:
        place = await self._place(press)
        form = cards.rename_form(place.kind, place.game_id, place.name or "")
        await press.here.open_form(form)

    @route(SendNewName, needs=MANAGER)
    async def on_rename(self, press: Press[OfPlace]) -> None:
        action, name = press.action, press.texts.get(cards.NAME, "")
        offer_again(press.here.interaction, OpenRenameForm(action.place, action.game_id))
        viewer = await press.here.viewer()
        proof = await self._panels.proof_of(action.place, action.game_id, viewer)
        await self._keep(press.here, action.place, action.game_id, name, proof)

    @route(AskRemoveName, needs=MANAGER)
    async def on_ask_remove(self, press: Press[OfPlace]) -> None:
        """Remove a name, or ask first where something is announced by it."""
        here, place = press.here, await self._place(press)
        announced = await self._following.of_guild(here.guild_id, place.kind)
        count = sum(one.game_id == place.game_id for one in announced)
        if count:
            await here.answer(cards.ask_remove_card(place, count))
        else:
            await self.on_remove(press)

    @route(RemoveName, needs=MANAGER)
    async def on_remove(self, press: Press[OfPlace]) -> None:
        """Take a name away. Raises UnknownName."""
        here, action = press.here, press.action
        place = await self._directory.remove(here.guild_id, action.place, str(action.game_id))
        removed = t("“%(name)s” is removed here.", name=escape(place.name or ""))
        await self._show(here, action.place, changed=removed)

    async def _keep(
        self, here: Here, kind: PlaceKind, game_id: int, name: str, proof: Proof
    ) -> None:
        place = await self._directory.add(here.guild_id, kind, game_id, name)
        await here.answer(cards.added_card(place, proof))

    async def _place(self, press: Press[OfPlace]) -> Place:
        return await press.here.place(press.action.place, press.action.game_id)
