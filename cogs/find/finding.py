"""Find: what to look for in a thread, and the list of the comments that were found."""

from collections import abc

from bot.errors import OldButton
from bot.features.directory import Place
from bot.features.reading import trees
from bot.game import models
from bot.i18n import nt, number, t
from bot.ui import comments, drawing, fields, forms, markdown, shared_actions, theme
from bot.ui.here import Here
from bot.ui.router import route, sent
from cogs.find import actions, service
from storage.names import PlaceKind

# So that the card fits on a phone.
_MOST_SHOWN = 8
_TEXT_ROOM = 160
_TEXT_LINES = 2


_WORDS = fields.Text("words", actions.LONGEST_WORDS, is_line=True)
_PLAYER = fields.Text("player", actions.LONGEST_PLAYER, is_line=True)


async def thread_buttons(screen: shared_actions.ShowScreen) -> abc.Sequence[drawing.Button]:
    find = actions.Find(*screen.near, screen.offset)
    own = actions.ShowOwn(*screen.near, screen.offset)
    return [drawing.button(find, t("Find")), drawing.button(own, t("Your comments"))]


@route(actions.Find, opens_form=True)
async def open_find_form(here: Here, action: actions.Find) -> None:
    place = await here.place(PlaceKind.THREAD, action.thread_id)
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
    place = await here.place(PlaceKind.THREAD, origin.thread_id)
    again = actions.FindAgain(wanted.words, wanted.player)
    buttons = [drawing.button(again, t("Find again")), _back(origin)]
    if wanted.words:
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
        buttons[0] = drawing.button(again, t("Find again"), style=drawing.BLUE)
    await here.answer(found_card(place, search, wanted, *buttons))


@route(actions.ShowOwn)
async def on_own(here: Here, action: actions.ShowOwn) -> None:
    place = await here.place(PlaceKind.THREAD, action.thread_id)
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
    card = own_card(place, search, action, _back(action), is_player_known=is_player_known)
    await here.answer(card)


@route(actions.OpenFound, in_place=False)
async def on_open_found(here: Here, action: actions.OpenFound) -> None:
    near = action.near
    opening = shared_actions.OpenComment(near.thread_id, action.comment_id, near.sort, near.page)
    await here.interaction.client.router.press(here, opening.custom_id())


def _refill(here: Here, action: actions.FindOn) -> actions.Find:
    """Return the form by which the pressed card was asked for, to open as it was filled in.

    Raises OldButton.
    """
    message = here.interaction.message
    ways = drawing.actions_in(message, shared_actions.ShowScreen) if message else []
    if not ways:
        raise OldButton
    words, player = action.typed
    here.filled = {_WORDS.name: (words,), _PLAYER.name: (player,)}
    return actions.Find(*ways[0].near, ways[0].offset)


def _reporting(here: Here, place: Place, *buttons: drawing.Button) -> service.Report:
    async def report(count: int) -> None:
        await here.answer(progress_card(place, count, *buttons))

    return report


def _back(action: shared_actions.ScreenAction) -> drawing.Button:
    screen = shared_actions.ShowScreen(*action.near, action.offset)
    return drawing.button(screen, t("Thread"))


def find_form(action: actions.Find, place: Place) -> forms.ActionForm:
    name = place.name or f"#{place.game_id}"
    title = markdown.one_line(t("Find in %(thread)s", thread=name), forms.LONGEST_TITLE, plain=True)
    form = forms.ActionForm(action, title=title)
    hint = t("Whole words; a comment has all of them. acorn* also finds acorns.")
    _WORDS.ask(form, t("Words"), hint)
    _PLAYER.ask(form, t("Player's name"), t("A part of it is enough."))
    return form


def _asked(words: str, player: str) -> str:
    shown = {
        "words": markdown.one_line(words, comments.NAME_ROOM, is_name=True),
        "name": markdown.one_line(player, comments.NAME_ROOM, is_name=True),
    }
    if not player:
        return t("Comments with “%(words)s”", **shown)
    if not words:
        return t("Comments by “%(name)s”", **shown)
    return t("Comments by “%(name)s” with “%(words)s”", **shown)


def progress_card(place: Place, count: int, *buttons: drawing.Button) -> drawing.Card:
    read = nt("%(count)s comment read so far.", "%(count)s comments read so far.", count)
    body = f"{t('Looking through the thread, the newest comments first.')}\n{read}"
    title = comments.thread_title(place)
    return drawing.notice(title, body, colour=theme.FORUM, buttons=buttons)


def found_card(
    place: Place, search: service.Search, wanted: actions.FindOn, *buttons: drawing.Button
) -> drawing.Card:
    skipped = _skipped(search, wanted)
    has_several = len(service.words_in(wanted.typed[0])) > 1
    note = t("A comment fits if it has all of them.") if has_several else ""
    card = _titled(place, _asked(*wanted.typed), search, skipped, note)
    _add_found(card, search, skipped, comments.byline, comments.comment_label)
    card.buttons(*_steps(search, wanted, skipped))
    card.buttons(*buttons)
    return card


