"""The card of `/setup check`."""

from collections.abc import Sequence

from msgspec import Struct

from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.cards import Card


class Checked(Struct, frozen=True):
    """A channel, what it is used for, and what Kiosk may and may not do there, in English.

    `allowed` is None where Kiosk can't even see it; then it may be gone as well.
    """

    channel_id: int
    uses: Sequence[str]
    allowed: Sequence[str] | None
    lacking: Sequence[str] = ()


def check_card(channels: Sequence[Checked], *, left_out: int) -> Card:
    """Tell of each channel, and where what is missing is mended."""
    is_well = not any(channel.lacking for channel in channels)
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
    card.say("\n\n".join(_line(channel) for channel in channels))
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


def _line(channel: Checked) -> str:
    uses = ", ".join(t(use) for use in channel.uses)
    lines = [f"**<#{channel.channel_id}>** · {uses}"]
    if channel.allowed is None:
        lines.append("❌ " + t("Kiosk can't see this channel, or it is gone."))
        return "\n".join(lines)
    if channel.lacking:
        lines.append("❌ " + t("May not: %(names)s", names=_names(channel.lacking)))
    if channel.allowed:
        lines.append("✅ " + t("May: %(names)s", names=_names(channel.allowed)))
    return "\n".join(lines)


def _names(names: Sequence[str]) -> str:
    return ", ".join(t("“%(name)s”", name=t(name)) for name in names)
