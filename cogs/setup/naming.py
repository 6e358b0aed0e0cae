"""Names of threads and catalogs: actions, forms, cards and handlers."""

from collections import abc
from contextlib import suppress
from urllib.parse import unquote

from discord import ui

from bot import errors
from bot.features import directory, server_setup
from bot.features.matching import read_id
from bot.i18n import nt, t
from bot.ui import custom_ids, drawing, fields, log_lines, markdown, places, shared_actions, theme
from bot.ui.forms import ActionForm
from bot.ui.here import MANAGER, Here
from bot.ui.router import route, sent
from storage import moderation
from storage.names import Named, PlaceKind

_ID = fields.TextInput("id", longest=20, is_line=True, is_required=True)
_NAME = fields.TextInput("name", directory.MAX_NAME_LENGTH, is_line=True, is_required=True)
_NAME_ROOM = 60
_PROOF_ROOM = 60
_WRITER_ROOM = 30
# How many names a page shows, each with a preview from the game.
_NAMES_SHOWN = 6


class KeepName(custom_ids.Action, kind="keep"):
    """Save a name even though the game doesn't have the place."""

    place: PlaceKind
    game_id: int
    quoted_name: str


class OfPlace(custom_ids.Action):
    place: PlaceKind
    game_id: int


class ShowNamed(OfPlace, kind="setup.named"):
    """Show a named thread or catalog."""


class ChangeName(OfPlace, kind="setup.rename_form"):
    """A form to rename a thread or catalog."""


class RemoveName(OfPlace, kind="setup.remove"):
    """Remove a name."""


class AskRemoveName(OfPlace, kind="setup.ask_remove"):
    """Ask before a name is removed."""


class ShowNames(custom_ids.Action, kind="setup.names"):
    place: PlaceKind
    page: int = 0


def add_form(kind: PlaceKind, number_words: str = "") -> ActionForm:
    """Ask for a number and a name. `number_words` say how to find the number."""
    is_thread = kind is PlaceKind.THREAD
    title = t("Add a thread") if is_thread else t("Add a catalog")
    form = ActionForm(shared_actions.AddName(kind), title=title)
    if number_words:
        form.add_item(ui.TextDisplay(number_words))
    hint = t("For example, 12.")
    _ID.ask(form, t("Number in the game"), hint)
    _ask_name(form, "")
    return form


def rename_form(place: directory.Place) -> ActionForm:
    form = ActionForm(ChangeName(place.kind, place.game_id), title=t("Rename"))
    _ask_name(form, place.name or "")
    return form


def _ask_name(form: ActionForm, name: str) -> None:
    hint = t("The name members will see")
    _NAME.ask(form, t("Name"), hint, text=name)


def _other(kind: PlaceKind) -> PlaceKind:
    return next(other for other in PlaceKind if other is not kind)


def named_card(
    place: directory.Place,
    proof: server_setup.PlacePreview,
    *,
    has_both: bool = True,
    has_account: bool = True,
) -> drawing.Card:
    """Show a named place. The next step is blue: a name of the other kind, or its news.

    If Kiosk has no account of its own, catalogs can't be announced.
    """
    name = markdown.escape(place.label)
    title = t("Catalog %(id)s is now “%(name)s”", id=place.game_id, name=name)
    body = t("Members find it by this name in `/shop browse`.")
    if place.kind is PlaceKind.THREAD:
        title = t("Thread %(id)s is now “%(name)s”", id=place.game_id, name=name)
        body = t("Members find it by this name in `/forum read`.")
    shown = t("In the game: %(shown)s", shown=_proof_words(place.kind, place.game_id, proof))
    rename = ChangeName(place.kind, place.game_id)
    first, second = (drawing.BLUE, drawing.GREY) if has_both else (drawing.GREY, drawing.BLUE)
    buttons = (
        drawing.button(rename, t("Rename")),
        shared_actions.add_button(place.kind),
        shared_actions.add_button(_other(place.kind), style=second),
        drawing.button(AskRemoveName(place.kind, place.game_id), t("Remove…")),
        drawing.button(ShowNames(place.kind), t("Back")),
    )
    card = drawing.notice(title, f"{body}\n-# {shown}", buttons=buttons)
    leading = [shared_actions.setup_button()]
    if place.kind is PlaceKind.THREAD:
        follow = shared_actions.FollowThread(place.game_id)
        leading.insert(0, drawing.button(follow, t("Follow a thread"), style=first))
    elif has_account:
        announce = shared_actions.AnnounceCatalog(place.game_id)
        leading.insert(0, drawing.button(announce, t("Announce"), style=first, emoji="📣"))
    card.buttons(*leading)
    return card


def not_there(kind: PlaceKind, game_id: int) -> str:
    if kind is PlaceKind.THREAD:
        return t("There is no thread %(id)s.", id=game_id)
    return t("There is no catalog %(id)s.", id=game_id)


