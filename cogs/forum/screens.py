"""Show screens of threads and opened comments, and share them."""

import math
from collections import abc
from itertools import chain

import discord

from bot.errors import NotAMemberHere
from bot.features import feature_errors
from bot.features.directory import Place
from bot.features.reading import paging
from bot.features.reading.threads import Found, ThreadScreen
from bot.game import models
from bot.i18n import N_, nt, number, t
from bot.ui import (
    comments,
    custom_ids,
    drawing,
    error_cards,
    hooks,
    pages,
    sent_cards,
    shared_actions,
    theme,
)
from bot.ui.here import Here
from bot.ui.router import route, sent
from cogs.forum import actions, comment_cards
from storage.names import PlaceKind
from storage.shown import ShownComment

# Up to this many screens, Previous and Next are enough to reach the first and the last.
_FEW_SCREENS = 5
PAGE_HINT = N_("You're on page %(page)s. Each page has up to five comments.")
_SORT_NAMES = {models.Sort.LATEST: N_("Latest first"), models.Sort.HOTTEST: N_("Hottest first")}
_SORTED = {models.Sort.LATEST: N_("latest first"), models.Sort.HOTTEST: N_("hottest first")}


@route(shared_actions.OpenThread)
async def on_thread(here: Here, action: shared_actions.OpenThread) -> None:
    screen = actions.ShowScreen(models.PageKey(action.thread_id), 0)
    await show_screen(here, screen, begins=True)


@route(actions.Refresh)
async def on_refresh(here: Here, action: actions.ShowScreen) -> None:
    screen = actions.ShowScreen(action.near, action.offset)
    here.again = screen
    await show_screen(here, screen, max_age=0, begins=True)


@route(actions.ShowLast)
async def on_last(here: Here, action: actions.ShowLast) -> None:
    last = await here.features.threads.last_page(here.viewer, action.near)
    await show_screen(here, actions.ShowScreen(last, paging.LAST))


@route(actions.GoToPage, opens_form=True)
async def open_page_form(here: Here, action: actions.GoToPage) -> None:
    await here.open_form(pages.page_form(action, PAGE_HINT, action.number))


@sent(actions.GoToPage)
async def on_page(here: Here, action: actions.GoToPage) -> None:
    page = pages.read_page(here, actions.LAST_PAGE)
    screen = actions.ShowScreen.at_number(action.thread_id, action.sort, page)
    here.again = screen
    await show_screen(here, screen, asked=page)


@route(actions.ShowScreen)
async def show_screen(
    here: Here,
    action: actions.ShowScreen,
    *,
    max_age: float | None = math.inf,
    place: Place | None = None,
    begins: bool = False,
    asked: int = 0,
) -> None:
    """Answer with a screen (see `ThreadService.screen` for `max_age`).

    A member who turns pages continues to see what was new when they started. If more screens
    were `asked` for, the card says how many there are.
    """
    place = place or await here.place(PlaceKind.THREAD, action.near.thread_id)
    screen = await _screen(here, action, place, max_age)
    ids = {tree.comment.id for tree in screen.entries}
    news = await here.hooks.screen_shown(here, hooks.ShownScreen(action.near, ids, begins))
    new = next(filter(None, news), None)
    count = _number_of(screen)
    note = ""
    if screen.entries and screen.next is None and count < asked:
        note = nt("The thread has %(count)s page.", "The thread has %(count)s pages.", count)
    buttons = chain.from_iterable(await here.hooks.thread_buttons(screen.at))
    await here.answer(screen_card(screen, place, new, note, buttons))


async def _screen(
    here: Here, action: actions.ShowScreen, place: Place, max_age: float | None
) -> ThreadScreen:
    try:
        return await here.features.threads.screen(
            here.viewer,
            paging.Position(action.near, action.offset),
            max_age=max_age,
            seen=paging.Seen(action.seen, action.goes_back),
        )
    except feature_errors.ThreadNotInGame as error:
        if place.name is None:
            raise
        raise feature_errors.ThreadNotInGame(name=f"{place.name} ({place.game_id})") from error


@route(shared_actions.OpenComment)
async def on_open_comment(here: Here, action: shared_actions.AboutComment) -> None:
    near = models.PageKey(action.thread_id, action.sort, action.page)
    await on_comment(here, shared_actions.ShowComment(near, action.comment_id))


