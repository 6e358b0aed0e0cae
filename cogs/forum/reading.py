"""Reading: screens of threads, a comment with its replies, and what is shared of them."""

import math
from collections.abc import Iterable, Iterator, Sequence

import discord
from msgspec import Struct
from msgspec.structs import replace

from bot.errors import NotAMemberHere
from bot.features.errors import CommentNotFound, ThreadNotInGame
from bot.features.moderation.policy import Viewer
from bot.features.names import Place
from bot.features.reading.paging import NOTHING_SEEN, Screen, Seen
from bot.features.reading.threads import Found
from bot.features.reading.trees import Reply, Tree, tree_of
from bot.game.models import Comment, PageKey, Sort
from bot.i18n import N_, nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import (
    ListEntry,
    action_button,
    action_list,
    actions_in,
    step_buttons,
    with_seen,
)
from bot.ui.cards import BLUE, GREY, MOST_COMPONENTS, Button, Card, Select, parts_of
from bot.ui.comments import (
    MOST_ARROWS,
    SHORT_NAME_ROOM,
    SUBSCRIBER,
    VERIFIED,
    add_comments,
    byline,
    comment_label,
    comments_shown,
    name_of,
    replies_label,
    thread_title,
    written_at_of,
)
from bot.ui.error_cards import error_card, log_error
from bot.ui.here import Here
from bot.ui.markdown import excerpt, paginate, room_for
from bot.ui.pictures import thumbnail
from bot.ui.router import route
from bot.ui.sent_cards import finish_shared, publish_once, take_back_button
from bot.ui.shared_actions import (
    AboutComment,
    OpenComment,
    OpenRemoveForm,
    OpenReportForm,
    OpenThread,
)
from cogs.forum.actions import (
    NONE,
    AskDelete,
    CommentAction,
    OpenEditForm,
    OpenWriteForm,
    Refresh,
    Share,
    ShowComment,
    ShowScreen,
)
from storage.names import PlaceKind
from storage.shown import ShownComment

# Together with what surrounds them, these stay below Discord's 4,000 characters.
_TEXT_ROOM_ALONE = 3000
_TEXT_ROOM = 1200
_PARENT_ROOM = 80
# Below one that is.
REPLIES_SHOWN = 10
# Components: the list in its row, and a row of four buttons.
_PARTS_BELOW = 7
_REPLY_ROOM = 240
_REPLY_LINES = 5
# In a channel, where people talk of other things too.
_SHARED_ROOM = 500
_SHARED_LINES = 8

_SORT_NAMES = {Sort.LATEST: N_("Latest first"), Sort.HOTTEST: N_("Hottest first")}
_SORTED = {Sort.LATEST: N_("latest first"), Sort.HOTTEST: N_("hottest first")}