def own_card(
    place: Place,
    search: service.Search,
    wanted: actions.ShowOwn,
    *buttons: drawing.Button,
    is_player_known: bool,
) -> drawing.Card:
    skipped = _skipped(search, wanted)
    card = _titled(place, t("Your comments"), search, skipped)
    if not is_player_known:
        known = t("Kiosk doesn't know who you are in the game, so it lists what you wrote here.")
        card.say(f"-# {known}")
    _add_found(
        card,
        search,
        skipped,
        comments.written_at_of,
        lambda comment: comments.entry_text(comment.content),
    )
    card.buttons(*_steps(search, wanted, skipped))
    card.buttons(*buttons)
    return card


def _skipped(search: service.Search, wanted: actions.FindOn | actions.ShowOwn) -> int:
    """Return how many stand before the screen: past the end, it is the last one."""
    last = max(len(search.found) - 1, 0) // _MOST_SHOWN * _MOST_SHOWN
    return min(max(wanted.skipped, 0), last)


def _steps(
    search: service.Search, wanted: actions.FindOn | actions.ShowOwn, skipped: int
) -> abc.Iterator[drawing.Button]:
    """Yield the buttons to the rest of what was found, and to pages that weren't read yet."""
    if search.first > 1:
        yield drawing.button(wanted.at(1, 0), t("First"))
    count = len(search.found)
    if count > _MOST_SHOWN:
        before = after = None
        if skipped:
            before = wanted.at(wanted.start, max(0, skipped - _MOST_SHOWN))
        if skipped + _MOST_SHOWN < count:
            after = wanted.at(wanted.start, skipped + _MOST_SHOWN)
        yield from drawing.step_buttons(before, after)
    if search.next_page is not None:
        further = wanted.at(search.next_page, 0)
        style = drawing.GREY if count else drawing.BLUE
        yield drawing.button(further, t("Look further"), style=style)


def _titled(
    place: Place, asked: str, search: service.Search, skipped: int, note: str = ""
) -> drawing.Card:
    count = len(search.found)
    told = nt("%(count)s comment found.", "%(count)s comments found.", count)
    lines = [f"## {comments.thread_title(place)}", f"**{asked}**"]
    lines += [
        told if count else t("Nothing found."),
        f"-# {' '.join([*_how_far(search), note]).rstrip()}",
    ]
    if count > _MOST_SHOWN:
        first = number(skipped + 1)
        last = number(min(skipped + _MOST_SHOWN, count))
        lines.append(
            t("%(first)s to %(last)s of %(count)s", first=first, last=last, count=number(count))
        )
    card = drawing.Card(theme.FORUM)
    card.say("\n".join(lines))
    return card


def _add_found(
    card: drawing.Card,
    search: service.Search,
    skipped: int,
    head_of: abc.Callable[[models.Comment], str],
    label_of: abc.Callable[[models.Comment], str],
) -> None:
    """Add a screen of the comments, each with how many replied, and a list that opens them."""
    shown = search.found[skipped : skipped + _MOST_SHOWN]
    room = card.room
    entries: list[drawing.Entry] = []
    for left, (key, comment) in zip(range(len(shown), 0, -1), shown, strict=True):
        replies = comments.replies_label(trees.tree_of(comment).reply_count)
        head = " · ".join(filter(None, [head_of(comment), replies]))
        text_room = min(_TEXT_ROOM, room // left - markdown.room_for(head) - 1)
        text, _ = markdown.excerpt(comment.content, text_room, lines=_TEXT_LINES)
        said = f"{head}\n{text or t('*(no text)*')}"
        room -= markdown.room_for(said)
        card.gap()
        card.say(said)
        opening = actions.OpenFound(*key, comment.id)
        entries.append(drawing.Entry(label_of(comment), opening, replies))
    card.choose(entries, t("Open…"))


def _how_far(search: service.Search) -> abc.Iterator[str]:
    if search.ending is service.Ending.UNREAD:
        yield t("You wrote nothing here through Kiosk.")
        return
    if search.ending is service.Ending.FAILED:
        yield t("⚠️ The game stopped answering.")
    elif search.ending is service.Ending.LATE:
        yield t("⚠️ The game took too long.")
    is_whole = search.ending is service.Ending.WHOLE
    if is_whole and search.first == 1:
        yield t("Kiosk looked through the whole thread.")
        return
    if search.count:
        yield nt(
            "Kiosk looked in comments %(first)s to %(last)s, counted from the newest, and in"
            " %(count)s reply to them.",
            "Kiosk looked in comments %(first)s to %(last)s, counted from the newest, and in"
            " %(count)s replies to them.",
            search.replies,
            first=number(search.first),
            last=number(search.first + search.count - 1),
        )
    if is_whole:
        yield t("The thread ends there.")
    if search.older:
        yield nt(
            "The list also has %(count)s older comment that you wrote through Kiosk.",
            "The list also has %(count)s older comments that you wrote through Kiosk.",
            search.older,
        )
