"""Reading, as it is done with buttons: screens, comments, sharing."""

from collections.abc import Generator
from contextlib import contextmanager

from bot.app import Kiosk
from bot.features.forum.errors import ThreadNotInGame
from bot.features.forum.screens import Screen
from bot.features.forum.threads import Found
from bot.features.names import Kind, Place
from bot.ui.actions import Given, Interaction
from bot.ui.cards import Card
from bot.ui.open_cards import OpenCards
from bot.ui.respond import respond, show, turn, unless_soon_think
from cogs.forum.actions import Refresh, Share, ShowComment, ShowScreen
from cogs.forum.views.comment import CommentView, comment_card, shared_card
from cogs.forum.views.thread import screen_card


class Reader:
    """Answers presses on cards that show threads and comments."""

    def __init__(self, bot: Kiosk) -> None:
        self._reading = bot.features.forum.reading
        self._accounts = bot.features.accounts
        self._directory = bot.features.directory
        self._open = OpenCards()
        bot.router.handle(ShowScreen, self.on_move)
        bot.router.handle(Refresh, self.on_refresh)
        bot.router.handle(ShowComment, self.on_move)
        bot.router.handle(Share, self.on_share)

    async def place(self, interaction: Interaction, thread_id: int) -> Place:
        """Give a thread with the name it has where the member is."""
        return await self._directory.place(interaction.guild_id, Kind.THREAD, thread_id)

    async def open_screen(
        self, interaction: Interaction, action: ShowScreen, place: Place, *, public: bool
    ) -> None:
        """Answer a command with a screen, as the game has it now."""
        with _naming(place):
            asking = self._reading.newest_screen(action.address)
            screen = await unless_soon_think(interaction, asking, public=public)
        player_id = None if public else await self._accounts.player_of(interaction.user.id)
        card = screen_card(screen, place, player_id=player_id)
        await respond(interaction, card, public=public)
        if not public:
            self._note(interaction, action)

    async def on_move(
        self, interaction: Interaction, action: ShowScreen | ShowComment, _given: Given
    ) -> None:
        """Show a screen or a comment; what is known takes no request."""
        seen = self._known(action)
        if seen is None:
            await turn(interaction)
            with _naming(await self.place(interaction, action.thread_id)):
                seen = await self._ask(action)
        await self._bring(interaction, action, seen)

    async def on_refresh(self, interaction: Interaction, action: Refresh, _given: Given) -> None:
        """Ask the game for the screen anew."""
        await turn(interaction)
        with _naming(await self.place(interaction, action.thread_id)):
            screen = await self._reading.newest_screen(action.address, fresh=True)
        key = action.address.key
        moved = ShowScreen(key.thread_id, key.sort, key.page, action.address.offset)
        await self._bring(interaction, moved, screen)

    async def on_share(self, interaction: Interaction, action: Share, _given: Given) -> None:
        """Post a comment for everybody."""
        found = self._reading.known_comment(action.thread_id, action.comment_id)
        if found is None:
            await turn(interaction)
            found = await self._reading.comment(action.near, action.comment_id)
        place = await self.place(interaction, action.thread_id)
        card = shared_card(found, place, interaction.user.display_name)
        await respond(interaction, card, public=True)

    async def update_open_cards(self, interaction: Interaction, thread_id: int) -> None:
        """Show what a member has just changed on the cards they have open."""
        await self._open.refresh(interaction.user.id, thread_id)

    def leave(self, interaction: Interaction, message_id: int) -> None:
        """Note that a card no longer shows a thread, if it is the one that was pressed."""
        if interaction.message is not None and interaction.message.id == message_id:
            self._open.forget(interaction)

    def _note(self, interaction: Interaction, action: ShowScreen | ShowComment) -> None:
        async def redraw() -> Card | None:
            # As far as it is at hand: a write is not answered by reading the thread again.
            seen = self._known(action)
            return seen and await self._draw(interaction, action, seen)

        self._open.note(interaction, [action.thread_id], redraw)

    def _known(self, action: ShowScreen | ShowComment) -> Screen | Found | None:
        if isinstance(action, ShowScreen):
            return self._reading.known_screen(action.address)
        return self._reading.known_comment(action.thread_id, action.comment_id)

    async def _ask(self, action: ShowScreen | ShowComment) -> Screen | Found:
        if isinstance(action, ShowScreen):
            return await self._reading.screen(action.address)
        return await self._reading.comment(action.near, action.comment_id)

    async def _bring(
        self, interaction: Interaction, action: ShowScreen | ShowComment, seen: Screen | Found
    ) -> None:
        await show(interaction, await self._draw(interaction, action, seen))
        self._note(interaction, action)

    async def _draw(
        self, interaction: Interaction, action: ShowScreen | ShowComment, seen: Screen | Found
    ) -> Card:
        place = await self.place(interaction, action.thread_id)
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
