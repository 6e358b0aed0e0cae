"""The card of `/setup show`, and the one that says what Kiosk may do in each channel."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import NamedTuple

import discord
from msgspec import Struct

from bot.features.names import Place
from bot.features.panels import Listed, Proof
from bot.i18n import nt, number, t
from bot.ui import theme
from bot.ui.actions import Action, action_button
from bot.ui.cards import BLUE, GREY, Card
from bot.ui.here import Here
from bot.ui.items import catalog_title, unread_words
from bot.ui.permissions import Lack, Server, Use
from bot.ui.shared_actions import (
    OpenAnnouncement,
    ShowAnnouncements,
    ShowRules,
    ShowSetup,
    TakeOver,
)
from bot.ui.text import and_more, escape, one_line
from cogs.setup.cards import OpenAddForm, ShowNamed, ShowNames
from cogs.setup.forms import (
    ChangeLog,
    OpenLanguageForm,
    OpenModerationForm,
    OpenPanelForm,
    PostPanelAgain,
    TryLogAgain,
    language_words,
)
from storage.messages import Message
from storage.moderation import Rules
from storage.names import Named, PlaceKind
from storage.subscriptions import Subscription
from storage.vetting import TextRules

# Each is looked at over HTTP, so that a server can't ask for hundreds at once.
MOST_CHANNELS = 20
_MOST_PROBLEMS, _MOST_NAMED, _MOST_CHANNELS = 5, 6, 2
_NAME_ROOM = 60

ShowPermissions = Action.of_kind("setup.permissions")


class Overview(Struct, frozen=True):
    listed: Listed
    proofs: Mapping[tuple[PlaceKind, int], Proof]
    panel: Message | None
    rules: Rules
    watched: TextRules
    announced: Sequence[tuple[Subscription, Place]]
    # When the game answered last, None while it does.
    silent_since: datetime | None
    log_is_open: bool


class _Problem(NamedTuple):
    title: str
    why: str
    label: str = ""
    action: Action | None = None


def overview_card(overview: Overview, changed: str = "") -> Card:
    """Say first whether all is well; `changed` is what has just been done."""
    problems = _problems(overview)
    card = Card(theme.PROBLEM if problems else theme.CALM)
    panel = action_button(OpenPanelForm(), t("Panel"))
    moderation = action_button(OpenModerationForm(), t("Moderation"))
    language = action_button(OpenLanguageForm(), t("Language"))
    lines = ["## " + t("Kiosk in this server")]
    if changed:
        lines.append(f"**{t('Changed: %(what)s.', what=changed)}**")
    listed = overview.listed
    if not (listed.threads or listed.catalogs):
        lines.append(t("Two steps, and members can begin: a thread to read, a catalog to shop in."))
        card.say("\n".join(lines))
        card.buttons(
            action_button(OpenAddForm(PlaceKind.THREAD), t("Add a thread"), style=BLUE),
            action_button(OpenAddForm(PlaceKind.CATALOG), t("Add a catalog")),
            panel,
            moderation,
            language,
        )
        return card
    state = "✅ **" + t("All is well") + "**"
    if problems:
        state = nt("⚠️ **One thing needs you**", "⚠️ **%(count)s things need you**", len(problems))
    card.say("\n".join([*lines, state]))
    for place, problem in enumerate(problems[:_MOST_PROBLEMS]):
        text = f"**{problem.title}**\n{problem.why}"
        if problem.action is None:
            card.say(text)
            continue
        style = GREY if place else BLUE
        card.say(text, action_button(problem.action, problem.label, style=style))
    if len(problems) > _MOST_PROBLEMS:
        left = number(len(problems) - _MOST_PROBLEMS)
        card.say(t("and %(count)s more: mend these first.", count=left))
    card.divide()
    card.say("\n".join(_lines(overview)))
    card.buttons(
        action_button(ShowNames(PlaceKind.THREAD), t("Threads")),
        action_button(ShowNames(PlaceKind.CATALOG), t("Catalogs")),
        panel,
        action_button(ShowAnnouncements(), t("Announcements")),
    )
    card.buttons(
        moderation,
        action_button(ShowRules(), t("Rules")),
        language,
        action_button(ShowPermissions(), t("Permissions")),
        action_button(ShowSetup(), t("Look again")),
    )
    return card


def _problems(overview: Overview) -> list[_Problem]:
    found: list[_Problem] = []
    rules = overview.rules
    if rules.log_is_closed and rules.log_channel_id is not None:
        why = t("Kiosk can't post in %(channel)s.", channel=f"<#{rules.log_channel_id}>")
        title = t("Reports are posted nowhere")
        found.append(_Problem(title, why, t("Try again"), TryLogAgain()))
    if overview.log_is_open:
        why = t("%(channel)s is open to @everyone.", channel=f"<#{rules.log_channel_id}>")
        title = t("Everybody can read the log")
        found.append(_Problem(title, why, t("Change"), ChangeLog()))
    found += _unannounced(overview)
    panel = overview.panel
    if panel is not None and not panel.is_there:
        why = t("Somebody deleted it in %(channel)s.", channel=f"<#{panel.channel_id}>")
        again = PostPanelAgain()
        found.append(_Problem(t("The panel is gone"), why, t("Post it again"), again))
    for kind, names in (
        (PlaceKind.THREAD, overview.listed.threads),
        (PlaceKind.CATALOG, overview.listed.catalogs),
    ):
        for named in names:
            if overview.proofs.get((kind, named.game_id), Proof()).has_it is False:
                found.append(_not_in_game(kind, named))
    if overview.silent_since is not None:
        since = discord.utils.format_dt(overview.silent_since, "R")
        why = t("Its last answer came %(when)s. Kiosk keeps trying.", when=since)
        found.append(_Problem(t("The game doesn't answer"), why))
    return found


def _unannounced(overview: Overview) -> list[_Problem]:
    found: list[_Problem] = []
    for one, place in overview.announced:
        name = _name_of(place)
        if one.is_unread:
            title = t("%(name)s is no longer announced", name=name)
            take_over = TakeOver(one.id)
            found.append(_Problem(title, unread_words(one), t("Read with my account"), take_over))
        elif one.pause_reason is not None:
            why = t("Discord refuses it in %(channel)s.", channel=f"<#{one.channel_id}>")
            title = t("%(name)s can't be posted", name=name)
            found.append(_Problem(title, why, t("Open"), OpenAnnouncement(one.id)))
    return found


def _not_in_game(kind: PlaceKind, named: Named) -> _Problem:
    why = t("There is no catalog %(id)s.", id=named.game_id)
    if kind is PlaceKind.THREAD:
        why = t("There is no thread %(id)s.", id=named.game_id)
    title = t("%(name)s isn't in the game", name=one_line(named.name, _NAME_ROOM))
    return _Problem(title, why, t("Change"), ShowNamed(kind, named.game_id))


def _name_of(place: Place) -> str:
    if place.kind is PlaceKind.CATALOG:
        return catalog_title(place.game_id, place.name)
    name = place.name or t("Thread %(id)s", id=place.game_id)
    return one_line(name, _NAME_ROOM)


def _lines(overview: Overview) -> list[str]:
    rules = overview.rules
    where = t("none yet: with one, members need no command to begin")
    panel = overview.panel
    if panel is not None:
        where = f"<#{panel.channel_id}>"
    log = t("no log channel: nobody can report a comment")
    if rules.log_channel_id is not None:
        log = t("log in %(channel)s", channel=f"<#{rules.log_channel_id}>")
    if rules.moderator_role_id is not None:
        log += ", " + t("%(role)s may remove", role=f"<@&{rules.moderator_role_id}>")
    has_log_trouble = rules.log_is_closed or overview.log_is_open
    is_stopped = any(one.pause_reason is not None for one, _ in overview.announced)
    return [
        f"**{t('Threads')}** · {_names(overview.listed.threads)}",
        f"**{t('Catalogs')}** · {_names(overview.listed.catalogs)}",
        f"{_mark(panel is not None and not panel.is_there)}**{t('Panel')}** · {where}",
        f"{_mark(is_stopped)}**{t('Announcements')}** · {_announced(overview.announced)}",
        f"{_mark(has_log_trouble)}**{t('Moderation')}** · {log}",
        f"**{t('Rules')}** · {_watched(overview.watched)}",
        f"**{t('Language')}** · {language_words(rules.locale)}",
    ]


def _mark(is_wrong: bool) -> str:
    return "⚠️ " if is_wrong else ""


def _names(names: Sequence[Named]) -> str:
    if not names:
        return t("none yet")
    shown = [escape(one_line(each.name, _NAME_ROOM, plain=True)) for each in names[:_MOST_NAMED]]
    return ", ".join(and_more(shown, len(names)))


def _announced(announced: Sequence[tuple[Subscription, Place]]) -> str:
    if not announced:
        return t("none yet")
    threads = sum(one.kind is PlaceKind.THREAD for one, _ in announced)
    catalogs = len(announced) - threads
    parts = [nt("%(count)s catalog", "%(count)s catalogs", catalogs)] if catalogs else []
    if threads:
        parts.append(nt("%(count)s thread", "%(count)s threads", threads))
    channels = list(dict.fromkeys(f"<#{each.channel_id}>" for each, _ in announced))
    where = ", ".join(channels)
    if len(channels) > _MOST_CHANNELS:
        where = t("%(count)s channels", count=number(len(channels)))
    return t("%(what)s in %(where)s", what=", ".join(parts), where=where)


def _watched(watched: TextRules) -> str:
    parts: list[str] = []
    if watched.words:
        parts.append(nt("%(count)s watched word", "%(count)s watched words", len(watched.words)))
    if watched.automod is not None:
        parts.append(t("AutoMod"))
    return ", ".join(parts) or t("none yet")


async def permissions_card(here: Here) -> Card:
    guild_id, features = here.guild_id, here.features
    rules = await features.moderation.rules(guild_id)
    news = await features.announcing.following.of_guild(guild_id)
    follows = await features.announcing.following.of_guild(guild_id, PlaceKind.THREAD)
    uses: defaultdict[int, list[Use]] = defaultdict(list)
    for channel_id, use in (
        (here.interaction.channel_id, Use.HERE),
        (rules.log_channel_id, Use.LOG),
        (await features.panels.channel_of(guild_id), Use.PANEL),
        *((one.channel_id, Use.ANNOUNCE) for one in news),
        *((one.channel_id, Use.FOLLOW) for one in follows),
    ):
        if channel_id is not None and use not in uses[channel_id]:
            uses[channel_id].append(use)
    server = await Server.asked(here)
    looks = [
        _look(server, channel_id, why, {n.role_id for n in news if n.channel_id == channel_id})
        for channel_id, why in list(uses.items())[:MOST_CHANNELS]
    ]
    checked = await asyncio.gather(*looks)
    card = _check_card(checked, left_out=len(uses) - len(checked))
    card.buttons(action_button(ShowSetup(), t("Back")))
    return card


async def _look(
    server: Server, channel_id: int, uses: Sequence[Use], role_ids: Set[int | None]
) -> tuple[str, bool]:
    used = f"**<#{channel_id}>** · {', '.join(t(use.value) for use in uses)}"
    try:
        needs, lacks = await server.needs_in(channel_id, uses, role_ids)
    except (discord.Forbidden, discord.NotFound):
        gone = t("Kiosk can't see this channel, or it is gone.")
        return f"{used}\n❌ {gone}", False
    lines = [used]
    if lacks:
        lines.append("❌ " + t("May not: %(names)s", names=_permissions(lacks)))
    if allowed := [each for each in needs if each not in lacks]:
        lines.append("✅ " + t("May: %(names)s", names=_permissions(allowed)))
    return "\n".join(lines), not lacks


def _permissions(permissions: Sequence[Lack]) -> str:
    return ", ".join(t("“%(name)s”", name=t(each.value)) for each in permissions)


def _check_card(channels: Sequence[tuple[str, bool]], *, left_out: int) -> Card:
    is_well = all(channel_is_well for _, channel_is_well in channels)
    card = Card(theme.GOOD if is_well else theme.PROBLEM)
    title = (
        t("Kiosk may do all it needs") if is_well else t("Something is missing in your channels")
    )
    intro = t(
        "Kiosk answers commands wherever they may be used. What is listed here, it needs for what"
        " it posts by itself, and to take it away again."
    )
    card.say(f"### {title}\n{intro}")
    card.divide()
    card.say("\n\n".join(text for text, _ in channels))
    if left_out:
        card.say("-# " + nt("and %(count)s more", "and %(count)s more", left_out))
    if not is_well:
        card.divide()
        card.say(
            t(
                "To fix it, open the channel's settings, then Permissions, add Kiosk or its role"
                " there, and allow what is missing. For the whole server it is Server Settings,"
                " Roles, Kiosk."
            )
        )
    return card
