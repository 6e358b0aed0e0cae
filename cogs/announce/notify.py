"""Notify me: a button on announcements that gives members the pinged role."""

from collections import abc

import discord

from bot.features import feature_errors
from bot.features.following.announcing import Announcing
from bot.i18n import t
from bot.ui import drawing, fields, giving, hooks, permissions, problems, shared_actions, theme
from bot.ui.forms import ActionForm
from bot.ui.here import MANAGER, Here
from bot.ui.router import route, sent
from cogs.announce import actions, announcement, lines
from storage import subscriptions

_ROLE = fields.Roles("role")
# Discord's final answers: bad request, forbidden, not found.
_REFUSALS = (400, 403, 404)


@route(actions.ChangeNotifyRole, opens_form=True, needs=MANAGER)
async def open_role_form(here: Here, action: shared_actions.OfAnnouncement) -> None:
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    await here.open_form(notify_form(subscription))


@sent(actions.ChangeNotifyRole, needs=MANAGER)
async def on_role(here: Here, action: shared_actions.OfAnnouncement) -> None:
    role_id = _ROLE.read_one(here)
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    role_ids = subscription.role_ids
    if role_id is not None:
        if not here.permissions.manage_roles:
            raise feature_errors.MayNotGiveRoles
        role_ids |= {role_id}
        server = await giving.role_servers(here).ask(here.guild_id)
        trouble = giving.may_give(role_id, server, here)
        if trouble or len(role_ids) > actions.MAX_ROLES:
            why = t("This announcement already pings five other roles.")
            buttons = [drawing.button(action, t("Try again"), emoji="🔁")]
            if trouble is giving.RoleTrouble.MAY_NOT:
                buttons.append(giving.invitation_button(server))
            card = drawing.notice(
                t("Members can't get this role"),
                trouble.words(role_id) if trouble else why,
                colour=theme.PROBLEM,
                buttons=tuple(buttons),
            )
            await here.answer(card)
            return
        use = permissions.use_for(subscription)
        channel_id = subscription.channel_id or 0
        if await permissions.usable(here, channel_id, use, action, role_ids=role_ids) is None:
            return
    await announcing.change(subscription.id, await lines.line_of(here), notify_role_id=role_id)
    await announcement.show(here, subscription.id, t("Changes saved."))


@route(actions.NotifyMe)
async def on_notify(here: Here, action: shared_actions.OfAnnouncement) -> None:
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    role_id = subscription.notify_role_id
    if role_id is None:
        await _refuse(here)
        return
    servers = giving.role_servers(here)
    http = here.interaction.client.http
    has_role = role_id in here.roles
    change = http.remove_role if has_role else http.add_role
    try:
        # The role's permissions and position may have changed since it was chosen. Members can
        # always give it back.
        server = None if has_role else await servers.ask(here.guild_id)
        trouble = server and giving.may_give(role_id, server)
        refusal = trouble and trouble.name
        if refusal is None:
            await change(here.guild_id, here.member_id, role_id, reason=t("Notify me"))
    except discord.HTTPException as error:
        if error.status not in _REFUSALS:
            raise
        refusal = f"{error.status} {error.code}"
    servers.log_refusal(here.guild_id, role_id, refusal)
    if refusal is not None:
        await _refuse(here)
        return
    role = f"<@&{role_id}>"
    title = t("You'll be pinged from now on")
    body = t("You have %(role)s now.", role=role)
    label = t("Stop notifying me")
    if has_role:
        title = t("You won't be pinged any more")
        body = t("You don't have %(role)s any more.", role=role)
        label = t("Notify me")
    button = drawing.button(action, label)
    await here.answer(drawing.notice(title, body, colour=theme.GOOD, buttons=(button,)))


async def _refuse(here: Here) -> None:
    title = t("Kiosk couldn't change your roles")
    body = t("Nothing was changed. Ask a server manager.")
    await here.answer(drawing.notice(title, body, colour=theme.PROBLEM))


def notify_form(subscription: subscriptions.Subscription) -> ActionForm:
    form = ActionForm(actions.ChangeNotifyRole(subscription.id), title=t("Notify me"))
    chosen = [subscription.notify_role_id]
    if chosen == [None] and len(subscription.role_ids) == 1:
        chosen = [*subscription.role_ids]
    hint = t("Announcements ping this role. Members add or remove it with a button.")
    _ROLE.ask(form, t("Role members can opt in to"), hint, chosen=chosen)
    return form


async def section(here: Here, _channels: hooks.Channels) -> hooks.Section:
    """Return the section of /setup show about roles that members can't get."""
    announced = await here.features.announcing.subscribed.of_guild(here.guild_id)
    troubles = await problems.notify_troubles(here, announced)
    found: list[problems.Problem] = []
    for subscription in announced:
        role_id = subscription.notify_role_id or 0
        if role_id in troubles:
            what = t("Kiosk can't give %(role)s", role=f"<@&{role_id}>")
            mend = t("Open"), shared_actions.OpenAnnouncement(subscription.id)
            why = troubles[role_id]
            found.append(problems.Problem(what, why, permissions.Use.ANNOUNCE, *mend))
    return hooks.Section(found)


async def given_roles(announcing: Announcing, guild_id: int) -> abc.Set[int]:
    announced = await announcing.subscribed.of_guild(guild_id)
    return {told.notify_role_id for told in announced if told.notify_role_id}
