"""A link that the game refuses interrupts what a member does: once they link, it goes on."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.conversations.forum.test_turning import Game
from tests.support.cards import blue_of, buttons_of, text_of
from tests.support.faulty_proxy import Fault, is_write
from tests.support.forms import fill_in
from tests.support.forum import EMPTY, ForumTown, number_of
from tests.support.world import SUBSCRIBER

Do = Callable[[ForumTown], Awaitable[Any]]
LONG_NAME = "A name that is longer than any button has room for, so that Kiosk remembers it"


@asynccontextmanager
async def refused(town: ForumTown, *, is_known: bool) -> AsyncGenerator[None]:
    """Let the game refuse the member's token meanwhile; Kiosk may know of it already."""
    card = await town.world.slash("shop browse", catalog="2") if is_known else None
    await town.game.database.execute("UPDATE tokens SET hash = 'away ' || hash")
    if card is not None:
        await town.press(card, "Refresh")
    yield
    await town.game.database.execute("UPDATE tokens SET hash = substr(hash, 6)")


async def go_on(town: ForumTown, shown: Any) -> Any:
    """Link from the card that says so, press Continue if needed, and return the answer."""
    form = await town.press(shown, "Link account")
    linked = await town.world.member.submit_modal(form, {"token": SUBSCRIBER})
    return await town.press(linked, "Continue") if "Continue" in buttons_of(linked) else linked


def command(used: str, /, **options: Any) -> Do:
    async def do(town: ForumTown) -> Any:
        return await town.world.slash(used, **options)

    return do


SOME = {"catalog": "1", "show": "not owned", "max_cost": 10**9}
COMMANDS = {
    "buy": (command("shop buy", item="1", catalog="1"), "Buy Acorn Cap?"),
    "redeem": (command("shop redeem", item="1", catalog="1"), "Redeem Acorn Cap?"),
    "item": (command("shop item", item="acorn cap", catalog="1"), "## Acorn Cap"),
    "watch an item": (
        command("shop watch", item="1", catalog="1"),
        "🔔 You're watching this item.",
    ),
    "watch a type": (
        command("shop watch", type="hat", catalog="1"),
        "You're watching items of type Hat",
    ),
    "browse": (command("shop browse", catalog="1"), "1 to 8"),
    "browse some": (command("shop browse", **SOME), "**not owned yet · up to 1,000,000,000**"),
    "browse a type": (command("shop browse", type="hat", **SOME), "**Hat · not owned yet · up to"),
    "post": (command("forum post", thread=EMPTY, content="Hello"), "Comment posted"),
}
# These ask the game for nothing, but need a link that is good as far as Kiosk knows.
KNOWN_COMMANDS = {
    "watch a name": (command("shop watch", name="hat", catalog="1"), "You're watching “hat”"),
    "watch a long name": (command("shop watch", name=LONG_NAME, catalog="1"), LONG_NAME),
}


@pytest.mark.parametrize("name", [*COMMANDS, *KNOWN_COMMANDS])
@pytest.mark.parametrize("is_known", [True, False])
async def test_a_command_comes_back_as_it_was_typed(
    linked: ForumTown, name: str, *, is_known: bool
) -> None:
    do, says = {**COMMANDS, **KNOWN_COMMANDS}[name]
    async with refused(linked, is_known=is_known or name in KNOWN_COMMANDS):
        card = await do(linked)
        assert "Your account link expired" in text_of(card)

    assert says in text_of(await go_on(linked, card))


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("command", ["", "forum delete"])
async def test_the_question_before_a_deletion_comes_back(
    linked: ForumTown, command: str, *, is_known: bool
) -> None:
    card = await linked.post("Mine")
    if command:
        card = await linked.world.slash(command, comment=str(number_of(card)))
    else:
        await linked.press(card, "Delete comment")
    assert "Delete this comment?" in text_of(card)
    async with refused(linked, is_known=is_known):
        await linked.press(card, "Delete comment")
        assert "Your account link expired" in text_of(card)
        assert await linked.texts_in() == ["Mine"]

    await go_on(linked, card)
    assert "Delete this comment?" in text_of(card)
    await linked.press(card, "Delete comment")
    assert "Comment deleted" in text_of(card)
    assert await linked.texts_in() == []