def not_in_game_card(
    kind: PlaceKind, game_id: int, name: str, number_words: str = ""
) -> drawing.Card:
    buttons = [
        drawing.button(shared_actions.AddName(kind), t("Change number"), style=drawing.BLUE),
        shared_actions.setup_button(),
    ]
    # The longest names don't fit in a button.
    with suppress(ValueError):
        keep = KeepName(kind, game_id, custom_ids.quoted(name, drawing.MAX_CHARACTERS))
        buttons.insert(1, drawing.button(keep, t("Save name anyway")))
    title = t("%(name)s isn't in the game", name=markdown.escape(name))
    asked = t("The name isn't saved yet. Is the number right?")
    body = "\n".join(filter(None, [f"{not_there(kind, game_id)} {asked}", number_words]))
    return drawing.notice(title, body, colour=theme.PROBLEM, buttons=tuple(buttons))


def ask_remove_card(place: directory.Place, count: int) -> drawing.Card:
    title = t("Remove the name “%(name)s”?", name=markdown.escape(place.name or ""))
    body = t("Members can no longer find it by name.")
    if count:
        body = nt(
            "%(count)s announcement continues, and shows the number instead of the name.",
            "%(count)s announcements continue, and show the number instead of the name.",
            count,
        )
    where = place.kind, place.game_id
    return drawing.question(title, body, RemoveName(*where), t("Remove"), ShowNamed(*where))


def names_card(
    kind: PlaceKind,
    shown: abc.Sequence[Named],
    proofs: abc.Mapping[tuple[PlaceKind, int], server_setup.PlacePreview],
    changed: str,
    page: int,
    last: int,
) -> drawing.Card:
    is_thread = kind is PlaceKind.THREAD
    title = t("This server's threads") if is_thread else t("This server's catalogs")
    card = drawing.Card(theme.CALM)
    lines = [f"## {title}", f"**{changed}**" if changed else "", *_names(kind, shown, proofs)]
    card.say("\n".join(filter(None, lines)))
    if shown:
        entries = [
            drawing.Entry(named.name, ShowNamed(kind, named.game_id), str(named.game_id))
            for named in shown
        ]
        card.choose(entries, t("Open…"))
    buttons = [
        shared_actions.add_button(kind, style=drawing.BLUE),
        shared_actions.add_button(_other(kind)),
        drawing.button(shared_actions.ShowSetup(), t("Back")),
    ]
    if last:
        before = ShowNames(kind, page - 1) if page else None
        after = ShowNames(kind, page + 1) if page < last else None
        buttons[1:1] = drawing.step_buttons(before, after)
    card.buttons(*buttons)
    return card


def _proof_words(kind: PlaceKind, game_id: int, proof: server_setup.PlacePreview) -> str:
    text = markdown.one_line(proof.text, _PROOF_ROOM)
    if proof.needs_link:
        return t("link your game account to check if the game has it")
    if proof.has_it is None:
        return t("the game can't show it right now")
    if not proof.has_it:
        return not_there(kind, game_id)
    if kind is PlaceKind.CATALOG:
        return t("first item: %(name)s", name=text) if text else t("no items yet")
    if proof.written_at is None:
        return t("no comments yet")
    when = markdown.relative_time(proof.written_at)
    writer = markdown.one_line(proof.writer, _WRITER_ROOM)
    return t("newest comment, by %(name)s %(when)s: “%(text)s”", name=writer, when=when, text=text)


def _names(
    kind: PlaceKind,
    names: abc.Sequence[Named],
    proofs: abc.Mapping[tuple[PlaceKind, int], server_setup.PlacePreview],
) -> abc.Iterator[str]:
    for named in names:
        proof = proofs.get((kind, named.game_id), server_setup.PlacePreview())
        mark = theme.WRONG if proof.has_it is False else ""
        name = markdown.one_line(named.name, _NAME_ROOM, is_name=True)
        yield f"{mark}**{name}** · {named.game_id}"
        yield f"-# {_proof_words(kind, named.game_id, proof)}"
    if not names:
        yield t("None yet.")


async def _line_of(here: Here, kind: PlaceKind) -> moderation.LineOf[Named]:
    """Return a function that makes the log's line about a change of a name."""

    def short(named: Named) -> str:
        return markdown.one_line(named.name, log_lines.VALUE_ROOM, is_name=True)

    def words_of(named: Named) -> str:
        place = directory.label_of(kind, named.game_id)
        return t("%(place)s, “%(name)s”", place=place, name=short(named))

    def changes_of(before: Named, after: Named) -> abc.Iterator[str]:
        place = directory.label_of(kind, after.game_id)
        return log_lines.changed(place, [short(before)], [short(after)])

    return await log_lines.line_of(here, moderation.ModerationAction.NAMES, words_of, changes_of)


@route(ShowNames, needs=MANAGER)
async def on_names(here: Here, action: ShowNames) -> None:
    await _show(here, action.place, action.page)


