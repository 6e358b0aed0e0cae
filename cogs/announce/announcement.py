"""One announcement: its card, and its actions: edit, pause, resume, remove."""

import typing
from collections import abc

from msgspec.structs import replace

from bot.features import feature_errors
from bot.i18n import listed, nt, t
from bot.ui import drawing, markdown, permissions, problems, shared_actions, theme
from bot.ui.error_cards import title_of
from bot.ui.forms import ActionForm
from bot.ui.here import MANAGER, Here
from bot.ui.items import ROOM_FOR_TYPES, news_line, query_words
from bot.ui.router import route, sent
from cogs.announce import actions, lines
from storage import subscriptions
from storage.following import Followed, SeenComment
from storage.names import PlaceKind

# The most items that a question names.
_MAX_NAMED = 10
# The room for a server's own words on the card.
_ROOM_FOR_WORDS = 100


class Pause(shared_actions.OfAnnouncement, kind="announce.pause"):
    """Pause an announcement until someone resumes it."""


class PostNewest(shared_actions.OfAnnouncement, kind="announce.newest"):
    """Post the newest items that are already in the catalog."""


class AskRemove(shared_actions.OfAnnouncement, kind="announce.ask_remove"):
    """Ask before an announcement is removed."""


class Remove(shared_actions.OfAnnouncement, kind="announce.remove"):
    """Remove an announcement."""


class DecideMissed(shared_actions.OfAnnouncement, kind="announce.decide_missed"):
    """Resume stopped announcements, and post or skip the news they missed."""

    tells_missed: bool


class Shown(typing.NamedTuple):
    """A subscription on a card. `missed` counts the news since it stopped.

    `is_gone` says that the game no longer has the catalog or thread.
    """

    subscription: subscriptions.Subscription
    title: str
    missed: int = 0
    is_gone: bool = False


async def shown_of(
    here: Here,
    subscription: subscriptions.Subscription,
    all_of_them: abc.Sequence[subscriptions.Subscription],
) -> Shown:
    place = await here.place(subscription.kind, subscription.place_id)
    announcing = here.features.announcing
    missed = await announcing.owing.missed(subscription)
    followed = await announcing.following.place(subscription.kind, subscription.place_id)
    title = problems.announcement_title(subscription, place, all_of_them)
    is_gone = followed is not None and followed.gone_at is not None
    return Shown(subscription, title, len(missed), is_gone)


@route(shared_actions.OpenAnnouncement, needs=MANAGER)
async def on_open(here: Here, action: shared_actions.OfAnnouncement) -> None:
    await show(here, action.subscription_id)


@route(shared_actions.EditAnnouncement, opens_form=True, needs=MANAGER)
async def open_edit_form(here: Here, action: shared_actions.EditAnnouncement) -> None:
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    if subscription.kind is PlaceKind.THREAD:
        form = ActionForm(action, title=t("Follow a thread"))
        chosen = actions.AnnounceFields.of(subscription).channel_id or None
        actions.CHANNEL.ask(form, t("Channel"), chosen=chosen)
        await here.open_form(form)
        return
    fields = actions.AnnounceFields.of(subscription)
    if action.is_role_gone:
        role_ids = fields.role_ids
        # If Discord doesn't say which role is gone, none is preset.
        gone = await permissions.gone_roles(here, role_ids) or role_ids
        fields = replace(fields, role_ids=role_ids - gone)
    await here.open_form(await actions.form_for(here, action, subscription.place_id, fields))


@sent(shared_actions.EditAnnouncement, needs=MANAGER)
async def on_edit(here: Here, action: shared_actions.OfAnnouncement) -> None:
    fields = actions.AnnounceFields.read(here)
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    place = await here.place(subscription.kind, subscription.place_id)
    use = permissions.use_for(subscription)
    channel = await permissions.usable(
        here, fields.channel_id, use, action, role_ids=fields.role_ids, name=place.name
    )
    if channel is None:
        return
    wanted: dict[str, typing.Any] = {}
    if subscription.kind is PlaceKind.CATALOG:
        wanted = {"news": fields.news, "role_ids": fields.role_ids}
        if subscription.notify_role_id in subscription.role_ids - fields.role_ids:
            wanted["notify_role_id"] = None
        before = actions.AnnounceFields.of(subscription)
        wanted |= await actions.filters_of(here, subscription.place_id, fields, before)
    changed = await here.features.announcing.change(
        subscription.id,
        await lines.line_of(here),
        channel_id=channel.id,
        channel_kind=channel.kind,
        channel_name=channel.name,
        tag_id=channel.tag_id,
        locale=here.server_locale,
        **wanted,
    )
    await resume(here, changed, changed=t("Changes saved."))


