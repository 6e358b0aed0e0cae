"""The card of `/setup show`, and the card of Kiosk's permissions in each channel."""

from collections import abc

import msgspec

from bot.features import server_setup
from bot.i18n import listed, nt, number, t
from bot.ui import (
    custom_ids,
    drawing,
    giving,
    hooks,
    markdown,
    permissions,
    server_settings,
    shared_actions,
    theme,
)
from bot.ui.here import MANAGER, Here
from bot.ui.problems import Problem, account_problems, announcement_problems, together
from bot.ui.router import route
from cogs.setup import naming
from storage.names import PlaceKind
from storage.subscriptions import Subscription

_MAX_PROBLEMS = 5
_MAX_NAMED = 6
_NAME_ROOM = 60


class ShowPermissions(custom_ids.Action, kind="setup.permissions"):
    """Show which permissions Kiosk has and lacks in each channel."""


class ChannelUse(msgspec.Struct, frozen=True):
    """The use of a channel, with the roles that an announcement pings there."""

    channel_id: int
    use: permissions.Use
    role_ids: frozenset[int] = frozenset()


class ServerLook(msgspec.Struct, frozen=True):
    """Previews of a server's places from the game, and its channels and roles from Discord."""

    listed: server_setup.Listed
    proofs: abc.Mapping[tuple[PlaceKind, int], server_setup.PlacePreview]
    channels: abc.Mapping[int, permissions.ChannelState]
    gone_roles: abc.Collection[int]


class Overview(msgspec.Struct, frozen=True):
    """A server's setup, with what is `announced` and its titles."""

    known: server_setup.SetupState
    of_features: abc.Sequence[server_settings.FeatureSetting]
    announced: abc.Sequence[tuple[Subscription, str]]
    looked: ServerLook
    sections: abc.Sequence[hooks.Section] = ()

    @property
    def is_bare(self) -> bool:
        stored = self.known.settings
        values = [stored.log_channel_id, stored.moderator_role_id]
        values += [kept.value for kept in self.of_features]
        are_set = (section.is_set for section in self.sections)
        return not any((*self.looked.listed.values(), *values, self.announced, *are_set))

    @property
    def has_unseen_catalog(self) -> bool:
        """Whether there is a catalog that neither the viewer's account nor Kiosk's reads."""
        read = {
            (subscription.kind, subscription.place_id)
            for subscription in self.known.announced
            if self.known.has_account
        }
        return any(
            proof.needs_link for place, proof in self.looked.proofs.items() if place not in read
        )

    @property
    def settings(self) -> server_settings.KnownSettings:
        return server_settings.KnownSettings(self.known.settings, self.of_features)

    @property
    def is_role_gone(self) -> bool:
        return self.known.settings.moderator_role_id in self.looked.gone_roles

    @property
    def gone(self) -> str:
        """The settings whose channel or role was deleted, as `ChangeSettings` takes them."""
        values = self.settings.values
        gone = [
            name
            for name, setting in self.settings.described.items()
            if setting.use and self.channel(values[name]).is_gone
        ]
        return ",".join([*gone, server_settings.ROLE] if self.is_role_gone else gone)

    def channel(self, channel_id: int | None) -> permissions.ChannelState:
        """Return a channel as Discord describes it. Otherwise, nothing counts as missing."""
        return self.looked.channels.get(channel_id or 0, permissions.UNSEEN)

    def lacks(self, used: ChannelUse) -> list[permissions.MissingPermission]:
        return self.channel(used.channel_id).lacks([used.use], used.role_ids)

    def why(self, used: ChannelUse, otherwise: str) -> str:
        """Say what Kiosk lacks in a channel, or return `otherwise` if it lacks nothing known."""
        looked = self.channel(used.channel_id)
        return permissions.why_not(used.channel_id, looked, self.lacks(used), otherwise)


