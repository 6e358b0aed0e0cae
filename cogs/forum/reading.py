"""Reading: screens of threads, a comment with its replies, and what is shared of them."""

import math
from collections import abc

import discord
from msgspec import Struct
from msgspec.structs import replace

from bot.errors import NotAMemberHere
from bot.features import errors as feature_errors
from bot.features.moderation.policy import Viewer
from bot.features.names import Place
from bot.features.reading import paging
from bot.features.reading import trees as reading_trees
from bot.features.reading.threads import Found
from bot.features.reading.unread import Unread
from bot.game import models
from bot.i18n import N_, nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards, comments, error_cards, markdown, sent_cards, shared_actions, theme
from bot.ui.here import Here
from bot.ui.pictures import thumbnail
from bot.ui.router import route
from cogs.forum import actions
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
# Of so many, Previous and Next reach the first and the last soon enough.
_FEW_SCREENS = 5
# In a channel, where people talk of other things too.
_SHARED_ROOM = 500
_SHARED_LINES = 8

_SORT_NAMES = {models.Sort.LATEST: N_("Latest first"), models.Sort.HOTTEST: N_("Hottest first")}
_SORTED = {models.Sort.LATEST: N_("latest first"), models.Sort.HOTTEST: N_("hottest first")}


class ThreadHandlers:
    def __init__(self, bot: Kiosk) -> None:
        self._threads = bot.features.threads
        self._unread = bot.features.unread
        self._following = bot.features.announcing.following

    @route(shared_actions.OpenThread)
    async def _on_thread(self, here: Here, action: shared_actions.OpenThread) -> None:
        screen = actions.ShowScreen(*models.PageKey(action.thread_id), 0)
        await self.show_screen(here, screen, begins=True)

    @route(actions.Refresh)
    async def _on_refresh(self, here: Here, action: actions.ShowScreen) -> None:
        screen = actions.ShowScreen(*action.near, action.offset)
        here.again = screen
        await self.show_screen(here, screen, max_age=0, begins=True)

    @route(actions.ShowScreen)
    async def _on_screen(self, here: Here, action: actions.ShowScreen) -> None:
        await self.show_screen(here, action)

    @route(actions.ShowLast)
    async def _on_last(self, here: Here, action: actions.ShowLast) -> None:
        last = await self._threads.last_page(here.viewer, action.near)
        await self.show_screen(here, actions.ShowScreen(*last, paging.LAST))

    async def show_screen(
        self,
        here: Here,
        action: actions.ShowScreen,
        *,
        max_age: float | None = math.inf,
        place: Place | None = None,
        begins: bool = False,
    ) -> None:
        """Answer with a screen (see `ThreadService.screen` for `max_age`).

        Whoever turns pages goes on to see what was new to them when they began.
        """
        place = place or await here.place(PlaceKind.THREAD, action.thread_id)
        screen = await self._screen(here.viewer, action, place, max_age)
        unread = await self._unread.look(here.viewer, action.near, begins=begins)
        await here.answer(screen_card(screen, place, action.sort, unread))

    async def _screen(
        self, viewer: Viewer, action: actions.ShowScreen, place: Place, max_age: float | None
    ) -> paging.Screen[reading_trees.Tree]:
        try:
            return await self._threads.screen(
                viewer,
                action.near,
                action.offset,
                max_age=max_age,
                seen=paging.Seen(action.seen, action.goes_back),
            )
        except feature_errors.ThreadNotInGame as error:
            if place.name is None:
                raise
            raise feature_errors.ThreadNotInGame(name=f"{place.name} ({place.game_id})") from error

    @route(shared_actions.OpenComment)
    async def _on_open_comment(self, here: Here, action: shared_actions.AboutComment) -> None:
        comment = actions.ShowComment(action.thread_id, action.sort, action.page, action.comment_id)
        await self.on_comment(here, comment)

    @route(actions.ShowComment)
    async def on_comment(self, here: Here, action: actions.ShowComment) -> None:
        try:
            found = await self._threads.comment(here.viewer, action.near, action.comment_id)
        except feature_errors.CommentNotFound as error:
            await self._tell_lost(here, error, action)
        else:
            writer_id = found.comment.player.id
            is_own = writer_id is not None and writer_id == await here.player_id()
            await self.show_comment(here, found, action, is_own=is_own)

    async def show_comment(
        self,
        here: Here,
        found: Found,
        action: actions.ShowComment,
        *,
        is_own: bool,
        banner: str = "",
    ) -> None:
        may_report = may_remove = False
        if here.server is not None:
            settings = await here.settings()
            may_report = settings.log_channel_id is not None
            may_remove = here.may_moderate(settings.moderator_role_id)
        is_told = is_own and await self._is_told(here, found.comment.id)
        view = CommentView(
            found,
            await here.place(PlaceKind.THREAD, found.key.thread_id),
            text_page=action.text_page,
            offset=action.offset,
            seen=paging.Seen(action.seen, action.goes_back),
            may_share=here.is_kiosk_member,
            may_report=may_report,
            may_remove=may_remove,
            is_own=is_own,
            is_told=is_told,
        )
        await here.answer(comment_card(view, banner=banner))

    async def _is_told(self, here: Here, comment_id: int) -> bool:
        watched = await self._following.watches_of(here.member_id, PlaceKind.THREAD)
        return any(watch.first.subject_id == comment_id for watch in watched)

    async def _tell_lost(
        self, here: Here, error: feature_errors.CommentNotFound, action: actions.CommentAction
    ) -> None:
        card = error_cards.error_card(error, error_cards.log_error(error))
        page = actions.Refresh(*action.near, 0)
        card.buttons(ui_actions.action_button(page, t("Thread"), style=cards.BLUE))
        await here.send_private(card)

    async def post_screen(self, here: Here, action: actions.ShowScreen, place: Place) -> None:
        if not here.is_kiosk_member:
            raise NotAMemberHere

        async def draw() -> tuple[cards.Card, abc.Sequence[ShownComment]]:
            screen = await self._screen(here.viewer, action, place, max_age=0)
            card = screen_card(screen, place, action.sort)
            card.buttons(sent_cards.take_back_button(here.member_id))
            return card, comments.comments_shown(place.game_id, screen.entries)

        await sent_cards.publish_once(here, draw)
        await self._unread.look(here.viewer, action.near, begins=True)

    @route(actions.Share)
    async def _on_share(self, here: Here, action: actions.CommentAction) -> None:
        if not here.is_kiosk_member:
            raise NotAMemberHere
        place = await here.place(PlaceKind.THREAD, action.thread_id)

        async def draw() -> tuple[cards.Card, abc.Sequence[ShownComment]]:
            # A comment that becomes public is asked for anew: it may have been deleted since.
            found = await self._threads.comment(
                here.viewer, action.near, action.comment_id, fresh=True
            )
            shown = ShownComment(found.comment.id, found.comment.player.id, place.game_id)
            return shared_card(found, place, here.interaction.user), [shown]

        try:
            await sent_cards.publish_once(here, draw)
        except feature_errors.CommentNotFound as error:
            await self._tell_lost(here, error, action)