async def _show(here: Here, kind: PlaceKind, page: int = 0, changed: str = "") -> None:
    names = await here.names(kind)
    last = max(len(names) - 1, 0) // _NAMES_SHOWN
    page = min(max(page, 0), last)
    shown = names[page * _NAMES_SHOWN : (page + 1) * _NAMES_SHOWN]
    proofs = await here.features.server_setup.fetch_previews({kind: shown}, here.viewer)
    await here.answer(names_card(kind, shown, proofs, changed, page, last))


@route(shared_actions.AddName, opens_form=True, needs=MANAGER)
async def open_add_form(here: Here, action: shared_actions.AddName) -> None:
    await here.open_form(add_form(action.place, here.features.contact.number_words))


@sent(shared_actions.AddName, needs=MANAGER)
async def on_add(here: Here, action: shared_actions.AddName) -> None:
    await add(here, action.place, _ID.read(here), _NAME.read(here))


async def add(here: Here, kind: PlaceKind, typed: str, name: str) -> None:
    """Save a name, or ask if the game lacks the place. Raises BadId, BadName, NameIsTaken."""
    game_id = read_id(typed)
    if game_id is None:
        raise errors.BadId(name=typed)
    name = await here.features.directory.check(here.guild_id, kind, game_id, name)
    known = await here.place(kind, game_id)
    proof = await here.features.server_setup.proof_of(kind, game_id, here.viewer)
    if proof.has_it is False and known.name is None:
        words = here.features.contact.number_words
        await here.answer(not_in_game_card(kind, game_id, name, words))
    else:
        await _keep(here, kind, game_id, name)


@route(KeepName, needs=MANAGER)
async def on_keep(here: Here, action: KeepName) -> None:
    await _keep(here, action.place, action.game_id, unquote(action.quoted_name))


@route(ShowNamed, needs=MANAGER)
async def on_named(here: Here, action: OfPlace) -> None:
    await _show_named(here, await here.place(action.place, action.game_id))


@route(ChangeName, opens_form=True, needs=MANAGER)
async def open_rename_form(here: Here, action: OfPlace) -> None:
    place = await here.place(action.place, action.game_id)
    await here.open_form(rename_form(place))


@sent(ChangeName, needs=MANAGER)
async def on_rename(here: Here, action: OfPlace) -> None:
    await _keep(here, action.place, action.game_id, _NAME.read(here))


@route(AskRemoveName, needs=MANAGER)
async def on_ask_remove(here: Here, action: OfPlace) -> None:
    place = await here.place(action.place, action.game_id)
    announced = await here.features.announcing.subscribed.of_guild(here.guild_id, place.kind)
    count = sum(subscription.place_id == place.game_id for subscription in announced)
    await here.answer(ask_remove_card(place, count))


@route(RemoveName, needs=MANAGER)
async def on_remove(here: Here, action: OfPlace) -> None:
    place = await here.features.directory.remove(
        here.guild_id, action.place, str(action.game_id), await _line_of(here, action.place)
    )
    removed = t("Name “%(name)s” removed", name=markdown.escape(place.name or ""))
    await _show(here, action.place, changed=removed)


@route(shared_actions.ShowPlaces)
async def on_places(here: Here, _action: shared_actions.ShowPlaces) -> None:
    await _show_places(here, *PlaceKind)


@route(shared_actions.ShowThreads)
async def on_threads(here: Here, _action: shared_actions.ShowThreads) -> None:
    await _show_places(here, PlaceKind.THREAD)


@route(shared_actions.ShowCatalogs)
async def on_catalogs(here: Here, _action: shared_actions.ShowCatalogs) -> None:
    await _show_places(here, PlaceKind.CATALOG)


async def _show_places(here: Here, *wanted: PlaceKind) -> None:
    """List the named places of the wanted kinds, or all if these have none."""
    named = {kind: await here.names(kind) for kind in PlaceKind}
    listed = {kind: named[kind] for kind in wanted if named[kind]} or named
    in_server = here.server is not None
    news = await places.thread_news(here, listed.get(PlaceKind.THREAD, ()))
    await here.answer(
        places.places_card(
            listed, may_set_up=here.may_manage, in_server=in_server, lately=news.lately
        )
    )


async def _keep(here: Here, kind: PlaceKind, game_id: int, name: str) -> None:
    line_of = await _line_of(here, kind)
    place = await here.features.directory.add(here.guild_id, kind, game_id, name, line_of)
    await _show_named(here, place)


async def _show_named(here: Here, place: directory.Place) -> None:
    proof = await here.features.server_setup.proof_of(place.kind, place.game_id, here.viewer)
    has_both = bool(await here.names(_other(place.kind)))
    has_account = here.features.own_account.is_there
    card = named_card(place, proof, has_both=has_both, has_account=has_account)
    await here.answer(card)