@route(shared_actions.ShowComment)
async def on_comment(
    here: Here, action: shared_actions.ShowComment, *, is_own: bool = False
) -> None:
    """Show a comment. If the game doesn't say whose it is, `is_own` says if it's the member's."""
    try:
        found = await here.features.threads.comment(here.viewer, action.near, action.comment_id)
    except feature_errors.ThreadNotInGame:
        await _learn_gone(here, action)
        raise
    except feature_errors.CommentNotFound as error:
        await _learn_gone(here, action)
        await _tell_lost(here, error, action)
    else:
        writer_id = found.comment.player.id
        is_own = is_own or (writer_id is not None and writer_id == await here.player_id())
        await show_comment(here, found, action, is_own=is_own)


async def _learn_gone(here: Here, action: shared_actions.CommentAction) -> None:
    """Close the cases about a comment that the game no longer has."""
    comment = action.near.thread_id, action.comment_id
    await here.features.moderation.learn_gone(here.member_id, *comment)


async def show_comment(
    here: Here, found: Found, action: shared_actions.ShowComment, *, is_own: bool, banner: str = ""
) -> None:
    may_report = may_remove = False
    entries: abc.Sequence[hooks.CommentEntry] = ()
    if is_own:
        entries = await here.hooks.comment_entries(here, found)
    elif here.server is not None:
        settings = await here.settings()
        may_report = settings.log_channel_id is not None
        may_remove = here.moderates(settings)
    view = comment_cards.CommentView(
        found,
        await here.place(PlaceKind.THREAD, found.key.thread_id),
        text_page=action.text_page,
        offset=action.offset,
        seen=paging.Seen(action.seen, action.goes_back),
        may_share=here.is_kiosk_member,
        may_report=may_report,
        may_remove=may_remove,
        is_own=is_own,
        entries=entries,
    )
    await here.answer(comment_cards.comment_card(view, banner=banner))


async def _tell_lost(
    here: Here, error: feature_errors.CommentNotFound, action: shared_actions.CommentAction
) -> None:
    card = error_cards.error_card(error, error_cards.log_error(error))
    page = actions.Refresh(action.near, 0)
    card.buttons(drawing.button(page, t("Thread"), style=drawing.BLUE))
    await here.send_private(card)


async def post_screen(here: Here, action: actions.ShowScreen, place: Place) -> None:
    if not here.is_kiosk_member:
        raise NotAMemberHere

    async def draw() -> tuple[drawing.Card, abc.Sequence[ShownComment]]:
        screen = await _screen(here, action, place, max_age=0)
        buttons = chain.from_iterable(await here.hooks.thread_buttons(screen.at))
        card = screen_card(screen, place, buttons=buttons)
        card.buttons(sent_cards.take_back_button(here.member_id))
        return card, comments.comments_shown(place.game_id, screen.entries)

    await sent_cards.publish_once(here, draw)
    await here.hooks.screen_shown(here, hooks.ShownScreen(action.near, begins=True))


@route(actions.Share)
async def on_share(here: Here, action: shared_actions.CommentAction) -> None:
    if not here.is_kiosk_member:
        raise NotAMemberHere
    place = await here.place(PlaceKind.THREAD, action.near.thread_id)

    async def draw() -> tuple[drawing.Card, abc.Sequence[ShownComment]]:
        # A comment that becomes public is read again: it may have been deleted since.
        found = await here.features.threads.comment(
            here.viewer, action.near, action.comment_id, fresh=True
        )
        shown = ShownComment(found.comment.id, found.comment.player.id, place.game_id)
        return comment_cards.shared_card(found, place, here.interaction.user), [shown]

    try:
        await sent_cards.publish_once(here, draw)
    except feature_errors.CommentNotFound as error:
        await _tell_lost(here, error, action)


def screen_card(
    screen: ThreadScreen,
    place: Place,
    new: hooks.NewComments | None = None,
    note: str = "",
    buttons: abc.Iterable[drawing.Button] = (),
) -> drawing.Card:
    """Draw a screen, with the `buttons` of features."""
    key, offset = screen.at
    card = drawing.Card(theme.FORUM)
    head = [f"## {comments.thread_title(place)}", *([f"**{note}**"] if note else [])]
    lines = [*head, *_position(screen)]
    if new is not None:
        lines.insert(1, f"{comments.NEW} {new.words}")
    card.say("\n".join(lines))
    comments.add_comments(card, screen.entries, new.ids if new else frozenset())
    if screen.unreadable:
        card.say(
            nt(
                "-# ⚠️ Kiosk can't show %(count)s comment on this page.",
                "-# ⚠️ Kiosk can't show %(count)s comments on this page.",
                screen.unreadable,
            )
        )
    comment_cards.offer_comments(card, key, screen.entries)
    other = models.Sort.HOTTEST if key.sort is models.Sort.LATEST else models.Sort.LATEST
    form = shared_actions.WriteComment(key.thread_id, actions.NO_ID, key.sort, key.page)
    write = drawing.button(form, t("Write"), style=drawing.BLUE, emoji="✏️")
    refresh = drawing.button(actions.Refresh(key, offset), t("Refresh"))
    if not screen.entries and screen.previous is None and screen.next is None:
        card.buttons(write, refresh)
        return card
    for row in _turning(screen, new and new.first):
        card.buttons(*row)
    sorting = drawing.button(
        actions.ShowScreen(models.PageKey(key.thread_id, other), 0), t(_SORT_NAMES[other])
    )
    card.buttons(write, *buttons, sorting, refresh)
    return card


