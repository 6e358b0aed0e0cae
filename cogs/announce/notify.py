"""Notify me: a button on announcements by which members take the role that is pinged."""

from collections import abc

import discord
from msgspec.structs import replace

from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, permissions, shared_actions, theme
from bot.ui.forms import ActionForm
from bot.ui.here import MANAGER, Here
from bot.ui.router import route
from cogs.announce import actions
from storage import subscriptions

_ROLE = "role"
_MISSING_PERMISSIONS = 50013
_UNKNOWN_ROLE = 10011
Show = abc.Callable[[Here, int, str], abc.Awaitable[None]]
# Whoever has one of these moderates: nobody takes that by a press.
_RIGHTS = discord.Permissions(
    administrator=True,
    ban_members=True,
    deafen_members=True,
    kick_members=True,
    manage_channels=True,
    manage_events=True,
    manage_expressions=True,
    manage_guild=True,
    manage_messages=True,
    manage_nicknames=True,
    manage_roles=True,
    manage_threads=True,
    manage_webhooks=True,
    mention_everyone=True,
    moderate_members=True,
    move_members=True,
    mute_members=True,
    view_audit_log=True,
)


class SendNotify(shared_actions.OfAnnouncement, kind="announce.notify"):
    """Let members take the role that was chosen, or none."""


class NotifyHandlers:
    def __init__(self, bot: Kiosk, show: Show) -> None:
        self._announcing = bot.features.announcing
        self._show = show

    @route(actions.OpenNotifyForm, opens_form=True, needs=MANAGER)
    async def on_open_form(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        subscription = await self._announcing.find(here.guild_id, action.subscription_id)
        await here.open_form(notify_form(subscription))

    @route(SendNotify, needs=MANAGER)
    async def on_send(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        here.again = again = actions.OpenNotifyForm(action.subscription_id)
        role_id = here.role_of(_ROLE)
        subscription = await self._announcing.find(here.guild_id, action.subscription_id)
        role_ids = subscription.role_ids
        if role_id is not None:
            role_ids |= {role_id}
            trouble = _trouble_with(await permissions.Server.asked(here), role_id)
            if not here.permissions.manage_roles:
                trouble = t(
                    "You need the permission Manage Roles, as Kiosk gives the role for you."
                )
            elif len(role_ids) > actions.MOST_ROLES:
                trouble = t("Five other roles are pinged already.")
            if trouble:
                retry = ui_actions.action_button(again, t("Try again"), emoji="🔁")
                title = t("Members can't take that role")
                card = cards.notice(title, trouble, colour=theme.PROBLEM, buttons=(retry,))
                await here.answer(card)
                return
            use = permissions.use_for(subscription)
            channel_id = subscription.channel_id or 0
            if await permissions.usable(here, channel_id, use, again, role_ids=role_ids) is None:
                return
        wanted = replace(subscription, role_ids=role_ids, notify_role_id=role_id)
        await self._announcing.change(wanted)
        await self._show(here, subscription.id, t("Changed."))

    @route(actions.NotifyMe)
    async def on_notify(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        subscription = await self._announcing.find(here.guild_id, action.subscription_id)
        role_id = subscription.notify_role_id
        # What it may do, and where it stands, may have changed since it was chosen.
        if role_id is None or _trouble_with(await permissions.Server.asked(here), role_id):
            await self._refuse(here, subscription)
            return
        http = here.interaction.client.http
        has_role = role_id in here.roles
        change = http.remove_role if has_role else http.add_role
        try:
            await change(here.guild_id, here.member_id, role_id, reason=t("Notify me"))
        except discord.HTTPException as error:
            if error.code not in (_MISSING_PERMISSIONS, _UNKNOWN_ROLE):
                raise
            await self._refuse(here, subscription)
            return
        role = f"<@&{role_id}>"
        title = t("You are pinged from now on")
        body = t("You have %(role)s now.", role=role)
        label = t("Not any more")
        if has_role:
            title = t("You are pinged no more")
            body = t("You don't have %(role)s any more.", role=role)
            label = t("Notify me")
        button = ui_actions.action_button(action, label)
        await here.answer(cards.notice(title, body, colour=theme.GOOD, buttons=(button,)))

    async def _refuse(self, here: Here, subscription: subscriptions.Subscription) -> None:
        """Say that nothing was changed; announcements have no such button from now on."""
        if subscription.notify_role_id is not None:
            await self._announcing.change(replace(subscription, notify_role_id=None))
        title = t("Kiosk can't give you that role")
        body = t("Ask who manages this server. Nothing was changed.")
        await here.answer(cards.notice(title, body, colour=theme.PROBLEM))


def notify_form(subscription: subscriptions.Subscription) -> ActionForm:
    form = ActionForm(SendNotify(subscription.id), title=t("Notify me"))
    chosen = [subscription.notify_role_id]
    if chosen == [None] and len(subscription.role_ids) == 1:
        chosen = [*subscription.role_ids]
    hint = t("It is pinged, and a button on announcements gives and takes it.")
    form.ask_role(t("Role for whoever wants it"), _ROLE, chosen=chosen, description=hint)
    return form


def _trouble_with(server: permissions.Server, role_id: int) -> str:
    """Say what keeps Kiosk from giving a role, "" for nothing."""
    role = next((role for role in server.roles if int(role["id"]) == role_id), None)
    if role is None:
        return t("The role was deleted.")
    if role.get("managed"):
        return t("The role belongs to a bot or to Discord, and can't be given.")
    if int(role["permissions"]) & _RIGHTS.value:
        return t("The role may do what moderators do: Kiosk gives no such role.")
    if not server.allowed({}, server.own_roles, server.own_id).manage_roles:
        return t("Kiosk lacks the permission **Manage Roles**.")
    own = [_height(role) for role in server.roles if int(role["id"]) in server.own_roles]
    if _height(role) < max(own, default=(0, 0)):
        return ""
    name = f"<@&{role_id}>"
    return t("Move Kiosk's role above %(role)s, under Server Settings, Roles.", role=name)


def _height(role: permissions.Raw) -> tuple[int, int]:
    # Of two in one position, the older one is higher.
    return int(role["position"]), -int(role["id"])
