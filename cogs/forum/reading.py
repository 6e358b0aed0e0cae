"""Reading: screens of threads, comments, sharing, and what the options of `/forum` mean."""

import math
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from discord import app_commands

from bot.errors import KioskError, NotAMemberHere
from bot.features.errors import CommentNotFound, CommentUnseen, ThreadNotInGame
from bot.features.moderation.policy import Viewer
from bot.features.names import Place, read_comment_id
from bot.features.reading.paging import Screen, Seen
from bot.features.reading.threads import Found
from bot.features.reading.trees import Tree
from bot.features.sharing import shared_once
from bot.game.models import PageKey, Sort
from bot.i18n import speaking, t
from bot.program.kiosk import Kiosk
from bot.ui.actions import action_button
from bot.ui.cards import BLUE, Card
from bot.ui.commands import Choices, L, Option, comment_choices, suggest_names
from bot.ui.comments import comment_label, comments_shown
from bot.ui.error_cards import error_card, log_error
from bot.ui.here import Here
from bot.ui.permissions import require_may_share
from bot.ui.router import route
from bot.ui.sent_cards import press_name, take_back_button
from bot.ui.shared_actions import AboutComment, OpenComment, OpenThread
from cogs.forum.actions import LONGEST_TEXT, CommentAction, Refresh, Share, ShowComment, ShowScreen
from cogs.forum.cards import CommentView, comment_card, screen_card, shared_card
from storage.moderation import Subject
from storage.names import PlaceKind
from storage.shown import ShownComment

# Longer than the game takes, so that a text that is too long is told how much.
Content = app_commands.Range[str, 1, LONGEST_TEXT]
PageNumber = app_commands.Range[int, 1, 1_000_000]

# Discord shows 25; more are searched, so that typing finds older ones.
_OWN_LOOKED_THROUGH = 200
# A card for everybody, and the comments that it shows.
Draw = Callable[[], Coroutine[Any, Any, tuple[Card, Sequence[ShownComment]]]]
# So often a card is drawn anew because a comment of it was removed meanwhile.
_MOST_DRAWN = 3


class ThreadHandlers:
    def __init__(self, bot: Kiosk) -> None:
        self._threads = bot.features.threads
        self._shown = bot.features.shown
        self._moderation = bot.features.moderation

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
            self._note_read(here, place, comments_shown(place.game_id, screen.entries))
        await here.answer(screen_card(screen, place, action.sort))

    def _note_read(self, here: Here, thread: Place, shown: Sequence[ShownComment]) -> None:
        seen = [comment.comment_id for comment in shown]
        self._threads.note_read(here.member_id, thread.game_id, seen)

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
        action: ShowComment | None = None,
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
            text_page=action.text_page if action else 0,
            offset=action.offset if action else 0,
            seen=Seen(action.seen, action.goes_back) if action else None,
            may_share=here.is_kiosk_member,
            may_report=may_report,
            may_remove=may_remove,
        )
        await here.answer(comment_card(view, banner=banner))

    async def post_screen(self, here: Here, action: ShowScreen, place: Place) -> None:

        async def draw() -> tuple[Card, Sequence[ShownComment]]:
            screen = await self._screen(here.viewer, action, place, max_age=0)
            card = screen_card(screen, place, action.sort)
            card.buttons(take_back_button(here.member_id))
            return card, comments_shown(place.game_id, screen.entries)

        self._note_read(here, place, await self._publish(here, draw))

    @route(Share)
    async def _on_share(self, here: Here, action: CommentAction) -> None:
        place = await here.place(PlaceKind.THREAD, action.thread_id)

        async def draw() -> tuple[Card, Sequence[ShownComment]]:
            # What becomes public is asked anew: it may have been deleted since.
            found = await self._threads.comment(
                here.viewer, action.near, action.comment_id, fresh=True
            )
            shown = ShownComment(found.comment.id, found.comment.player.id, place.game_id)
            return shared_card(found, place, here.interaction.user), [shown]

        try:
            await self._publish(here, draw)
        except CommentNotFound as error:
            await self._tell_lost(here, error, action)

    async def _screen(
        self, viewer: Viewer, action: ShowScreen, place: Place, max_age: float | None
    ) -> Screen[Tree]:
        try:
            return await self._threads.screen(
                viewer,
                action.near,
                action.offset,
                max_age=max_age,
                seen=Seen(action.seen, action.goes_back) if action.seen else None,
            )
        except ThreadNotInGame as error:
            if place.name is None:
                raise
            raise ThreadNotInGame(name=f"{place.name} ({place.game_id})") from error

    async def _tell_lost(
        self, here: Here, error: CommentNotFound, action: ShowScreen | CommentAction
    ) -> None:
        card = error_card(error, log_error(error))
        page = Refresh(action.thread_id, action.sort, action.page, offset=0)
        card.buttons(action_button(page, t("Thread"), style=BLUE))
        await here.send_private(card)

    async def _publish(self, here: Here, draw: Draw) -> Sequence[ShownComment]:
        """Post a card once it is recorded which comments it shows, none of them hidden by then."""
        if not here.is_kiosk_member:
            raise NotAMemberHere
        require_may_share(here)
        comments: Sequence[ShownComment] = ()
        pressed = press_name(here.interaction)
        channel_id = here.interaction.channel_id
        locale = await self._moderation.locale(here.server, here.server_locale)
        async with shared_once(self._shown, pressed, here.server, channel_id) as posting:
            for _ in range(_MOST_DRAWN):
                with speaking(locale):
                    card, comments = await draw()
                if await posting.record(comments):
                    await posting.note(await here.publish(card))
                    return comments
                self._moderation.policy.forget(here.server or 0)
            raise CommentNotFound(name=str(comments[0].comment_id) if comments else "")