@route(Pause, needs=MANAGER)
async def on_pause(here: Here, action: shared_actions.OfAnnouncement) -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    await announcing.pause(subscription, await lines.line_of(here))
    await show(here, subscription.id)


@route(shared_actions.Resume, DecideMissed, needs=MANAGER)
async def on_go_on(here: Here, action: shared_actions.Resume | DecideMissed) -> None:
    subscription = await here.features.announcing.find(here.guild_id, action.subscription_id)
    tells_missed = action.tells_missed if isinstance(action, DecideMissed) else None
    await resume(here, subscription, again=action, tells_missed=tells_missed)


async def resume(
    here: Here,
    subscription: subscriptions.Subscription,
    *,
    again: shared_actions.OfAnnouncement | None = None,
    changed: str = "",
    tells_missed: bool | None = None,
) -> None:
    """Resume a subscription and those that stopped for the same reason, then show it.

    With an action to try `again`, first check and say what Kiosk lacks in the channels. Ask about
    missed news, unless `tells_missed` says what to do with them.
    """
    announcing = here.features.announcing
    stopped = await announcing.stopped_with(subscription)
    if again is not None and not await _are_usable(here, stopped or [subscription], again):
        return
    missed = [news for other in stopped for news in await announcing.owing.missed(other)]
    if missed and tells_missed is None:
        await here.answer(missed_card(subscription, missed, changed))
        return
    told = await announcing.resume(
        stopped, tells_missed=bool(tells_missed), line_of=await lines.line_of(here)
    )
    said = [changed] if changed else []
    if stopped:
        said.append(t("Announcements resumed."))
    if told:
        said.append(nt("%(count)s post is on its way.", "%(count)s posts are on their way.", told))
    await show(here, subscription.id, " ".join(said))


async def _are_usable(
    here: Here, told: abc.Sequence[subscriptions.Subscription], again: shared_actions.OfAnnouncement
) -> bool:
    """Return whether Kiosk has every permission in all these channels, else tell the manager."""
    others = {subscription.channel_id or 0 for subscription in told[1:]}
    looked = await permissions.channels_at_hand(here, others - {told[0].channel_id})
    lacking = (
        subscription
        for subscription in told
        if (channel := looked.get(subscription.channel_id or 0))
        and channel.lacks([permissions.use_for(subscription)], subscription.pinged)
    )
    first = next(lacking, told[0])
    channel_id = first.channel_id or 0
    use = permissions.use_for(first)
    usable = permissions.usable(here, channel_id, use, again, role_ids=first.pinged)
    return await usable is not None


@route(PostNewest, needs=MANAGER)
async def on_newest(here: Here, action: shared_actions.OfAnnouncement) -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    if not await _are_usable(here, [subscription], action):
        return
    count = await announcing.owe_newest(subscription)
    said = t("There are no matching items right now.")
    if count:
        said = nt("%(count)s post is on its way.", "%(count)s posts are on their way.", count)
    await show(here, subscription.id, said)


@route(AskRemove, needs=MANAGER)
async def on_ask_remove(here: Here, action: shared_actions.OfAnnouncement) -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    all_of_them = await announcing.subscribed.of_guild(here.guild_id)
    shown = await shown_of(here, subscription, all_of_them)
    channel = f"<#{subscription.channel_id}>"
    title = t("Stop announcing %(name)s in %(channel)s?", name=shown.title, channel=channel)
    body = t("Posts that are already there stay.")
    back = shared_actions.OpenAnnouncement(subscription.id)
    remove = Remove(subscription.id)
    await here.answer(drawing.question(title, body, remove, t("Stop announcing"), back))


