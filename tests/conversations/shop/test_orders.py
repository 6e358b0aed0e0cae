"""What members see and are told of their orders afterwards."""

import re
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from storage.writes import Order, OrderedItem, WriteKind, WriteState
from tests.support.cards import answer_of, buttons_of, rows_of, text_of
from tests.support.forms import presets
from tests.support.owed import A_LOOK, let_leases_end, tried, try_again
from tests.support.rogue_game import ACORNS, RogueShop, lose_the_answer, lose_the_request
from tests.support.shopping import ask, buy, orders, redeem
from tests.support.steps import Steps
from tests.support.world import NEWCOMER, SUBSCRIBER, World


def hats_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\*\*Hat number (\d+)\*\*", text)]


def drawings(world: World) -> set[str]:
    """Return which messages were drawn again."""
    return {request.path for request in world.env.http_requests if request.method == "PATCH"}


async def test_a_purchase_draws_no_other_card_anew(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    await world.settle(world.friend, NEWCOMER)
    theirs = answer_of(await world.slash("shop item", world.friend, item="1", catalog="1"))
    await world.slash("forum read", thread="1")
    card = await ask(world, item="1")
    before = drawings(world)

    await world.member.click(card, label="Buy item")

    # The card that was pressed.
    assert len(drawings(world) - before) <= 1
    assert not buttons_of(theirs)["Buy"].get("disabled")


async def test_a_card_that_has_moved_on_is_not_drawn_over(world: World) -> None:
    await world.settle(world.member, SUBSCRIBER)
    gallery = answer_of(await world.slash("shop browse", catalog="1"))
    await world.member.click(gallery, label="Next")
    shown = text_of(gallery)

    await buy(world, "1")

    assert text_of(gallery) == shown


async def test_orders_are_listed_five_at_a_time(rogue_world: World) -> None:
    for number in range(1, 11):
        await buy(rogue_world, str(number))
    listed = answer_of(await rogue_world.slash("shop orders"))
    assert "Hat number 10" in text_of(listed)
    assert "Hat number 5**" not in text_of(listed)

    await rogue_world.member.click(listed, label="Next")

    assert "Hat number 5**" in text_of(listed)


async def order_many(world: World) -> None:
    """Buy a hat, and write down 298 purchases and a redemption that came before it."""
    await buy(world, "3")
    writes = world.bot.features.writes
    link = await world.bot.features.accounts.require(world.member.id)
    (bought,) = await writes.orders_of(
        world.member.id, link.token_key, refused_since=world.bot.now()
    )
    for number in range(1, 300):
        name = "Winter scarf" if number == 42 else f"Hat number {number}"
        ended = WriteState.REFUSED if number == 44 else WriteState.DONE
        order = replace(
            bought,
            id=number,
            card_id=number,
            item=replace(bought.item, name=name),
            kind=WriteKind.REDEEM if number == 43 else WriteKind.PURCHASE,
            state=WriteState.KEPT,
        )
        now = world.bot.now()
        kept = await writes.keep_order(order, now=now, since=now)
        assert kept is not None
        await writes.save_write(replace(kept, state=ended, asked_at=now))


async def test_three_hundred_orders_are_counted_and_turned_from_end_to_end(
    rogue_world: World,
) -> None:
    await order_many(rogue_world)
    steps = Steps(rogue_world, rogue_world.member)
    first = await steps.use("shop orders")
    assert "1 to 5 of 300\n" in first
    assert list(buttons_of(steps.card))[:3] == ["Previous", "Next", "Last"]
    last = await steps.press("Last")
    assert "296 to 300 of 300\n" in last
    assert hats_in(last) == [5, 4, 3, 2, 1]
    assert list(buttons_of(steps.card))[:3] == ["First", "Previous", "Next"]
    assert "291 to 295 of 300\n" in await steps.press("Previous")
    assert await steps.press("First") == first
    assert "6 to 10 of 300\n" in await steps.press("Next")
    assert list(buttons_of(steps.card))[:3] == ["Previous", "Next", "Last"]
    await steps.press("Next")
    turning = ["First", "Previous", "Next", "Last"]
    assert rows_of(steps.card) == [turning, ["Filter", "Bought, not redeemed"]]


@pytest.mark.parametrize(
    ("which", "name", "heading"),
    [
        ("2", "", "1 to 5 of 298 · **Bought**"),
        ("3", "", "1 to 1 of 1 · **Redeemed**"),
        ("5", "", "1 to 1 of 1 · **Failed**"),
        ("0", "SCARF", "1 to 1 of 1 · **“SCARF”**"),
        ("2", "hat number 29", "1 to 5 of 11 · **Bought · “hat number 29”**"),
        ("1", "number 300", ""),
        ("4", "", ""),
        ("0", "%:|%:|", ""),
    ],
)
async def test_orders_are_filtered_by_state_and_name(
    rogue_world: World, which: str, name: str, heading: str
) -> None:
    await order_many(rogue_world)
    steps = Steps(rogue_world, rogue_world.member)
    everything = await steps.use("shop orders")
    await steps.press("Filter")
    filtered = await steps.send(which=which, name=name)
    if not heading:
        assert filtered == "### Your orders\nNothing matches."
    else:
        assert f"## Your orders\n{heading}\n" in filtered
        if "Next" in buttons_of(steps.card):
            assert heading.split(" · ", 1)[1] in await steps.press("Next")
            await steps.choose("Open ")
            assert "6 to 10 of" in await steps.press("Back")
    await steps.press("Filter")
    assert presets(rogue_world.member, steps.form) == {
        "which": which,
        **({"name": name} if name else {}),
    }
    assert await steps.press("Show all") == everything


GEMS = ACORNS | {"id": 2, "name": "Gems", "singular_name": "Gem"}


async def test_orders_sum_up_what_was_spent_by_currency(
    rogue_world: World, shop: RogueShop
) -> None:
    shop.items[1] |= {"currency": GEMS, "cost": 1}
    shop.items[2] |= {"cost": 0}
    await buy(rogue_world, "3")
    assert "Spent" not in await orders(rogue_world)
    for number in ("1", "2", "4"):
        await buy(rogue_world, number)
    shop.outcomes.append(lose_the_request)
    await buy(rogue_world, "5")
    await redeem(rogue_world, "6")

    # Neither what isn't known to be bought, nor what was redeemed.
    assert "1 to 5 of 6\nSpent in the past year: 50 Acorns and 1 Gem\n" in await orders(rogue_world)
    assert "Spent" not in text_of(await rogue_world.slash("shop orders", rogue_world.friend))


async def test_what_is_bought_and_not_redeemed_is_listed_alone(
    rogue_world: World, shop: RogueShop
) -> None:
    for number in range(1, 9):
        await buy(rogue_world, str(number))
    # This game redeems nothing that is owned already.
    shop.owned.clear()
    await redeem(rogue_world, "2")
    steps = Steps(rogue_world, rogue_world.member)
    await steps.use("shop orders")
    waiting = await steps.press("Bought, not redeemed")
    assert "## Your orders\n1 to 5 of 7 · **Bought, not redeemed**\n" in waiting
    assert "Spent" not in waiting
    assert hats_in(waiting) == [8, 7, 6, 5, 4]
    older = await steps.press("Next")
    assert hats_in(older) == [3, 1]

    assert "## Hat number 3\n" in await steps.choose("Open Hat number 3")
    assert await steps.press("Back") == older
    await steps.choose("Redeem Hat number 3")
    assert await steps.press("Cancel") == older
    for number in (3, 1):
        await steps.choose(f"Redeem Hat number {number}")
        assert f"Hat number {number} redeemed" in await steps.press("Redeem item")
        await steps.press("Your orders")
    # The page that it led back to is empty by now.
    assert text_of(steps.card) == waiting.replace("of 7", "of 5")
    assert list(buttons_of(steps.card)) == ["Filter", "Show all", "Back"]
    assert hats_in(await steps.press("Show all")) == [1, 3, 2, 8, 7]


async def test_a_redemption_of_which_nothing_is_known_leaves_what_was_bought_in_the_list(
    rogue_world: World, shop: RogueShop
) -> None:
    await buy(rogue_world, "3")
    shop.owned.clear()
    shop.outcomes.append(lose_the_answer)
    await redeem(rogue_world, "3")
    steps = Steps(rogue_world, rogue_world.member)
    await steps.use("shop orders")
    assert hats_in(await steps.press("Bought, not redeemed")) == [3]

    await redeem(rogue_world, "3")
    await steps.press("Show all")
    empty = await steps.press("Bought, not redeemed")
    assert "You have no unredeemed items that you bought with Kiosk." in empty
    assert list(buttons_of(steps.card)) == ["Filter", "Show all"]


async def test_orders_are_private(rogue_world: World) -> None:
    await buy(rogue_world)

    assert (await rogue_world.slash("shop orders")).ephemeral
    friends = await rogue_world.slash("shop orders", rogue_world.friend)
    assert "You haven't ordered anything yet" in text_of(friends)
    assert list(buttons_of(friends)) == ["Choose a catalog"]


async def test_absurd_numbers_are_not_sold(rogue_world: World, shop: RogueShop) -> None:
    shop.items[0]["cost"] = 10**30

    for command in ("shop item", "shop buy"):
        shown = await rogue_world.slash(command, item="1", catalog="1")
        assert "Kiosk can't read the game's answer" in text_of(shown)


CANNOT_MESSAGE = 50007
DEAD_TOKEN = 50027


async def leave_behind(
    world: World, kind: WriteKind = WriteKind.PURCHASE, *, minutes: int = 16
) -> None:
    """Write an order as a process does that was killed, minutes after it had asked the game."""
    features, now = world.bot.features, world.bot.now()
    link = await features.accounts.require(world.member.id)
    item = OrderedItem(1, "Hat number 3", 30, "Acorns", "Acorn")
    new = Order(1, world.member.id, kind, 1, "en-US", item_id=3, card_id=2, item=item)
    new = replace(new, token_key=link.token_key)
    order = await features.writes.keep_order(new, now=now, since=now)
    assert order is not None
    asked_at = now - timedelta(minutes=minutes)
    await features.writes.save_write(replace(order, state=WriteState.SENT, asked_at=asked_at))
    await let_leases_end(world)


async def messages_to(world: World) -> list[str]:
    """Let the bot look after its orders; gives what the member has in direct messages by then."""
    await world.pass_time(A_LOOK)
    return direct_messages_to(world)


def direct_messages_to(world: World) -> list[str]:
    member: Any = world.member
    return [text_of(message) for message in member.user.dm_channel.history()]


def close_direct_messages(world: World) -> None:
    world.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=CANNOT_MESSAGE, times=None
    )


