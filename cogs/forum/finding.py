"""Find: what to look for in a thread, and the list of the comments that were found."""

from collections import abc
from contextlib import suppress

from bot.features.names import Place
from bot.features.reading import finding, trees
from bot.game import models
from bot.i18n import nt, t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, comments, forms, markdown, theme
from bot.ui.here import Here
from bot.ui.router import route
from cogs.forum import actions
from cogs.forum.reading import ThreadHandlers
from storage.names import PlaceKind

# So that the card fits on a phone; the others stand in its list alone.
_MOST_SHOWN = 8
_TEXT_ROOM = 160
_TEXT_LINES = 2


class FindHandlers:
    def __init__(self, bot: Kiosk, threads: ThreadHandlers) -> None:
        self._reading = bot.features.threads
        self._refused = bot.router.refused
        self._threads = threads

    @route(actions.OpenFindForm, opens_form=True)
    async def _on_open_form(self, here: Here, action: actions.OpenFindForm) -> None:
        place = await here.place(PlaceKind.THREAD, action.thread_id)
        await here.open_form(find_form(action, place))

    @route(actions.Find)
    async def _on_find(self, here: Here, action: actions.Find) -> None:
        here.again = actions.OpenFindForm(*action.near, action.offset)
        words = here.texts.get(actions.WORDS, "").strip()
        player = here.texts.get(actions.PLAYER, "").strip()
        is_meant = finding.asked_for(words, player)
        place = await here.place(PlaceKind.THREAD, action.thread_id)
        report = _reporting(here, place)
        search = await finding.search(self._reading, here.viewer, place.game_id, is_meant, report)
        again = here.again.custom_id()
        self._refused.keep(here.interaction.id, here.filled)
        # Where there is no room for both, the form opens empty.
        with suppress(ValueError):
            folded = ui_actions.fold(again) or again
            again = forms.OpenAgain(here.interaction.id, folded).custom_id()
        style = cards.GREY if search.found else cards.BLUE
        find_again = ui_actions.action_button(again, t("Find again"), style=style)
        asked = _asked(words, player)
        card = found_card(place, asked, search, find_again, _back(action), has_words=bool(words))
        await here.answer(card)

    @route(actions.ShowOwn)
    async def _on_own(self, here: Here, action: actions.ShowOwn) -> None:
        place = await here.place(PlaceKind.THREAD, action.thread_id)
        report = _reporting(here, place)
        player_id = await here.player_id()
        search = await finding.search_own(
            self._reading, here.viewer, place.game_id, player_id, report
        )
        await here.answer(
            own_card(place, search, _back(action), is_player_known=player_id is not None)
        )

    @route(actions.OpenFound, in_place=False)
    async def _on_found(self, here: Here, action: actions.OpenFound) -> None:
        await self._threads.on_comment(here, action)


def _reporting(here: Here, place: Place) -> finding.Report:
    async def report(count: int) -> None:
        await here.answer(progress_card(place, count))

    return report


def _back(action: actions.OpenFindForm) -> cards.Button:
    screen = actions.ShowScreen(*action.near, action.offset)
    return ui_actions.action_button(screen, t("Thread"))


def find_form(action: actions.OpenFindForm, place: Place) -> forms.ActionForm:
    name = place.name or f"#{place.game_id}"
    title = markdown.one_line(t("Find in %(thread)s", thread=name), forms.LONGEST_TITLE, plain=True)
    form = forms.ActionForm(actions.Find(*action.near, action.offset), title=title)
    hint = t("Whole words; a comment has all of them. acorn* also finds acorns.")
    form.ask_line(t("Words"), actions.WORDS, hint)
    form.ask_line(t("Player's name"), actions.PLAYER, t("A part of it is enough."))
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


def progress_card(place: Place, count: int) -> cards.Card:
    read = nt("%(count)s comment read so far.", "%(count)s comments read so far.", count)
    body = f"{t('Looking through the thread, the newest comments first.')}\n{read}"
    return cards.notice(comments.thread_title(place), body, colour=theme.FORUM)


def found_card(
    place: Place, asked: str, search: finding.Search, *buttons: cards.Button, has_words: bool
) -> cards.Card:
    note = t("A comment fits if it has all of them.") if has_words else ""
    card = _titled(place, asked, search, note)
    _add_found(card, search, comments.byline, comments.comment_label)
    card.buttons(*buttons)
    return card


def own_card(
    place: Place, search: finding.Search, *buttons: cards.Button, is_player_known: bool
) -> cards.Card:
    card = _titled(place, t("Your comments"), search)
    if not is_player_known:
        known = t("Kiosk doesn't know who you are in the game, so it lists what you wrote here.")
        card.say(f"-# {known}")
    _add_found(card, search, comments.written_at_of, lambda comment: comment.content)
    card.buttons(*buttons)
    return card


def _titled(place: Place, asked: str, search: finding.Search, note: str = "") -> cards.Card:
    count = len(search.found)
    told = nt("%(count)s comment found.", "%(count)s comments found.", count)
    lines = [f"## {comments.thread_title(place)}", f"**{asked}**"]
    lines += [told if count else t("Nothing found."), f"-# {_how_far(search)} {note}".rstrip()]
    card = cards.Card(theme.FORUM)
    card.say("\n".join(lines))
    return card


def _add_found(
    card: cards.Card,
    search: finding.Search,
    head_of: abc.Callable[[models.Comment], str],
    label_of: abc.Callable[[models.Comment], str],
) -> None:
    """Add the first comments, each with how many replied, and a list that opens more of them."""
    shown = search.found[:_MOST_SHOWN]
    room = card.room
    for left, (_, comment) in zip(range(len(shown), 0, -1), shown, strict=True):
        replies = comments.replies_label(trees.tree_of(comment).reply_count)
        head = " · ".join(filter(None, [head_of(comment), replies]))
        text_room = min(_TEXT_ROOM, room // left - markdown.room_for(head) - 1)
        text, _ = markdown.excerpt(comment.content, text_room, lines=_TEXT_LINES)
        said = f"{head}\n{text or t('*(no text)*')}"
        room -= markdown.room_for(said)
        card.gap()
        card.say(said)
    most = ui_actions.MOST_CHOICES
    if len(search.found) > most:
        listed = nt("The list has the newest one.", "The list has the newest %(count)s.", most)
        card.say(f"-# {listed}")
    entries = [
        ui_actions.ListEntry(
            label_of(comment),
            actions.OpenFound(*key, comment.id),
            comments.replies_label(trees.tree_of(comment).reply_count),
        )
        for key, comment in search.found[:most]
    ]
    if entries:
        card.choose(ui_actions.action_list(entries, placeholder=t("Open…")))


def _how_far(search: finding.Search) -> str:
    count = search.count
    match search.ending:
        case finding.Ending.UNREAD:
            return t("You wrote nothing here through Kiosk.")
        case finding.Ending.WHOLE:
            return t("Kiosk looked through the whole thread.")
        case finding.Ending.LONG:
            return nt(
                "Kiosk looked in the newest %(count)s comment and its replies.",
                "Kiosk looked in the newest %(count)s comments and their replies.",
                count,
            )
        case finding.Ending.FAILED:
            return nt(
                "⚠️ The game stopped answering: Kiosk looked only in the newest %(count)s comment.",
                "⚠️ The game stopped answering: Kiosk looked only in the newest %(count)s comments.",
                count,
            )
        case finding.Ending.LATE:
            return nt(
                "⚠️ The game took too long: Kiosk looked only in the newest %(count)s comment.",
                "⚠️ The game took too long: Kiosk looked only in the newest %(count)s comments.",
                count,
            )