async def suggest_comments(here: Here, typed: str) -> Choices:
    """Offer the newest comments of the thread that was chosen, as far as they are at hand."""
    try:
        place = await here.find_by_name(PlaceKind.THREAD, here.typed("thread"))
    except KioskError:
        return []
    comments = await here.features.threads.known_comments(here.viewer, place.game_id)
    labels = {comment.id: comment_label(comment) for comment in comments}
    return comment_choices(labels, typed)


async def suggest_own(here: Here, typed: str) -> Choices:
    own = await here.features.writes.comments_of(here.member_id, _OWN_LOOKED_THROUGH)
    view = await here.features.moderation.policy.prepare(here.viewer)
    player_id = await here.player_id()
    shown = {
        text.result_id: text.body
        for text in own
        if text.result_id and not view.see(Subject(text.result_id, player_id=player_id)).is_hidden
    }
    return comment_choices(shown, typed)


async def find_typed(here: Here, comment: str) -> tuple[PageKey, int]:
    """Return a comment's last known page, or its thread's first. Raises BadId, CommentUnseen."""
    comment_id = read_comment_id(comment)
    own = await here.features.writes.text_of_comment(comment_id)
    near = None if own is None else PageKey(own.place_id)
    found = await here.features.threads.known_comment(here.viewer, near, comment_id)
    if found is not None:
        near = found.key
    if near is None:
        raise CommentUnseen(name=str(comment_id))
    return near, comment_id


_COMMENT = L("The comment's number, such as #123")
OPTIONS = {
    "thread": Option(
        L("thread"), L("The thread's name, or its number"), suggest_names(PlaceKind.THREAD)
    ),
    "sort": Option(
        L("sort"),
        L("Which comments come first"),
        choices=[
            app_commands.Choice(name=L("Latest first"), value=Sort.LATEST.value),
            app_commands.Choice(name=L("Hottest first"), value=Sort.HOTTEST.value),
        ],
    ),
    "page": Option(L("page"), L("The card to start at, of five comments each")),
    "public": Option(L("public"), L("Post it for everybody in this channel")),
    "parent": Option(L("comment"), _COMMENT, suggest_comments),
    "comment": Option(L("comment"), _COMMENT, suggest_own),
    "content": Option(L("content"), L("Your text; leave it out to write in a form")),
}