def uses_of(
    settings: server_settings.KnownSettings, announced: abc.Iterable[Subscription]
) -> abc.Iterator[ChannelUse]:
    values = settings.values
    for name, setting in settings.described.items():
        if setting.use and values[name] is not None:
            yield ChannelUse(values[name], setting.use)
    for subscription in announced:
        yield ChannelUse(
            subscription.channel_id or 0, permissions.use_for(subscription), subscription.pinged
        )


def overview_card(overview: Overview, changed: str = "", note: str = "") -> drawing.Card:
    found = list(_problems(overview))
    problems = list(together(found))
    card = drawing.Card(theme.PROBLEM if problems else theme.CALM)
    core_forms = [
        _form_button(overview, form)
        for form in (server_settings.MODERATION, server_settings.LANGUAGE)
    ]
    forms = [_form_button(overview, kept.setting.form) for kept in overview.of_features]
    is_unseen = overview.has_unseen_catalog
    state = "" if is_unseen else "✅ **" + t("No problems found") + "**"
    if problems:
        state = nt("⚠️ **One problem to fix**", "⚠️ **%(count)s problems to fix**", len(problems))
    elif not any(overview.looked.listed.values()):
        state = t("To get started, add a thread to read and a catalog to shop in.")
    said = f"**{t('Settings saved:')}**\n{changed}" if changed else ""
    card.say("\n".join(filter(None, ["## " + t("Kiosk in this server"), said, note, state])))
    if overview.is_bare and not problems:
        card.buttons(
            shared_actions.add_button(PlaceKind.THREAD, style=drawing.BLUE),
            shared_actions.add_button(PlaceKind.CATALOG),
            *forms,
            *core_forms,
        )
        return card
    for problem in problems[:_MAX_PROBLEMS]:
        style = drawing.BLUE if problem is problems[0] else drawing.GREY
        card.say(f"**{problem.what}**\n{problem.why}", problem.button(style))
    if len(problems) > _MAX_PROBLEMS:
        left = number(len(problems) - _MAX_PROBLEMS)
        card.say(t("And %(count)s more. Fix these first.", count=left))
    if is_unseen:
        again = shared_actions.LinkAccount(custom_ids.fold(shared_actions.ShowSetup().custom_id()))
        style = drawing.GREY if problems else drawing.BLUE
        link = drawing.button(again, t("Link account"), style=style, emoji="🔗")
        card.say(t("Link your account to check if the game has these catalogs."), link)
    card.divide()
    card.say("\n".join(_lines(overview, {problem.about for problem in found} - {None})))
    buttons = [
        drawing.button(naming.ShowNames(PlaceKind.THREAD), t("Threads")),
        drawing.button(naming.ShowNames(PlaceKind.CATALOG), t("Catalogs")),
        *forms,
        drawing.button(shared_actions.ShowAnnouncements(), t("Announcements")),
        *(section.button for section in overview.sections if section.button),
        *core_forms,
        drawing.button(ShowPermissions(), t("Permissions")),
        drawing.button(shared_actions.ShowSetup(), t("Refresh")),
    ]
    for start in range(0, len(buttons), drawing.MAX_IN_ROW):
        card.buttons(*buttons[start : start + drawing.MAX_IN_ROW])
    return card


def _form_button(overview: Overview, form: str) -> drawing.Button:
    return drawing.button(server_settings.ChangeSettings(form, overview.gone), t(form))


def _problems(overview: Overview) -> abc.Iterator[Problem]:
    yield from _of_moderation(overview)
    channels = overview.looked.channels
    gone = overview.looked.gone_roles
    yield from announcement_problems(overview.announced, channels, gone)
    yield from account_problems(overview.known, overview.announced)
    for section in overview.sections:
        yield from section.problems
    for kind, names in overview.looked.listed.items():
        for named in names:
            if (
                overview.looked.proofs.get(
                    (kind, named.game_id), server_setup.PlacePreview()
                ).has_it
                is False
            ):
                title = t(
                    "%(name)s isn't in the game", name=markdown.one_line(named.name, _NAME_ROOM)
                )
                change = t("Change"), naming.ShowNamed(kind, named.game_id)
                why = naming.not_there(kind, named.game_id)
                yield Problem(title, why, (kind, named.game_id), *change)
    if overview.known.silent_since is not None:
        since = markdown.relative_time(overview.known.silent_since)
        why = t("The game stopped answering %(when)s. Kiosk keeps trying.", when=since)
        yield Problem(t("The game isn't answering"), why)


