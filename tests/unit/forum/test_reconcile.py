"""Where a text that may have arrived is looked for."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from bot.features.errors import ArrivalUnknown
from bot.game.models import Sort
from tests.support.game_samples import page
from tests.support.rogue_game import reply
from tests.unit.forum.searching import (
    ME,
    OLD,
    OTHER,
    POST,
    REPLY,
    Search,
    said,
)


async def test_a_comment_that_kiosk_knows_of_already_is_another(search: Search) -> None:
    await search.note_written(31)

    assert await search.found(POST, said()) is None
    assert await search.found(POST, said(), said(number=29)) == 29


async def test_one_that_its_writer_ruled_out_hides_no_other_from_before_it(search: Search) -> None:
    draft = replace(POST, newest_before=30, ruled_out=frozenset({32}))

    assert await search.found(draft, said(number=32)) is None
    # Which the game had not shown yet.
    assert await search.found(draft, said(number=32), said()) == 31


@pytest.mark.parametrize(
    ("parent", "arrived"),
    [
        (said("Parent", number=30, children=[said()], children_count=1), 31),
        # Below another reply: as far below as it may be.
        (
            said(
                "Top",
                number=29,
                children=[said("Parent", number=30, children=[said()], children_count=1)],
                children_count=1,
            ),
            31,
        ),
        (said("Parent", number=30), None),
        (said("Parent", number=30, children=[OTHER], children_count=1), None),
    ],
)
async def test_a_reply_is_looked_for_below_what_it_answers(
    search: Search, parent: dict[str, Any], arrived: int | None
) -> None:
    assert await search.found(REPLY, parent) == arrived


async def test_a_reply_is_looked_for_on_the_page_where_its_parent_was_seen(
    search: Search,
) -> None:
    parent = said("Parent", number=30, children=[said()], children_count=1)
    search.game.answers(reply(page(OTHER)), reply(page(parent, current_page=2)))
    await search.client.list_comments(1)
    await search.client.list_comments(1, sort=Sort.HOTTEST, page=2)

    assert await search.look(REPLY) == 31
    assert search.game.asked[-1].path.endswith("/threads/1/comments?sort=hottest&page=2")


async def test_a_reply_is_not_looked_for_in_another_thread(search: Search) -> None:
    parent = said("Parent", number=30, children=[said()], children_count=1)
    search.game.answers(reply(page(parent)))
    await search.client.list_comments(2)

    assert await search.look(REPLY) == 31
    assert search.game.asked[-1].path.endswith("/threads/1/comments?sort=latest&page=1")


@pytest.mark.parametrize(
    "listed",
    [
        # The game has more replies than it shows.
        [said("Parent", number=30, children=[OTHER], children_count=2)],
        [said("Parent", number=30, children_count=1)],
        # What it answers is no longer there.
        [OTHER],
        [],
    ],
)
async def test_where_a_reply_may_be_hidden_nobody_can_say(
    search: Search, listed: list[dict[str, Any]]
) -> None:
    with pytest.raises(ArrivalUnknown):
        await search.found(REPLY, *listed)


async def test_where_the_game_can_not_be_read_nobody_can_say(search: Search) -> None:
    search.game.answers(reply(status=404))

    with pytest.raises(ArrivalUnknown):
        await search.look(POST)


def full_page(number: int, *listed: dict[str, Any]) -> dict[str, Any]:
    return page(*listed, following="https://game.example?page=next", current_page=number)


async def test_a_text_may_have_moved_to_a_later_page(search: Search) -> None:
    search.game.answers(reply(full_page(1, OTHER)), reply(page(said(), current_page=2)))

    assert await search.look(POST) == 31
    assert [asked.path.partition("page=")[2] for asked in search.game.asked] == ["1", "2"]


async def test_pages_from_before_the_text_are_not_looked_through(search: Search) -> None:
    search.game.answers(reply(full_page(1, OTHER, OLD)))

    assert await search.look(POST) is None
    assert len(search.game.asked) == 1


async def test_a_text_may_be_what_can_not_be_read(search: Search) -> None:
    unreadable = said(number=31) | {"created_at": None}
    with pytest.raises(ArrivalUnknown):
        await search.found(POST, unreadable, OTHER)

    # One that stood there before is none that was sent.
    assert await search.found(replace(POST, newest_before=31), unreadable, OTHER) is None


async def test_an_endless_thread_is_looked_through_up_to_a_bound(search: Search) -> None:
    search.game.answers(reply(full_page(1, OTHER)))

    with pytest.raises(ArrivalUnknown):
        await search.look(POST)
    assert len(search.game.asked) == 20


async def test_two_look_in_one_thread_one_after_the_other(search: Search) -> None:
    search.game.answers(reply(page(said())))
    async with search.reconciler.looking(replace(POST, player_id=ME)):
        second = asyncio.create_task(search.look(POST))
        elsewhere = replace(POST, thread_id=2)
        assert await search.look(elsewhere) == 31
        # Were it not kept waiting, it would have been answered by now.
        assert not second.done()
        await search.note_written(31)

    assert await second is None
