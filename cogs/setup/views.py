"""What moderators see of their server's names."""

from collections.abc import Sequence

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
