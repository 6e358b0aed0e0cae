"""`/forum`: read the game's threads, and write in them."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.domain.drafts import DraftKind, NewDraft
from bot.errors import NamingError, UnknownComment
from bot.features.errors import ForumError, GivenBack, NoCommentShown
from bot.features.names import Place, read_id
from bot.game.models import PageKey, Sort
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, acknowledge, answer
from bot.ui.commands import L
from bot.ui.next_steps import offer_candidates
from bot.ui.sent_cards import OpenCards
from cogs.forum.actions import NONE, OpenEditForm, OpenWriteForm, ShowScreen
from cogs.forum.autocomplete import Autocomplete, Choices, place_entry
from cogs.forum.follow_commands import FollowCommands
from cogs.forum.follow_kinds import FollowedComment, FollowedEdit, FollowedPost, FollowedReply
from cogs.forum.handlers.changing import ChangingHandlers
from cogs.forum.handlers.drafts import SECONDS_BETWEEN_LOOKS, DraftHandlers
from cogs.forum.handlers.threads import ThreadHandlers
from cogs.forum.handlers.writing import WritingHandlers
from cogs.forum.news import LateNews, UnsentNews
from cogs.forum.views.choosing import choose_card, comments_in

# Longer than the game takes, so that a text that is too long is told how much.
Content = app_commands.Range[str, 1, 6000]
PageNumber = app_commands.Range[int, 1, 1_000_000]

_SORTS = [
    app_commands.Choice(name=L("Latest first"), value=Sort.LATEST.value),
    app_commands.Choice(name=L("Hottest first"), value=Sort.HOTTEST.value),
]
_THREAD = L("The thread's name, or its number")
_COMMENT = L("The comment's number, such as #123")
_CONTENT = L("Your text; leave it out to write in a form")


class ForumCog(
    FollowCommands,
    commands.GroupCog,
    name=L("forum"),
    description=L("Read the game's threads and write in them"),
):
    """Threads and comments."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._reading = bot.features.forum.threads
        open_cards = OpenCards(bot.tasks)
        self._threads = ThreadHandlers(bot, open_cards)
        bot.features.moderation.redraw = self._threads.redraw
        self._writer = WritingHandlers(bot, self._threads, open_cards)
        self._changer = ChangingHandlers(bot, self._threads, self._writer, open_cards)
        self._drafts = DraftHandlers(bot, self._writer)
        self._autocomplete = Autocomplete(bot, self._threads)
        bot.router.add(self, self._threads, self._writer, self._changer, self._drafts)
        bot.tellers.append(self._drafts.tell_of_interrupted)
        self._menu = app_commands.ContextMenu(
            name=L("Reply to comment"), callback=self.reply_to_message
        )

    async def cog_load(self) -> None:
        """Add the message menu, and start looking for texts that were left behind."""
        bot = self._bot
        bot.tree.add_command(self._menu)
        bot.dispatcher.add(UnsentNews(bot), LateNews(bot))
        bot.dispatcher.add(
            FollowedComment(bot), FollowedReply(bot), FollowedPost(bot), FollowedEdit(bot)
        )
        bot.worker.add("threads", bot.features.following.poller.run)
        self._looks = bot.worker.add_looks(
            "texts", self._drafts.look_after_texts, SECONDS_BETWEEN_LOOKS
        )

    async def cog_unload(self) -> None:
        """Take back what `cog_load` added."""
        self._looks.cancel()
        self._bot.tree.remove_command(self._menu.name, type=self._menu.type)

    @app_commands.command(name=L("read"), description=L("Read a thread"))
    @app_commands.rename(thread=L("thread"), sort=L("sort"), page=L("page"), public=L("public"))
    @app_commands.describe(
        thread=_THREAD,
        sort=L("Which comments come first"),
        page=L("Where to start, in pages of fifteen"),
        public=L("Post it for everybody in this channel"),
    )
    @app_commands.choices(sort=_SORTS)
    async def read(
        self,
        interaction: Interaction,
        thread: str,
        sort: app_commands.Choice[str] | None = None,
        page: PageNumber = 1,
        public: bool = False,
    ) -> None:
        """Show a screen of a thread."""
        acknowledge(interaction, public=public)
        order = Sort.LATEST if sort is None else Sort(sort.value)
        offer_candidates(
            interaction, lambda place: place_entry(place, ShowScreen(place.game_id, order, page, 0))
        )
        place = await self._autocomplete.thread_meant(interaction, thread)
        screen = ShowScreen(place.game_id, order, page, 0)
        if public:
            await self._threads.post_screen(interaction, screen, place)
        else:
            await self._threads.show(interaction, screen, max_age=None, place=place)

    @app_commands.command(name=L("post"), description=L("Write a comment in a thread"))
    @app_commands.rename(thread=L("thread"), content=L("content"))
    @app_commands.describe(thread=_THREAD, content=_CONTENT)
    async def post(
        self, interaction: Interaction, thread: str, content: Content | None = None
    ) -> None:
        """Post a text, or ask for one."""
        place = await self._resolve_to_write(interaction, thread, content)
        if place is None:
            return
        if content is None:
            await self._writer.open_write_form(interaction, OpenWriteForm(place.game_id))
        else:
            acknowledge(interaction, keeps=True)
            new = NewDraft(interaction.user.id, DraftKind.POST, place.game_id, None, content)
            await self._writer.write(interaction, new)

    @app_commands.command(name=L("reply"), description=L("Reply to a comment"))
    @app_commands.rename(thread=L("thread"), comment=L("comment"), content=L("content"))
    @app_commands.describe(thread=_THREAD, comment=_COMMENT, content=_CONTENT)
    async def reply(
        self, interaction: Interaction, thread: str, comment: str, content: Content | None = None
    ) -> None:
        """Post a reply, or ask for its text."""
        parent_id = _comment_id(comment)
        place = await self._resolve_to_write(interaction, thread, content, parent_id)
        if place is None:
            return
        if content is None:
            await self._writer.open_write_form(interaction, OpenWriteForm(place.game_id, parent_id))
        else:
            acknowledge(interaction, keeps=True)
            member_id, thread_id = interaction.user.id, place.game_id
            new = NewDraft(member_id, DraftKind.REPLY, thread_id, parent_id, content)
            await self._writer.write(interaction, new)

    @app_commands.command(name=L("edit"), description=L("Edit one of your comments"))
    @app_commands.rename(comment=L("comment"), content=L("content"))
    @app_commands.describe(comment=_COMMENT, content=_CONTENT)
    async def edit(
        self, interaction: Interaction, comment: str, content: Content | None = None
    ) -> None:
        """Change a comment's text, or ask for the new one."""
        comment_id = _comment_id(comment)
        if content is None:
            near = await self._autocomplete.near(interaction, comment_id)
            action = OpenEditForm(near.thread_id, near.sort, near.page, comment_id)
            await self._changer.open_edit_form(interaction, action)
            return
        acknowledge(interaction, keeps=True)
        try:
            near = await self._autocomplete.near(interaction, comment_id)
            await self._changer.check(interaction, comment_id, near)
        except ForumError as error:
            await self._writer.give_back(interaction, GivenBack(content, error))
            return
        member_id = interaction.user.id
        edit = NewDraft(member_id, DraftKind.EDIT, near.thread_id, comment_id, content)
        await self._writer.write(interaction, edit)

    @app_commands.command(name=L("delete"), description=L("Delete one of your comments"))
    @app_commands.rename(comment=L("comment"))
    @app_commands.describe(comment=_COMMENT)
    async def delete(self, interaction: Interaction, comment: str) -> None:
        """Show what would go, and ask."""
        comment_id = _comment_id(comment)
        acknowledge(interaction)
        near = await self._autocomplete.near(interaction, comment_id)
        await self._changer.ask_delete(interaction, comment_id, near)

    @app_commands.command(name=L("drafts"), description=L("Your unsent texts"))
    async def drafts(self, interaction: Interaction) -> None:
        """List the texts that wait."""
        acknowledge(interaction)
        await self._drafts.list_texts(interaction)

    async def reply_to_message(self, interaction: Interaction, message: discord.Message) -> None:
        """Reply to the comment that a message of Kiosk's shows, or to one of several."""
        shown = comments_in(message) if message.author == self._bot.user else {}
        if not shown:
            raise NoCommentShown
        if len(shown) == 1:
            (comment_id, thread_id) = next(iter(shown.items()))
            await self._writer.open_write_form(interaction, OpenWriteForm(thread_id, comment_id))
            return
        viewer = await self._threads.viewer(interaction)
        choosable = {
            comment_id: self._reading.known_comment(viewer, PageKey(thread_id), comment_id)
            for comment_id, thread_id in shown.items()
        }
        await answer(interaction, choose_card(next(iter(shown.values())), choosable))

    @read.autocomplete("thread")
    @post.autocomplete("thread")
    @reply.autocomplete("thread")
    async def suggest_threads(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the named threads."""
        return await self._autocomplete.threads(interaction, typed)

    @reply.autocomplete("comment")
    async def suggest_comments(self, interaction: Interaction, typed: str) -> Choices:
        """Offer the newest comments of the thread that was chosen, as far as they are at hand."""
        return await self._autocomplete.comments(interaction, typed)

    @edit.autocomplete("comment")
    @delete.autocomplete("comment")
    async def suggest_own(self, interaction: Interaction, typed: str) -> Choices:
        """Offer what the member wrote through Kiosk."""
        return await self._autocomplete.own(interaction, typed)

    async def _resolve_to_write(
        self, interaction: Interaction, text: str, content: str | None, parent_id: int = NONE
    ) -> Place | None:
        """Return a thread; where none is meant, None after the text was given back."""
        offer_candidates(
            interaction, lambda place: place_entry(place, OpenWriteForm(place.game_id, parent_id))
        )
        try:
            return await self._autocomplete.thread_meant(interaction, text)
        except NamingError as error:
            if content is None:
                raise
            await self._writer.give_back(interaction, GivenBack(content, error))
            return None


def _comment_id(text: str) -> int:
    comment_id = read_id(text)
    if comment_id is None:
        raise UnknownComment(name=text)
    return comment_id
