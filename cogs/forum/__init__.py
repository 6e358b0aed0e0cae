"""`/forum`: read the game's threads, and post in them."""

import discord
from discord import app_commands
from discord.ext import commands

from bot.errors import KioskError
from bot.features import directory, feature_errors
from bot.features.writing.writing_errors import TextReturned
from bot.game import models
from bot.i18n import t
from bot.program.kiosk import Kiosk
from bot.ui import custom_ids, drawing, places, shared_actions, slash, theme
from bot.ui.comments import choose_card, comment_label, entry_text
from bot.ui.forms import OpenAgain
from bot.ui.here import Here
from bot.ui.slash import L
from cogs.forum import actions, screens, text_cards, writing
from cogs.forum.followed_comments import FollowedComment
from storage.moderation import Subject
from storage.names import PlaceKind

# Longer than the game takes, so that the error can say by how much a text is too long.
Content = app_commands.Range[str, 1, text_cards.MAX_TEXT_LENGTH]
PageNumber = app_commands.Range[int, 1, actions.LAST_PAGE]
# Discord shows 25, but more are searched, so that typing finds older ones.
_OWN_LOOKED_THROUGH = 200


async def suggest_comments(here: Here, typed: str) -> slash.Choices:
    """Offer the newest comments of the chosen thread, as far as they are loaded."""
    try:
        place = await here.find_by_name(PlaceKind.THREAD, here.typed("thread"))
    except KioskError:
        return []
    comments = await here.features.threads.known_comments(here.viewer, place.game_id)
    labels = {comment.id: comment_label(comment) for comment in comments}
    return slash.comment_choices(labels, typed)


async def suggest_own(here: Here, typed: str) -> slash.Choices:
    own = await here.features.writes.comments_of(here.member_id, _OWN_LOOKED_THROUGH)
    view = await here.features.moderation.policy.prepare(here.viewer)
    player_id = await here.player_id()
    shown = {
        text.result_id: entry_text(text.body)
        for text in own
        if text.result_id and not view.see(Subject(text.result_id, player_id=player_id)).is_hidden
    }
    return slash.comment_choices(shown, typed)


async def _find_own(here: Here, comment: str) -> tuple[models.PageKey, int]:
    """Return the last known page of a member's comment, or its thread's first, and its number.

    Raises BadId, CommentUnseen, and NotYours if it is known to be another's. Otherwise the game
    decides.
    """
    comment_id = directory.read_comment_id(comment)
    own = await here.features.writes.text_of_comment(comment_id)
    near = None if own is None else models.PageKey(own.place_id)
    found = await here.features.threads.known_comment(here.viewer, near, comment_id)
    if found is not None:
        writing.require_own(found, await here.player_id())
        near = found.key
    if near is None:
        raise feature_errors.CommentUnseen(name=str(comment_id))
    return near, comment_id


_COMMENT = L("The comment's number (for example, #123)")
OPTIONS = {
    "thread": slash.Option(
        L("thread"), L("The thread's name or number"), slash.suggest_names(PlaceKind.THREAD)
    ),
    "sort": slash.Option(
        L("sort"),
        L("Which comments come first"),
        choices=[
            app_commands.Choice(name=L("Latest first"), value=models.Sort.LATEST.value),
            app_commands.Choice(name=L("Hottest first"), value=models.Sort.HOTTEST.value),
        ],
    ),
    "page": slash.Option(L("page"), L("The page to open (five comments per page)")),
    "public": slash.Option(L("public"), L("Show the thread to everyone in this channel")),
    "parent": slash.Option(L("comment"), _COMMENT, suggest_comments),
    "comment": slash.Option(L("comment"), _COMMENT, suggest_own),
    "content": slash.Option(L("content"), L("Your text. Leave empty to write it in a form.")),
}


