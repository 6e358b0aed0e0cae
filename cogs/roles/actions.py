"""Roles from the game: the cards, forms and actions for a server's rules."""

import typing
from collections import abc
from contextlib import suppress

import discord

from bot.features import feature_errors
from bot.i18n import t
from bot.ui import (
    custom_ids,
    drawing,
    error_cards,
    fields,
    forms,
    log_lines,
    markdown,
    problems,
    shared_actions,
    theme,
)
from bot.ui.giving import RoleTrouble, invitation_button, may_give, mentions, role_servers
from bot.ui.here import MANAGER, Here
from bot.ui.router import route, sent
from cogs.roles.service import RoleService
from storage import moderation, names, roles

_ROLE = fields.Roles("role", is_required=True)
_WHO = fields.Listed("who")
_ITEM = fields.TextInput("item", is_line=True)
_NAME_ROOM = 60
_TAKES = fields.Flag("takes")


class OfRoleRule(custom_ids.Action):
    rule_id: int


class OpenRoleRule(OfRoleRule, kind="setup.role"):
    """Show a rule by which roles are given."""


class ResumeRole(OfRoleRule, kind="setup.role_again"):
    """Try again to give roles that were refused for one reason."""


class ShowRoles(custom_ids.Action, kind="setup.roles"):
    """Show the rules by which members are given roles."""


class AddRule(custom_ids.Action, kind="setup.role_form"):
    """A form for a new rule."""


class SwitchTaking(OfRoleRule, kind="setup.role_takes"):
    """Set whether members who no longer qualify lose a rule's role from now on."""

    is_on: bool


class AskRemoveRule(OfRoleRule, kind="setup.ask_role_off"):
    """Ask before a rule is removed."""


class RemoveRule(OfRoleRule, kind="setup.role_off"):
    """Remove a rule."""


@route(ShowRoles, needs=MANAGER)
async def show(here: Here, _action: ShowRoles | None = None, changed: str = "") -> None:
    known = await known_rules(here)
    await here.answer(roles_card(known.rules, known.troubles, known.names, changed))


@route(AddRule, opens_form=True, needs=MANAGER)
async def open_role_form(here: Here, action: custom_ids.Action) -> None:
    await here.open_form(role_form(await here.names(names.PlaceKind.CATALOG)))


@sent(AddRule, needs=MANAGER)
async def on_rule(here: Here, action: AddRule) -> None:
    role_id = _ROLE.read_one(here) or 0
    _require_roles(here)
    if not await _is_givable(here, role_id, action):
        return
    who = _WHO.read_one(here)
    catalog_id = int(who) if who.isdecimal() else None
    new = roles.NewRule(
        here.guild_id,
        roles.RuleKind.LINKED if catalog_id is None else roles.RuleKind.OWNS,
        role_id,
        here.member_id,
        takes_away=_TAKES.read(here),
        catalog_id=catalog_id or 0,
    )
    await here.service(RoleService).add(new, _ITEM.read(here), await _line_of(here))
    given = t(
        "Rule added. Kiosk checks each member about once a day. Members who are already linked"
        " get the role within about a day."
    )
    await show(here, changed=given)


class KnownRules(typing.NamedTuple):
    """A server's rules, the reasons why roles can't be given, by rule id, and the roles' names."""

    rules: abc.Sequence[roles.RoleRule]
    troubles: abc.Mapping[int, str]
    names: abc.Mapping[int, str]


async def known_rules(here: Here) -> KnownRules:
    """Check a server's rules. Resume refused ones whose role can be given now."""
    service = here.service(RoleService)
    rules = await service.rules.of_guild(here.guild_id)
    server = None
    with suppress(discord.HTTPException):
        server = await role_servers(here).ask(here.guild_id) if rules else None
    why: dict[int, str] = {}
    alike: dict[RoleTrouble, dict[int, int]] = {}
    for rule in rules:
        trouble = server and may_give(rule.role_id, server)
        if trouble:
            alike.setdefault(trouble, {})[rule.id] = rule.role_id
        elif rule.refusal == problems.NEEDS_TWO_FACTOR:
            # The server doesn't show what the bot's owner has to do.
            why[rule.id] = problems.refusal_words(rule.refusal)
        elif rule.refusal is not None and server is not None:
            await service.resume(rule)
        elif rule.refusal is not None:
            why[rule.id] = t("Kiosk couldn't give this role. It tries again within an hour.")
    for trouble, held_up in alike.items():
        why |= dict.fromkeys(held_up, trouble.words(*held_up.values()))
    role_names = {int(role["id"]): str(role["name"]) for role in server.roles} if server else {}
    return KnownRules(rules, why, role_names)


