"""What a server announces, and how: the list, one announcement, and its questions."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import discord
from msgspec import Struct

from bot.features.following.owing import item_of
from bot.features.names import Place
from bot.i18n import N_, listed, number, t
from bot.ui import theme
from bot.ui.actions import ListEntry, action_button, action_list, question, step_buttons
from bot.ui.cards import BLUE, GREY, Button, Card
from bot.ui.error_cards import title_of
from bot.ui.items import catalog_title, name_of, news_line, unread_words, word
from bot.ui.permissions import Looked, role_words, use_for, why_not
from bot.ui.shared_actions import OpenAnnouncement, OpenEditForm, ShowAnnouncements, TakeOver
from bot.ui.text import and_more, fitting
from cogs.announce import actions
from cogs.announce.cards import OTHER_REFUSAL, REFUSALS
from storage.names import PlaceKind
from storage.subscriptions import Event, Followed, NewSubscription, Subscription

PER_PAGE = 8
_MOST_NAMED = 10
# For the types of items that are announced, on an announcement's own card and in the list.
_ROOM_FOR_TYPES, _ROOM_IN_LIST = 1600, 100


class Shown(Struct, frozen=True):
    """As cards show one; `followed` names a reader only if that one set something up here."""

    one: Subscription
    title: str
    followed: Followed | None = None
    missed: Sequence[Event] = ()
    last: Event | None = None


def list_card(
    shown: Sequence[Shown],
    page: int,
    count: int,
    gone_roles: Collection[int],
    channels: Mapping[int, Looked],
) -> Card:
    """Show a page; `channels` are those of it, as far as Discord shows them."""
    troubles = [_trouble(each.one, channels) for each in shown]
    has_trouble = any(
        each.one.pause_reason is not None or each.one.role_id in gone_roles for each in shown
    )
    card = Card(theme.PROBLEM if has_trouble or any(troubles) else theme.SHOP)
    card.say("## " + t("Announcements"))
    for place, each in enumerate(shown):
        if place:
            card.gap()
        room = card.room // (len(shown) - place)
        card.say("\n".join(fitting(_entry(each, gone_roles, troubles[place]), room)))
    if not shown:
        card.say(t("Nothing is announced here yet."))
    else:
        entries = [
            ListEntry(
                f"{each.title} → #{each.one.channel_name or each.one.channel_id}",
                OpenAnnouncement(each.one.id),
            )
            for each in shown
        ]
        card.choose(action_list(entries, placeholder=t("Open…")))
    start = action_button(actions.ChooseCatalog(), t("Announce a catalog"), style=BLUE, emoji="📣")
    buttons = [start, action_button(actions.OpenFollowForm(), t("Follow a thread"))]
    if page or count > PER_PAGE:
        before = ShowAnnouncements(page - 1) if page else None
        has_more = count > (page + 1) * PER_PAGE
        buttons += step_buttons(before, ShowAnnouncements(page + 1) if has_more else None)
    card.buttons(*buttons)
    return card


def _trouble(one: Subscription, channels: Mapping[int, Looked]) -> str:
    """Say what Kiosk lacks where it is to be posted, "" where that is nothing."""
    channel_id = one.channel_id or 0
    if channel_id not in channels or one.paused_at is not None:
        return ""
    looked = channels[channel_id]
    return why_not(channel_id, looked, looked.lacks([use_for(one.kind)], [one.role_id]))


def _entry(shown: Shown, gone_roles: Collection[int], trouble: str) -> list[str]:
    one, channel = shown.one, f"<#{shown.one.channel_id}>"
    head = t("**%(name)s** in %(channel)s", name=shown.title, channel=channel)
    missed = [t("%(count)s missed", count=number(len(shown.missed)))] if shown.missed else []
    if one.is_unread:
        return [f"⚠️ {head}", unread_words(one)]
    if one.paused_at is not None:
        when = ago(one.paused_at)
        if one.pause_reason is not None:
            problem, _ = REFUSALS.get(one.pause_reason, OTHER_REFUSAL)
            return [f"⚠️ {head}", t("Stopped %(when)s: %(problem)s.", when=when, problem=t(problem))]
        return [f"⏸️ {head}", " · ".join([t("Paused %(when)s", when=when), *missed])]
    words = _wanted(one, _ROOM_IN_LIST)
    if one.role_id is not None:
        words += " · " + t("pings %(role)s", role=role_words(one.role_id, gone_roles))
    lines = [f"⚠️ {head}", trouble, words] if trouble else [head, words]
    if shown.last is not None:
        lines.append("-# " + _last(shown.last, N_("Last: %(item)s, %(when)s")))
    return lines + missed


def _wanted(one: NewSubscription, room: int = _ROOM_FOR_TYPES) -> str:
    if one.kind is PlaceKind.THREAD:
        return t("New comments of the thread")
    news = [t(words) for each, words in actions.NEWS_WORDS.items() if each in one.news]
    parts = [listed(news)]
    parts += and_more(fitting(map(word, sorted(one.types)), room, gap=3), len(one.types))
    if one.max_cost is not None:
        cost = f"{number(one.max_cost)} {word(one.currency)}".strip()
        parts.append(t("up to %(cost)s", cost=cost))
    return " · ".join(parts)


def _last(event: Event, words: str) -> str:
    return t(words, item=name_of(item_of(event).name), when=ago(event.happened_at))


def one_card(shown: Shown, gone_roles: Collection[int] = (), *, changed: str = "") -> Card:
    one = shown.one
    card = Card(theme.SHOP if one.pause_reason is None else theme.PROBLEM)
    channel = f"<#{one.channel_id}>"
    title = t("%(name)s in %(channel)s", name=shown.title, channel=channel)
    lines = [f"## {title}"]
    if changed:
        lines.append(f"**{changed}**")
    lines += _state(shown, gone_roles, changed)
    card.say("\n".join(lines))
    for row in _rows(shown, is_role_gone=one.role_id in gone_roles):
        card.buttons(*row)
    return card


def _rows(shown: Shown, *, is_role_gone: bool) -> list[list[Button]]:
    urgent = _urgent(shown)
    usual = _usual(shown, is_role_gone=is_role_gone)
    last = [
        action_button(actions.AskRemove(shown.one.id), t("Remove…")),
        action_button(ShowAnnouncements(), t("Back")),
    ]
    if shown.one.is_unread:
        return [[*urgent, *usual], last]
    if shown.one.paused_at is not None:
        return [urgent, [*usual, *last]]
    return [urgent, usual, last]


def _urgent(shown: Shown) -> list[Button]:
    """Return what makes news come again, and what to do with those that were missed."""
    one = shown.one
    if one.is_unread:
        return [action_button(TakeOver(one.id), t("Read with my account"), style=BLUE)]
    row: list[Button] = []
    if one.paused_at is not None:
        row.append(action_button(actions.Resume(one.id), t("Resume"), style=BLUE))
    if shown.missed:
        count = number(len(shown.missed))
        words = t("Announce the %(count)s", count=count)
        style = GREY if row else BLUE
        row.append(action_button(actions.AnnounceMissed(one.id), words, style=style, emoji="📣"))
        dismiss = t("Dismiss the %(count)s", count=count)
        row.append(action_button(actions.DismissMissed(one.id), dismiss))
    return row


def _usual(shown: Shown, *, is_role_gone: bool) -> list[Button]:
    one = shown.one
    if one.kind is PlaceKind.THREAD:
        return []
    is_well = one.paused_at is None
    style = BLUE if is_well and not shown.missed else GREY
    row = [action_button(OpenEditForm(one.id, is_role_gone), t("Edit"), style=style)]
    if is_well:
        row.append(action_button(actions.Pause(one.id), t("Pause")))
        row.append(action_button(actions.PostTest(one.id), t("Post a test")))
    return [*row, action_button(actions.ShowHistory(one.id), t("History"))]


def _state(shown: Shown, gone_roles: Collection[int], changed: str) -> list[str]:
    one, followed, missed = shown.one, shown.followed, _missed(shown)
    lines = [_wanted(one)]
    if one.role_id is not None:
        lines.append(t("Pings %(role)s", role=role_words(one.role_id, gone_roles)))
    if one.paused_at is not None:
        return _paused(one, ago(one.paused_at), lines, missed)
    lines += missed
    facts: list[str] = []
    if followed is not None and followed.read_at is not None:
        # What has just changed may say by whom.
        facts.append(read_words(followed, names_reader=not changed))
    if shown.last is not None:
        facts.append(_last(shown.last, N_("last: %(item)s, %(when)s")))
    if followed is not None and followed.failure is not None and followed.failing_since is not None:
        problem = title_of(followed.failure)
        since = ago(followed.failing_since)
        failing = t("⚠️ It can't be read: %(problem)s, first %(when)s", problem=problem, when=since)
        lines.append(failing)
    if facts:
        lines.append("-# " + " · ".join(facts))
    return lines


def _paused(one: Subscription, when: str, wanted: list[str], missed: list[str]) -> list[str]:
    if one.is_unread:
        stopped = t("Stopped %(when)s", when=when)
        take_over = t("Take over, and what is new since then is announced, too.")
        return [f"**{t('Nothing is announced.')}** {unread_words(one)}", f"{stopped}. {take_over}"]
    if one.pause_reason is not None:
        problem, mend = REFUSALS.get(one.pause_reason, OTHER_REFUSAL)
        stopped = t("Stopped %(when)s: %(problem)s.", when=when, problem=t(problem))
        return [stopped, t("To fix it, %(mend)s. Then resume.", mend=t(mend)), *wanted, *missed]
    paused = t("Paused %(when)s.", when=when)
    return [*wanted, " ".join([paused, *missed[:1]]), *missed[1:]]


def read_words(followed: Followed, *, names_reader: bool = True) -> str:
    when = ago(followed.read_at) if followed.read_at is not None else ""
    if followed.kind is PlaceKind.THREAD or followed.reader_id is None or not names_reader:
        return t("Read %(when)s", when=when)
    who = f"<@{followed.reader_id}>"
    return t("Read %(when)s with the account of %(who)s", when=when, who=who)


def _missed(shown: Shown) -> list[str]:
    if not shown.missed:
        return []
    named = [f"- {news_line(event)}" for event in shown.missed[:_MOST_NAMED]]
    return [t("Missed since then:"), *and_more(named, len(shown.missed))]


def remove_card(shown: Shown) -> Card:
    channel = f"<#{shown.one.channel_id}>"
    title = t("Announce %(name)s in %(channel)s no more?", name=shown.title, channel=channel)
    body, back = t("What was announced before stays."), OpenAnnouncement(shown.one.id)
    return question(title, body, actions.Remove(shown.one.id), t("Remove"), back)


def catalogs_card(places: Sequence[Place], chosen: Place | None) -> Card:
    """Let a catalog be chosen, then its form be opened: no list opens a form."""
    card = Card(theme.SHOP)
    card.say("## " + t("Announce a catalog"))
    if not places:
        card.say(t("This server has named no catalog. Use `/announce add` with a number."))
    else:
        entries = [
            ListEntry(
                catalog_title(each.game_id, each.name),
                actions.ChooseCatalog(each.game_id),
                is_chosen=chosen is not None and chosen.game_id == each.game_id,
            )
            for each in places
        ]
        card.choose(action_list(entries, placeholder=t("Choose a catalog…")))
    buttons = [action_button(ShowAnnouncements(), t("Back"))]
    if chosen is not None:
        form = actions.OpenAnnounceForm(chosen.game_id)
        label = t("Announce")
        buttons.insert(0, action_button(form, label, style=BLUE, emoji="📣"))
    card.buttons(*buttons)
    return card


def ago(moment: datetime) -> str:
    return discord.utils.format_dt(moment, "R")