class ForumCog(
    commands.GroupCog, name=L("forum"), description=L("Read the game's threads and write in them")
):
    def __init__(self, bot: Kiosk) -> None:
        bot.router.add(screens, writing)
        bot.dispatcher.add(writing.TextNews(bot), FollowedComment(bot))
        bot.tree.add_command(slash.message_menu(L("Reply to comment"), self.reply_to_message))

    @slash.command(L("read"), L("Read a thread"), OPTIONS, acknowledges=False)
    async def read(
        self,
        here: Here,
        thread: str | None = None,
        sort: app_commands.Choice[str] | None = None,
        page: PageNumber = 1,
        public: bool = False,
    ) -> None:
        here.acknowledge(public=public)
        order = models.Sort.LATEST if sort is None else models.Sort(sort.value)

        def screen_of(place: directory.Place) -> actions.ShowScreen:
            return actions.ShowScreen.at_number(place.game_id, order, page)

        here.offer_candidates(
            lambda place: drawing.Entry(place.label, screen_of(place)),
            "" if thread else t("Read a thread…"),
        )
        if thread is None:
            # If a thread other than the last has news, list threads. Otherwise show the thread that
            # the member read last. If they read none, show the only one, or an error with a list.
            named = await here.names(PlaceKind.THREAD)
            news = await places.thread_news(here, named)
            if not public and any(thread_id != news.last_id for _, thread_id in news.lately):
                question = t("Which thread? Some have comments that are new to you.")
                listed = {PlaceKind.THREAD: named}
                await here.answer(places.places_card(listed, question, lately=news.lately))
                return
            thread = str(news.last_id or "")
        place = await here.find_by_name(PlaceKind.THREAD, thread)
        screen = screen_of(place)
        if public:
            await screens.post_screen(here, screen, place)
        else:
            here.again = screen
            await screens.show_screen(
                here, screen, max_age=None, place=place, begins=True, asked=page
            )

    @slash.command(
        L("post"), L("Write a comment in a thread"), OPTIONS, acknowledges=False, keeps=True
    )
    async def post(self, here: Here, thread: str, content: Content | None = None) -> None:
        await self._write(here, thread, None, content)

    @slash.command(L("reply"), L("Reply to a comment"), OPTIONS, acknowledges=False, keeps=True)
    async def reply(
        self, here: Here, thread: str, parent: str, content: Content | None = None
    ) -> None:
        await self._write(here, thread, parent, content)

    async def _write(
        self, here: Here, thread: str, parent: str | None, content: str | None
    ) -> None:
        """Open the form, or send the text. If no such thread is found, the text comes back."""
        parent_id = actions.NO_ID

        def entry_of(place: directory.Place) -> drawing.Entry:
            if content is not None:
                # The form opens with the text in it.
                here.filled = {text_cards.TEXT.name: (content,)}
                here.interaction.client.router.refused.keep(here.interaction.id, here.filled)
                action = shared_actions.WriteComment(place.game_id, parent_id)
                form = custom_ids.fold(action.custom_id())
                return drawing.Entry(place.label, OpenAgain(here.interaction.id, form))
            # The screen, or the comment, has the button that opens the form.
            screen = actions.ShowScreen(models.PageKey(place.game_id), 0)
            comment = shared_actions.ShowComment(models.PageKey(place.game_id), parent_id)
            return drawing.Entry(place.label, screen if parent_id == actions.NO_ID else comment)

        here.offer_candidates(entry_of)
        if content is not None:
            here.acknowledge(takes_time=True)
        try:
            if parent is not None:
                parent_id = directory.read_comment_id(parent)
            place = await here.find_by_name(PlaceKind.THREAD, thread)
        except KioskError as error:
            if content is None:
                raise
            await writing.give_back(here, TextReturned(content, error))
            return
        action = shared_actions.WriteComment(place.game_id, parent_id)
        if content is None:
            await writing.open_write_form(here, action)
        else:
            await writing.send_text(here, action, content)

    @slash.command(
        L("edit"), L("Edit one of your comments"), OPTIONS, acknowledges=False, keeps=True
    )
    async def edit(self, here: Here, comment: str, content: Content | None = None) -> None:
        if content is None:
            near, comment_id = await _find_own(here, comment)
            form = actions.OpenEditForm(near, comment_id)
            await writing.open_edit_form(here, form)
            return
        here.acknowledge(takes_time=True)
        try:
            near, comment_id = await _find_own(here, comment)
        except KioskError as error:
            await writing.give_back(here, TextReturned(content, error))
            return
        await writing.send_edit(here, actions.SendEdit(near.thread_id, comment_id), content)

    @slash.command(L("delete"), L("Delete one of your comments"), OPTIONS)
    async def delete(self, here: Here, comment: str) -> None:
        near, comment_id = await _find_own(here, comment)
        question = actions.AskDelete(near, comment_id)
        await writing.ask_delete(here, question)

    @slash.command(L("unsent"), L("Show your unsent texts"))
    async def unsent(self, here: Here) -> None:
        await writing.show_unsent(here, shared_actions.ShowUnsent())

    async def reply_to_message(self, here: Here, message: discord.Message) -> None:
        is_own = message.author == here.interaction.client.user
        shown = screens.threads_by_comment(message) if is_own else {}
        if not shown:
            raise feature_errors.NoCommentShown
        if len(shown) == 1:
            (comment_id, thread_id) = next(iter(shown.items()))
            await writing.open_write_form(here, shared_actions.WriteComment(thread_id, comment_id))
            return
        replies = {
            comment_id: shared_actions.WriteComment(thread_id, comment_id)
            for comment_id, thread_id in shown.items()
        }
        question = t("Which comment would you like to reply to?")
        await here.answer(
            await choose_card(here.features.threads, here.viewer, replies, question, theme.FORUM)
        )


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(ForumCog(bot))