async def show(here: Here, subscription_id: int, changed: str = "") -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, subscription_id)
    all_of_them = await announcing.subscribed.of_guild(here.guild_id)
    shown = await shown_of(here, subscription, all_of_them)
    followed = await announcing.following.place(subscription.kind, subscription.place_id)
    facts: list[str] = []
    is_read = subscription.kind is PlaceKind.THREAD or here.features.own_account.is_there
    if not is_read:
        facts.append(t(feature_errors.NoOwnAccount.body))
    elif subscription.stopped_at is None and followed is not None:
        facts += _read(followed)
        when = markdown.relative_time(followed.due_at)
        facts.append(t("Next reading %(when)s", when=when))
    gone = await permissions.gone_roles(here, subscription.pinged)
    await announcing.note_gone_roles([subscription], gone)
    offers_newest = await announcing.offers_newest(subscription)
    troubles: abc.Mapping[int, str] = {}
    if subscription.notify_role_id:
        troubles = await problems.notify_troubles(here, [subscription])
    card = announcement_card(
        shown, gone, facts, troubles, changed=changed, offers_newest=offers_newest
    )
    await here.answer(card)


def announcement_card(
    shown: Shown,
    gone_roles: abc.Collection[int],
    facts: abc.Sequence[str] = (),
    troubles: abc.Mapping[int, str] | None = None,
    *,
    changed: str = "",
    offers_newest: bool = False,
) -> drawing.Card:
    subscription = shown.subscription
    problem = next(
        problems.announcement_problems([(subscription, shown.title)], {}, gone_roles), None
    )
    channel = f"<#{subscription.channel_id}>"
    title = t("%(name)s in %(channel)s", name=shown.title, channel=channel)
    lines = [f"## {title}"]
    if changed:
        lines.append(f"**{changed}**")
    if shown.is_gone:
        lines.append(f"⚠️ {gone_words()}")
    if subscription.stopped_at is not None:
        lines.append(f"{stopped_words(shown)} {problem.why if problem else ''}".rstrip())
    lines.append(wanted_words(subscription, ROOM_FOR_TYPES))
    lines += _extras(subscription, gone_roles)
    role_problem = next(problems.role_problems(subscription, shown.title, gone_roles), None)
    if role_problem is not None and role_problem is not problem:
        lines.append(f"⚠️ {role_problem.why}")
    lines += [f"⚠️ {why}" for why in (troubles or {}).values()]
    if facts:
        lines.append("-# " + " · ".join(facts))
    card = drawing.Card(theme.PROBLEM if problem else theme.SHOP)
    card.say("\n".join(lines))
    is_role_gone = not subscription.role_ids.isdisjoint(gone_roles)
    needs_form = problem is not None and isinstance(problem.mend, shared_actions.EditAnnouncement)
    card.buttons(*_buttons(subscription, is_role_gone=is_role_gone, needs_form=needs_form))
    first: list[drawing.Button] = []
    if offers_newest:
        newest = PostNewest(subscription.id)
        first.append(drawing.button(newest, t("Post newest items")))
    if subscription.kind is PlaceKind.CATALOG:
        notify = actions.ChangeNotifyRole(subscription.id)
        first.append(drawing.button(notify, t("Set up Notify me…")))
    remove = drawing.button(AskRemove(subscription.id), t("Stop announcing…"))
    card.buttons(*first, remove, drawing.button(shared_actions.ShowAnnouncements(), t("Back")))
    return card


def gone_words() -> str:
    """Return the text for a catalog or thread that is gone from the game."""
    return t("Gone from the game. Posts that are already there stay.")


def _extras(
    subscription: subscriptions.Subscription, gone_roles: abc.Collection[int]
) -> abc.Iterator[str]:
    """Yield the extras of an announcement: pings, own words, Notify me."""
    if subscription.pinged:
        pinged = permissions.roles_words(subscription.pinged, gone_roles)
        yield t("Pings %(role)s", role=pinged)
    if subscription.own_words:
        shown_words = markdown.one_line(subscription.own_words, _ROOM_FOR_WORDS)
        yield t("Custom text: %(words)s", words=shown_words)
    if subscription.notify_role_id is not None:
        role = permissions.roles_words([subscription.notify_role_id], gone_roles)
        yield t("Notify me adds or removes %(role)s", role=role)


