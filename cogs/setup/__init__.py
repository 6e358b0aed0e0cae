"""`/setup`: managers name threads and catalogs, and see on one card whether all is well."""

import asyncio
from collections.abc import Mapping
from typing import Any

from discord import Permissions, app_commands
from discord.ext import commands
from msgspec.structs import replace

from bot.features.names import LONGEST_NAME
from bot.i18n import languages, listed, t
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action, question
from bot.ui.commands import L, Option, slash
from bot.ui.here import MANAGER, Here
from bot.ui.permissions import Use, channels_at_hand, gone_roles, usable, use_for
from bot.ui.router import route
from bot.ui.shared_actions import OfAnnouncement, ShowSetup
from cogs.setup import forms
from cogs.setup.forms import OFF, OpenSetupForm, SwitchOff, rule_words
from cogs.setup.names import NameHandlers, PanelKind
from cogs.setup.overview import Overview, ShowPermissions, overview_card, permissions_card, uses_of
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
        self._announcing = bot.features.announcing
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
    async def on_show(self, here: Here, action: ShowSetup) -> None:
        await self._show(here)

    async def _show(self, here: Here, changed: str = "", note: str = "") -> None:
        known = await self._panels.known(here.guild_id)
        names = await self._panels.listed(here.guild_id)
        roles = [known.rules.moderator_role_id, *(one.role_id for one in known.announced)]
        proofs, channels, gone = await asyncio.gather(
            self._panels.proofs_of(names, here.viewer),
            channels_at_hand(here, [each.channel_id for each in uses_of(known)]),
            gone_roles(here, roles),
        )
        log = channels.get(known.rules.log_channel_id or 0)
        if known.rules.log_is_closed and log and not log.lacks([Use.LOG]):
            # Kiosk may post there again.
            channel_id = known.rules.log_channel_id
            rules = await self._moderation.change_rules(here.guild_id, log_channel_id=channel_id)
            known = replace(known, rules=rules)
        overview = Overview(
            known,
            [(one, await here.place(one.kind, one.place_id)) for one in known.announced],
            names,
            proofs,
            await self._moderation.policy.watched.words(here.guild_id),
            channels,
            gone,
            await self._moderation.cards.count_waiting(here.guild_id),
        )
        await here.answer(overview_card(overview, changed, note))

    @route(ShowPermissions, needs=MANAGER)
    async def on_permissions(self, here: Here, action: Action) -> None:
        await here.answer(await permissions_card(here))

    @route(forms.OpenPanelForm, forms.ChangePanel, opens_form=True, needs=MANAGER)
    async def on_panel_form(self, here: Here, action: OpenSetupForm) -> None:
        channel_id = await self._panels.channel_of(here.guild_id)
        await here.open_form(forms.panel_form(None if action.is_gone else channel_id))

    @route(forms.SendPanel, forms.PostPanelAgain, needs=MANAGER)
    async def on_panel(self, here: Here, action: Action) -> None:
        channel_id = here.id_of(forms.CHANNEL)
        if isinstance(action, forms.PostPanelAgain):
            panel = await self._panels.find(here.guild_id)
            channel_id = panel and panel.channel_id
        here.again = forms.OpenPanelForm()
        if channel_id is None and await self._panels.channel_of(here.guild_id) is not None:
            body = t("Members still find everything with commands.")
            title = t("Take the panel away?")
            label = t("Take it away")
            await here.answer(question(title, body, forms.RemovePanel(), label, ShowSetup()))
        elif channel_id is None:
            await self._show(here)
        elif await usable(here, channel_id, Use.PANEL, forms.OpenPanelForm()):
            await self._panels.place(here.guild_id, channel_id, here.server_locale)
            await self._show(here, t("the panel comes to %(channel)s", channel=f"<#{channel_id}>"))

    @route(forms.RemovePanel, needs=MANAGER)
    async def on_remove_panel(self, here: Here, action: Action) -> None:
        await self._panels.remove(here.guild_id)
        await self._show(here, t("the panel is taken away"))

    @route(forms.OpenLanguageForm, opens_form=True, needs=MANAGER)
    async def on_language_form(self, here: Here, action: Action) -> None:
        rules = await self._moderation.rules(here.guild_id)
        await here.open_form(forms.language_form(rules.locale))

    @route(forms.SendLanguage, needs=MANAGER)
    async def on_language(self, here: Here, action: Action) -> None:
        chosen = here.text(forms.LANGUAGE)
        locale = chosen if chosen in languages() else ""
        before = await self._moderation.rules(here.guild_id)
        await self._change(here, {} if locale == before.locale else {"locale": locale})
        await self._panels.redraw(here.guild_id)

    @route(
        forms.OpenModerationForm, forms.ChangeLog, forms.ChangeRole, opens_form=True, needs=MANAGER
    )
    async def on_moderation_form(self, here: Here, action: OpenSetupForm) -> None:
        rules = await self._moderation.rules(here.guild_id)
        is_log_gone, is_role_gone = action.is_gone, action.is_role_gone
        form = forms.moderation_form(rules, is_log_gone=is_log_gone, is_role_gone=is_role_gone)
        await here.open_form(form)

    @route(forms.SendModeration, needs=MANAGER)
    async def on_moderation(self, here: Here, action: Action) -> None:
        again = forms.OpenModerationForm()
        here.again = again
        before = await self._moderation.rules(here.guild_id)
        changes = forms.read_moderation(here, before)
        log = changes.get("log_channel_id")
        if log is not None and not await usable(here, log, Use.LOG, again):
            return
        emptied = [name for name in OFF if name in changes and not changes[name]]
        kept = {name: value for name, value in changes.items() if name not in emptied}
        if emptied:
            await self._moderation.change_rules(here.guild_id, **kept)
            gone = await gone_roles(here, [before.moderator_role_id])
            await here.answer(forms.ask_off_card(before, emptied, gone))
        else:
            await self._change(here, kept)

    @route(SwitchOff, needs=MANAGER)
    async def on_switch_off(self, here: Here, action: SwitchOff) -> None:
        names = action.rules.split(",")
        await self._change(here, {name: OFF[name] for name in names if name in OFF})

    async def _change(self, here: Here, changes: Mapping[str, Any]) -> None:
        """Change some of a server's rules, by their names in Rules, and say what they come to."""
        await self._moderation.change_rules(here.guild_id, **changes)
        changed, note = listed([rule_words(*change) for change in changes.items()]), ""
        if changes.get("moderator_role_id"):
            note = t(
                "The role sees `/moderate` and the menu **Remove comment** once you allow it under "
                "Server Settings, Integrations."
            )
        await self._show(here, changed, note)

    @route(forms.TryLogAgain, needs=MANAGER)
    async def on_log_again(self, here: Here, action: Action) -> None:
        """Post what waits for the log channel, if Kiosk may post there by now."""
        log = (await self._moderation.rules(here.guild_id)).log_channel_id
        if log is None:
            await self._show(here)
        elif await usable(here, log, Use.LOG, action):
            await self._change(here, {"log_channel_id": log})

    @route(forms.TryAnnouncementAgain, needs=MANAGER)
    async def on_announcement_again(self, here: Here, action: OfAnnouncement) -> None:
        one = await self._announcing.find(here.guild_id, action.subscription_id)
        channel_id, use = one.channel_id or 0, use_for(one.kind)
        if await usable(here, channel_id, use, action, role_id=one.role_id):
            if one.pause_reason is not None:
                await self._announcing.resume_channel(one)
            await self._show(here)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(SetupCog(bot))