async def _is_givable(here: Here, role_id: int, again: custom_ids.Action) -> bool:
    """Return whether Kiosk may give a role for this member, else show the reason."""
    server = await role_servers(here).ask(here.guild_id)
    trouble = may_give(role_id, server, here)
    if trouble is None:
        return True
    buttons = [error_cards.again_button(here, again)]
    if trouble is RoleTrouble.MAY_NOT:
        buttons.insert(0, invitation_button(server))
    await here.answer(
        drawing.notice(
            t("Kiosk can't give that role yet"),
            trouble.words(role_id),
            colour=theme.PROBLEM,
            buttons=(*buttons, drawing.button(ShowRoles(), t("Back"))),
        )
    )
    return False


@route(OpenRoleRule, needs=MANAGER)
async def show_rule(here: Here, action: OfRoleRule) -> None:
    rule = await here.service(RoleService).find(here.guild_id, action.rule_id)
    troubles = (await known_rules(here)).troubles
    await here.answer(rule_card(rule, troubles.get(rule.id, "")))


@route(ResumeRole, needs=MANAGER)
async def on_resume(here: Here, action: ResumeRole) -> None:
    _require_roles(here)
    service = here.service(RoleService)
    rule = await service.find(here.guild_id, action.rule_id)
    if await _is_givable(here, rule.role_id, action):
        rules = await service.rules.of_guild(here.guild_id)
        await service.resume(*(other for other in rules if other.refusal == rule.refusal))
        await show_rule(here, action)


@route(SwitchTaking, needs=MANAGER)
async def on_switch(here: Here, action: SwitchTaking) -> None:
    _require_roles(here)
    rule = await here.service(RoleService).find(here.guild_id, action.rule_id)
    if await _is_givable(here, rule.role_id, action):
        line_of = await _line_of(here)
        await here.service(RoleService).switch(rule, line_of, takes_away=action.is_on)
        await show_rule(here, action)


@route(AskRemoveRule, needs=MANAGER)
async def on_ask_remove(here: Here, action: AskRemoveRule) -> None:
    _require_roles(here)
    rule = await here.service(RoleService).find(here.guild_id, action.rule_id)
    body = t("Members who have the role from this rule lose it.")
    if not roles.are_taken(await here.service(RoleService).rules.of_role(rule)):
        body = t("Members who have the role keep it.")
    body = f"{_rule_words(rule)}\n{body}"
    back = OpenRoleRule(rule.id)
    title = t("Remove this rule?")
    await here.answer(drawing.question(title, body, RemoveRule(rule.id), t("Remove"), back))


@route(RemoveRule, needs=MANAGER)
async def on_remove(here: Here, action: RemoveRule) -> None:
    _require_roles(here)
    rule = await here.service(RoleService).find(here.guild_id, action.rule_id)
    await here.service(RoleService).remove(rule, await _line_of(here))
    await show(here)


def _require_roles(here: Here) -> None:
    """Raise MayNotGiveRoles if Discord doesn't let the member give roles."""
    if not here.permissions.manage_roles:
        raise feature_errors.MayNotGiveRoles


def role_form(catalogs: abc.Iterable[names.Named]) -> forms.ActionForm:
    form = forms.ActionForm(AddRule(), title=t("Give a role"))
    _ROLE.ask(form, t("Role"))
    linked = fields.Choice(roles.RuleKind.LINKED, t("Members who linked an account"), True)
    owning = [
        fields.Choice(
            str(catalog.game_id), t("Members who own an item in %(catalog)s", catalog=catalog.name)
        )
        for catalog in catalogs
    ]
    _WHO.ask(form, t("Who gets the role"), [linked, *owning], is_required=True)
    hint = t("An item's name or number. Leave empty for linked members.")
    _ITEM.ask(form, t("Item"), hint)
    _TAKES.ask(form, t("Take role back"), t("When a member no longer qualifies."), is_set=True)
    return form


def _rule_words(rule: roles.RoleRule) -> str:
    return f"<@&{rule.role_id}> · {who_words(rule)}"


def _taken_words(rule: roles.RoleRule) -> str:
    if rule.takes_away:
        return t("Kiosk takes the role away from members who no longer qualify.")
    return t("Members keep the role, even if they no longer qualify.")


async def _line_of(here: Here) -> moderation.LineOf[roles.RoleRule]:
    """Return a function that makes the log's line about a change of a rule."""

    def words_of(rule: roles.RoleRule) -> str:
        return f"{_rule_words(rule)}\n{_taken_words(rule)}"

    def changes_of(_before: roles.RoleRule, after: roles.RoleRule) -> abc.Sequence[str]:
        return [words_of(after)]

    return await log_lines.line_of(here, moderation.ModerationAction.ROLES, words_of, changes_of)


