"""Lines of the log about announcements and followed threads."""

from collections import abc

from bot.features.names import Place
from bot.i18n import t
from bot.ui import items, log_lines, markdown, problems
from bot.ui.here import Here
from cogs.announce import actions
from storage import moderation, names, subscriptions


async def line_of(here: Here) -> moderation.LineOf[subscriptions.Subscription]:
    """Return what makes the log's line about a change of an announcement."""
    places = {
        (kind, named.game_id): named.name
        for kind in names.PlaceKind
        for named in await here.names(kind)
    }

    def rows_of(
        before: subscriptions.Subscription | None, after: subscriptions.Subscription | None
    ) -> abc.Sequence[str]:
        known = after or before
        if known is None:
            return []
        name = places.get((known.kind, known.place_id))
        short = name and markdown.cut(name, log_lines.VALUE_ROOM)
        place = Place(known.kind, known.place_id, short)
        return _rows(problems.announcement_title(known, place, ()), known, before, after)

    return await log_lines.line_of(here, moderation.Deed.ANNOUNCEMENTS, rows_of)


def _rows(
    title: str,
    known: subscriptions.Subscription,
    before: subscriptions.Subscription | None,
    after: subscriptions.Subscription | None,
) -> abc.Sequence[str]:
    what = t("%(name)s in %(channel)s", name=title, channel=f"<#{known.channel_id}>")
    if before is None:
        return [log_lines.added(what)]
    if after is None:
        return [log_lines.removed(what)]
    if before.stopped_at is None and after.stopped_at is not None:
        return [t("Paused: %(what)s", what=what)]
    if before.stopped_at is not None and after.stopped_at is None:
        return [t("Resumed: %(what)s", what=what)]
    values_before = _values(before)
    changes = [
        row
        for name, values in _values(after).items()
        for row in log_lines.changed(name, values_before[name], values)
    ]
    return [what, *changes] if changes else []


def _values(subscription: subscriptions.Subscription) -> abc.Mapping[str, abc.Sequence[str]]:
    """Return what can be changed, by its name in the forms."""
    words = markdown.one_line(subscription.own_words, log_lines.VALUE_ROOM)
    notify = subscription.notify_role_id
    return {
        t("Channel"): [f"<#{subscription.channel_id}>"],
        t("What is told"): [
            t(words) for kind, words in actions.NEWS_WORDS.items() if kind in subscription.news
        ],
        t("Only"): list(filter(None, [items.query_words(subscription.query)])),
        t("Roles to ping"): [f"<@&{role_id}>" for role_id in sorted(subscription.role_ids)],
        t("Own words"): [words] if words else [],
        t("Notify me"): [] if notify is None else [f"<@&{notify}>"],
    }
