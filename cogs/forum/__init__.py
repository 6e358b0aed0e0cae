"""`/forum`: read the game's threads, and write in them."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import KioskError
from bot.features.errors import CommentUnseen, NoCommentShown
from bot.features.names import Place, read_comment_id
from bot.features.reading.paging import SCREEN_SIZE
from bot.features.writing.errors import GivenBack
from bot.game.models import PageKey, Sort
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import ListEntry, fold
from bot.ui.comments import choose_card, comment_label
from bot.ui.forms import OpenAgain
from bot.ui.here import Here
from bot.ui.shared_actions import ShowUnsent
from bot.ui.slash import Choices, L, Option, command, comment_choices, message_menu, suggest_names
from cogs.forum import actions
from cogs.forum.following import FollowedComment
from cogs.forum.reading import ThreadHandlers, threads_by_comment
from cogs.forum.text_cards import LONGEST_TEXT
from cogs.forum.writing import TextNews, WritingHandlers, require_own
from storage.moderation import Subject
from storage.names import PlaceKind

# Longer than the game takes, so that a text that is too long is told how much.
Content = app_commands.Range[str, 1, LONGEST_TEXT]
PageNumber = app_commands.Range[int, 1, 1_000_000]
# Discord shows 25; more are searched, so that typing finds older ones.
_OWN_LOOKED_THROUGH = 200


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


async def _find_own(here: Here, comment: str) -> tuple[PageKey, int]:
    """Return the last known page of a member's comment, or its thread's first, and its number.

    Raises BadId, CommentUnseen; NotYours where it is known to be another's, else the game decides.
    """
    comment_id = read_comment_id(comment)
    own = await here.features.writes.text_of_comment(comment_id)
    near = None if own is None else PageKey(own.place_id)
    found = await here.features.threads.known_comment(here.viewer, near, comment_id)
    if found is not None:
        require_own(found, await here.player_id())
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


class ForumCog(
    commands.GroupCog, name=L("forum"), description=L("Read the game's threads and write in them")
):
    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._reading = bot.features.threads
        self._threads = ThreadHandlers(bot)
        self._writer = WritingHandlers(bot, self._threads)
        bot.router.add(self, self._threads, self._writer)
        bot.dispatcher.add(TextNews(bot, self._writer), FollowedComment(bot))
        bot.tree.add_command(message_menu(L("Reply to comment"), self.reply_to_message))

    @command(L("read"), L("Read a thread"), OPTIONS, acknowledges=False)
    async def read(
        self,
        here: Here,
        thread: str | None = None,
        sort: app_commands.Choice[str] | None = None,
        page: PageNumber = 1,
        public: bool = False,
    ) -> None:
        here.acknowledge(public=public)
        order = Sort.LATEST if sort is None else Sort(sort.value)

        def screen_of(place: Place) -> actions.ShowScreen:
            return actions.ShowScreen(place.game_id, order, 1, (page - 1) * SCREEN_SIZE)

        here.offer_candidates(
            lambda place: ListEntry(place.label, screen_of(place)),
            "" if thread else t("Read a thread…"),
        )
        if thread is None:
            named_ids = {named.game_id for named in await here.names(PlaceKind.THREAD)}
            read = await self._reading.threads_read.of_member(here.member_id)
            fitting = (number for number in read if not named_ids or number in named_ids)
            thread = str(next(fitting, ""))
        place = await here.find_by_name(PlaceKind.THREAD, thread)
        screen = screen_of(place)
        if public:
            await self._threads.post_screen(here, screen, place)
        else:
            here.again = screen
            await self._threads.show_screen(here, screen, max_age=None, place=place)

    @command(L("post"), L("Write a comment in a thread"), OPTIONS, acknowledges=False, keeps=True)
    async def post(self, here: Here, thread: str, content: Content | None = None) -> None:
        await self._write(here, thread, None, content)

    @command(L("reply"), L("Reply to a comment"), OPTIONS, acknowledges=False, keeps=True)
    async def reply(
        self, here: Here, thread: str, parent: str, content: Content | None = None
    ) -> None:
        await self._write(here, thread, parent, content)

    async def _write(
        self, here: Here, thread: str, parent: str | None, content: str | None
    ) -> None:
        """Open the form, or send the text, which comes back where no such thread is found."""
        parent_id = actions.NONE

        def entry_of(place: Place) -> ListEntry:
            if content is not None:
                # The form opens with the text in it.
                here.filled = {actions.TEXT: (content,)}
                self._bot.router.refused.keep(here.interaction.id, here.filled)
                form = fold(actions.OpenWriteForm(place.game_id, parent_id).custom_id())
                return ListEntry(place.label, OpenAgain(here.interaction.id, form))
            # The screen, or the comment, has the button that opens the form.
            screen = actions.ShowScreen(place.game_id, Sort.LATEST, 1, 0)
            comment = actions.ShowComment(place.game_id, Sort.LATEST, 1, parent_id)
            return ListEntry(place.label, screen if parent_id == actions.NONE else comment)

        here.offer_candidates(entry_of)
        if content is not None:
            here.acknowledge(keeps=True)
        try:
            if parent is not None:
                parent_id = read_comment_id(parent)
            place = await here.find_by_name(PlaceKind.THREAD, thread)
        except KioskError as error:
            if content is None:
                raise
            await self._writer.give_back(here, GivenBack(content, error))
            return
        if content is None:
            action = actions.OpenWriteForm(place.game_id, parent_id)
            await self._writer.open_write_form(here, action)
        else:
            here.texts[actions.TEXT] = content
            await self._writer.send(here, actions.SendText(place.game_id, parent_id))

    @command(L("edit"), L("Edit one of your comments"), OPTIONS, acknowledges=False, keeps=True)
    async def edit(self, here: Here, comment: str, content: Content | None = None) -> None:
        if content is None:
            near, comment_id = await _find_own(here, comment)
            form = actions.OpenEditForm(*near, comment_id)
            await self._writer.open_edit_form(here, form)
            return
        here.acknowledge(keeps=True)
        try:
            near, comment_id = await _find_own(here, comment)
        except KioskError as error:
            await self._writer.give_back(here, GivenBack(content, error))
            return
        here.texts[actions.TEXT] = content
        await self._writer.send(here, actions.SendEdit(near.thread_id, comment_id))

    @command(L("delete"), L("Delete one of your comments"), OPTIONS)
    async def delete(self, here: Here, comment: str) -> None:
        near, comment_id = await _find_own(here, comment)
        question = actions.AskDelete(*near, comment_id)
        await self._writer.ask_delete(here, question)

    @command(L("unsent"), L("Your unsent texts"))
    async def unsent(self, here: Here) -> None:
        await self._writer.show_unsent(here, ShowUnsent())

    async def reply_to_message(self, here: Here, message: discord.Message) -> None:
        shown = threads_by_comment(message) if message.author == self._bot.user else {}
        if not shown:
            raise NoCommentShown
        if len(shown) == 1:
            (comment_id, thread_id) = next(iter(shown.items()))
            await self._writer.open_write_form(here, actions.OpenWriteForm(thread_id, comment_id))
            return
        replies = {
            comment_id: actions.OpenWriteForm(thread_id, comment_id)
            for comment_id, thread_id in shown.items()
        }
        question = t("Which comment would you like to reply to?")
        await here.answer(
            await choose_card(self._reading, here.viewer, replies, question, theme.FORUM)
        )


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ForumCog(bot))