async def test_a_comment_far_down_is_found_again_after_a_restart(linked: ForumTown) -> None:
    number = number_of(await linked.post("Mine"))
    await Game(linked.world).write(60)
    card = await linked.read(EMPTY, page=13)
    card = await linked.open_comment(card, number)
    await linked.press(card, "Delete comment")
    async with refused(linked, is_known=False):
        await linked.press(card, "Delete comment")
    await linked.world.restart()
    assert "Delete this comment?" in text_of(await go_on(linked, card))


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_deletion_in_doubt_comes_back(linked: ForumTown, *, is_known: bool) -> None:
    card = await linked.post("Mine")
    await linked.press(card, "Delete comment")
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        await linked.press(card, "Delete comment")
    async with refused(linked, is_known=is_known):
        await linked.press(card, "Delete comment")
        assert "Was the comment deleted?" in text_of(card)

    await go_on(linked, card)
    assert "Comment deleted" in text_of(card)


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_text_in_doubt_comes_back(linked: ForumTown, *, is_known: bool) -> None:
    with linked.proxy.failing(Fault.LOST_REQUEST, is_write):
        card = await linked.post("Mine")
    await linked.let_arrive()
    async with refused(linked, is_known=is_known):
        await linked.send_again(card)
        assert "Was your comment posted?" in text_of(card)
        assert blue_of(card) == ["Link account"]

    await go_on(linked, card)
    if is_known:
        assert "Send this text again?" in text_of(card)
    else:
        # The game was asked just now: it may not be asked again so soon.
        assert "Was your comment posted?" in text_of(card)
        await linked.let_arrive()
        await linked.press(card, "Send again…")
    await linked.press(card, "Send again")
    assert "Comment posted" in text_of(card)
    assert await linked.texts_in() == ["Mine"]


@pytest.mark.parametrize("label", ["Buy item", "Redeem item"])
@pytest.mark.parametrize("is_known", [True, False])
async def test_the_question_before_an_order_comes_back(
    linked: ForumTown, label: str, *, is_known: bool
) -> None:
    deed = label.split()[0]
    card = await linked.world.slash(f"shop {deed.lower()}", item="1", catalog="1")
    asked = f"{deed} Acorn Cap?"
    assert asked in text_of(card)
    async with refused(linked, is_known=is_known):
        await linked.press(card, label)
        assert "Your account link expired" in text_of(card)

    await go_on(linked, card)
    assert asked in text_of(card)


async def test_forms_come_back(linked: ForumTown) -> None:
    card = await linked.post("Mine")
    number = number_of(card)
    screen = await linked.read(EMPTY)
    filtered = await linked.world.slash("shop browse", catalog="1")
    form = await linked.press(filtered, "Filter")
    async with refused(linked, is_known=True):
        asked = {
            "Edit comment": await linked.press(card, "Edit"),
            "Reply to": await linked.reply_to(screen, number),
            "Write a comment": await linked.press(screen, "Write"),
        }
        picked = await fill_in(linked.world.member, form, name="A long part of a name")
    for title, told in asked.items():
        assert "Your account link expired" in text_of(told)
        opened = await go_on(linked, told)
        assert opened.modal["title"].startswith(title)
    assert "“A long part of a name”" in text_of(await go_on(linked, picked))


async def test_presses_in_the_shop_come_back(linked: ForumTown) -> None:
    some = {**SOME, "type": "hat"}
    card = await linked.world.slash("shop browse", **some)
    bought = await linked.world.slash("shop buy", item="1", catalog="1")
    await linked.press(bought, "Buy item")
    orders = await linked.world.slash("shop orders")
    async with refused(linked, is_known=True):
        told = {
            "8 to 10 of 10": await linked.press(card, "Next"),
            "## Acorn Cap": await linked.open_text(orders),
        }
    for says, shown in told.items():
        assert "Your account link expired" in text_of(shown)
        assert says in text_of(await go_on(linked, shown))


async def test_after_a_restart_a_long_command_is_to_be_typed_again(linked: ForumTown) -> None:
    async with refused(linked, is_known=True):
        card = await linked.world.slash("shop watch", name=LONG_NAME, catalog="1")
    await linked.world.restart()
    told = await go_on(linked, card)
    assert "Use the command again to get a new card." in text_of(told)
