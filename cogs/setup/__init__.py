"""`/setup`: managers name threads and catalogs, and see all problems on one card."""

import asyncio
import logging

import discord
from discord.ext import commands
from msgspec.structs import asdict, replace

from bot.features import feature_errors
from bot.features.directory import MAX_NAME_LENGTH
from bot.i18n import speaking, t
from bot.program.kiosk import Kiosk
from bot.ui import custom_ids, drawing, permissions, problems, server_settings, slash
from bot.ui.here import MANAGER, Here
from bot.ui.router import route, sent
from bot.ui.shared_actions import ShowSetup
from bot.ui.slash import L
from cogs.setup import naming
from cogs.setup import overview as setup_overview
from storage import moderation
from storage.names import PlaceKind

log = logging.getLogger(__name__)

Name = discord.app_commands.Range[str, 1, MAX_NAME_LENGTH]
_OPTIONS = {
    "thread_id": slash.Option(L("id"), L("The thread's number in the game")),
    "catalog_id": slash.Option(L("id"), L("The catalog's number in the game")),
    "name": slash.Option(L("name"), L("The name members will see")),
}


@slash.for_staff(MANAGER)
class SetupCog(
    commands.GroupCog, name=L("setup"), description=L("Set up this server and check for problems")
):
    @slash.command(L("show"), L("Check for problems and change settings"))
    async def show(self, here: Here) -> None:
        await show(here)

    @slash.command(L("thread"), L("Add or rename a thread"), _OPTIONS)
    async def thread(self, here: Here, thread_id: str, name: Name) -> None:
        await naming.add(here, PlaceKind.THREAD, thread_id, name)

    @slash.command(L("catalog"), L("Add or rename a catalog"), _OPTIONS)
    async def catalog(self, here: Here, catalog_id: str, name: Name) -> None:
        await naming.add(here, PlaceKind.CATALOG, catalog_id, name)


@route(ShowSetup, needs=MANAGER)
async def show(
    here: Here, _action: ShowSetup | None = None, changed: str = "", note: str = ""
) -> None:
    server_setup = here.features.server_setup
    moderating = here.features.moderation
    known = await server_setup.known(here.guild_id)
    of_features = await here.hooks.settings(here.guild_id)
    settings = server_settings.KnownSettings(known.settings, of_features)
    announced = known.announced
    names = await server_setup.listed(here.guild_id)
    proofs, channels, gone = await asyncio.gather(
        server_setup.fetch_previews(names, here.viewer),
        permissions.channels_at_hand(
            here, [use.channel_id for use in setup_overview.uses_of(settings, announced)]
        ),
        permissions.gone_roles(
            here,
            [known.settings.moderator_role_id],
            *(subscription.pinged for subscription in known.announced),
        ),
    )
    await here.features.announcing.note_gone_roles(announced, gone)
    log_id = known.settings.log_channel_id
    looked = channels.get(log_id or 0)
    if known.settings.log_is_closed and looked and not looked.lacks([permissions.Use.LOG]):
        # Kiosk can post there again.
        change = moderating.change_settings
        known = replace(known, settings=await change(here.guild_id, log_channel_id=log_id))
    titled = [
        (
            subscription,
            problems.announcement_title(
                subscription, await here.place(subscription.kind, subscription.place_id), announced
            ),
        )
        for subscription in announced
    ]
    overview = setup_overview.Overview(
        known,
        of_features,
        titled,
        setup_overview.ServerLook(names, proofs, channels, gone),
        await here.hooks.setup_sections(here, channels),
    )
    await here.answer(setup_overview.overview_card(overview, changed, note))


@route(server_settings.ChangeSettings, opens_form=True, needs=MANAGER)
async def open_settings(here: Here, action: server_settings.ChangeSettings) -> None:
    known = await setup_overview.known_settings(here)
    await here.open_form(server_settings.settings_form(action, known))


