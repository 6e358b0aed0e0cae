"""What members see of their link and their records: forms and cards that never show the token."""

from collections.abc import Callable, Mapping
from typing import Any

import discord
from discord import ui

from bot.errors import TokenSource
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import Action, ActionForm, action_button
from bot.ui.cards import Button, Card, attached_file, notice
from bot.ui.next_steps import TOKEN_FIELD
from bot.ui.shared_actions import (
    LinkToken,
    OpenLinkForm,
    continue_button,
    help_button,
    link_button,
    link_buttons,
    places_button,
    token_page_buttons,
    token_words,
    unsent_button,
)
from bot.ui.text import one_line
from storage.links import Link

_NAME_ROOM = 60

FILE_NAME, ZIPPED_NAME = "kiosk.json", "kiosk.zip"

# How many of each there were, in words; what is not named here is told together.
_COUNTED: Mapping[str, Callable[[int], str]] = {
    "links": lambda _: t("the link to your game account"),
    "writes": lambda count: nt(
        "the record of one thing you wrote or ordered",
        "the records of %(count)s things you wrote or ordered",
        count,
    ),
    "subscriptions": lambda count: nt(
        "one thing that you watched", "%(count)s things that you watched", count
    ),
    "reports": lambda count: nt("one report", "%(count)s reports", count),
    "inbox": lambda count: nt("one message for you", "%(count)s messages for you", count),
}


class ShowLink(Action, kind="show_link"):
    """Show the state of the link."""


class AskToUnlink(Action, kind="unlink"):
    """Ask before the link is forgotten."""


class Unlink(Action, kind="unlink_now"):
    """Forget the link."""


def link_form(source: TokenSource, linked: Link | None = None, then: str = "") -> ActionForm:
    """Ask for the token, and say which account it replaces; its field is named `token`."""
    form = ActionForm(LinkToken(then), title=t("Link your game account"))
    page = source.url and f"[{t('Get a token')}]({source.url})"
    replaces = linked and t("This replaces the account that is linked now.")
    if linked is not None and linked.player_name:
        name = one_line(linked.player_name, _NAME_ROOM)
        replaces = t("This replaces **%(name)s**.", name=name)
    lines = [replaces, token_words(source), page]
    form.add_item(ui.TextDisplay("\n".join(filter(None, lines))))
    field: ui.TextInput[Any] = ui.TextInput(custom_id=TOKEN_FIELD, min_length=1, max_length=2000)
    form.ask(
        t("Access token"),
        field,
        description=t("From the game. It is sealed before it is kept, and never shown."),
    )
    return form


def retry_buttons(source: TokenSource, then: str) -> tuple[Button, ...]:
    """Offer the form again, by the same way."""
    again = action_button(
        OpenLinkForm(then), t("Try again"), style=discord.ButtonStyle.primary, emoji="🔁"
    )
    return (again, *token_page_buttons(source))


def linked_card(then: str, unsent: int, *, may_shop: bool) -> Card:
    """Say that linking worked, and lead on: to `then`, to unsent texts, or to what to try."""
    lines = [t("The game accepted your token. It is sealed, and used only for what you ask for.")]
    if not may_shop:
        lines = [
            t("Your token is sealed, and used only for what you ask for."),
            t("The game's shop refused it: your game account may not see the catalogs here."),
        ]
    buttons: list[Button] = []
    if then:
        buttons.append(continue_button(then))
    if unsent:
        lines.append(
            nt(
                "One of your texts is still waiting to be sent.",
                "%(count)s of your texts are still waiting to be sent.",
                unsent,
            )
        )
        buttons.append(unsent_button())
    if not buttons:
        lines.append(t("Choose a thread to read, or a catalog to shop in."))
        buttons += [places_button(), help_button()]
    return notice(
        t("Your game account is linked"),
        "\n".join(lines),
        colour=theme.GOOD,
        buttons=tuple(buttons),
    )


def unlinked_card(*, was_linked: bool) -> Card:
    """Say that the token is forgotten, or that there was none."""
    if was_linked:
        return notice(
            t("Your game account is unlinked"),
            t("Your token has been deleted. `/account link` brings you back any time."),
            colour=theme.ACCOUNT,
            footer=t(
                "What you watch and the lists of what you wrote and ordered here stay;"
                " `/account erase` removes them."
            ),
            buttons=(link_button(),),
        )
    return notice(
        t("There was nothing to unlink"),
        t("No game account is linked to you."),
        buttons=(link_button(),),
    )


def unlink_question_card() -> Card:
    """Ask before the token is forgotten."""
    return notice(
        t("Unlink your game account?"),
        t("Your token is deleted here. To write and shop again, you paste one again."),
        colour=theme.PROBLEM,
        buttons=(
            action_button(Unlink(), t("Unlink"), style=discord.ButtonStyle.danger),
            action_button(ShowLink(), t("Back")),
        ),
    )


def link_card(link: Link | None, source: TokenSource) -> Card:
    """Show the state of a link."""
    if link is None:
        lines = [t("Link one to write in the forum and to shop. Reading threads works without.")]
        return notice(
            t("No game account is linked"),
            "\n".join(filter(None, [*lines, token_words(source)])),
            buttons=link_buttons(source),
        )
    since = t("Linked %(when)s.", when=discord.utils.format_dt(link.linked_at, "R"))
    if link.is_refused:
        lines = [t("The game no longer accepts the access token you linked."), since]
        return notice(
            t("Your link has expired"),
            "\n".join(filter(None, [*lines, token_words(source)])),
            colour=theme.PROBLEM,
            buttons=link_buttons(source),
        )
    player = t("You write and shop as yourself in the game.")
    if name := one_line(link.player_name or "", _NAME_ROOM, is_name=True):
        player = t("You are **%(name)s** in the game.", name=name)
    return notice(
        t("Your game account is linked"),
        f"{player}\n{since}",
        colour=theme.ACCOUNT,
        footer=t("Your token is sealed. Nobody is shown it, not even you."),
        buttons=(action_button(AskToUnlink(), t("Unlink"), style=discord.ButtonStyle.danger),),
    )


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
            "Your link, your unsent texts, what you watch and the lists of what you wrote and"
            " ordered here are removed for good."
        )
        + "\n"
        + t(
            "What stays: your comments and items in the game, what moderators removed or held back"
            " of them, posts that were shared in channels, and backups, until the operator replaces"
            " them."
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
