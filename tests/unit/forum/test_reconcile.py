"""Where a text that may have arrived is looked for."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bot.domain.drafts import Authored, Draft, DraftKind, DraftState, NewDraft
from bot.features.errors import ArrivalUnknown
from bot.features.forum.reconcile import Reconciler
from bot.game.client import GameClient
from bot.game.models import Sort
from storage.drafts import Drafts
from storage.outcomes import AuthoredComments
from tests.support.game_samples import comment, page, player
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.wiring import open_wiring

MEMBER, ME, SOMEBODY_ELSE = 1, 7, 8
SENT = datetime(2026, 5, 1, 12, tzinfo=UTC)
POST = Draft(
    member_id=MEMBER,
    kind=DraftKind.POST,
    thread_id=1,
    comment_id=None,
    text="Hello there",
    sent="Hello there",
    id=1,
    state=DraftState.UNKNOWN,
    claimed_by="",
    due_at=SENT,
    created_at=SENT,
    sent_at=SENT,
)
REPLY = replace(POST, kind=DraftKind.REPLY, comment_id=30)
EDIT = replace(POST, kind=DraftKind.EDIT, comment_id=31)


def said(
    text: str = "Hello there", *, minutes: float = 0, by: int = ME, number: int = 31, **changes: Any
) -> dict[str, Any]:
    """Return a comment as the game lists it, so many minutes after the text was sent."""
    moment = (SENT + timedelta(minutes=minutes)).isoformat()
    return comment(id=number, content=text, player=player(id=by), created_at=moment, **changes)


OTHER = said("Something else", number=32, by=SOMEBODY_ELSE)
OLD = said("Something else", number=33, minutes=-60 * 24 * 30, by=SOMEBODY_ELSE)


@dataclass
class Search:
    """A member's texts, and the game that they may have arrived in."""

    game: RogueGame
    client: GameClient
    reconciler: Reconciler
    drafts: Drafts

    async def note_written(self, comment_id: int) -> None:
        new = NewDraft(MEMBER, DraftKind.POST, 1, None, "Hello there")
        draft = await self.drafts.add(
            new, draft_id=comment_id, now=SENT, until=SENT, oldest=SENT - timedelta(days=1)
        )
        assert draft is not None
        await self.drafts.settle(draft, Authored(MEMBER, comment_id, 1, "Hello there", SENT))

    async def look(self, draft: Draft, known_as: int | None = ME) -> int | None:
        """Return the number of the comment that the text of a player has become."""
        async with self.reconciler.looking(draft, known_as) as arrived:
            return None if arrived is None else arrived.id

    async def found(
        self, draft: Draft, *listed: dict[str, Any], known_as: int | None = ME
    ) -> int | None:
        """Return the number of the comment that it is taken for on a page of these."""
        self.game.answers(reply(page(*listed)))
        return await self.look(draft, known_as)


@pytest.fixture
async def search(tmp_path: Path) -> AsyncGenerator[Search]:
    async with open_rogue_game() as game, open_wiring(tmp_path, game.base_url) as wired:
        authored = AuthoredComments(wired.database, wired.vault)
        reconciler = Reconciler(wired.client, authored, lambda: SENT)
        yield Search(game, wired.client, reconciler, Drafts(wired.database, wired.vault))


async def test_a_comment_that_kiosk_knows_of_already_is_another(search: Search) -> None:
    await search.note_written(31)

    assert await search.found(POST, said()) is None
    assert await search.found(POST, said(), said(number=29)) == 29


async def test_one_that_its_writer_ruled_out_hides_no_other_from_before_it(search: Search) -> None:
    draft = replace(POST, newest_before=30, ruled_out=frozenset({32}))

    assert await search.found(draft, said(number=32)) is None
    # Which the game had not shown yet.
    assert await search.found(draft, said(number=32), said()) == 31


async def test_an_edit_becomes_no_comment_and_nobody_asks(search: Search) -> None:
    assert await search.found(EDIT, said()) is None
    assert not search.game.asked


@pytest.mark.parametrize(
    ("before", "after", "arrived"),
    [
        ("hello there", "hello there", None),
        ("Hello there 👍", "Hello there 👍", None),
        ("Hello, there", "Hello there", 31),
        ("Helo there", "HELLO THERE!", 31),
        ("Helo there", "Goodbye", None),
    ],
)
async def test_an_edit_of_a_comma_is_not_taken_for_made(
    search: Search, before: str, after: str, arrived: int | None
) -> None:
    search.game.answers(reply(page(said(before))), reply(page(said(after))))
    await search.client.list_comments(1)

    assert await search.look(EDIT) == arrived


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


async def test_a_text_may_be_on_a_later_page_of_a_game_that_does_not_count_comments_up(
    search: Search,
) -> None:
    first = [said("Hello", number=number, minutes=9 - number, by=8) for number in range(1, 6)]
    found = said(number=2**31, minutes=1)
    search.game.answers(reply(full_page(1, *first)), reply(page(found, current_page=2)))

    assert await search.look(replace(POST, newest_before=2**32)) == 2**31


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
    async with search.reconciler.looking(POST, ME):
        second = asyncio.create_task(search.look(POST))
        elsewhere = replace(POST, thread_id=2)
        assert await search.look(elsewhere) == 31
        # Were it not kept waiting, it would have been answered by now.
        assert not second.done()
        await search.note_written(31)

    assert await second is None