def _change(overview: Overview, problem: str) -> tuple[str, custom_ids.Action]:
    form = server_settings.MODERATION
    return t("Change"), server_settings.ChangeSettings(form, overview.gone, problem)


def _of_moderation(overview: Overview) -> abc.Iterator[Problem]:
    known = overview.known.settings
    if overview.is_role_gone:
        why = t("Only members with the Manage Messages permission can remove comments now.")
        change = _change(overview, server_settings.ROLE)
        yield Problem(t("The moderator role was deleted"), why, None, *change)
    if known.log_channel_id is None:
        return
    used = ChannelUse(known.log_channel_id, permissions.Use.LOG)
    channel = f"<#{known.log_channel_id}>"
    looked = overview.channel(used.channel_id)
    change = _change(overview, server_settings.LOG)
    if known.log_is_closed or overview.lacks(used):
        why = overview.why(used, t("Kiosk can't post in %(channel)s.", channel=channel))
        again = (
            change
            if looked.is_gone
            else (t("Try again"), server_settings.SetAgain(server_settings.LOG))
        )
        lost_id = known.log_channel_id if looked.is_gone else None
        title = t("Reports can't be posted")
        lacks = () if lost_id else tuple(overview.lacks(used))
        yield Problem(title, why, permissions.Use.LOG, *again, lost_id, lacks, known.log_channel_id)
    if looked.is_open:
        why = t(
            "@everyone can see %(channel)s. Deny %(permission)s to @everyone there, and allow it"
            " for Kiosk's role.",
            channel=channel,
            permission=permissions.MissingPermission.VIEW.words,
        )
        yield Problem(t("Everyone can read the log"), why, permissions.Use.LOG, *change)


def _lines(overview: Overview, wrong: abc.Collection[object]) -> abc.Iterator[str]:
    yield f"**{t('Threads')}** · {_names(PlaceKind.THREAD, overview, wrong)}"
    yield f"**{t('Catalogs')}** · {_names(PlaceKind.CATALOG, overview, wrong)}"
    mark = theme.WRONG if permissions.Use.ANNOUNCE in wrong else ""
    yield f"**{t('Announcements')}** · {mark}{_announced(overview.known.announced)}"
    yield from (section.line for section in overview.sections if section.line)
    values = overview.settings.values
    for name, setting in overview.settings.described.items():
        mark = theme.WRONG if setting.use in wrong else ""
        yield setting.line(values[name], overview.looked.gone_roles, mark)


def _names(kind: PlaceKind, overview: Overview, wrong: abc.Collection[object]) -> str:
    shown: list[str] = []
    for game_id, name in overview.looked.listed[kind][:_MAX_NAMED]:
        mark = theme.WRONG if (kind, game_id) in wrong else ""
        shown.append(mark + markdown.escape(markdown.one_line(name, _NAME_ROOM, plain=True)))
    return markdown.some_of(shown, len(overview.looked.listed[kind])) or t("none yet")