class CommentView(Struct, frozen=True):
    found: Found
    place: Place
    text_page: int = 0
    offset: int = 0
    seen: paging.Seen = paging.NOTHING_SEEN
    may_share: bool = True
    may_report: bool = False
    may_remove: bool = False
    is_own: bool = False
    is_told: bool = False


def reply_button(found: Found, *, style: discord.ButtonStyle = cards.BLUE) -> cards.Button:
    key = found.key
    action = actions.OpenWriteForm(key.thread_id, found.comment.id, key.sort, key.page)
    return ui_actions.action_button(action, t("Reply"), style=style)


def screen_card(
    screen: paging.Screen[reading_trees.Tree],
    place: Place,
    sort: models.Sort,
    unread: Unread | None = None,
) -> cards.Card:
    key = models.PageKey(place.game_id, sort, screen.at.page)
    card = cards.Card(theme.FORUM)
    lines = [f"## {comments.thread_title(place)}", *_position(screen, sort)]
    if unread is not None:
        lines.insert(1, f"{comments.NEW} {comments.since_looked(unread)}")
    card.say("\n".join(lines))
    comments.add_comments(card, screen.entries, unread.ids if unread else frozenset())
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
    other = models.Sort.HOTTEST if key.sort is models.Sort.LATEST else models.Sort.LATEST
    form = actions.OpenWriteForm(key.thread_id, actions.NO_ID, key.sort, key.page)
    write = ui_actions.action_button(form, t("Write"), style=cards.BLUE, emoji="✏️")
    refresh = ui_actions.action_button(actions.Refresh(*key, screen.at.offset), t("Refresh"))
    if not screen.entries and screen.previous is None and screen.next is None:
        card.buttons(write, refresh)
        return card
    back = _step(screen, key, screen.previous, goes_back=True)
    forth = _step(screen, key, screen.next, goes_back=False)
    turning = [*ui_actions.step_buttons(back, forth)]
    # Where a thread ends is known once somebody has come near; until then it may be long.
    is_long = screen.total is None or screen.total > _FEW_SCREENS * paging.SCREEN_SIZE
    if is_long and screen.entries and screen.previous:
        start = actions.ShowScreen(key.thread_id, key.sort, 1, 0)
        turning.insert(0, ui_actions.action_button(start, t("First")))
    if is_long and screen.entries and screen.next:
        turning.append(ui_actions.action_button(actions.ShowLast(*key), t("Last")))
    card.buttons(*turning, *_to_first(screen, unread))
    sorting = ui_actions.action_button(
        actions.ShowScreen(key.thread_id, other, 1, 0), t(_SORT_NAMES[other])
    )
    find = ui_actions.action_button(actions.OpenFindForm(*key, screen.at.offset), t("Find"))
    own = ui_actions.action_button(actions.ShowOwn(*key, screen.at.offset), t("Your comments"))
    card.buttons(write, find, own, sorting, refresh)
    return card


