"""Reading with buttons: screens of threads, comments, sharing."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from bot.domain.names import Kind
from bot.features.forum.errors import ThreadNotInGame
from bot.features.forum.screens import Screen
from bot.features.forum.threads import Found
from bot.features.names import Place
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, publish
from bot.ui.cards import Card
from bot.ui.open_cards import OpenCards
from bot.ui.router import Press, route
from cogs.forum.actions import Refresh, Share, ShowComment, ShowScreen
from cogs.forum.views.comment import CommentView, comment_card, shared_card
from cogs.forum.views.thread import screen_card


class ThreadHandlers:
    """Answers presses on cards that show threads and comments."""

    def __init__(self, bot: Kiosk, open_cards: OpenCards) -> None:
        self._threads = bot.features.forum.threads
        self._shown = bot.features.forum.shown
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        self._open_cards = open_cards

    async def place(self, interaction: Interaction, thread_id: int) -> Place:
        """Return a thread with the name it has where the member is."""
        return await self._directory.place(interaction.guild_id, Kind.THREAD, thread_id)

    async def open_screen(
        self, interaction: Interaction, action: ShowScreen, place: Place, *, public: bool
    ) -> None:
        """Answer a command with a screen, as the game has it now."""
        with _naming(place):
            screen = await self._threads.newest_screen(action.address)
        if public:
            card = screen_card(screen, place, player_id=None)
            await self._publish(interaction, card, [comment.id for comment in screen.comments])
        else:
            await self._bring(interaction, action, screen, place)

    @route(ShowScreen, ShowComment)
    async def on_move(self, press: Press[ShowScreen | ShowComment]) -> None:
        """Show a screen or a comment; what is at hand takes no request."""
        action = press.action
        place = await self.place(press.interaction, action.thread_id)
        with _naming(place):
            if isinstance(action, ShowScreen):
                seen = await self._threads.screen(action.address)
            else:
                seen = await self._threads.comment(action.near, action.comment_id)
        await self._bring(press.interaction, action, seen, place)

    @route(Refresh)
    async def on_refresh(self, press: Press[Refresh]) -> None:
        """Ask the game for the screen anew."""
        address = press.action.address
        place = await self.place(press.interaction, press.action.thread_id)
        with _naming(place):
            screen = await self._threads.newest_screen(address, fresh=True)
        await self._bring(press.interaction, ShowScreen.at(address), screen, place)

    @route(Share)
    async def on_share(self, press: Press[Share]) -> None:
        """Post a comment for everybody."""
        found = await self._threads.comment(press.action.near, press.action.comment_id)
        place = await self.place(press.interaction, press.action.thread_id)
        card = shared_card(found, place, press.interaction.user.display_name)
        await self._publish(press.interaction, card, [found.comment.id])

    async def _publish(
        self, interaction: Interaction, card: Card, comment_ids: Sequence[int]
    ) -> None:
        """Post a card, and record which comments it shows before anybody can see them."""
        if interaction.guild_id is None or interaction.channel_id is None:
            await publish(interaction, card)
            return
        shown_id = await self._shown.expect(
            interaction.guild_id, interaction.channel_id, comment_ids
        )
        await self._shown.complete(shown_id, await publish(interaction, card))

    def _known(self, action: ShowScreen | ShowComment) -> Screen | Found | None:
        if isinstance(action, ShowScreen):
            return self._threads.known_screen(action.address)
        return self._threads.known_comment(action.thread_id, action.comment_id)

    async def _bring(
        self,
        interaction: Interaction,
        action: ShowScreen | ShowComment,
        seen: Screen | Found,
        place: Place,
    ) -> None:
        async def redraw() -> Card | None:
            # As far as it is at hand: a write is not answered by reading the thread again.
            known = self._known(action)
            if known is None:
                return None
            named = await self.place(interaction, action.thread_id)
            return await self._draw(interaction, action, known, named)

        await answer(interaction, await self._draw(interaction, action, seen, place))
        self._open_cards.note(interaction, [action.thread_id], redraw)

    async def _draw(
        self,
        interaction: Interaction,
        action: ShowScreen | ShowComment,
        seen: Screen | Found,
        place: Place,
    ) -> Card:
        player_id = await self._accounts.player_of(interaction.user.id)
        if isinstance(seen, Screen):
            return screen_card(seen, place, player_id=player_id)
        text_page, offset = (
            (action.text_page, action.offset) if isinstance(action, ShowComment) else (0, 0)
        )
        return comment_card(CommentView(seen, place, player_id, text_page, offset))


@contextmanager
def _naming(place: Place) -> Generator[None]:
    """Call a thread that the game doesn't know by the name it has here."""
    try:
        yield
    except ThreadNotInGame as error:
        if place.name is None:
            raise
        raise ThreadNotInGame(name=f"{place.name} ({place.game_id})") from error