class ThreadHandlers:
    def __init__(self, bot: Kiosk) -> None:
        self._threads = bot.features.threads

    @route(OpenThread)
    async def _on_thread(self, here: Here, action: OpenThread) -> None:
        await self.show_screen(here, ShowScreen(*PageKey(action.thread_id), 0))

    @route(Refresh)
    async def _on_refresh(self, here: Here, action: ShowScreen) -> None:
        screen = ShowScreen(*action.near, action.offset)
        here.again = screen
        await self.show_screen(here, screen, max_age=0)

    @route(ShowScreen)
    async def _on_screen(self, here: Here, action: ShowScreen) -> None:
        await self.show_screen(here, action)

    async def show_screen(
        self,
        here: Here,
        action: ShowScreen,
        *,
        max_age: float | None = math.inf,
        place: Place | None = None,
    ) -> None:
        """Answer with a screen (see `ThreadService.screen` for `max_age`)."""
        place = place or await here.place(PlaceKind.THREAD, action.thread_id)
        screen = await self._screen(here.viewer, action, place, max_age)
        if not action.seen:
            # A page that is turned belongs to a reading that was noted when it began.
            shown = comments_shown(place.game_id, screen.entries)
            self._threads.note_read(here.member_id, place.game_id, shown)
        await here.answer(screen_card(screen, place, action.sort))

    async def _screen(
        self, viewer: Viewer, action: ShowScreen, place: Place, max_age: float | None
    ) -> Screen[Tree]:
        try:
            return await self._threads.screen(
                viewer,
                action.near,
                action.offset,
                max_age=max_age,
                seen=Seen(action.seen, action.goes_back),
            )
        except ThreadNotInGame as error:
            if place.name is None:
                raise
            raise ThreadNotInGame(name=f"{place.name} ({place.game_id})") from error

    @route(OpenComment)
    async def _on_open_comment(self, here: Here, action: AboutComment) -> None:
        comment = ShowComment(action.thread_id, action.sort, action.page, action.comment_id)
        await self.on_comment(here, comment)

    @route(ShowComment)
    async def on_comment(self, here: Here, action: ShowComment) -> None:
        try:
            found = await self._threads.comment(here.viewer, action.near, action.comment_id)
        except CommentNotFound as error:
            await self._tell_lost(here, error, action)
        else:
            await self.show_comment(here, found, await here.player_id(), action)

    async def show_comment(
        self,
        here: Here,
        found: Found,
        player_id: int | None,
        action: ShowComment,
        *,
        banner: str = "",
    ) -> None:
        may_report = may_remove = False
        if here.server is not None:
            settings = await here.settings()
            may_report = settings.log_channel_id is not None
            may_remove = here.may_moderate(settings.moderator_role_id)
        view = CommentView(
            found,
            await here.place(PlaceKind.THREAD, found.key.thread_id),
            player_id,
            text_page=action.text_page,
            offset=action.offset,
            seen=Seen(action.seen, action.goes_back),
            may_share=here.is_kiosk_member,
            may_report=may_report,
            may_remove=may_remove,
        )
        await here.answer(comment_card(view, banner=banner))

    async def _tell_lost(self, here: Here, error: CommentNotFound, action: CommentAction) -> None:
        card = error_card(error, log_error(error))
        page = Refresh(*action.near, 0)
        card.buttons(action_button(page, t("Thread"), style=BLUE))
        await here.send_private(card)

    async def post_screen(self, here: Here, action: ShowScreen, place: Place) -> None:
        if not here.is_kiosk_member:
            raise NotAMemberHere

        async def draw() -> tuple[Card, Sequence[ShownComment]]:
            screen = await self._screen(here.viewer, action, place, max_age=0)
            card = screen_card(screen, place, action.sort)
            card.buttons(take_back_button(here.member_id))
            return card, comments_shown(place.game_id, screen.entries)

        shown = await publish_once(here, draw)
        self._threads.note_read(here.member_id, place.game_id, shown)

    @route(Share)
    async def _on_share(self, here: Here, action: CommentAction) -> None:
        if not here.is_kiosk_member:
            raise NotAMemberHere
        place = await here.place(PlaceKind.THREAD, action.thread_id)

        async def draw() -> tuple[Card, Sequence[ShownComment]]:
            # What becomes public is asked anew: it may have been deleted since.
            found = await self._threads.comment(
                here.viewer, action.near, action.comment_id, fresh=True
            )
            shown = ShownComment(found.comment.id, found.comment.player.id, place.game_id)
            return shared_card(found, place, here.interaction.user), [shown]

        try:
            await publish_once(here, draw)
        except CommentNotFound as error:
            await self._tell_lost(here, error, action)


class CommentView(Struct, frozen=True):
    found: Found
    place: Place
    player_id: int | None
    text_page: int = 0
    offset: int = 0
    seen: Seen = NOTHING_SEEN
    may_share: bool = True
    may_report: bool = False
    may_remove: bool = False


def reply_button(found: Found, *, style: discord.ButtonStyle = BLUE) -> Button:
    key = found.key
    action = OpenWriteForm(key.thread_id, found.comment.id, key.sort, key.page)
    return action_button(action, t("Reply"), style=style)


def screen_card(screen: Screen[Tree], place: Place, sort: Sort) -> Card:
    key = PageKey(place.game_id, sort, screen.at.page)
    card = Card(theme.FORUM)
    card.say("\n".join([f"## {thread_title(place)}", *_position(screen, sort)]))
    add_comments(card, screen.entries)
    if screen.unreadable:
        card.say(
            nt(
                "-# ⚠️ %(count)s comment of this page can't be shown.",
                "-# ⚠️ %(count)s comments of this page can't be shown.",
                screen.unreadable,
            )
        )
    if choice := _open_or_reply(key, screen.entries):
        card.choose(choice)
    other = Sort.HOTTEST if key.sort is Sort.LATEST else Sort.LATEST
    form = OpenWriteForm(key.thread_id, NONE, key.sort, key.page)
    write = action_button(form, t("Write"), style=BLUE, emoji="✏️")
    refresh = action_button(Refresh(*key, screen.at.offset), t("Refresh"))
    if not screen.entries and screen.previous is None and screen.next is None:
        card.buttons(write, refresh)
        return card
    ways: list[ShowScreen | None] = []
    for position in (screen.previous, screen.next):
        way = position and ShowScreen(key.thread_id, key.sort, *position)
        if position and screen.entries:
            goes_back = position is screen.previous
            trees = screen.entries if goes_back else screen.entries[::-1]
            way = ShowScreen(*key, screen.at.offset, goes_back=goes_back)
            way = with_seen(way, [tree.comment.id for tree in trees])
        ways.append(way)
    steps = step_buttons(*ways)
    sorting = action_button(ShowScreen(key.thread_id, other, 1, 0), t(_SORT_NAMES[other]))
    card.buttons(write, *steps, sorting, refresh)
    return card