def _to_first(
    screen: paging.Screen[reading_trees.Tree], unread: Unread | None
) -> abc.Iterator[cards.Button]:
    """Yield the button to the oldest unread comment, unless that is on this screen."""
    if unread is None or unread.first is None:
        return
    root = (*unread.first.ancestors, unread.first.comment)[0]
    if root.id not in {tree.comment.id for tree in screen.entries}:
        first = actions.ShowScreen(*unread.first.key, unread.first.offset)
        yield ui_actions.action_button(first, t("First unread"), emoji=comments.NEW)


def _step(
    screen: paging.Screen[reading_trees.Tree],
    key: models.PageKey,
    target: paging.Position | None,
    *,
    goes_back: bool,
) -> actions.ShowScreen | None:
    if target is None:
        return None
    if not screen.entries:
        return actions.ShowScreen(key.thread_id, key.sort, *target)
    # From what stands here: the list may move meanwhile.
    trees = screen.entries if goes_back else screen.entries[::-1]
    step = actions.ShowScreen(*key, screen.at.offset, goes_back=goes_back)
    return ui_actions.with_seen(step, [tree.comment.id for tree in trees])


def _position(screen: paging.Screen[reading_trees.Tree], sort: models.Sort) -> abc.Iterator[str]:
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
        marks.append(f"{comments.SUBSCRIBER} {t('subscriber')}")
    if any(player.verified_at for player in players):
        marks.append(f"{comments.VERIFIED} {t('verified')}")
    if marks:
        yield f"-# {' · '.join(marks)}"


def _open_or_reply(
    near: models.PageKey, trees: abc.Iterable[reading_trees.Tree]
) -> cards.Select | None:
    opening: list[ui_actions.ListEntry] = []
    replying: list[ui_actions.ListEntry] = []
    for comment, _, count in trees:
        label = t("Open %(name)s", name=comments.comment_label(comment))
        opening.append(
            ui_actions.ListEntry(
                label, actions.ShowComment(*near, comment.id), comments.replies_label(count)
            )
        )
        label = t("Reply to %(name)s", name=comments.name_of(comment.player, plain=True))
        reply = actions.OpenWriteForm(near.thread_id, comment.id, near.sort, near.page)
        replying.append(ui_actions.ListEntry(label, reply, comment.content))
    if not opening:
        return None
    return ui_actions.action_list([*opening, *replying], placeholder=t("Open or reply…"))


def in_reply_to(parent: models.Comment, name: str) -> str:
    shown = markdown.excerpt(parent.content, _PARENT_ROOM, lines=1)[0] or t("*(no text)*")
    return f"-# ↳ {t('in reply to %(name)s: %(text)s', name=name, text=shown)}"


