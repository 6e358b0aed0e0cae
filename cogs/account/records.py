"""What members see of their records: the file with them, the question, what was removed."""

from collections.abc import Callable, Mapping

import discord

from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import Action, action_button
from bot.ui.cards import Card, attached_file, notice

FILE_NAME, ZIPPED_NAME = "kiosk.json", "kiosk.zip"

# How many of each there were, in words; what is not named here is told together.
_COUNTED: Mapping[str, Callable[[int], str]] = {
    "links": lambda _: t("the link to your game account"),
    "drafts": lambda count: nt("one unsent text", "%(count)s unsent texts", count),
    "authored": lambda count: nt(
        "the record of one comment you wrote", "the records of %(count)s comments you wrote", count
    ),
    "orders": lambda count: nt("one order", "%(count)s orders", count),
    "reports": lambda count: nt("one report", "%(count)s reports", count),
    "inbox": lambda count: nt("one message for you", "%(count)s messages for you", count),
}


class Erase(Action, kind="erase"):
    """Remove all that is kept about the member."""


def export_card(name: str) -> Card:
    """Show the file of this name, and say what is in it."""
    card = notice(
        t("What Kiosk keeps about you"),
        t("All of it is in this file, in a format that programs read. Only you see it."),
        colour=theme.ACCOUNT,
        footer=t("Your access token is not in it: nobody is shown that."),
    )
    card.add(attached_file(name))
    return card


def too_large_card() -> Card:
    """Say who has the file where Discord doesn't take one so large."""
    return notice(
        t("Your records are too large for Discord"),
        t("Ask the bot's operator for them: they can give you all of it as a file."),
        colour=theme.PROBLEM,
    )


def question_card() -> Card:
    """Ask before anything is removed, and say what stays."""
    return notice(
        t("Erase everything Kiosk keeps about you?"),
        t(
            "Your link, your unsent texts and the lists of what you wrote and ordered here are"
            " removed for good."
        )
        + "\n"
        + t(
            "What stays: your comments and items in the game, posts that were shared in channels,"
            " and backups, until the operator replaces them."
        ),
        colour=theme.PROBLEM,
        footer=t("`/account export` gives you a copy first."),
        buttons=(action_button(Erase(), t("Erase everything"), style=discord.ButtonStyle.danger),),
    )


def erased_card(removed: Mapping[str, int], left: Mapping[str, int]) -> Card:
    """Say what was removed, and what is not yet."""
    if not removed and not left:
        return notice(t("There was nothing to erase"), t("Kiosk keeps nothing about you."))
    lines = [f"- {words(removed[table])}" for table, words in _COUNTED.items() if table in removed]
    others = sum(count for table, count in removed.items() if table not in _COUNTED)
    if others:
        lines.append("- " + nt("one technical entry", "%(count)s technical entries", others))
    under_way = sum(left.values())
    if under_way:
        lines.append(
            nt(
                "One order is still under way and stays until it is settled, so that nothing is"
                " bought twice. Use `/account erase` again then.",
                "%(count)s orders are still under way and stay until they are settled, so that"
                " nothing is bought twice. Use `/account erase` again then.",
                under_way,
            )
        )
    return notice(t("This was erased"), "\n".join(lines), colour=theme.ACCOUNT)
