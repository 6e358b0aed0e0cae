"""Actions, forms and cards of `/setup`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import discord

from bot.features.names import LONGEST_NAME, Place
from bot.features.panels import Listed, Proof
from bot.i18n import t
from bot.ui import theme
from bot.ui.actions import (
    Action,
    ActionForm,
    ListEntry,
    action_button,
    action_list,
    quoted,
    step_buttons,
)
from bot.ui.cards import MOST_CHARACTERS, Button, Card, notice
from bot.ui.shared_actions import ShowSetup, setup_button
from bot.ui.text import and_more, escape, fitting, one_line
from storage.names import Named, PlaceKind

ID, NAME = "id", "name"
_NAME_ROOM, _PROOF_ROOM, _WRITER_ROOM = 60, 60, 30
# Of each kind a page shows so many: with what the game shows of them, two kinds fit on a card.
NAMES_SHOWN = 6
_FOUND, _MISSING, _OPEN = "✅", "⚠️", "❔"
_BLUE = discord.ButtonStyle.primary


class OpenAddForm(Action, kind="setup.add_form"):
    """Open the form that names a thread or catalog."""

    place: PlaceKind


# A number and a name were typed.
SendName = OpenAddForm.of_kind("setup.add")


class KeepName(Action, kind="keep"):
    """Keep the name of what the game doesn't have."""

    place: PlaceKind
    game_id: int
    quoted_name: str


class OfPlace(Action):
    place: PlaceKind
    game_id: int


ShowNamed = OfPlace.of_kind("setup.named")
OpenRenameForm = OfPlace.of_kind("setup.rename_form")
SendNewName = OfPlace.of_kind("setup.rename")
RemoveName = OfPlace.of_kind("setup.remove")
PostPanel = Action.of_kind("setup.panel")
RemovePanel = Action.of_kind("setup.no_panel")


def add_form(kind: PlaceKind) -> ActionForm:
    """Ask for a number and a name; the fields are ID and NAME."""
    is_thread = kind is PlaceKind.THREAD
    title = t("Add a thread") if is_thread else t("Add a catalog")
    form = ActionForm(SendName(kind), title=title)
    hint = t("The number by which the game knows it, such as 12.")
    form.ask_text(t("Number in the game"), ID, longest=20, is_long=False, description=hint)
    _ask_name(form, "")
    return form


def rename_form(kind: PlaceKind, game_id: int, name: str) -> ActionForm:
    """Ask for another name; the field is NAME."""
    form = ActionForm(SendNewName(kind, game_id), title=t("Rename"))
    _ask_name(form, name)
    return form


def _ask_name(form: ActionForm, name: str) -> None:
    hint = t("What members will call it")
    form.ask_text(t("Name"), NAME, longest=LONGEST_NAME, is_long=False, text=name, description=hint)


def added_card(place: Place, proof: Proof) -> Card:
    name = escape(place.name or "")
    if place.kind is PlaceKind.THREAD:
        title = t("Thread %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/forum read`.")
    else:
        title = t("Catalog %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/shop browse`.")
    shown = _proof_words(place.kind, proof)
    return notice(
        title,
        f"{body}\n-# {t('In the game: %(shown)s', shown=shown)}",
        colour=theme.GOOD,
        buttons=(setup_button(), _add_button(place.kind)),
    )


def not_in_game_card(kind: PlaceKind, game_id: int, name: str) -> Card:
    title = t("The game has no catalog %(id)s", id=game_id)
    if kind is PlaceKind.THREAD:
        title = t("The game has no thread %(id)s", id=game_id)
    again = action_button(OpenAddForm(kind), t("Another number"), style=_BLUE, emoji="✏️")
    buttons = [again, setup_button()]
    # The longest names don't fit into a button.
    with suppress(ValueError):
        keep = KeepName(kind, game_id, quoted(name, MOST_CHARACTERS))
        buttons.insert(1, action_button(keep, t("Keep it anyway")))
    return notice(
        title,
        t("“%(name)s” is not kept yet. Is the number right?", name=escape(name)),
        colour=theme.PROBLEM,
        buttons=tuple(buttons),
    )


def named_card(place: Place) -> Card:
    body = t("Catalog %(id)s in the game", id=place.game_id)
    if place.kind is PlaceKind.THREAD:
        body = t("Thread %(id)s in the game", id=place.game_id)
    rename = action_button(OpenRenameForm(place.kind, place.game_id), t("Rename"), emoji="✏️")
    removal, red = RemoveName(place.kind, place.game_id), discord.ButtonStyle.danger
    remove = action_button(removal, t("Remove"), style=red)
    back = action_button(ShowSetup(), t("Back"))
    return notice(escape(place.label), body, buttons=(rename, remove, back))


def removed_card(place: Place) -> Card:
    name = escape(place.name or "")
    title = t("Catalog %(id)s is no longer called “%(name)s”", id=place.game_id, name=name)
    if place.kind is PlaceKind.THREAD:
        title = t("Thread %(id)s is no longer called “%(name)s”", id=place.game_id, name=name)
    return notice(title, t("In the game nothing has changed."), buttons=(setup_button(),))


def panel_card(channel_id: int | None) -> Card:
    if channel_id is None:
        return notice(
            t("The panel is taken away"),
            t("Members still find everything with commands."),
            buttons=(setup_button(),),
        )
    return notice(
        t("The panel is on its way"),
        t(
            "It appears in %(channel)s in a moment, and follows whatever you name from now on.",
            channel=f"<#{channel_id}>",
        ),
        colour=theme.GOOD,
        buttons=(setup_button(),),
    )