def comment_card(view: CommentView, *, banner: str = "") -> cards.Card:
    found = view.found
    comment = found.comment
    tree = reading_trees.tree_of(comment)
    # A member who has just written goes on reading: one button of a card is blue.
    reply, back = (cards.GREY, cards.BLUE) if banner else (cards.BLUE, cards.GREY)
    card = cards.Card(theme.GOOD if banner else theme.FORUM)
    head = f"-# {comments.thread_title(view.place)}"
    card.say(f"### {banner}\n{head}" if banner else head)
    opened = actions.ShowComment(*found.key, comment.id, view.text_page, view.offset)
    pages = markdown.paginate(comment.content, _TEXT_ROOM if comment.children else _TEXT_ROOM_ALONE)
    text_page = min(max(view.text_page, 0), max(len(pages) - 1, 0))
    lines = [comments.byline(comment, spells_marks=True)]
    ways = [
        ui_actions.action_button(
            actions.ShowScreen(*found.key, found.offset), t("Thread"), style=back
        )
    ]
    if found.ancestors:
        parent = found.ancestors[-1]
        lines.append(in_reply_to(parent, comments.name_of(parent.player)))
        siblings = [reply.comment.id for reply in reading_trees.tree_of(parent).replies]
        offset = siblings.index(comment.id) // REPLIES_SHOWN * REPLIES_SHOWN
        up = actions.ShowComment(*found.key, parent.id, offset=offset)
        ways.append(ui_actions.action_button(up, t("Up")))
    lines.append(pages[text_page] if pages else t("*(no text)*"))
    card.say("\n".join(lines), thumbnail(comment.player.avatar_url))
    if len(pages) > 1:
        card.buttons(*_text_steps(opened, text_page, len(pages)))
    card.buttons(*_action_buttons(view, reply))
    if view.is_told:
        card.say(f"-# 🔔 {t('A direct message tells you of replies to it, for 90 days.')}")
    if not view.may_share:
        card.say(f"-# {t('Kiosk is not in this server, so nothing can be shared here.')}")
    if tree.reply_count:
        ways += _add_replies(card, opened, tree, view.seen)
    card.buttons(*ways)
    return card


def _text_steps(
    opened: actions.ShowComment, text_page: int, count: int
) -> abc.Sequence[cards.Button]:
    before = replace(opened, text_page=text_page - 1) if text_page > 0 else None
    after = replace(opened, text_page=text_page + 1) if text_page + 1 < count else None
    position = t("Text %(number)s of %(count)s", number=number(text_page + 1), count=number(count))
    previous, following = ui_actions.step_buttons(before, after, in_text=True)
    return [previous, ui_actions.action_button("position.text", position, disabled=True), following]


def _action_buttons(
    view: CommentView, reply_style: discord.ButtonStyle
) -> abc.Iterator[cards.Button]:
    key = view.found.key
    comment = view.found.comment
    yield reply_button(view.found, style=reply_style)
    if view.may_share:
        yield ui_actions.action_button(actions.Share(*key, comment.id), t("Share"))
    if view.is_own:
        yield ui_actions.action_button(actions.OpenEditForm(*key, comment.id), t("Edit"))
        yield ui_actions.action_button(actions.AskDelete(*key, comment.id), t("Delete"))
        tell = actions.TellReplies(*key, comment.id)
        if view.is_told:
            tell = actions.StopReplies(*key, comment.id)
        label = t("Stop telling me") if view.is_told else t("Tell me about replies")
        yield ui_actions.action_button(tell, label, emoji="🔕" if view.is_told else "🔔")
        return
    about = key.thread_id, comment.id, key.sort, key.page
    if view.may_report:
        yield ui_actions.action_button(shared_actions.OpenReportForm(*about), t("Report"))
    if view.may_remove:
        yield ui_actions.action_button(shared_actions.OpenRemoveForm(*about), t("Remove"))


