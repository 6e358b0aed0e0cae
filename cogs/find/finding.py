"""Find: ask for words or a player, search a thread, and list the comments found."""

from collections import abc

from bot.errors import OldButton
from bot.features.directory import Place
from bot.features.reading.paging import Position
from bot.game.models import PageKey
from bot.i18n import t
from bot.ui import drawing, fields, forms, markdown, shared_actions
from bot.ui.here import Here
from bot.ui.router import route, sent
from cogs.find import actions, cards, service
from storage.names import PlaceKind

_WORDS = fields.TextInput("words", actions.MAX_WORDS_LENGTH, is_line=True)
_PLAYER = fields.TextInput("player", actions.MAX_PLAYER_LENGTH, is_line=True)


async def thread_buttons(at: Position[PageKey]) -> abc.Sequence[drawing.Button]:
    find = actions.Find(at.key, at.offset)
    own = actions.ShowOwn(at.key, at.offset)
    return [drawing.button(find, t("Find")), drawing.button(own, t("Your comments"))]


@route(actions.Find, opens_form=True)
async def open_find_form(here: Here, action: actions.Find) -> None:
    place = await here.place(PlaceKind.THREAD, action.near.thread_id)
    await here.open_form(find_form(action, place))


@route(actions.FindAgain, opens_form=True)
async def on_find_again(here: Here, action: actions.FindAgain) -> None:
    await open_find_form(here, _refill(here, action))


@sent(actions.Find)
async def on_find(here: Here, action: actions.Find) -> None:
    wanted = actions.FindOn.of(_WORDS.read(here), _PLAYER.read(here))
    await _find(here, action, wanted, begins=True)


@route(actions.FindOn)
async def on_find_on(here: Here, action: actions.FindOn) -> None:
    here.again = _refill(here, action)
    await _find(here, here.again, action, begins=False)


async def _find(here: Here, origin: actions.Find, wanted: actions.FindOn, *, begins: bool) -> None:
    is_meant = service.asked_for(*wanted.typed)
    place = await here.place(PlaceKind.THREAD, origin.near.thread_id)
    again = actions.FindAgain(wanted.words, wanted.player)
    buttons = [drawing.button(again, t("Change search")), _back(origin)]
    if wanted.words and here.interaction.client.router.answers(shared_actions.WatchWords):
        form = shared_actions.WatchWords(place.game_id, wanted.words)
        label = t("Watch these words")
        buttons.insert(1, drawing.button(form, label, emoji="🔔"))
    search = await service.search(
        here.features.threads,
        here.viewer,
        place.game_id,
        is_meant,
        _reporting(here, place, *buttons),
        wanted.start,
        begins=begins,
    )
    if not search.found and search.next_page is None:
        buttons[0] = drawing.button(again, t("Change search"), style=drawing.BLUE)
    await here.answer(cards.found_card(place, search, wanted, *buttons))


@route(actions.ShowOwn)
async def on_own(here: Here, action: actions.ShowOwn) -> None:
    place = await here.place(PlaceKind.THREAD, action.near.thread_id)
    player_id = await here.player_id()
    search = await service.search_own(
        here.features.threads,
        here.viewer,
        place.game_id,
        player_id,
        _reporting(here, place, _back(action)),
        action.start,
        begins=action.start == 1 and not action.skipped,
    )
    is_player_known = player_id is not None
    card = cards.own_card(place, search, action, _back(action), is_player_known=is_player_known)
    await here.answer(card)


@route(actions.OpenFound, in_place=False)
async def on_open_found(here: Here, action: actions.OpenFound) -> None:
    near = action.near
    opening = shared_actions.OpenComment(near.thread_id, action.comment_id, near.sort, near.page)
    await here.interaction.client.router.press(here, opening.custom_id())


def _refill(here: Here, action: actions.FindOn) -> actions.Find:
    """Return the form of the pressed card's search, to open as it was filled in.

    Raises OldButton.
    """
    message = here.interaction.message
    ways = drawing.actions_in(message, shared_actions.ShowScreen) if message else []
    if not ways:
        raise OldButton
    words, player = action.typed
    here.filled = {_WORDS.name: (words,), _PLAYER.name: (player,)}
    return actions.Find(ways[0].near, ways[0].offset)


def _reporting(here: Here, place: Place, *buttons: drawing.Button) -> service.Report:
    async def report(count: int) -> None:
        await here.answer(cards.progress_card(place, count, *buttons))

    return report


def _back(action: shared_actions.ScreenAction) -> drawing.Button:
    screen = shared_actions.ShowScreen(action.near, action.offset)
    return drawing.button(screen, t("Thread"))


def find_form(action: actions.Find, place: Place) -> forms.ActionForm:
    name = place.name or f"#{place.game_id}"
    title = markdown.one_line(
        t("Find in %(thread)s", thread=name), forms.MAX_TITLE_LENGTH, plain=True
    )
    form = forms.ActionForm(action, title=title)
    hint = t("A comment must contain all words. acorn* also finds acorns.")
    _WORDS.ask(form, t("Words"), hint)
    _PLAYER.ask(form, t("Player's name"), t("Part of the name is enough."))
    return form
