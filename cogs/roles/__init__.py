"""Roles of servers for what members have in the game: what the core uses."""

from collections import abc
from functools import partial

from bot.i18n import nt, t
from bot.program.kiosk import Kiosk
from bot.ui import drawing, hooks, theme
from bot.ui.here import Here
from cogs.roles import actions
from cogs.roles.role_messages import RoleKind
from cogs.roles.service import RoleService
from storage import roles
from storage.links import Link


async def section(here: Here, _channels: hooks.Channels) -> hooks.Section:
    known = await actions.known_rules(here)
    words = nt("%(count)s rule", "%(count)s rules", len(known.rules))
    mark = theme.WRONG if known.troubles else ""
    return hooks.Section(
        list(actions.role_problems(known.rules, known.troubles)),
        f"**{t('Roles')}** · {mark}{words if known.rules else t('none yet')}",
        drawing.button(actions.ShowRoles(), t("Roles")),
        is_set=bool(known.rules),
    )


async def given_roles(service: RoleService, guild_id: int) -> abc.Set[int]:
    return {rule.role_id for rule in await service.rules.of_guild(guild_id)}


async def add_account_lines(here: Here, card: drawing.Card, link: Link | None) -> None:
    """Add a member's roles from Kiosk, and the servers for which it checks their items."""
    lines = await _roles_had(here)
    if link is not None and not link.is_refused:
        lines += await _looks(here)
    if lines:
        card.say("\n".join(f"-# {line}" for line in lines))


async def _roles_had(here: Here) -> list[str]:
    rules = here.service(RoleService).rules
    known = {rule.id: rule for rule in await rules.of_guild(here.server or 0)}
    # Only roles that Discord has given.
    had = [role for role in await rules.had_by(here.member_id) if role.message_id is not None]
    causes = (
        (role.role_id, known.get(role.payload["rule"]))
        for role in had
        if role.guild_id == here.server and role.role_id in here.roles
    )
    lines = actions.why_lines(causes)
    if elsewhere := sum(role.guild_id != here.server for role in had):
        others = nt(
            "Kiosk gave you a role in another server.",
            "Kiosk gave you %(count)s roles in other servers.",
            elsewhere,
        )
        lines.append(others)
    return lines


async def _looks(here: Here) -> list[str]:
    rules = await here.service(RoleService).rules.for_member(here.member_id)
    servers = {rule.guild_id for rule in rules if rule.kind is roles.RuleKind.OWNS}
    lines: list[str] = []
    if here.server in servers:
        lines.append(
            t(
                "Kiosk uses your token about once a day to check if you own the items this"
                " server gives roles for."
            )
        )
    if elsewhere := len(servers - {here.server}):
        lines.append(
            nt(
                "Kiosk uses your token about once a day to check if you own the items another"
                " server gives roles for.",
                "Kiosk uses your token about once a day to check if you own items %(count)s"
                " other servers give roles for.",
                elsewhere,
            )
        )
    return lines


async def on_linked(here: Here) -> None:
    # It may read whole catalogs, and the member must not wait for that.
    looking = here.service(RoleService).look_after(here.member_id, here.server)
    here.interaction.client.tasks.start(looking, finish=True)


async def on_interaction_ended(here: Here) -> None:
    if here.server and here.joined_at:
        here.service(RoleService).meet(here.server, here.member_id, (here.joined_at, here.roles))


async def setup(bot: Kiosk) -> None:
    core = bot.core
    rules = roles.RoleRules(core.database, core.messages, core.now)
    service = RoleService(
        rules, core.features.accounts, core.features.shop.catalogs, core.tasks, bot.presence_of
    )
    bot.services[RoleService] = service
    bot.router.add(actions)
    bot.dispatcher.add(RoleKind(rules, bot.role_servers.role_problem))
    bot.worker.add("roles", service.keep, service.is_idle)
    bot.hooks.setup_sections.add(section)
    bot.hooks.given_roles.add(partial(given_roles, service))
    bot.hooks.account_shown.add(add_account_lines)
    bot.hooks.linked.add(on_linked)
    bot.hooks.bought.add(service.give_bought)
    bot.hooks.interaction_ended.add(on_interaction_ended)