def _position(screen: Screen[Tree], sort: Sort) -> Iterator[str]:
    players = [tree.comment.player for tree in screen.entries]
    if screen.entries:
        first = number(screen.first)
        last = number(screen.first + len(screen.entries) - 1)
        position = t("%(first)s to %(last)s", first=first, last=last)
        yield f"{position} · {t(_SORTED[sort])}"
    elif screen.hidden:
        yield t("What was written here is hidden in this server.")
    elif screen.previous is None and not screen.unreadable:
        yield t("Nobody has written here yet.")
    elif not screen.unreadable:
        yield t("The thread ends before this page.")
    marks: list[str] = []
    if any(player.is_subscribed for player in players):
        marks.append(f"{SUBSCRIBER} {t('subscriber')}")
    if any(player.verified_at for player in players):
        marks.append(f"{VERIFIED} {t('verified')}")
    if marks:
        yield f"-# {' · '.join(marks)}"


def _open_or_reply(near: PageKey, trees: Iterable[Tree]) -> Select | None:
    opening: list[ListEntry] = []
    replying: list[ListEntry] = []
    for comment, _, count in trees:
        label = t("Open %(name)s", name=comment_label(comment))
        opening.append(ListEntry(label, ShowComment(*near, comment.id), replies_label(count)))
        label = t("Reply to %(name)s", name=name_of(comment.player, plain=True))
        reply = OpenWriteForm(near.thread_id, comment.id, near.sort, near.page)
        replying.append(ListEntry(label, reply, comment.content))
    if not opening:
        return None
    return action_list([*opening, *replying], placeholder=t("Open or reply…"))


def in_reply_to(parent: Comment, name: str) -> str:
    shown = excerpt(parent.content, _PARENT_ROOM, lines=1)[0] or t("*(no text)*")
    return f"-# ↳ {t('in reply to %(name)s: %(text)s', name=name, text=shown)}"


def comment_card(view: CommentView, *, banner: str = "") -> Card:
    found = view.found
    comment = found.comment
    tree = tree_of(comment)
    # A member who has just written goes on reading: one button of a card is blue.
    reply, back = (GREY, BLUE) if banner else (BLUE, GREY)
    card = Card(theme.GOOD if banner else theme.FORUM)
    head = f"-# {thread_title(view.place)}"
    card.say(f"### {banner}\n{head}" if banner else head)
    here = ShowComment(*found.key, comment.id, view.text_page, view.offset)
    pages = paginate(comment.content, _TEXT_ROOM if comment.children else _TEXT_ROOM_ALONE)
    text_page = min(max(view.text_page, 0), max(len(pages) - 1, 0))
    lines = [byline(comment, spells_marks=True)]
    ways = [action_button(ShowScreen(*found.key, found.offset), t("Thread"), style=back)]
    if found.ancestors:
        parent = found.ancestors[-1]
        lines.append(in_reply_to(parent, name_of(parent.player)))
        siblings = [reply.comment.id for reply in tree_of(parent).replies]
        offset = siblings.index(comment.id) // REPLIES_SHOWN * REPLIES_SHOWN
        up = ShowComment(*found.key, parent.id, offset=offset)
        ways.append(action_button(up, t("Up")))
    lines.append(pages[text_page] if pages else t("*(no text)*"))
    card.say("\n".join(lines), thumbnail(comment.player.avatar_url))
    if len(pages) > 1:
        card.buttons(*_text_steps(here, text_page, len(pages)))
    card.buttons(*_action_buttons(view, reply))
    if not view.may_share:
        card.say(f"-# {t('Kiosk is not in this server, so nothing can be shared here.')}")
    if tree.reply_count:
        ways += _add_replies(card, here, tree, view.seen)
    card.buttons(*ways)
    return card


def _text_steps(here: ShowComment, text_page: int, count: int) -> Sequence[Button]:
    before = replace(here, text_page=text_page - 1) if text_page > 0 else None
    after = replace(here, text_page=text_page + 1) if text_page + 1 < count else None
    position = t("Text %(number)s of %(count)s", number=number(text_page + 1), count=number(count))
    previous, following = step_buttons(before, after, in_text=True)
    return [previous, action_button("position.text", position, disabled=True), following]


def _action_buttons(view: CommentView, reply_style: discord.ButtonStyle) -> Iterator[Button]:
    key = view.found.key
    comment = view.found.comment
    yield reply_button(view.found, style=reply_style)
    if view.may_share:
        yield action_button(Share(*key, comment.id), t("Share"))
    if view.player_id is not None and comment.player.id == view.player_id:
        yield action_button(OpenEditForm(*key, comment.id), t("Edit"))
        yield action_button(AskDelete(*key, comment.id), t("Delete"))
        return
    about = key.thread_id, comment.id, key.sort, key.page
    if view.may_report:
        yield action_button(OpenReportForm(*about), t("Report"))
    if view.may_remove:
        yield action_button(OpenRemoveForm(*about), t("Remove"))


