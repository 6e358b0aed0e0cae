"""Lines of the log about announcements and followed threads."""

from collections import abc

from bot.features.directory import Place
from bot.i18n import t
from bot.ui import items, log_lines, markdown, problems
from bot.ui.here import Here
from cogs.announce import actions
from storage import moderation, names, subscriptions


async def line_of(here: Here) -> moderation.LineOf[subscriptions.Subscription]:
    """Return a function that makes the log's line about a change of an announcement."""
    places = {
        (kind, named.game_id): named.name
        for kind in names.PlaceKind
        for named in await here.names(kind)
    }

    def words_of(subscription: subscriptions.Subscription) -> str:
        name = places.get((subscription.kind, subscription.place_id))
        short = name and markdown.cut(name, log_lines.VALUE_ROOM)
        place = Place(subscription.kind, subscription.place_id, short)
        title = problems.announcement_title(subscription, place, ())
        channel = f"<#{subscription.channel_id}>"
        return t("%(name)s in %(channel)s", name=title, channel=channel)

    def changes_of(
        before: subscriptions.Subscription, after: subscriptions.Subscription
    ) -> abc.Sequence[str]:
        what = words_of(after)
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

    return await log_lines.line_of(
        here, moderation.ModerationAction.ANNOUNCEMENTS, words_of, changes_of
    )


def _values(subscription: subscriptions.Subscription) -> abc.Mapping[str, abc.Sequence[str]]:
    """Return an announcement's values as texts, by their names in the forms."""
    words = markdown.one_line(subscription.own_words, log_lines.VALUE_ROOM)
    notify = subscription.notify_role_id
    return {
        t("Channel"): [f"<#{subscription.channel_id}>"],
        t("News to announce"): [
            t(words) for kind, words in actions.NEWS_WORDS.items() if kind in subscription.news
        ],
        t("Item filter"): list(filter(None, [items.query_words(subscription.query)])),
        t("Roles to ping"): [f"<@&{role_id}>" for role_id in sorted(subscription.role_ids)],
        t("Custom text"): [words] if words else [],
        t("Notify me"): [] if notify is None else [f"<@&{notify}>"],
    }