def _add_replies(
    card: cards.Card, opened: actions.ShowComment, tree: reading_trees.Tree, seen: paging.Seen
) -> abc.Sequence[cards.Button]:
    """Add a screen of the replies below an opened comment; return the ways to the others."""
    replies = tree.replies
    shown = len(replies)
    last = max(shown - 1, 0) // REPLIES_SHOWN * REPLIES_SHOWN
    offset = opened.offset if 0 <= opened.offset < shown else last
    end = offset + REPLIES_SHOWN
    if positions := seen.beyond(reply.comment for reply in replies):
        positions = seen.nearest(positions, REPLIES_SHOWN)
        offset = positions.start
        end = positions.stop
    card.divide()
    screen = replies[offset:end]
    heading = _replies_heading(tree.reply_count, shown, offset, len(screen))
    room = card.room - markdown.room_for(heading)
    card.say(heading)
    parts = len(list(cards.parts_of(card.components))) + len(screen) + _PARTS_BELOW
    has_gaps = parts + len(screen) <= cards.MOST_COMPONENTS
    for left, reply in zip(range(len(screen), 0, -1), screen, strict=True):
        text = _reply_text(reply, room // left)
        room -= markdown.room_for(text)
        if has_gaps:
            card.gap()
        card.say(text)
    if choice := _open_or_reply(
        opened.near, [reading_trees.tree_of(reply.comment) for reply in screen]
    ):
        card.choose(choice)
    if len(screen) == shown:
        return []
    ids = [reply.comment.id for reply in screen]
    opened = replace(opened, offset=offset)
    before = ui_actions.with_seen(replace(opened, goes_back=True), ids) if offset > 0 else None
    after = ui_actions.with_seen(opened, reversed(ids)) if offset + len(screen) < shown else None
    return ui_actions.step_buttons(before, after)


def _replies_heading(count: int, shown: int, offset: int, on_screen: int) -> str:
    lines = [f"**{comments.replies_label(count)}**"]
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


def _reply_text(reply: reading_trees.Reply, room: int) -> str:
    comment = reply.comment
    before = "> " if reply.level > 1 else ""
    name = f"**{comments.name_of(comment.player, comments.SHORT_NAME_ROOM)}**"
    if reply.level > 1:
        arrows = "↳" * min(reply.level - 1, comments.MOST_ARROWS)
        other = comments.name_of(reply.parent.player, comments.SHORT_NAME_ROOM)
        name = f"{arrows} {t('%(name)s replied to %(other)s', name=name, other=other)}"
    head = f"{before}-# {name} · {comments.written_at_of(comment)}"
    # Each line of the text is quoted as the head is.
    room = min(_REPLY_ROOM, room - markdown.room_for(head) - (len(before) + 1) * (_REPLY_LINES + 1))
    shown, _ = markdown.excerpt(comment.content, room, lines=_REPLY_LINES)
    return f"\n{before}".join([head, *(shown or t("*(no text)*")).split("\n")])


def shared_card(found: Found, place: Place, sharer: discord.abc.User) -> cards.Card:
    comment = found.comment
    card = cards.Card(theme.FORUM)
    card.say(f"-# {comments.thread_title(place)}")
    pages = markdown.paginate(comment.content, _SHARED_ROOM)
    text = "".join(pages)
    label = t("Open")
    if len(pages) > 1 or text.count("\n") >= _SHARED_LINES:
        text, _ = markdown.excerpt(comment.content, _SHARED_ROOM, lines=_SHARED_LINES)
        label = t("Read all")
    text = f"{comments.byline(comment, spells_marks=True)}\n{text or t('*(no text)*')}"
    card.say(text, thumbnail(comment.player.avatar_url))
    label = " · ".join(
        filter(None, [label, comments.replies_label(reading_trees.tree_of(comment).reply_count)])
    )
    show = ui_actions.action_button(actions.ShowComment(*found.key, comment.id), label)
    return sent_cards.finish_shared(card, sharer, reply_button(found), show)


def threads_by_comment(message: discord.Message) -> dict[int, int]:
    """Return the thread of each comment that a message shows, in order."""
    replies = ui_actions.actions_in(message, actions.OpenWriteForm)
    shown = {
        reply.parent_id: reply.thread_id for reply in replies if reply.parent_id != actions.NO_ID
    }
    for opening in ui_actions.actions_in(message, actions.ShowComment):
        shown.setdefault(opening.comment_id, opening.thread_id)
    return shown
