"""What moderators see of how their server is moderated."""

from bot.domain.moderation import Rules
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.cards import Card, notice
from bot.ui.text import escape


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
