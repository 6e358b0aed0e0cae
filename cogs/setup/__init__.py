"""`/setup`: managers name threads and catalogs, and see on one card whether all is well."""

from typing import Any

import discord
from discord import Permissions, app_commands
from discord.ext import commands

from bot.features.names import LONGEST_NAME
from bot.features.panels import Listed
from bot.i18n import languages, t
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action, question
from bot.ui.cards import Card
from bot.ui.commands import L, Option, slash
from bot.ui.error_cards import again_button, offer_again
from bot.ui.here import MANAGER, Here
from bot.ui.permissions import Server, Use, judge, lacking_card
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowCatalogs, ShowPlaces, ShowSetup, ShowThreads
from cogs.setup import forms
from cogs.setup.cards import NAMES_SHOWN
from cogs.setup.names import NameHandlers
from cogs.setup.overview import Overview, ShowPermissions, overview_card, permissions_card
from cogs.setup.panels import PanelKind, places_card
from storage.names import PlaceKind

Name = app_commands.Range[str, 1, LONGEST_NAME]
_OPTIONS = {
    "thread_id": Option(L("id"), L("The thread's number in the game")),
    "catalog_id": Option(L("id"), L("The catalog's number in the game")),
    "name": Option(L("name"), L("What members will call it")),
}


@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(Permissions(manage_guild=True))
class SetupCog(
    commands.GroupCog,
    name=L("setup"),
    description=L("Set this server up, and see whether all is well"),
):
    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._panels = bot.features.panels
        self._moderation = bot.features.moderation
        self._names = NameHandlers(bot)
        bot.router.add(self, self._names)
        bot.dispatcher.add(PanelKind(bot))

    @slash(L("show"), L("Whether all is well, and everything that can be set"), needs=MANAGER)
    async def show(self, here: Here) -> None:
        await self._show(here)

    @slash(L("thread"), L("Give a thread of the game a name"), _OPTIONS)
    async def thread(self, here: Here, thread_id: str, name: Name) -> None:
        await self._names.add(here, PlaceKind.THREAD, thread_id, name)

    @slash(L("catalog"), L("Give a catalog of the game a name"), _OPTIONS)
    async def catalog(self, here: Here, catalog_id: str, name: Name) -> None:
        await self._names.add(here, PlaceKind.CATALOG, catalog_id, name)

    @route(ShowSetup, needs=MANAGER)
    async def on_show(self, press: Press[ShowSetup]) -> None:
        await self._show(press.here)

    async def _show(self, here: Here, changed: str = "") -> None:
        await here.answer(overview_card(await self._overview(here), changed))

    async def _overview(self, here: Here) -> Overview:
        guild_id, features = here.guild_id, self._features
        health, rules = features.game_health, await self._moderation.rules(guild_id)
        listed = await self._panels.listed(guild_id)
        following = features.announcing.following
        announced = [
            (one, await here.place(kind, one.game_id))
            for kind in (PlaceKind.CATALOG, PlaceKind.THREAD)
            for one in await following.of_guild(guild_id, kind)
        ]
        return Overview(
            listed,
            await self._panels.proofs_of(listed.page(0, NAMES_SHOWN), await here.viewer()),
            await self._panels.find(guild_id),
            rules,
            await self._moderation.policy.lists.watched(guild_id),
            announced,
            None if health.is_well else health.answered_at or health.failed_at,
            rules.log_channel_id is not None and await _is_open(here, rules.log_channel_id),
        )

    @route(ShowPermissions, needs=MANAGER)
    async def on_permissions(self, press: Press[Action]) -> None:
        await press.here.answer(await permissions_card(press.here))

    @route(forms.OpenPanelForm, opens_form=True, needs=MANAGER)
    async def on_panel_form(self, press: Press[Action]) -> None:
        channel_id = await self._panels.channel_of(press.here.guild_id)
        await press.here.open_form(forms.panel_form(channel_id))

    @route(forms.SendPanel, forms.PostPanel, forms.PostPanelAgain, needs=MANAGER)
    async def on_panel(self, press: Press[Action]) -> None:
        """Move the panel; a channel that was set and arrives empty is asked about."""
        here, channel_id = press.here, press.id_of(forms.CHANNEL)
        if isinstance(press.action, forms.PostPanel):
            channel_id = here.interaction.channel_id
        elif isinstance(press.action, forms.PostPanelAgain):
            panel = await self._panels.find(here.guild_id)
            channel_id = panel and panel.channel_id
        offer_again(here.interaction, forms.OpenPanelForm())
        before = await self._panels.channel_of(here.guild_id)
        if channel_id is None:
            await (here.answer(forms.no_panel_card()) if before is not None else self._show(here))
            return
        place = await judge(here, channel_id, Use.PANEL)
        if place.lacks:
            await here.answer(
                lacking_card(place, again_button(here.interaction, forms.OpenPanelForm()))
            )
            return
        await self._panels.place(here.guild_id, channel_id, here.server_locale)
        await self._show(here, t("the panel comes to %(channel)s", channel=f"<#{channel_id}>"))

    @route(forms.RemovePanel, needs=MANAGER)
    async def on_remove_panel(self, press: Press[Action]) -> None:
        await self._panels.remove(press.here.guild_id)
        await self._show(press.here, t("the panel is taken away"))

    @route(forms.OpenLanguageForm, opens_form=True, needs=MANAGER)
    async def on_language_form(self, press: Press[Action]) -> None:
        rules = await self._moderation.rules(press.here.guild_id)
        await press.here.open_form(forms.language_form(rules.locale))

    @route(forms.SendLanguage, needs=MANAGER)
    async def on_language(self, press: Press[Action]) -> None:
        here, chosen = press.here, press.text(forms.LANGUAGE)
        locale = chosen if chosen in languages() else ""
        await self._moderation.change_rules(here.guild_id, locale=locale)
        await self._panels.redraw(here.guild_id)
        language = forms.language_words(locale)
        await self._show(here, t("what everybody reads: %(language)s", language=language))

    @route(forms.OpenModerationForm, forms.ChangeLog, opens_form=True, needs=MANAGER)
    async def on_moderation_form(self, press: Press[Action]) -> None:
        rules = await self._moderation.rules(press.here.guild_id)
        await press.here.open_form(forms.moderation_form(rules))

    @route(forms.SendModeration, needs=MANAGER)
    async def on_moderation(self, press: Press[Action]) -> None:
        """Keep the form; a channel or role that was set and arrives empty is asked about."""
        here, log, role = press.here, press.id_of(forms.LOG), press.id_of(forms.ROLE)
        offer_again(here.interaction, forms.OpenModerationForm())
        before = await self._moderation.rules(here.guild_id)
        if log is not None and log != before.log_channel_id:
            place = await judge(here, log, Use.LOG)
            if place.lacks:
                await here.answer(
                    lacking_card(place, again_button(here.interaction, forms.OpenModerationForm()))
                )
                return
        typed = press.texts.get(forms.DAYS, "")
        days = min(max(int(typed), 1), forms.MOST_DAYS) if typed.isdecimal() else before.kept_days
        changes: dict[str, Any] = {
            "reasons": forms.read_reasons(press.texts.get(forms.REASONS, "")),
            "needs_reason": bool(press.texts.get(forms.NEEDS_REASON)),
            "kept_days": days,
        }
        if log is not None and log != before.log_channel_id:
            changes["log_channel_id"] = log
        if role is not None:
            changes["moderator_role_id"] = role
        await self._moderation.change_rules(here.guild_id, **changes)
        if card := _ask_whether_off(log, role, before.log_channel_id, before.moderator_role_id):
            await here.answer(card)
            return
        said = t("moderation")
        if "log_channel_id" in changes:
            said = t("reports go to %(channel)s", channel=f"<#{log}>")
        await self._show(here, said)

    @route(forms.DropLog, needs=MANAGER)
    async def on_drop_log(self, press: Press[Action]) -> None:
        await self._moderation.change_rules(press.here.guild_id, log_channel_id=None)
        await self._show(press.here, t("reports go nowhere"))

    @route(forms.DropRole, needs=MANAGER)
    async def on_drop_role(self, press: Press[Action]) -> None:
        await self._moderation.change_rules(press.here.guild_id, moderator_role_id=None)
        await self._show(press.here, t("no role removes comments"))

    @route(forms.TryLogAgain, needs=MANAGER)
    async def on_log_again(self, press: Press[Action]) -> None:
        """Post what waits for the log channel, if Kiosk may post there by now."""
        here = press.here
        log = (await self._moderation.rules(here.guild_id)).log_channel_id
        if log is not None:
            place = await judge(here, log, Use.LOG)
            if place.lacks:
                await here.answer(
                    lacking_card(place, again_button(here.interaction, forms.TryLogAgain()))
                )
                return
            await self._moderation.change_rules(here.guild_id, log_channel_id=log)
        await self._show(here)

    @route(ShowPlaces, ShowThreads, ShowCatalogs)
    async def on_places(self, press: Press[Action]) -> None:
        here, action = press.here, press.action
        listed = Listed(await here.names(PlaceKind.THREAD), await here.names(PlaceKind.CATALOG))
        if isinstance(action, ShowThreads) and listed.threads:
            listed = Listed(listed.threads)
        elif isinstance(action, ShowCatalogs) and listed.catalogs:
            listed = Listed(catalogs=listed.catalogs)
        may_set_up = here.server is not None and here.permissions.manage_guild
        await here.answer(places_card(listed, may_set_up=may_set_up))


async def _is_open(here: Here, channel_id: int) -> bool:
    """Return whether everybody can read a channel, as far as Discord says."""
    try:
        return await (await Server.asked(here)).everyone_sees(channel_id)
    except discord.HTTPException:
        return False


def _ask_whether_off(
    log: int | None, role: int | None, old_log: int | None, old_role: int | None
) -> Card | None:
    if log is None and old_log is not None:
        title = t("Post reports nowhere?")
        body = t(
            "The field for the log channel arrived empty. Until now it was %(channel)s.",
            channel=f"<#{old_log}>",
        )
        return question(title, body, forms.DropLog(), t("Switch off"), ShowSetup())
    if role is None and old_role is not None:
        title = t("Let no role remove comments?")
        body = t(
            "The field for the role arrived empty. Until now it was %(role)s.",
            role=f"<@&{old_role}>",
        )
        return question(title, body, forms.DropRole(), t("Switch off"), ShowSetup())
    return None


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(SetupCog(bot))
