"""The list of a server's announcements."""

from collections import abc

from bot.features import feature_errors
from bot.i18n import t
from bot.ui import drawing, error_cards, permissions, shared_actions, theme
from bot.ui.here import MANAGER, Here
from bot.ui.markdown import fitting
from bot.ui.problems import Problem, announcement_problems
from bot.ui.router import route
from cogs.announce import actions, announcement, lines

PER_PAGE = 8
# Characters for the types of items, in an entry of the list.
_ROOM_FOR_TYPES = 100


@route(announcement.Remove, needs=MANAGER)
async def on_remove(here: Here, action: shared_actions.OfAnnouncement) -> None:
    announcing = here.features.announcing
    subscription = await announcing.find(here.guild_id, action.subscription_id)
    await announcing.remove(subscription, await lines.line_of(here))
    await here.hooks.server_changed(here.guild_id)
    await show(here, shared_actions.ShowAnnouncements())


@route(shared_actions.ShowAnnouncements, needs=MANAGER)
async def show(here: Here, action: shared_actions.ShowAnnouncements) -> None:
    announcing = here.features.announcing
    all_of_them = await announcing.subscribed.of_guild(here.guild_id)
    # Some may have been removed since the card was drawn.
    page = min(max(0, action.page), max(0, len(all_of_them) - 1) // PER_PAGE)
    listed = all_of_them[page * PER_PAGE : (page + 1) * PER_PAGE]
    gone = await permissions.gone_roles(here, *(subscription.pinged for subscription in listed))
    await announcing.note_gone_roles(listed, gone)
    channel_ids = [subscription.channel_id or 0 for subscription in listed]
    channels = await permissions.channels_at_hand(here, channel_ids)
    shown = [
        await announcement.shown_of(here, subscription, all_of_them) for subscription in listed
    ]
    has_account = here.features.own_account.is_there
    card = list_card(shown, page, len(all_of_them), gone, channels, has_account=has_account)
    if not has_account:
        error_cards.offer_report(here, card, feature_errors.NoOwnAccount())
    await here.answer(card)


def list_card(
    shown: abc.Sequence[announcement.Shown],
    page: int,
    count: int,
    gone_roles: abc.Collection[int],
    channels: abc.Mapping[int, permissions.ChannelState],
    *,
    has_account: bool = True,
) -> drawing.Card:
    """Show a page. `channels` are the page's channels that Discord shows."""
    problems = [
        next(announcement_problems([(entry.subscription, entry.title)], channels, gone_roles), None)
        for entry in shown
    ]
    first = next(filter(None, problems), None)
    card = drawing.Card(theme.PROBLEM if first else theme.SHOP)
    card.say("## " + t("Announcements"))
    if not has_account:
        card.say(
            f"{t(feature_errors.NoOwnAccount.body)} {t(feature_errors.NoOwnAccount.next_step)}"
        )
    for number, (entry, problem) in enumerate(zip(shown, problems, strict=True)):
        if number:
            card.gap()
        room = card.room // (len(shown) - number)
        lines = fitting(_entry(entry, problem, gone_roles), room)
        style = drawing.BLUE if problem is first else drawing.GREY
        card.say("\n".join(lines), problem and problem.button(style))
    if not shown:
        card.say(t("This server has no announcements yet."))
    else:
        entries = [
            drawing.Entry(
                f"{title} → #{subscription.channel_name or subscription.channel_id}",
                shared_actions.OpenAnnouncement(subscription.id),
            )
            for subscription, title, *_ in shown
        ]
        card.choose(entries, t("Open…"))
    buttons = [drawing.button(shared_actions.FollowThread(), t("Follow a thread"))]
    if has_account:
        style = drawing.GREY if first else drawing.BLUE
        start = drawing.button(
            actions.ChooseCatalog(), t("Announce a catalog"), style=style, emoji="📣"
        )
        buttons.insert(0, start)
    if page or count > PER_PAGE:
        before = shared_actions.ShowAnnouncements(page - 1) if page else None
        has_more = count > (page + 1) * PER_PAGE
        after = shared_actions.ShowAnnouncements(page + 1) if has_more else None
        buttons += drawing.step_buttons(before, after)
    card.buttons(*buttons)
    return card


def _entry(
    shown: announcement.Shown, problem: Problem | None, gone_roles: abc.Collection[int]
) -> list[str]:
    subscription = shown.subscription
    channel = f"<#{subscription.channel_id}>"
    head = t("**%(name)s** in %(channel)s", name=shown.title, channel=channel)
    wrong = [problem.why] if problem else []
    if shown.is_gone:
        wrong.append(announcement.gone_words())
    lines = [f"⚠️ {head}", *wrong] if wrong else [head]
    if subscription.stopped_at is not None:
        mark = "" if wrong else "⏸️ "
        return [f"{mark}{lines[0]}", *lines[1:], announcement.stopped_words(shown)]
    words = announcement.wanted_words(subscription, _ROOM_FOR_TYPES)
    if subscription.pinged:
        pinged = permissions.roles_words(subscription.pinged, gone_roles)
        words += " · " + t("pings %(role)s", role=pinged)
    return [*lines, words]