@sent(server_settings.ChangeSettings, needs=MANAGER)
async def on_settings(here: Here, action: server_settings.ChangeSettings) -> None:
    known = await setup_overview.known_settings(here)
    changes = server_settings.read_form(here, action.form, known)
    await _require_not_given(here, changes.get(server_settings.ROLE))
    if not await _are_usable(here, known, changes, action):
        return
    lost = {
        name: setting
        for name, setting in known.described.items()
        if name in changes and server_settings.may_be_lost(setting, changes[name])
    }
    if not lost:
        await _change(here, known, changes)
        return
    await _keep(here, known, {name: changes[name] for name in changes.keys() - lost.keys()})
    gone = await permissions.gone_roles(here, [known.stored.moderator_role_id])
    before = known.values
    lines = [f"- {setting.line(before[name], gone)}" for name, setting in lost.items()]
    body = "\n".join([t("The form left these empty. Their current values:"), *lines])
    title = t("Turn off these settings?")
    label = t("Turn off")
    off = server_settings.SwitchOff(",".join(lost))
    await here.answer(drawing.question(title, body, off, label, ShowSetup()))


@route(server_settings.SwitchOff, needs=MANAGER)
async def on_switch_off(here: Here, action: server_settings.SwitchOff) -> None:
    usual = asdict(moderation.ServerSettings())
    known = await setup_overview.known_settings(here)
    before = known.values
    # If a manager presses twice, the second press changes nothing.
    changes = {
        name: usual.get(name)
        for name in action.names.split(",")
        if name in before and (before[name] or None) != (usual.get(name) or None)
    }
    await _change(here, known, changes)


@route(server_settings.SetAgain, needs=MANAGER)
async def on_set_again(here: Here, action: server_settings.SetAgain) -> None:
    known = await setup_overview.known_settings(here)
    changes = {action.name: known.values.get(action.name)}
    if changes[action.name] is None:
        await show(here)
    elif await _are_usable(here, known, changes, action):
        await _change(here, known, changes)


async def _are_usable(
    here: Here,
    known: server_settings.KnownSettings,
    changes: server_settings.Values,
    again: custom_ids.Action,
) -> bool:
    """Return whether Kiosk has the permissions for the new channels, else show what is missing."""
    uses = {name: known.described[name].use for name, value in changes.items() if value}
    return all(
        [
            await permissions.usable(here, changes[name], use, again)
            for name, use in uses.items()
            if use
        ]
    )


async def _require_not_given(here: Here, role_id: int | None) -> None:
    """Raise RoleIsGiven if a rule or Notify me gives the role to members."""
    given = await here.hooks.given_roles(here.guild_id)
    if any(role_id in role_ids for role_ids in given):
        raise feature_errors.RoleIsGiven


async def _change(
    here: Here, known: server_settings.KnownSettings, changes: server_settings.Values
) -> None:
    """Save changes, and show the new values."""
    await _keep(here, known, changes)
    lines = [known.described[name].line(value) for name, value in changes.items()]
    note = ""
    if changes.get(server_settings.ROLE):
        note = t(
            "To show this role `/moderate` and the menu **Remove comment**, allow both in Server"
            " Settings > Integrations."
        )
    await show(here, changed="\n".join(lines), note=note)


async def _keep(
    here: Here, known: server_settings.KnownSettings, changes: server_settings.Values
) -> None:
    if not changes:
        return
    with speaking(await here.features.moderation.locale(here.guild_id, here.server_locale)):
        said = [known.described[name].line(value) for name, value in changes.items()]
    line = moderation.NewLine(
        here.guild_id, here.member_id, moderation.ModerationAction.SETTINGS, detail="\n".join(said)
    )
    stored = dict(changes)
    for kept in known.of_features:
        if kept.setting.name in stored:
            await kept.save(stored.pop(kept.setting.name), here.server_locale, line)
    if stored:
        await here.features.moderation.change_settings(here.guild_id, line, **stored)
    if "locale" in stored:
        await here.hooks.server_changed(here.guild_id)
    log.info("A server manager changed settings: %s", changes)


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(SetupCog())
    bot.router.add(setup_overview, naming)