async def test_a_press_while_it_is_bought_says_so_and_learns_what_comes_of_it(
    rogue_world: World, shop: RogueShop
) -> None:
    card = await ask(rogue_world)
    await leave_behind(rogue_world)
    await rogue_world.member.click(card, label="Buy item")
    assert "Buying Hat number 3" in text_of(card)
    shop.owned.add(3)

    await rogue_world.pass_time(A_LOOK)

    assert "Hat number 3 is yours" in text_of(card)
    assert direct_messages_to(rogue_world) == []
    assert not shop.orders


async def test_who_has_unlinked_is_told_that_nobody_can_look(rogue_world: World) -> None:
    await leave_behind(rogue_world)
    await rogue_world.bot.features.accounts.unlink(rogue_world.member.id)

    (told,) = await messages_to(rogue_world)

    assert "Kiosk stopped checking" in told


async def test_closed_messages_wait_for_a_command(rogue_world: World, shop: RogueShop) -> None:
    close_direct_messages(rogue_world)
    await leave_behind(rogue_world)
    shop.owned.add(3)
    assert await messages_to(rogue_world) == []

    assert not (await rogue_world.slash("help", rogue_world.friend)).followups
    shown = await rogue_world.slash("help")
    (extra,) = shown.followups
    assert extra.ephemeral
    assert "Hat number 3 is yours" in text_of(extra)
    assert not (await rogue_world.slash("help")).followups


async def test_a_late_outcome_is_a_direct_message(rogue_world: World, shop: RogueShop) -> None:
    card = answer_of(await rogue_world.slash("shop buy", item="3", catalog="1"))
    rogue_world.env.inject_error("PATCH", "/webhooks/*", status=401, code=DEAD_TOKEN, times=None)
    await rogue_world.member.click(card, label="Buy item")
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


async def test_an_unknown_order_is_told_in_the_end(rogue_world: World, shop: RogueShop) -> None:
    await leave_behind(rogue_world, minutes=2)
    shop.is_down = True
    (unknown,) = await messages_to(rogue_world)
    shop.is_down = False
    shop.owned.add(3)
    await rogue_world.pass_time(60 * 4)
    told = (await messages_to(rogue_world))[-1]

    assert "Not confirmed yet" in unknown
    assert "Hat number 3 is yours" in told