def _announced(announced: abc.Sequence[Subscription]) -> str:
    if not announced:
        return t("none yet")
    threads = sum(subscription.kind is PlaceKind.THREAD for subscription in announced)
    of_catalogs = len(announced) - threads
    catalogs = len(
        {
            subscription.place_id
            for subscription in announced
            if subscription.kind is PlaceKind.CATALOG
        }
    )
    parts: list[str] = []
    if catalogs < of_catalogs:
        several = nt(
            "%(announcements)s announcements of %(count)s catalog",
            "%(announcements)s announcements of %(count)s catalogs",
            catalogs,
            announcements=number(of_catalogs),
        )
        parts.append(several)
    elif catalogs:
        parts.append(nt("%(count)s catalog", "%(count)s catalogs", catalogs))
    if threads:
        parts.append(nt("%(count)s thread", "%(count)s threads", threads))
    channels = {f"<#{subscription.channel_id}>" for subscription in announced}
    where = min(channels)
    if len(channels) > 1:
        where = t("%(count)s channels", count=number(len(channels)))
    return t("%(what)s in %(where)s", what=listed(parts), where=where)


async def known_settings(here: Here) -> server_settings.KnownSettings:
    stored = await here.settings()
    return server_settings.KnownSettings(stored, await here.hooks.settings(here.guild_id))


@route(ShowPermissions, needs=MANAGER)
async def show_permissions(here: Here, _action: ShowPermissions) -> None:
    this_channel = ChannelUse(here.interaction.channel_id or 0, permissions.Use.HERE)
    settings = await known_settings(here)
    announced = await here.features.announcing.subscribed.of_guild(here.guild_id)
    used = [this_channel, *uses_of(settings, announced)]
    server = await permissions.Server.asked(here)
    channels = await server.look_at_all(use.channel_id for use in used)
    texts = [
        _channel_words(looked, [use for use in used if use.channel_id == channel_id])
        for channel_id, looked in channels.items()
    ]
    are_channels_well = not any(theme.WRONG in text for text in texts)
    gives_roles = any(await here.hooks.given_roles(here.guild_id))
    may_give = server.allowed({}, server.own_roles, server.own_id).manage_roles
    is_well = are_channels_well and (may_give or not gives_roles)
    names = permissions.MissingPermission.MANAGE_ROLES.words
    words = t("Allowed: %(names)s", names=names)
    if not may_give:
        mark = theme.WRONG if gives_roles else ""
        words = mark + t("Not allowed: %(names)s", names=names)
    texts.append(f"**{t('Roles')}**\n{words}")
    card = drawing.Card(theme.GOOD if is_well else theme.PROBLEM)
    title = theme.WRONG + t("Something is missing")
    if is_well:
        title = "✅ " + t("Kiosk has every permission it needs")
    intro = t("Kiosk needs these permissions to post on its own. Commands work in every channel.")
    card.say(f"### {title}\n{intro}")
    card.divide()
    card.say("\n\n".join(texts))
    if left_out := len({use.channel_id for use in used}) - len(channels):
        card.say("-# " + nt("and %(count)s more", "and %(count)s more", left_out))
    if not are_channels_well:
        card.divide()
        card.say(permissions.how_to_give(t("the channel")))
    allow = [] if may_give or not gives_roles else [giving.invitation_button(server)]
    card.buttons(*allow, drawing.button(shared_actions.ShowSetup(), t("Back")))
    await here.answer(card)


def _channel_words(looked: permissions.ChannelState, used: abc.Sequence[ChannelUse]) -> str:
    uses = list(dict.fromkeys(use.use for use in used))
    role_ids = frozenset[int]().union(*(use.role_ids for use in used))
    # Without permissions, Kiosk can still answer in this channel. Other uses post on their own.
    mark = theme.WRONG if uses != [permissions.Use.HERE] else ""
    if looked.is_gone:
        words = mark + t("The channel was deleted.")
    elif lacks := looked.lacks(uses, role_ids):
        words = mark + t("Not allowed: %(names)s", names=listed([lack.words for lack in lacks]))
    else:
        names = listed([need.words for need in looked.needs(uses, role_ids)])
        words = t("Allowed: %(names)s", names=names)
    used_as = listed([t(use.value) for use in uses])
    return f"**<#{used[0].channel_id}>** · {used_as}\n{words}"