def roles_card(
    rules: abc.Sequence[roles.RoleRule],
    troubles: abc.Mapping[int, str],
    role_names: abc.Mapping[int, str],
    changed: str = "",
) -> drawing.Card:
    """List rules, with `troubles` by rule id. Names of roles may be missing."""
    card = drawing.Card(theme.PROBLEM if troubles else theme.CALM)
    intro = t("Kiosk gives members roles in this server for what they have in the game.")
    lines = [
        f"{number}. {'⚠️ ' if rule.id in troubles else ''}{_rule_words(rule)}"
        for number, rule in enumerate(rules, start=1)
    ]
    head = [f"## {t('Roles')}", changed or intro]
    card.say("\n".join([*head, *(lines or [t("There are no rules yet.")])]))
    for problem in role_problems(rules, troubles):
        card.say(f"⚠️ **{problem.what}**\n{problem.why}", problem.button())
    if rules:
        entries = [
            drawing.Entry(
                role_names.get(rule.role_id) or t("Rule %(number)s", number=number),
                OpenRoleRule(rule.id),
                who_words(rule, plain=True),
            )
            for number, rule in enumerate(rules, start=1)
        ]
        card.choose(entries, t("Open…"))
    card.buttons(
        drawing.button(AddRule(), t("Add rule"), style=drawing.BLUE),
        drawing.button(shared_actions.ShowSetup(), t("Back")),
    )
    return card


def rule_card(rule: roles.RoleRule, why: str) -> drawing.Card:
    """Show a rule, and `why` its role can't be given."""
    card = drawing.Card(theme.PROBLEM if why else theme.CALM)
    card.say("\n".join([f"## {t('Role')}", _rule_words(rule), _taken_words(rule)]))
    if why:
        resume = ResumeRole(rule.id)
        card.say(f"⚠️ {why}", drawing.button(resume, t("Try again"), style=drawing.BLUE))
    switch = SwitchTaking(rule.id, is_on=not rule.takes_away)
    label = t("Let members keep role") if rule.takes_away else t("Take role back")
    card.buttons(
        drawing.button(switch, label),
        drawing.button(AskRemoveRule(rule.id), t("Remove…")),
        drawing.button(ShowRoles(), t("Back")),
    )
    return card


def why_lines(had: abc.Iterable[tuple[int | None, roles.RoleRule | None]]) -> list[str]:
    """Return why a member has roles, each with its rule, in one line for each cause."""
    causes: dict[object, tuple[roles.RoleRule | None, list[int | None]]] = {}
    for role_id, rule in had:
        cause = rule and (rule.kind, rule.item_id)
        causes.setdefault(cause, (rule, []))[1].append(role_id)
    return [_why_words(role_ids, rule) for rule, role_ids in causes.values()]


def _why_words(role_ids: abc.Iterable[int | None], rule: roles.RoleRule | None) -> str:
    role = mentions(role_ids, most=None)
    if rule is None:
        return t("You have %(role)s from a rule that was removed.", role=role)
    if rule.kind is roles.RuleKind.LINKED:
        return t("You have %(role)s because you linked your account.", role=role)
    return t("You have %(role)s because you own **%(item)s**.", role=role, item=item_words(rule))


def who_words(rule: roles.RoleRule, *, plain: bool = False) -> str:
    """Say who gets a role, `plain` if Discord formats nothing."""
    if rule.kind is roles.RuleKind.LINKED:
        return t("Members who linked an account")
    if plain:
        return t("Members who own %(item)s", item=rule.item_name)
    return t("Members who own **%(item)s**", item=item_words(rule))


def item_words(rule: roles.RoleRule) -> str:
    return markdown.one_line(rule.item_name, _NAME_ROOM, is_name=True)


def role_problems(
    rules: abc.Iterable[roles.RoleRule], troubles: abc.Mapping[int, str]
) -> abc.Iterator[problems.Problem]:
    """Yield a problem with the roles for each cause, from `troubles` by rule id."""
    by_cause: dict[str, list[roles.RoleRule]] = {}
    for rule in rules:
        if rule.id in troubles:
            by_cause.setdefault(troubles[rule.id], []).append(rule)
    for why, held_up in by_cause.items():
        what = t("Kiosk can't give %(role)s", role=mentions(rule.role_id for rule in held_up))
        mend = t("Try again"), ResumeRole(held_up[0].id)
        yield problems.Problem(what, why, None, *mend)
