"""What moderators see of their server's names."""

from collections.abc import Sequence

from bot.domain.moderation import Rules
from bot.domain.names import Kind, Named
from bot.features.names import Place
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.cards import MOST_CHARACTERS, Card, notice
from bot.ui.text import escape


def added_card(place: Place) -> Card:
    """Say which name now stands for what."""
    name = escape(place.name or "")
    if place.kind is Kind.THREAD:
        title = t("Thread %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/forum read`.")
    else:
        title = t("Catalog %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/shop browse`.")
    return notice(title, body, colour=theme.GOOD)


def removed_card(place: Place) -> Card:
    """Say which name is gone."""
    name = escape(place.name or "")
    if place.kind is Kind.THREAD:
        title = t("Thread %(id)s is no longer called “%(name)s”", id=place.game_id, name=name)
    else:
        title = t("Catalog %(id)s is no longer called “%(name)s”", id=place.game_id, name=name)
    return notice(title, t("In the game nothing has changed."))


def list_card(kind: Kind, names: Sequence[Named]) -> Card:
    """List the names of a kind; says how many did not fit."""
    if kind is Kind.THREAD:
        title = t("Threads of this server")
        empty = t("No thread has a name yet. Give one with `/setup thread add`.")
    else:
        title = t("Catalogs of this server")
        empty = t("No catalog has a name yet. Give one with `/setup catalog add`.")
    if not names:
        return notice(title, empty)
    lines: list[str] = []
    room = MOST_CHARACTERS - len(title) - 100
    for named in names:
        line = f"**{escape(named.name)}** · {named.game_id}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    left = len(names) - len(lines)
    footer = nt("and %(count)s more", "and %(count)s more", left) if left else ""
    return notice(title, "\n".join(lines), footer=footer)


def moderators_card(role_id: int | None) -> Card:
    """Say who may remove comments now."""
    if role_id is None:
        return notice(
            t("No role removes comments here any more"),
            t("Whoever may manage a channel's messages still does."),
        )
    return notice(
        t("A role removes comments here now"),
        t("%(role)s, and whoever may manage a channel's messages.", role=f"<@&{role_id}>")
        + "\n"
        + t(
            "Discord shows the commands to them once you allow it: Server Settings, Integrations,"
            " Kiosk."
        ),
        colour=theme.GOOD,
    )


def moderation_card(rules: Rules) -> Card:
    """Show how removals work in this server."""
    lines = [
        t("Removals need a reason.") if rules.needs_reason else t("A reason may be left out."),
        nt(
            "The log keeps what a removed comment said for %(count)s day.",
            "The log keeps what a removed comment said for %(count)s days.",
            rules.kept_days,
        ),
    ]
    if rules.reasons:
        lines.append(t("The usual reasons:"))
        lines += [f"- {escape(reason)}" for reason in rules.reasons]
    return notice(t("How removals work here"), "\n".join(lines), colour=theme.GOOD)


def log_channel_card(channel_id: int | None) -> Card:
    """Say where removals and reports are posted."""
    if channel_id is None:
        return notice(
            t("Removals and reports are posted nowhere now"),
            t("`/moderate log` still lists removals, and members can't report comments."),
        )
    return notice(
        t("The log has a channel"),
        t("Removals and reports are posted in %(channel)s.", channel=f"<#{channel_id}>"),
        colour=theme.GOOD,
    )
