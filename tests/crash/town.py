"""A game, a Discord and members who shop, around bots that come and go."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.crash.games import Game, Manner
from tests.support.bot_process import (
    CLAIM_TERM,
    BotProcess,
    Listener,
    run_bot,
    run_listener,
    run_standby,
)
from tests.support.databases import address_at, locked, run_beside
from tests.support.discord_standin import Discord, Exchange, Member, Message, open_discord
from tests.support.faulty_proxy import FaultyProxy, Passing, is_write, open_proxy
from tests.support.game_process import Books, GameProcess, Player, run_game
from tests.support.message_states import assert_states_are_described
from tests.support.program import Launcher, Program

COST = 30
# What a bot runs of ours; a crash at any line of it must leave no doubt.
BOT_FOLDERS = ("bot", "cogs", "storage")
UNDER_WAY = "already in progress"
STILL_LOOKING = "Not confirmed yet"
# In seconds: after it, another process may take an order over, but a request that was sent may
# still arrive; and after an hour it no longer can.
LEASE, HOUR = 46, 3600
_MICROSECONDS = 1_000_000
# In seconds, more than a bot lets pass between two looks at its orders.
A_LOOK = 2 * CLAIM_TERM
# What members read once it is known what an order has come to.
_WORDS = {
    "is yours": "done",
    "redeemed": "done",
    "Not bought": "refused",
    "Not redeemed": "refused",
    "Outcome unknown": "unknown",
}


@dataclass(frozen=True)
class Deal:
    """What a shopper is after: the command to use, and the button that confirms it."""

    command: str
    button: str


PURCHASE = Deal("shop buy", "Buy item")
REDEMPTION = Deal("shop redeem", "Redeem item")


@dataclass(frozen=True)
class Shopper:
    """A member with a linked account, and the one item of a catalog that no one else looks at."""

    member: Member
    player: Player
    catalog: int
    item: int
    item_name: str

    def wants(self, passing: Passing) -> bool:
        """Tell whether a request asks the game for the item."""
        return is_write(passing) and f"/items/{self.item}/" in passing.path


@dataclass(frozen=True)
class Confirming:
    """A shopper in front of a card, about to press the button that confirms the deal."""

    town: "Town"
    shopper: Shopper
    deal: Deal
    card: Message

    async def press(self, *bots: BotProcess) -> Exchange:
        """Press it; whichever bot is connected hears it, or those that are named."""
        heard = [bot.session for bot in bots] or None
        return await self.town.discord.press(
            self.shopper.member, self.card, self.deal.button, to=heard
        )


@dataclass
class Town:
    """What outlives every bot; `discord_proxy` stands between the bot and Discord's HTTP side."""

    launcher: Launcher
    folder: Path
    discord: Discord
    books: Books
    game: GameProcess
    game_proxy: FaultyProxy
    discord_proxy: FaultyProxy
    _stack: AsyncExitStack
    _shoppers: int = 0
    # The one that came last.
    _bot: BotProcess | None = None
    _played: Game | None = None

    @asynccontextmanager
    async def bot(self, *, claim_term: float = CLAIM_TERM) -> AsyncGenerator[BotProcess]:
        """Run a bot; all run on one database. Its output must not hold its token."""
        async with run_bot(
            self.launcher,
            self.discord,
            self.game_proxy.base_url,
            self.folder,
            api_url=self.discord_proxy.base_url,
            claim_term=claim_term,
        ) as bot:
            self._bot = bot
            yield bot
        assert self.discord.state.token not in bot.program.output

    def second_bot(self) -> AbstractAsyncContextManager[BotProcess]:
        """Run another bot that hears members, too, beside one with a `claim_term` of `HOUR`.

        As if that one was suspended, and has not noticed yet that it was taken over.
        """
        run_beside(self.database, "DELETE FROM claims WHERE name = 'gateway'")
        return self.bot(claim_term=HOUR)

    def standby(
        self, settings: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Program]:
        """Run another bot, which stands by while the first one answers."""
        return run_standby(
            self.launcher,
            self.discord,
            self.game_proxy.base_url,
            self.folder,
            api_url=self.discord_proxy.base_url,
            settings=settings,
        )

    def listener(self, *, claim_term: float = CLAIM_TERM) -> AbstractAsyncContextManager[Listener]:
        """Run a bot that Discord may post interactions to."""
        return run_listener(
            self.launcher,
            self.discord,
            self.game_proxy.base_url,
            self.folder,
            api_url=self.discord_proxy.base_url,
            claim_term=claim_term,
        )

    def play(self, manner: Manner) -> None:
        """Let the game answer in this manner from now on."""
        self.game_proxy.manner = self._played = Game(manner, self.books)

    async def let_it_show(self) -> None:
        """Let a late game show what it has done, once a bot has looked for that too early."""
        if self._played is None or self._played.manner is not Manner.LATE:
            return
        under_way = (
            "SELECT id FROM writes WHERE state = 'sent' OR state = 'kept' AND reason IS NULL"
        )
        self.let_time_pass(LEASE)
        async with self.bot():
            # Whatever is found out is told.
            await self.discord.state.asked.until(lambda: not run_beside(self.database, under_way))
        await self.let_arrive()
        self._played.show()

    async def restart_game(self) -> None:
        """Run the game again once it has ended, on the same books."""
        await self.game.program.ended()
        self.game = await self._stack.enter_async_context(run_game(self.launcher, self.books))
        self.game_proxy.target = self.game.base_url

    async def shopper(self, *, takes_direct_messages: bool = True) -> Shopper:
        """Let a new member come, and link their account through the running bot."""
        self._shoppers += 1
        name = f"shopper-{self._shoppers}"
        member = self.discord.add_member(name, takes_direct_messages=takes_direct_messages)
        player = await self.books.add_player(name)
        item_name = f"Straw hat {self._shoppers}"
        catalog, item = await self.books.add_catalog_of(item_name, COST)
        form = await (await self.discord.slash(member, "account link")).modal()
        linking = await self.discord.submit(member, form, {"token": player.token})
        await linking.says("Game account linked")
        return Shopper(member, player, catalog, item, item_name)

    def note_player(self, shopper: Shopper) -> None:
        """Let Kiosk know which player a member is, as after their first comment."""
        query = "UPDATE links SET player_id = :player WHERE member_id = :member"
        run_beside(self.database, query, player=shopper.player.id, member=shopper.member.id)

    async def confirming(self, shopper: Shopper, deal: Deal = PURCHASE) -> Confirming:
        """Use the command, up to the card that asks for confirmation."""
        exchange = await self.discord.slash(
            shopper.member, deal.command, item=str(shopper.item), catalog=str(shopper.catalog)
        )
        return Confirming(self, shopper, deal, await exchange.says(shopper.item_name))

    @property
    def database(self) -> str:
        """The address of the bot's database."""
        return address_at(self.folder / "kiosk.db")

    def orders(self, shopper: Shopper) -> list[str]:
        """Give the states of a member's orders in the bot's database, oldest first."""
        query = (
            "SELECT state FROM writes WHERE member_id = :member AND card_id IS NOT NULL ORDER BY id"
        )
        rows = run_beside(self.database, query, member=shopper.member.id)
        return [state for (state,) in rows]

    def count(self, table: str) -> int:
        """Count the rows of a table in the bot's database."""
        return int(run_beside(self.database, f"SELECT count(*) FROM {table}")[0][0])

    def let_time_pass(self, seconds: int = HOUR) -> None:
        """Move all orders into the past, with the times at which they may be taken over."""
        query = (
            "UPDATE writes SET created_at = created_at - :time, asked_at = asked_at - :time, "
            "due_at = due_at - :time"
        )
        run_beside(self.database, query, time=seconds * _MICROSECONDS)

    def let_texts_arrive(self) -> None:
        """Let the time pass in which a text that was sent may still arrive."""
        query = (
            "UPDATE writes SET due_at = 0, asked_at = asked_at - :time"
            " WHERE due_at IS NOT NULL OR holder <> ''"
        )
        run_beside(self.database, query, time=HOUR * _MICROSECONDS)

    def writes(self, shopper: Shopper) -> list[str]:
        """Give the states of a member's writes in the bot's database, oldest first."""
        query = "SELECT state FROM writes WHERE member_id = :member ORDER BY id"
        rows = run_beside(self.database, query, member=shopper.member.id)
        return [state for (state,) in rows]

    async def let_arrive(self) -> None:
        """Wait until whatever was sent, by the living or the dead, has arrived."""
        await self.game_proxy.quiet()
        await self.discord_proxy.quiet()
        await self.let_writes_end()

    async def let_writes_end(self) -> None:
        """Wait until what the dead were writing stands in the database, or never will."""
        async with locked(self.database):
            pass

    def asked_for(self, shopper: Shopper) -> int:
        """Count the requests for the shopper's item that have reached the game."""
        return sum(map(shopper.wants, self.game_proxy.forwarded.past))

    def told(self, shopper: Shopper, *exchanges: Exchange) -> set[str]:
        """Give every outcome that the member was ever shown, here or by direct message."""
        messages = self.discord.direct_messages(shopper.member)
        for exchange in exchanges:
            messages += exchange.messages
        return {
            state
            for message in messages
            for text in message.versions
            for words, state in _WORDS.items()
            for name in [shopper.item_name]
            if any(said in text for said in (f"{name} {words}", f"{name}: {words}"))
            or f"{words}: {name}" in text
        }

    async def direct_message(self, shopper: Shopper, *texts: str) -> None:
        """Wait until the member has a direct message with one of these texts."""
        await self.discord.state.asked.until(
            lambda: any(
                text in message.text
                for text in texts
                for message in self.discord.direct_messages(shopper.member)
            )
        )

    async def outcome(self, shopper: Shopper, *exchanges: Exchange) -> str:
        """Wait until the member is told what an order has come to; it must be one thing only."""
        try:
            await self.discord.state.asked.until(lambda: bool(self.told(shopper, *exchanges)))
        except TimeoutError as error:
            shown = [message.versions for seen in exchanges for message in seen.messages]
            error.add_note(f"{shopper.item_name}: {self.orders(shopper)}, shown {shown}")
            error.add_note(self._bot.program.output if self._bot else "no bot")
            raise
        (state,) = self.told(shopper, *exchanges)
        return state

    async def wait_it_out(self, shopper: Shopper, exchange: Exchange) -> None:
        """Wait for what the member is told at once; let the time pass in which more may come."""
        await self.discord.state.asked.until(
            lambda: STILL_LOOKING in exchange.text or bool(self.told(shopper, exchange))
        )
        while not self.told(shopper, exchange):
            # Again, if the bot noted only after it that it had told something else.
            self.let_time_pass()
            with suppress(TimeoutError):
                async with asyncio.timeout(A_LOOK):
                    await self.outcome(shopper, exchange)

    async def settled(self, shopper: Shopper, *exchanges: Exchange, deal: Deal = PURCHASE) -> str:
        """Wait for the outcome, and hold that goods, money, order and words agree; gives the state.

        The game may have been asked once at most.
        """
        state = await self.outcome(shopper, *exchanges)
        assert self.orders(shopper) == [state]
        has_it = (self.books.owns if deal is PURCHASE else self.books.redeemed)(
            shopper.player, shopper.item
        )
        if state != "unknown":
            assert has_it == (state == "done")
        else:
            # A redemption can't be looked up.
            assert deal is REDEMPTION
        self._hold_books(shopper, has_it=has_it and deal is PURCHASE, sent=1)
        return state

    async def left_behind(
        self, shopper: Shopper, exchange: Exchange, deal: Deal = PURCHASE
    ) -> str | None:
        """Do the same for what a killed bot may have ordered; None if it had not."""
        if self.orders(shopper):
            return await self.settled(shopper, exchange, deal=deal)
        assert not self.told(shopper, exchange)
        self._hold_books(shopper, has_it=False, sent=0)
        return None

    def _hold_books(self, shopper: Shopper, *, has_it: bool, sent: int) -> None:
        assert self.asked_for(shopper) <= sent
        assert self.books.owns(shopper.player, shopper.item) == has_it
        assert self.books.charged(shopper.player) == (COST if has_it else 0)


@asynccontextmanager
async def open_town(launcher: Launcher, folder: Path) -> AsyncGenerator[Town]:
    """Open a town without a bot."""
    books = Books(folder / "game.db")
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(open_discord())
        game = await stack.enter_async_context(run_game(launcher, books))
        town = Town(
            launcher=launcher,
            folder=folder,
            discord=discord,
            books=books,
            game=game,
            game_proxy=await stack.enter_async_context(open_proxy(game.base_url)),
            discord_proxy=await stack.enter_async_context(open_proxy(discord.state.api_url)),
            _stack=stack,
        )
        yield town
    assert_states_are_described(town.database)