def _turning(screen: ThreadScreen, first_new: drawing.Button | None) -> list[list[drawing.Button]]:
    """Return the rows of buttons that lead to other screens."""
    key = screen.at.key
    back = _step(screen, screen.previous, goes_back=True)
    forth = _step(screen, screen.next, goes_back=False)
    turning = [*drawing.step_buttons(back, forth)]
    # A thread's length is known once someone was near its end. Until then it may be long.
    is_long = screen.total is None or screen.total > _FEW_SCREENS * paging.SCREEN_SIZE
    if is_long and screen.entries and screen.previous:
        start = actions.ShowScreen(key._replace(page=1), 0)
        turning.insert(0, drawing.button(start, t("First")))
    if is_long and screen.entries and screen.next:
        turning.append(drawing.button(actions.ShowLast(key), t("Last")))
    known = {button["custom_id"] for button in turning}
    jumping: list[drawing.Button] = []
    if first_new is not None and first_new["custom_id"] not in known:
        jumping.append(first_new)
    if is_long and screen.entries:
        form = actions.GoToPage(key.thread_id, key.sort, _number_of(screen))
        jumping.append(drawing.button(form, t("Go to page")))
    is_one_row = len(turning) + len(jumping) <= drawing.MAX_IN_ROW
    return [[*turning, *jumping]] if is_one_row else [turning, jumping]


def _number_of(screen: ThreadScreen) -> int:
    return (screen.first - 1) // paging.SCREEN_SIZE + 1


def _step(
    screen: ThreadScreen, target: paging.Position[models.PageKey] | None, *, goes_back: bool
) -> actions.ShowScreen | None:
    """Return the action of Next or Previous, None if there is no such screen.

    It contains this screen and the ids on it, from which `Pages.locate` finds the next screen.
    """
    if target is None:
        return None
    if not screen.entries:
        return actions.ShowScreen(target.key, target.offset)
    # From the comments on this screen: the list may move until the press.
    trees = screen.entries if goes_back else screen.entries[::-1]
    step = actions.ShowScreen(screen.at.key, screen.at.offset, goes_back=goes_back)
    return custom_ids.with_seen(step, [tree.comment.id for tree in trees])


def _position(screen: ThreadScreen) -> abc.Iterator[str]:
    players = [tree.comment.player for tree in screen.entries]
    if screen.entries:
        first = number(screen.first)
        last = number(screen.first + len(screen.entries) - 1)
        position = t("%(first)s to %(last)s", first=first, last=last)
        yield f"{position} · {t(_SORTED[screen.at.key.sort])}"
    if screen.left_out:
        yield nt(
            "%(count)s hidden comment skipped", "%(count)s hidden comments skipped", screen.left_out
        )
    elif not screen.entries and not screen.unreadable:
        yield t("No one has posted here yet.")
    marks: list[str] = []
    if any(player.is_subscribed for player in players):
        marks.append(f"{comments.SUBSCRIBER} {t('subscriber')}")
    if any(player.verified_at for player in players):
        marks.append(f"{comments.VERIFIED} {t('verified')}")
    if marks:
        yield f"-# {' · '.join(marks)}"


def threads_by_comment(message: discord.Message) -> dict[int, int]:
    """Return the thread of each comment that a message shows, in order."""
    replies = drawing.actions_in(message, shared_actions.WriteComment)
    shown = {
        reply.parent_id: reply.thread_id for reply in replies if reply.parent_id != actions.NO_ID
    }
    for opening in drawing.actions_in(message, shared_actions.ShowComment):
        shown.setdefault(opening.comment_id, opening.near.thread_id)
    return shown