def list_card(kind: PlaceKind, names: Sequence[Named]) -> Card:
    """List the names of a kind; says how many did not fit."""
    if kind is PlaceKind.THREAD:
        title = t("Threads of this server")
        empty = t("No thread has a name yet. Give one with `/setup thread add`.")
    else:
        title = t("Catalogs of this server")
        empty = t("No catalog has a name yet. Give one with `/setup catalog add`.")
    if not names:
        return notice(title, empty, buttons=(_add_button(kind),))
    listed = (f"**{escape(named.name)}** · {named.game_id}" for named in names)
    lines = and_more(fitting(listed, MOST_CHARACTERS - len(title) - 100), len(names))
    return notice(title, "\n".join(lines), buttons=(setup_button(),))


def _proof_words(kind: PlaceKind, proof: Proof) -> str:
    text = one_line(proof.text, _PROOF_ROOM)
    if proof.needs_link:
        return t("link your game account, and Kiosk can look whether the game has it")
    if proof.has_it is None:
        return t("the game could not show it just now")
    if not proof.has_it:
        return (
            t("the game has no such thread")
            if kind is PlaceKind.THREAD
            else t("the game has no such catalog")
        )
    if kind is PlaceKind.CATALOG:
        return t("first item: %(name)s", name=text) if text else t("nothing is in it yet")
    if proof.written_at is None:
        return t("nobody has written in it yet")
    when = discord.utils.format_dt(proof.written_at, "R")
    writer = one_line(proof.writer, _WRITER_ROOM)
    return t("newest comment, by %(name)s %(when)s: “%(text)s”", name=writer, when=when, text=text)


def _add_button(kind: PlaceKind) -> Button:
    label = t("Add a thread") if kind is PlaceKind.THREAD else t("Add a catalog")
    return action_button(OpenAddForm(kind), label)


def overview_card(
    listed: Listed,
    page: int,
    proofs: Mapping[tuple[PlaceKind, int], Proof],
    *,
    panel_channel_id: int | None,
    log_channel_id: int | None,
) -> Card:
    here = listed.page(page, NAMES_SHOWN)
    card = Card(theme.CALM)
    card.say("## " + t("How this server is set up"))
    for kind, title, names, all_names in (
        (PlaceKind.THREAD, t("Threads"), here.threads, listed.threads),
        (PlaceKind.CATALOG, t("Catalogs"), here.catalogs, listed.catalogs),
    ):
        # They may all stand on the pages before.
        if names or not all_names:
            card.say("\n".join([f"**{title}**", *_names(kind, names, proofs)]))
            card.divide()
    panel = t("None yet. With one, members need no command to begin.")
    if panel_channel_id is not None:
        panel = f"<#{panel_channel_id}>"
    posting = t(
        "Whoever has the permission “Send Messages” in a channel can share there: change it in the"
        " channel's settings, Permissions. Who may use Kiosk's commands is set in Server Settings,"
        " Integrations, Kiosk."
    )
    card.say(f"**{t('Panel')}**\n{panel}\n**{t('Posting for everybody')}**\n{posting}")
    card.divide()
    lacking = [
        (not listed.threads, t("A thread: members find none by name.")),
        (not listed.catalogs, t("A catalog: members find none by name.")),
        (
            any(proof.has_it is False for proof in proofs.values()),
            t("In the game: what is marked with %(mark)s.", mark=_MISSING),
        ),
        (panel_channel_id is None, t("A panel.")),
        (log_channel_id is None, t("A channel for reports and removals: `/setup log`.")),
    ]
    missing = [f"- {words}" for is_lacking, words in lacking if is_lacking]
    card.say("\n".join([f"**{t('Still missing')}**", *(missing or [t("Nothing.")])]))
    card.say("-# " + t("`/setup check` shows whether Kiosk may do all it needs in your channels."))
    _add_ways(card, listed, page, has_panel=panel_channel_id is not None)
    for kind, names, placeholder in (
        (PlaceKind.THREAD, here.threads, t("Change a thread…")),
        (PlaceKind.CATALOG, here.catalogs, t("Change a catalog…")),
    ):
        if names:
            entries = [
                ListEntry(each.name, ShowNamed(kind, each.game_id), str(each.game_id))
                for each in names
            ]
            card.choose(action_list(entries, placeholder=placeholder, name=kind.value))
    return card


def last_page(listed: Listed) -> int:
    """Return the last page of what a server lists, counted from 0."""
    return (max(len(listed.threads), len(listed.catalogs), 1) - 1) // NAMES_SHOWN


def _names(
    kind: PlaceKind, names: Sequence[Named], proofs: Mapping[tuple[PlaceKind, int], Proof]
) -> Iterator[str]:
    for named in names:
        proof = proofs.get((kind, named.game_id), Proof())
        mark = {True: _FOUND, False: _MISSING, None: _OPEN}[proof.has_it]
        yield f"{mark} {one_line(named.name, _NAME_ROOM)} · {named.game_id}"
        yield f"-# {_proof_words(kind, proof)}"
    if not names:
        yield t("None yet.")


def _add_ways(card: Card, listed: Listed, page: int, *, has_panel: bool) -> None:
    panel = action_button(PostPanel(), t("Panel here"), emoji="📌")
    if has_panel:
        panel = action_button(RemovePanel(), t("Take panel away"))
    card.buttons(
        action_button(OpenAddForm(PlaceKind.THREAD), t("Add a thread"), style=_BLUE),
        action_button(OpenAddForm(PlaceKind.CATALOG), t("Add a catalog"), style=_BLUE),
        panel,
        action_button(ShowSetup(page), t("Refresh"), emoji="🔄"),
    )
    if last := last_page(listed):
        before = ShowSetup(page - 1) if page else None
        after = ShowSetup(page + 1) if page < last else None
        card.buttons(*step_buttons(before, after))