def _buttons(
    subscription: subscriptions.Subscription, *, is_role_gone: bool, needs_form: bool
) -> abc.Iterator[drawing.Button]:
    is_active = subscription.stopped_at is None
    if not is_active and not needs_form:
        resume = shared_actions.Resume(subscription.id)
        yield drawing.button(resume, t("Resume"), style=drawing.BLUE)
    form = shared_actions.EditAnnouncement(subscription.id, is_role_gone)
    edit_style = drawing.BLUE if is_active or needs_form else drawing.GREY
    yield drawing.button(form, t("Edit"), style=edit_style)
    if subscription.kind is PlaceKind.CATALOG:
        yield drawing.button(actions.WriteOwnWords(subscription.id), t("Custom text"))
    if is_active:
        yield drawing.button(Pause(subscription.id), t("Pause"))
    if subscription.kind is PlaceKind.CATALOG:
        yield drawing.button(actions.ShowPreview(subscription.id), t("Preview"))
    yield drawing.button(actions.ShowHistory(subscription.id), t("History"))


def stopped_words(shown: Shown) -> str:
    """Say when an announcement stopped, and how much it missed."""
    subscription = shown.subscription
    when = (
        markdown.relative_time(subscription.stopped_at)
        if subscription.stopped_at is not None
        else ""
    )
    words = t("Stopped %(when)s.", when=when)
    if subscription.stopped_for == subscriptions.PERSON:
        words = t("Paused %(when)s.", when=when)
    if not shown.missed:
        return words
    return f"{words} {_missed_words(shown.missed, subscription.kind)}"


def _missed_words(count: int, kind: PlaceKind) -> str:
    if kind is PlaceKind.THREAD:
        return nt("%(count)s comment was missed.", "%(count)s comments were missed.", count)
    return nt("%(count)s item was missed.", "%(count)s items were missed.", count)


def _read(followed: Followed) -> abc.Iterator[str]:
    """Say when a catalog or a thread was last read, and if reading fails."""
    if followed.failure is not None and followed.failing_since is not None:
        problem = title_of(followed.failure)
        since = markdown.relative_time(followed.failing_since)
        yield t("⚠️ Reading failed: %(problem)s (first %(when)s)", problem=problem, when=since)
    if followed.read_at is not None:
        yield t("Last read %(when)s", when=markdown.relative_time(followed.read_at))


def wanted_words(subscription: subscriptions.NewSubscription, room: int) -> str:
    """Say what is announced, with `room` for the types."""
    if subscription.kind is PlaceKind.THREAD:
        return t("New comments in the thread")
    news = [t(words) for kind, words in actions.NEWS_WORDS.items() if kind in subscription.news]
    return " · ".join(filter(None, [listed(news), query_words(subscription.query, room=room)]))


def missed_card(
    subscription: subscriptions.Subscription,
    missed: abc.Sequence[subscriptions.Event | SeenComment],
    changed: str = "",
) -> drawing.Card:
    """Ask what to do with missed news before an announcement resumes."""
    events = [event for event in missed if isinstance(event, subscriptions.Event)]
    comments = len(missed) - len(events)
    words = [_missed_words(len(events), PlaceKind.CATALOG)] if events else []
    words += [_missed_words(comments, PlaceKind.THREAD)] if comments else []
    title, *lines = words
    named = [f"- {news_line(event)}" for event in events[:_MAX_NAMED]]
    lines += markdown.and_more(named, len(events))
    tell = DecideMissed(subscription.id, True)
    buttons = (
        drawing.button(tell, t("Announce them"), style=drawing.BLUE, emoji="📣"),
        drawing.button(DecideMissed(subscription.id, False), t("Skip them")),
        drawing.button(shared_actions.OpenAnnouncement(subscription.id), t("Cancel")),
    )
    head = [f"**{changed}**"] if changed else []
    return drawing.notice(title, "\n".join([*head, *lines]), colour=theme.SHOP, buttons=buttons)
