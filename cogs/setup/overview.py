"""The setup card: what is named, whether the game has it, and what is still missing."""

from collections.abc import Iterator, Mapping, Sequence

import discord
from msgspec import Struct

from bot.features.panels import Listed, Proof
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import ListEntry, action_button, action_list
from bot.ui.cards import Card
from bot.ui.shared_actions import ShowSetup
from bot.ui.text import one_line
from cogs.setup.names import OpenAddForm, PostPanel, RemovePanel, ShowNamed, proof_words
from storage.names import Named, PlaceKind

# Of each kind a page shows so many: with what the game shows of them, two kinds fit on a card.
NAMES_SHOWN = 6
_NAME_ROOM = 60
_FOUND, _MISSING, _OPEN = "✅", "⚠️", "❔"

Proven = Mapping[tuple[PlaceKind, int], Proof]


class Overview(Struct, frozen=True):
    """How a server is set up: all that it lists, and the page of it that is shown, with proofs.

    `panel_channel_id` is None where there is no panel.
    """

    listed: Listed
    page: int
    proofs: Proven
    panel_channel_id: int | None
    log_channel_id: int | None


def overview_card(overview: Overview) -> Card:
    """Show how a server is set up, and offer to change it."""
    listed = overview.listed.page(overview.page, NAMES_SHOWN)
    card = Card(theme.CALM)
    card.say("## " + t("How this server is set up"))
    kinds = {
        PlaceKind.THREAD: (t("Threads"), listed.threads, overview.listed.threads),
        PlaceKind.CATALOG: (t("Catalogs"), listed.catalogs, overview.listed.catalogs),
    }
    for kind, (title, here, everywhere) in kinds.items():
        # They may all stand on the pages before.
        if here or not everywhere:
            card.say(_names(kind, title, here, overview.proofs))
            card.divide()
    card.say("\n".join(_rest(overview)))
    card.divide()
    card.say("\n".join([f"**{t('Still missing')}**", *(_missing(overview) or [t("Nothing.")])]))
    card.say("-# " + t("`/setup check` shows whether Kiosk may do all it needs in your channels."))
    blue = discord.ButtonStyle.primary
    panel = action_button(RemovePanel(), t("Take panel away"))
    if overview.panel_channel_id is None:
        panel = action_button(PostPanel(), t("Panel here"), emoji="📌")
    card.buttons(
        action_button(OpenAddForm(PlaceKind.THREAD), t("Add a thread"), style=blue),
        action_button(OpenAddForm(PlaceKind.CATALOG), t("Add a catalog"), style=blue),
        panel,
        action_button(ShowSetup(overview.page), t("Refresh"), emoji="🔄"),
    )
    if last := last_page(overview.listed):
        here = overview.page
        back = action_button(ShowSetup(here - 1), t("Previous"), emoji="◀️", disabled=not here)
        on = action_button(ShowSetup(here + 1), t("Next"), emoji="▶️", disabled=here == last)
        card.buttons(back, on)
    _choose(card, PlaceKind.THREAD, listed.threads, t("Change a thread…"))
    _choose(card, PlaceKind.CATALOG, listed.catalogs, t("Change a catalog…"))
    return card


def last_page(listed: Listed) -> int:
    """Return the last page of what a server lists, counted from 0."""
    return (max(len(listed.threads), len(listed.catalogs), 1) - 1) // NAMES_SHOWN


def _names(kind: PlaceKind, title: str, names: Sequence[Named], proofs: Proven) -> str:
    lines = [f"**{title}**"]
    for named in names:
        proof = proofs.get((kind, named.game_id), Proof())
        mark = {True: _FOUND, False: _MISSING, None: _OPEN}[proof.has_it]
        lines.append(f"{mark} {one_line(named.name, _NAME_ROOM)} · {named.game_id}")
        lines.append(f"-# {proof_words(kind, proof)}")
    return "\n".join(lines if names else [*lines, t("None yet.")])


def _rest(overview: Overview) -> Iterator[str]:
    panel = overview.panel_channel_id
    yield f"**{t('Panel')}**"
    yield f"<#{panel}>" if panel else t("None yet. With one, members need no command to begin.")
    yield f"**{t('Posting for everybody')}**"
    yield t(
        "Whoever has the permission “Send Messages” in a channel can share there: change it in the"
        " channel's settings, Permissions. Who may use Kiosk's commands is set in Server Settings,"
        " Integrations, Kiosk."
    )


def _missing(overview: Overview) -> list[str]:
    lacking = [
        (not overview.listed.threads, t("A thread: members find none by name.")),
        (not overview.listed.catalogs, t("A catalog: members find none by name.")),
        (
            any(proof.has_it is False for proof in overview.proofs.values()),
            t("In the game: what is marked with %(mark)s.", mark=_MISSING),
        ),
        (overview.panel_channel_id is None, t("A panel.")),
        (overview.log_channel_id is None, t("A channel for reports and removals: `/setup log`.")),
    ]
    return [f"- {words}" for is_lacking, words in lacking if is_lacking]


def _choose(card: Card, kind: PlaceKind, names: Sequence[Named], placeholder: str) -> None:
    if names:
        entries = [
            ListEntry(named.name, ShowNamed(kind, named.game_id), str(named.game_id))
            for named in names
        ]
        card.choose(action_list(entries, placeholder=placeholder, name=kind.value))
