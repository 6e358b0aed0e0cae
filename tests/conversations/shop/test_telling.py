"""Telling members what came of an order when nobody waits for the answer any more."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from bot.clock import utc_now
from bot.domain.orders import OrderKind
from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import Messages
from storage.orders import Orders
from tests.support.cards import answer_of, text_of
from tests.support.orders import STRAW_HAT
from tests.support.owed import tried, try_again
from tests.support.rogue_shop import RogueShop, lose_the_answer
from tests.support.shopping import let_orders_age
from tests.support.world import World

SECONDS_BETWEEN_LOOKS = 6
CANNOT_MESSAGE = 50007
DEAD_TOKEN = 50027


@asynccontextmanager
async def orders_of_an_earlier_run(world: World) -> AsyncGenerator[tuple[Orders, str]]:
    """Give the orders in the bot's database, and what names the member's account."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        row = await database.fetch_one(
            "SELECT token_key FROM links WHERE member_id = :id", id=world.member.id
        )
        assert row is not None
        yield Orders(database, Messages(database, utc_now)), row["token_key"]


async def leave_behind(world: World, kind: OrderKind = OrderKind.PURCHASE) -> None:
    """Write an order as a process does that was killed minutes ago, once it had asked the game."""
    moment = datetime.now(UTC) - timedelta(minutes=3)
    async with orders_of_an_earlier_run(world) as (orders, token_key):
        new = replace(
            STRAW_HAT,
            member_id=world.member.id,
            kind=kind,
            item_name="Hat number 3",
            token_key=token_key,
        )
        order = await orders.start(new, now=moment, due_at=moment, since=moment)
        assert order is not None
        await orders.mark_sent(order, now=moment, due_at=moment)


async def let_time_pass_for_orders(world: World) -> None:
    """Let every order be due that is to be looked at again."""
    async with open_database(world.settings.database_url, MIGRATIONS) as database:
        await database.execute("UPDATE orders SET due_at = 0 WHERE due_at IS NOT NULL")


async def messages_to(world: World) -> list[str]:
    """Let the bot look after its orders; gives what the member has in direct messages by then."""
    await world.env.advance_time(SECONDS_BETWEEN_LOOKS)
    await tried(world)
    return direct_messages_to(world)


def direct_messages_to(world: World) -> list[str]:
    member: Any = world.member
    return [text_of(message) for message in member.user.dm_channel.history()]


def close_direct_messages(world: World) -> None:
    world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )


async def test_an_order_of_a_killed_process_that_went_through_is_told_by_direct_message(
    rogue_world: World, shop: RogueShop
) -> None:
    await leave_behind(rogue_world)
    shop.owned.add(3)

    (told,) = await messages_to(rogue_world)

    assert "Hat number 3 is yours" in told
    assert not shop.orders
    assert len(await messages_to(rogue_world)) == 1


async def test_an_order_of_a_killed_process_that_never_arrived_is_told_as_not_bought(
    rogue_world: World, shop: RogueShop
) -> None:
    await leave_behind(rogue_world)

    (told,) = await messages_to(rogue_world)

    assert "Hat number 3 was not bought" in told
    assert not shop.orders


async def test_a_redemption_of_a_killed_process_is_told_as_unknown_and_where_to_look(
    rogue_world: World,
) -> None:
    await leave_behind(rogue_world, OrderKind.REDEEM)

    (told,) = await messages_to(rogue_world)

    assert "see whether the item is among your things" in told


async def test_whoever_has_unlinked_the_account_is_not_told_that_another_one_is_linked(
    rogue_world: World,
) -> None:
    await leave_behind(rogue_world)
    await rogue_world.bot.features.accounts.unlink(rogue_world.member.id)
    await let_orders_age(rogue_world, timedelta(hours=1))

    (told,) = await messages_to(rogue_world)

    assert "The game account you ordered with is no longer linked" in told


async def test_whoever_takes_no_direct_messages_is_told_at_the_next_command(
    rogue_world: World, shop: RogueShop
) -> None:
    close_direct_messages(rogue_world)
    await leave_behind(rogue_world)
    shop.owned.add(3)
    assert await messages_to(rogue_world) == []

    shown = await rogue_world.slash("help")
    (extra,) = shown.followups
    assert extra.ephemeral
    assert "Hat number 3 is yours" in text_of(extra)
    assert not (await rogue_world.slash("help")).followups


async def test_the_inbox_is_shown_after_a_command_that_fails_too(rogue_world: World) -> None:
    close_direct_messages(rogue_world)
    await leave_behind(rogue_world)
    await messages_to(rogue_world)

    shown = await rogue_world.slash("shop browse", catalog="Nowhere")

    assert "Hat number 3 was not bought" in text_of(shown)


async def test_a_card_that_said_unknown_says_the_outcome_once_it_is_known(
    rogue_world: World, shop: RogueShop
) -> None:
    def break_down() -> None:
        shop.is_down = True

    shop.before_order = break_down
    shop.answers.append(lose_the_answer)
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    await rogue_world.member.click(card, label="Buy it")
    assert "still finding out" in text_of(card)
    shop.is_down = False
    await let_time_pass_for_orders(rogue_world)
    await messages_to(rogue_world)

    assert "Hat number 3 is yours" in text_of(card)


async def test_the_inbox_is_shown_to_its_owner_alone(rogue_world: World) -> None:
    close_direct_messages(rogue_world)
    await leave_behind(rogue_world)
    await messages_to(rogue_world)

    assert not (await rogue_world.slash("help", rogue_world.friend)).followups


async def test_an_outcome_after_the_time_to_answer_is_told_by_direct_message(
    rogue_world: World, shop: RogueShop
) -> None:
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    rogue_world.env.inject_error("PATCH", "/webhooks/*", status=401, code=DEAD_TOKEN, times=None)
    await rogue_world.member.click(card, label="Buy it")
    await tried(rogue_world)

    (told,) = direct_messages_to(rogue_world)
    assert "Hat number 3 is yours" in told
    assert shop.charged[3] == 1


async def test_while_discord_is_down_nothing_is_lost(rogue_world: World, shop: RogueShop) -> None:
    rogue_world.env.inject_error("POST", "/channels/*/messages", status=500, times=1)
    await leave_behind(rogue_world)
    shop.owned.add(3)
    assert await messages_to(rogue_world) == []
    await try_again(rogue_world)

    (told,) = await messages_to(rogue_world)
    assert "Hat number 3 is yours" in told


async def test_what_was_unknown_is_told_once_the_game_can_be_read_again(
    rogue_world: World, shop: RogueShop
) -> None:
    await leave_behind(rogue_world)
    shop.is_down = True
    (unknown,) = await messages_to(rogue_world)
    shop.is_down = False
    shop.owned.add(3)
    await let_time_pass_for_orders(rogue_world)
    told = (await messages_to(rogue_world))[-1]

    assert "still finding out" in unknown
    assert "Hat number 3 is yours" in told
