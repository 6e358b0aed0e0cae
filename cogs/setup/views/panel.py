"""The panel: what a server has named, to be chosen from, for everybody or for one member."""

from collections.abc import Callable, Sequence

from bot.domain.names import Named
from bot.features.panels import Listed
from bot.i18n import nt, t
from bot.ui import theme
from bot.ui.actions import MOST_CHOICES, Action, ListEntry, action_list
from bot.ui.cards import Card
from bot.ui.shared_actions import (
    OpenCatalog,
    OpenThread,
    help_button,
    link_button,
    orders_button,
    setup_button,
)
from bot.ui.text import escape, fitting

# Characters that the names of one kind may take.
_ROOM = 1500


def panel_card(listed: Listed) -> Card:
    """List a server's threads and catalogs, for everybody in a channel."""
    card = _places(listed, t("Pick something: only you see where it leads."))
    card.buttons(link_button(), orders_button(), help_button())
    return card


def places_card(listed: Listed, *, may_set_up: bool) -> Card:
    """List the same for one member."""
    card = _places(listed, "")
    buttons = (link_button(), orders_button(), help_button())
    card.buttons(*buttons, *([setup_button()] if may_set_up else []))
    return card


def _places(listed: Listed, remark: str) -> Card:
    card = Card(theme.FORUM)
    if not listed:
        card.say("\n".join([f"## {t('The game, right here')}", nothing_named()]))
        return card
    card.say("\n".join(filter(None, [f"## {t('The game, right here')}", remark])))
    if listed.threads:
        card.say(_names(t("Threads"), listed.threads))
        _list(card, listed.threads, OpenThread, t("Read a thread…"))
    if listed.catalogs:
        card.say(_names(t("Catalogs"), listed.catalogs))
        _list(card, listed.catalogs, OpenCatalog, t("Browse a catalog…"))
    if max(len(listed.threads), len(listed.catalogs)) > MOST_CHOICES:
        card.say(
            "-# " + t("A list has room for %(count)s: find the others by name.", count=MOST_CHOICES)
        )
    return card


def nothing_named() -> str:
    """Say that there is nothing to choose from."""
    return t("Nothing is set up here yet. Moderators begin with `/setup show`.")


def _names(title: str, names: Sequence[Named]) -> str:
    shown = fitting((escape(named.name) for named in names), _ROOM, gap=3)
    left = len(names) - len(shown)
    more = [nt("and %(count)s more", "and %(count)s more", left)] if left else []
    return f"**{title}**\n" + " · ".join([*shown, *more])


def _list(
    card: Card, names: Sequence[Named], action: Callable[[int], Action], placeholder: str
) -> None:
    entries = [ListEntry(named.name, action(named.game_id)) for named in names]
    card.choose(action_list(entries, placeholder=placeholder, name=placeholder[:1]))
