"""Three bots behind a balancer: one is stopped, one is killed, and nothing is lost or doubled."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

import pytest

from bot.errors import FormTooLate
from bot.program.kiosk import Exit
from game_service import admin
from game_service.app import MIGRATIONS
from storage.claims import TERM_SECONDS
from storage.database import open_database
from tests.crash.town import A_LOOK, COST, Shopper, Town
from tests.support.balancer import Balancer, open_balancer
from tests.support.databases import run_beside
from tests.support.discord_standin import Exchange
from tests.support.gates import Happenings

MEMBERS, PRESSES_A_VISIT = 25, 5


@dataclass
class Evening:
    """Members who ask for help, write and buy, again and again."""

    town: Town
    balancer: Balancer
    thread: int
    # The bots that were killed.
    dead: set[str] = field(default_factory=set[str])
    exchanges: Happenings[Exchange] = field(default_factory=Happenings[Exchange])
    lost: list[Exchange] = field(default_factory=list[Exchange])
    # What members were told that they have written or bought.
    told: list[str] = field(default_factory=list[str])

    async def visit(self, shopper: Shopper, item: int, name: str) -> None:
        """Ask for help, write a comment and buy an item, as far as it is answered."""
        discord, member = self.town.discord, shopper.member
        await self.ends(await discord.slash(member, "help"), "You post and shop as yourself")
        opening = await discord.slash(member, "forum post", thread=str(self.thread))
        if await self.ends(opening):
            text = {"text": f"About {name}"}
            form = await opening.modal()
            posting = await discord.submit(member, form, text)
            if await self.ends(posting, "Comment posted"):
                self.told.append(text["text"])
        offer = await discord.slash(
            member, "shop buy", item=str(item), catalog=str(shopper.catalog)
        )
        if await self.ends(offer, name):
            buying = await discord.press(member, offer.messages[-1], "Buy item")
            if await self.ends(buying, "is yours"):
                self.told.append(name)

    async def ends(self, exchange: Exchange, text: str = "") -> bool:
        """Wait until an answer says this, or opens a form. False if its bot was killed.

        Also if a busy machine opened the form too late, which was answered.
        """
        self.exchanges.add(exchange)

        def is_answered() -> bool:
            return text in exchange.text if text else exchange.opened is not None

        def is_lost() -> bool:
            return exchange.status != 202 or self.balancer.holders[exchange.id] in self.dead

        def is_late() -> bool:
            return not text and FormTooLate.title in exchange.text

        await exchange.changes.until(lambda: is_answered() or is_late() or is_lost())
        if not (is_answered() or is_late()):
            self.lost.append(exchange)
        return is_answered()

    def lose(self, target: str) -> None:
        """Note that a bot was killed, for all who wait for its answer."""
        self.dead.add(target)
        for exchange in self.exchanges.past:
            exchange.changes.notify()


@pytest.mark.parametrize("on_both_engines", ["postgresql"], indirect=True)
@pytest.mark.parametrize("presses", [250, pytest.param(3000, marks=pytest.mark.soak)])
@pytest.mark.usefixtures("on_both_engines")
async def test_every_press_is_answered_but_those_that_a_killed_bot_held(
    town: Town, presses: int
) -> None:
    visits = presses // PRESSES_A_VISIT // MEMBERS
    async with AsyncExitStack() as stack:
        # Long enough that on a busy machine no bot is taken for dead by another.
        running = [town.listener(claim_term=TERM_SECONDS) for _ in range(3)]
        bots = [await stack.enter_async_context(bot) for bot in running]
        stopped, killed, _ = bots
        targets = [bot.base_url for bot in bots]
        balancer = await stack.enter_async_context(open_balancer(*targets))
        await town.discord.state.posting.enter(f"{balancer.base_url}/interactions")
        evening = Evening(town, balancer, await town.books.add_thread("Quiet corner"))
        shoppers = [await town.shopper() for _ in range(MEMBERS)]
        wishes = {shopper.item: await wish(town, shopper, visits) for shopper in shoppers}

        async def spend(shopper: Shopper) -> None:
            for item, name in wishes[shopper.item].items():
                await evening.visit(shopper, item, name)

        async with asyncio.TaskGroup() as group:
            for shopper in shoppers:
                group.create_task(spend(shopper))
            pressed = evening.exchanges
            await pressed.until(lambda: len(pressed.past) >= presses // 3)
            stopping = group.create_task(stopped.program.stop())
            await pressed.until(lambda: len(pressed.past) >= 2 * presses // 3)
            await killed.program.kill()
            await town.discord_proxy.quiet()
            evening.lose(killed.base_url)
        assert stopping.result() == Exit.STOPPED
        await settle(town)

    holders = {balancer.holders.get(exchange.id) for exchange in evening.lost}
    assert holders | balancer.refused <= {killed.base_url}
    texts = Counter(town.books.texts())
    assert set(texts.values()) == {1}
    named = {name for items in wishes.values() for name in items.values()}
    assert {told for told in evening.told if told not in named} <= texts.keys()
    for shopper in shoppers:
        bought = [item for item in wishes[shopper.item] if town.books.owns(shopper.player, item)]
        assert town.books.charged(shopper.player) == COST * len(bought)
        for item, name in wishes[shopper.item].items():
            assert (name not in evening.told) or item in bought


async def wish(town: Town, shopper: Shopper, count: int) -> dict[int, str]:
    """Add so many items to a shopper's catalog; gives their names by their ids."""
    names = [f"Hat {number} of {shopper.item}." for number in range(count)]
    async with open_database(town.books.url, MIGRATIONS) as game:
        return {
            await admin.add_item(
                game, shopper.catalog, name=name, cost=COST, currency="Acorns", parks=[1]
            ): name
            for name in names
        }


async def settle(town: Town) -> None:
    """Let the time pass in which what the killed bot held is taken over, until nothing is open."""
    await town.let_arrive()
    unsettled = "SELECT id FROM writes WHERE state IN ('kept', 'sent') AND reason IS NULL"
    while run_beside(town.database, unsettled):
        town.let_time_pass()
        town.let_texts_arrive()
        with suppress(TimeoutError):
            async with asyncio.timeout(A_LOOK):
                await town.game_proxy.passed(lambda _: True)
    await town.let_arrive()
