"""The lists of comments found in a thread, and how far Kiosk searched."""

from collections import abc

from bot.features.directory import Place
from bot.features.reading import trees
from bot.game import models
from bot.i18n import nt, number, t
from bot.ui import comments, drawing, markdown, theme
from cogs.find import actions, service

# So that the card fits on a phone.
_MAX_SHOWN = 8
_TEXT_ROOM = 160
_TEXT_LINES = 2


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
    body = f"{t('Kiosk is searching the thread, newest comments first.')}\n{read}"
    title = comments.thread_title(place)
    return drawing.notice(title, body, colour=theme.FORUM, buttons=buttons)


def found_card(
    place: Place, search: service.Search, wanted: actions.FindOn, *buttons: drawing.Button
) -> drawing.Card:
    skipped = _skipped(search, wanted)
    has_several = len(service.words_in(wanted.typed[0])) > 1
    note = t("A comment matches if it contains all of these words.") if has_several else ""
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
        known = t(
            "Kiosk doesn't know which player you are, so this lists only comments you posted"
            " through Kiosk."
        )
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
    """Return how many comments come before the screen, which is the last one at most."""
    last = max(len(search.found) - 1, 0) // _MAX_SHOWN * _MAX_SHOWN
    return min(max(wanted.skipped, 0), last)


def _steps(
    search: service.Search, wanted: actions.FindOn | actions.ShowOwn, skipped: int
) -> abc.Iterator[drawing.Button]:
    """Yield the buttons to the other comments found, and to pages that weren't read yet."""
    if search.first > 1:
        yield drawing.button(wanted.at(1, 0), t("First"))
    count = len(search.found)
    if count > _MAX_SHOWN:
        before = after = None
        if skipped:
            before = wanted.at(wanted.start, max(0, skipped - _MAX_SHOWN))
        if skipped + _MAX_SHOWN < count:
            after = wanted.at(wanted.start, skipped + _MAX_SHOWN)
        yield from drawing.step_buttons(before, after)
    if search.next_page is not None:
        further = wanted.at(search.next_page, 0)
        style = drawing.GREY if count else drawing.BLUE
        yield drawing.button(further, t("Keep searching"), style=style)


def _titled(
    place: Place, asked: str, search: service.Search, skipped: int, note: str = ""
) -> drawing.Card:
    count = len(search.found)
    told = nt("%(count)s comment found.", "%(count)s comments found.", count)
    lines = [f"## {comments.thread_title(place)}", f"**{asked}**"]
    lines += [
        told if count else t("No comments found."),
        f"-# {' '.join([*_how_far(search), note]).rstrip()}",
    ]
    if count > _MAX_SHOWN:
        first = number(skipped + 1)
        last = number(min(skipped + _MAX_SHOWN, count))
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
    """Add a screen of comments, each with its number of replies, and a list to open them."""
    shown = search.found[skipped : skipped + _MAX_SHOWN]
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
        opening = actions.OpenFound(key, comment.id)
        entries.append(drawing.Entry(label_of(comment), opening, replies))
    card.choose(entries, t("Open…"))


def _how_far(search: service.Search) -> abc.Iterator[str]:
    if search.ending is service.SearchEnding.UNREAD:
        yield t("You haven't posted in this thread through Kiosk.")
        return
    if search.ending is service.SearchEnding.FAILED:
        yield t("⚠️ The game stopped answering.")
    elif search.ending is service.SearchEnding.LATE:
        yield t("⚠️ The game took too long.")
    is_whole = search.ending is service.SearchEnding.WHOLE
    if is_whole and search.first == 1:
        yield t("Kiosk searched the whole thread.")
        return
    if search.count:
        yield nt(
            "Kiosk searched comments %(first)s to %(last)s, counting from the newest, and"
            " %(count)s reply to them.",
            "Kiosk searched comments %(first)s to %(last)s, counting from the newest, and"
            " %(count)s replies to them.",
            search.replies,
            first=number(search.first),
            last=number(search.first + search.count - 1),
        )
    if is_whole:
        yield t("That's the end of the thread.")
    if search.older:
        yield nt(
            "The list also includes %(count)s older comment that you posted through Kiosk.",
            "The list also includes %(count)s older comments that you posted through Kiosk.",
            search.older,
        )
