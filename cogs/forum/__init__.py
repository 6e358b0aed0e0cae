"""`/forum`: read the game's threads, and write in them."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import KioskError
from bot.features.errors import NoCommentShown
from bot.features.names import Place, read_comment_id
from bot.features.reading.paging import SCREEN_SIZE
from bot.features.writing.errors import GivenBack
from bot.game.models import Sort
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import ListEntry, fold
from bot.ui.commands import L, message_menu, slash
from bot.ui.comments import choose_card
from bot.ui.forms import OpenAgain
from bot.ui.here import Here
from cogs.forum import actions
from cogs.forum.cards import threads_by_comment
from cogs.forum.following import FollowedComment
from cogs.forum.reading import OPTIONS, Content, PageNumber, ThreadHandlers, find_typed
from cogs.forum.unsent import TextNews, UnsentHandlers
from cogs.forum.writing import WritingHandlers
from storage.names import PlaceKind


class ForumCog(
    commands.GroupCog, name=L("forum"), description=L("Read the game's threads and write in them")
):
    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._reading = bot.features.threads
        self._threads = ThreadHandlers(bot)
        self._writer = WritingHandlers(bot, self._threads)
        self._unsent = UnsentHandlers(bot, self._writer)
        bot.router.add(self, self._threads, self._writer, self._unsent)
        bot.dispatcher.add(TextNews(bot, self._writer), FollowedComment(bot))
        bot.tree.add_command(message_menu(L("Reply to comment"), self.reply_to_message))

    @slash(L("read"), L("Read a thread"), OPTIONS, acknowledges=False)
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
            named = {each.game_id for each in await here.names(PlaceKind.THREAD)}
            last = await self._reading.last_read(here.member_id, named)
            thread = None if last is None else str(last)
        place = await here.find_by_name(PlaceKind.THREAD, thread or "")
        screen = screen_of(place)
        if public:
            await self._threads.post_screen(here, screen, place)
        else:
            here.again = screen
            await self._threads.show_screen(here, screen, max_age=None, place=place)

    @slash(L("post"), L("Write a comment in a thread"), OPTIONS, acknowledges=False, keeps=True)
    async def post(self, here: Here, thread: str, content: Content | None = None) -> None:
        await self._write(here, thread, None, content)

    @slash(L("reply"), L("Reply to a comment"), OPTIONS, acknowledges=False, keeps=True)
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
            await self._writer.write(here, actions.SendText(place.game_id, parent_id), content)

    @slash(L("edit"), L("Edit one of your comments"), OPTIONS, acknowledges=False, keeps=True)
    async def edit(self, here: Here, comment: str, content: Content | None = None) -> None:
        if content is None:
            near, comment_id = await find_typed(here, comment)
            form = actions.OpenEditForm(*near, comment_id)
            await self._writer.open_edit_form(here, form)
            return
        here.acknowledge(keeps=True)
        try:
            near, comment_id = await find_typed(here, comment)
            await self._writer.check(here, comment_id, near)
        except KioskError as error:
            await self._writer.give_back(here, GivenBack(content, error))
            return
        edit = actions.SendEdit(near.thread_id, comment_id)
        await self._writer.write(here, edit, content)

    @slash(L("delete"), L("Delete one of your comments"), OPTIONS)
    async def delete(self, here: Here, comment: str) -> None:
        near, comment_id = await find_typed(here, comment)
        question = actions.AskDelete(*near, comment_id)
        await self._writer.ask_delete(here, question)

    @slash(L("unsent"), L("Your unsent texts"))
    async def unsent(self, here: Here) -> None:
        await self._unsent.show_list(here)

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
