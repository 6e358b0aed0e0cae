"""What members see of their link: the form for the token, and cards that never show it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import discord
from discord import ui

from bot.domain.links import Link
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import Action, ActionButton, ActionForm
from bot.ui.cards import Card, notice
from bot.ui.shared_actions import LinkToken, continue_button, link_button, unsent_button
from bot.ui.text import cut

_NAME_ROOM = 60


@dataclass(frozen=True)
class Unlink(Action):
    """Forget the link."""

    kind: ClassVar[str] = "unlink"


def link_form(then: str = "") -> ActionForm:
    """Ask for the token; its field is named `token`."""
    form = ActionForm(LinkToken(then), title=t("Link your game account"))
    field: ui.TextInput[Any] = ui.TextInput(custom_id="token", min_length=1, max_length=2000)
    form.ask(
        t("Access token"),
        field,
        description=t("From the game. It is sealed before it is kept, and never shown."),
    )
    return form


def linked_card(then: str, unsent: int) -> Card:
    """Say that linking worked, and lead on: to `then`, to unsent texts, or to what to try."""
    lines = [t("The game accepted your token. It is sealed, and used only for what you ask for.")]
    buttons: list[ui.Button[Any]] = []
    if then:
        buttons.append(continue_button(then))
    if unsent:
        lines.append(
            nt(
                "One text of yours is still waiting to be sent.",
                "%(count)s texts of yours are still waiting to be sent.",
                unsent,
            )
        )
        buttons.append(unsent_button())
    if not buttons:
        lines.append(t("Try `/forum read` or `/shop browse` next."))
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
                "The lists of what you wrote and ordered here stay; `/account erase` removes them."
            ),
            buttons=(link_button(),),
        )
    return notice(
        t("There was nothing to unlink"),
        t("No game account is linked to you."),
        buttons=(link_button(),),
    )


def link_card(link: Link | None) -> Card:
    """Show the state of a link."""
    if link is None:
        return notice(
            t("No game account is linked"),
            t("Link one to write in the forum and to shop. Reading threads works without."),
            buttons=(link_button(),),
        )
    since = t("Linked %(when)s.", when=discord.utils.format_dt(link.linked_at, "R"))
    if link.is_refused:
        return notice(
            t("Your link has expired"),
            t("The game no longer accepts the access token you linked.") + "\n" + since,
            colour=theme.PROBLEM,
            buttons=(link_button(),),
        )
    player = t("You write and shop as yourself in the game.")
    if link.player_name:
        player = t("You are **%(name)s** in the game.", name=cut(link.player_name, _NAME_ROOM))
    return notice(
        t("Your game account is linked"),
        f"{player}\n{since}",
        colour=theme.ACCOUNT,
        footer=t("Your token is sealed. Nobody is shown it, not even you."),
        buttons=(ActionButton(Unlink(), t("Unlink"), style=discord.ButtonStyle.danger),),
    )