def _add_replies(card: Card, here: ShowComment, tree: Tree, seen: Seen) -> Sequence[Button]:
    """Add a screen of the replies below an opened comment; return the ways to the others."""
    replies = tree.replies
    shown = len(replies)
    last = max(shown - 1, 0) // REPLIES_SHOWN * REPLIES_SHOWN
    offset = here.offset if 0 <= here.offset < shown else last
    end = offset + REPLIES_SHOWN
    positions = seen.beyond(reply.comment for reply in replies)
    if positions:
        offset = max(positions.stop - REPLIES_SHOWN, 0) if seen.goes_back else positions.start
        end = min(offset + REPLIES_SHOWN, positions.stop)
    card.divide()
    screen = replies[offset:end]
    heading = _replies_heading(tree.reply_count, shown, offset, len(screen))
    room = card.room - room_for(heading)
    card.say(heading)
    parts = len(list(parts_of(card.components))) + len(screen) + _PARTS_BELOW
    has_gaps = parts + len(screen) <= MOST_COMPONENTS
    for left, reply in zip(range(len(screen), 0, -1), screen, strict=True):
        text = _reply_text(reply, room // left)
        room -= room_for(text)
        if has_gaps:
            card.gap()
        card.say(text)
    if choice := _open_or_reply(here.near, [tree_of(reply.comment) for reply in screen]):
        card.choose(choice)
    if len(screen) == shown:
        return []
    ids = [reply.comment.id for reply in screen]
    here = replace(here, offset=offset)
    before = with_seen(replace(here, goes_back=True), ids) if offset > 0 else None
    after = with_seen(here, reversed(ids)) if offset + len(screen) < shown else None
    return step_buttons(before, after)


def _replies_heading(count: int, shown: int, offset: int, on_screen: int) -> str:
    lines = [f"**{replies_label(count)}**"]
    if shown > on_screen:
        first = number(offset + 1)
        last = number(offset + on_screen)
        position = t(
            "%(first)s to %(last)s of %(count)s", first=first, last=last, count=number(shown)
        )
        lines.append(f"-# {position}")
    if count > shown:
        missing = nt(
            "The game doesn't show %(count)s of them here.",
            "The game doesn't show %(count)s of them here.",
            count - shown,
        )
        lines.append(f"-# {missing}")
    return "\n".join(lines)


def _reply_text(reply: Reply, room: int) -> str:
    comment = reply.comment
    before = "> " if reply.level > 1 else ""
    name = f"**{name_of(comment.player, SHORT_NAME_ROOM)}**"
    if reply.level > 1:
        arrows = "↳" * min(reply.level - 1, MOST_ARROWS)
        other = name_of(reply.parent.player, SHORT_NAME_ROOM)
        name = f"{arrows} {t('%(name)s replied to %(other)s', name=name, other=other)}"
    head = f"{before}-# {name} · {written_at_of(comment)}"
    # Each line of the text is quoted as the head is.
    room = min(_REPLY_ROOM, room - room_for(head) - (len(before) + 1) * (_REPLY_LINES + 1))
    shown, _ = excerpt(comment.content, room, lines=_REPLY_LINES)
    return f"\n{before}".join([head, *(shown or t("*(no text)*")).split("\n")])


def shared_card(found: Found, place: Place, sharer: discord.abc.User) -> Card:
    comment = found.comment
    card = Card(theme.FORUM)
    card.say(f"-# {thread_title(place)}")
    pages = paginate(comment.content, _SHARED_ROOM)
    text = "".join(pages)
    label = t("Open")
    if len(pages) > 1 or text.count("\n") >= _SHARED_LINES:
        text, _ = excerpt(comment.content, _SHARED_ROOM, lines=_SHARED_LINES)
        label = t("Read all")
    text = f"{byline(comment, spells_marks=True)}\n{text or t('*(no text)*')}"
    card.say(text, thumbnail(comment.player.avatar_url))
    label = " · ".join(filter(None, [label, replies_label(tree_of(comment).reply_count)]))
    show = action_button(ShowComment(*found.key, comment.id), label)
    return finish_shared(card, sharer, reply_button(found), show)


def threads_by_comment(message: discord.Message) -> dict[int, int]:
    """Return the thread of each comment that a message shows, in order."""
    replies = actions_in(message, OpenWriteForm)
    shown = {reply.parent_id: reply.thread_id for reply in replies if reply.parent_id != NONE}
    for opening in actions_in(message, ShowComment):
        shown.setdefault(opening.comment_id, opening.thread_id)
    return shown
