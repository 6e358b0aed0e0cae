"""Reading a catalog while it moves, and while the game fails."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from bot.features.following.poller import read_catalog
from bot.game.errors import Forbidden, ServerFault
from bot.game.models import Item, Page
from tests.support.announcing import an_item

PER_PAGE = 3


@dataclass
class Shelf:
    """Items in order, by their numbers; `before` happens before each look, by its count from 0."""

    numbers: list[int]
    before: Callable[["Shelf", int], None] = lambda shelf, look: None
    unreadable: set[int] = field(default_factory=set[int])
    pages: list[int] = field(default_factory=list[int])

    async def page(self, number: int) -> Page[Item]:
        self.pages.append(number)
        self.before(self, len(self.pages) - 1)
        start = (number - 1) * PER_PAGE
        found = self.numbers[start : start + PER_PAGE]
        entries = tuple(an_item(each) for each in found if each not in self.unreadable)
        odd = tuple(each for each in found if each in self.unreadable)
        return Page(entries, number, PER_PAGE, start + PER_PAGE < len(self.numbers), len(odd), odd)


async def ids_in(shelf: Shelf, *, is_first: bool = False) -> list[int]:
    reading = await read_catalog(shelf.page, is_first=is_first)
    assert reading.is_certain
    return [item.id for item in reading.items]


async def test_a_catalog_that_is_known_is_read_once() -> None:
    shelf = Shelf([*range(1, 8)])

    assert await ids_in(shelf) == [*range(1, 8)]
    assert shelf.pages == [1, 2, 3]


async def test_a_catalog_that_is_not_known_yet_is_read_twice() -> None:
    shelf = Shelf([*range(1, 8)])

    assert await ids_in(shelf, is_first=True) == [*range(1, 8)]
    assert shelf.pages == [1, 2, 3, 3, 2, 1]


async def test_what_moves_up_while_it_is_read_is_not_missed() -> None:
    def sell_the_first(shelf: Shelf, look: int) -> None:
        if look == 1:
            shelf.numbers.remove(1)

    # 4 comes to stand on the first page, which was read before.
    items = await ids_in(Shelf([*range(1, 8)], sell_the_first), is_first=True)
    assert items == [1, 2, 3, 5, 6, 7, 4]


async def test_what_is_pushed_on_while_it_is_read_is_not_missed() -> None:
    def restock(shelf: Shelf, look: int) -> None:
        if look == 1:
            shelf.numbers[:0] = [11, 12, 13]

    assert {*range(1, 8)} <= {*await ids_in(Shelf([*range(1, 8)], restock))}


async def test_items_that_swap_places_at_every_look_are_all_found() -> None:
    def swap(shelf: Shelf, _: int) -> None:
        shelf.numbers[2], shelf.numbers[3] = shelf.numbers[3], shelf.numbers[2]

    assert {*await ids_in(Shelf([*range(1, 8)], swap), is_first=True)} == {*range(1, 8)}


async def test_a_page_that_keeps_failing_leaves_what_was_read_before_it() -> None:
    def break_down(_: Shelf, look: int) -> None:
        if look > 0:
            raise ServerFault("no")

    reading = await read_catalog(Shelf([*range(1, 8)], break_down).page)

    assert [item.id for item in reading.items] == [1, 2, 3]
    assert (reading.is_certain, reading.failure) == (False, "ServerFault")


async def test_nothing_is_read_where_the_first_page_fails() -> None:
    def refuse(_: Shelf, look: int) -> None:
        raise Forbidden("no")

    with pytest.raises(Forbidden):
        await read_catalog(Shelf([1], refuse).page)


async def test_what_can_not_be_read_is_there() -> None:
    reading = await read_catalog(Shelf([1, 2, 3], unreadable={2}).page)

    assert (reading.is_certain, reading.unreadable_ids) == (True, {2})


async def test_a_game_that_knows_one_page_only_ends() -> None:
    async def first_page(_: int) -> Page[Item]:
        return Page((an_item(1), an_item(2)), 1, 2, has_next=True)

    reading = await read_catalog(first_page, is_first=True)
    assert [item.id for item in reading.items] == [1, 2]


async def test_a_catalog_that_never_ends_is_no_whole_one() -> None:
    async def page(number: int) -> Page[Item]:
        first = an_item()
        entries = tuple(replace(first, id=number * 1000 + i) for i in range(1000))
        return Page(entries, number, 1000, has_next=True)

    reading = await read_catalog(page, is_first=True)
    assert (reading.is_certain, reading.failure) == (False, "MalformedResponse")
