"""The simulated game: its people, what goes wrong with it, and the truth."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.simulation import filled_game as filled
from tests.simulation.door import Fault, Kind, On
from tests.simulation.game import Naming, SimulatedGame, open_game
from tests.support.clock import SteppedClock

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
FIRST, SECOND = filled.TOKENS[:2]
HTML = "text/html"


@pytest.fixture(scope="session")
def filled_game(tmp_path_factory: pytest.TempPathFactory) -> str:
    return filled.fill_game(tmp_path_factory.mktemp("simulated"), MOMENT)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(MOMENT)


@pytest.fixture
async def game(
    filled_game: str, clock: SteppedClock, tmp_path: Path
) -> AsyncGenerator[SimulatedGame]:
    async with open_game(tmp_path, clock, filled_game) as game:
        yield game


class Caller:
    """Asks the game as any client would."""

    def __init__(self, session: aiohttp.ClientSession, game: SimulatedGame) -> None:
        self.session = session
        self.game = game

    async def ask(
        self, method: str, path: str, token: str | None = FIRST, **how: Any
    ) -> tuple[int, str, Any]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        url = f"{self.game.base_url}{path}"
        async with self.session.request(method, url, headers=headers, **how) as answer:
            kind = answer.content_type
            is_json = kind == "application/json" and answer.status != 204
            return answer.status, kind, await answer.json() if is_json else await answer.text()

    async def items(self, catalog: int, token: str = FIRST) -> dict[int, Any]:
        _, _, body = await self.ask("GET", f"/catalogs/{catalog}/items", token)
        return {item["id"]: item for item in body["data"]}

    async def write(self, text: str, thread: int = filled.EMPTY) -> tuple[int, str, Any]:
        return await self.ask("POST", f"/threads/{thread}/comments", json={"content": text})


@pytest.fixture
async def caller(game: SimulatedGame) -> AsyncGenerator[Caller]:
    async with aiohttp.ClientSession() as session:
        yield Caller(session, game)


async def test_the_filled_game_is_what_its_constants_say(
    game: SimulatedGame, caller: Caller
) -> None:
    counts = {thread: len(game.comments(thread)) for thread in game.threads()}
    assert counts == filled.COMMENTS_IN
    assert {each: len(game.items(each)) for each in game.catalogs()} == filled.ITEMS_IN
    people = [game.player_of(token) for token in filled.TOKENS]
    assert [person.name for person in people if person] == list(filled.NAMES)
    assert [person.is_subscribed for person in people if person] == [1, 1, 0, 0, 0, 0, 0, 0]
    status, _, page = await caller.ask("GET", f"/threads/{filled.LONGEST}/comments", None)
    assert (status, len(page["data"])) == (200, 15)


async def test_people_write_edit_and_delete_and_the_truth_has_it(
    game: SimulatedGame, clock: SteppedClock
) -> None:
    clock.advance(60.0)
    top = await game.write(1, filled.EMPTY, "Top")
    reply = await game.write(2, filled.EMPTY, "Reply", top)
    await game.edit(top, "Top, edited")

    told = [(c.id, c.parent_id, c.player_id, c.text) for c in game.comments(filled.EMPTY)]
    assert told == [(top, None, 1, "Top, edited"), (reply, top, 2, "Reply")]
    assert game.comment(top).created_at == int(clock.now().timestamp() * 1_000_000)

    await game.delete(top)
    assert game.comments(filled.EMPTY) == []
    assert {each.text for each in game.deleted.values()} == {"Top, edited", "Reply"}


async def test_makers_change_items_tokens_and_coins(game: SimulatedGame, caller: Caller) -> None:
    hat = await game.add_item(filled.FEW, name="Hat", cost=5)
    await game.set_item(hat, cost=7)
    await game.name_item(hat, "Cap")
    item = game.items(filled.FEW)[-1]
    assert (item.id, item.name, item.cost) == (hat, "Cap", 7)

    assert not await game.buy(1, hat)
    await game.give_coins(1, 10)
    assert await game.buy(1, hat)
    assert (list(game.owned(1)), game.balances(1)["Acorns"]) == ([hat], 3)

    await game.set_item(hat, is_gone=True)
    assert hat not in {each.id for each in game.items(filled.FEW)}
    await game.end_token(FIRST)
    assert (await caller.write("Hello"))[0] == 401
    await game.give_token(1, "new")
    assert game.player_of("new") == game.players()[0]


@pytest.mark.parametrize(
    ("kind", "status", "content_type"),
    [
        (Kind.FAILS, 503, "application/json"),
        (Kind.FAILS_IN_HTML, 503, HTML),
        (Kind.FAILS_BEFORE, 502, HTML),
        (Kind.REFUSES_TOKEN, 401, "application/json"),
        (Kind.FORBIDS, 403, "application/json"),
        (Kind.LIMITS, 429, "application/json"),
    ],
)
async def test_what_fails_is_not_done(
    game: SimulatedGame, caller: Caller, kind: Kind, status: int, content_type: str
) -> None:
    game.door.suffer(Fault(kind, On.WRITES, times=1))

    assert (await caller.write("Hello"))[:2] == (status, content_type)

    assert game.comments(filled.EMPTY) == []
    assert [(write.done, write.given) for write in game.door.writes] == [(None, status)]
    assert (await caller.write("Hello"))[0] == 201


@pytest.mark.parametrize(
    ("kind", "is_done"), [(Kind.CUTS, False), (Kind.LOSES, True), (Kind.SILENT_ABOUT_IT, True)]
)
async def test_a_cut_connection_says_nothing_of_what_was_done(
    game: SimulatedGame, caller: Caller, kind: Kind, is_done: bool
) -> None:
    fault = game.door.suffer(Fault(kind))

    asking = asyncio.create_task(caller.write("Hello"))
    if kind is Kind.SILENT_ABOUT_IT:
        await game.door.until_held()
        game.door.recover(fault, cuts=True)

    with pytest.raises(aiohttp.ClientConnectionError):
        await asking
    await game.door.until_idle()
    assert len(game.comments(filled.EMPTY)) == is_done
    (write,) = game.door.writes
    assert (write.token, write.method, write.path) == (FIRST, "POST", "/threads/4/comments")
    assert (write.body, write.given, write.done) == (
        *({"content": "Hello"}, None),
        201 if is_done else None,
    )


async def test_a_silent_game_does_it_in_the_end_and_a_slow_one_when_time_has_passed(
    game: SimulatedGame, caller: Caller, clock: SteppedClock
) -> None:
    game.door.suffer(Fault(Kind.SILENT, On.WRITES))
    asking = asyncio.create_task(caller.write("Hello"))
    await game.door.until_held()
    assert game.comments(filled.EMPTY) == []
    assert await caller.items(filled.FEW)
    game.door.recover()
    assert (await asking)[0] == 201

    game.door.suffer(Fault(Kind.SLOW, token=SECOND, seconds=20.0))
    looking = asyncio.create_task(caller.items(filled.FEW, SECOND))
    await game.door.until_held()
    clock.advance(19.0)
    assert game.door.held == 1
    clock.advance(1.0)
    assert await looking
    assert game.door.held == 0


async def test_an_item_is_hidden_and_a_purchase_shows_late(
    game: SimulatedGame, caller: Caller, clock: SteppedClock
) -> None:
    hidden, free = game.items(filled.FEW)[0].id, game.items(filled.FEW)[1].id
    game.shown_to[hidden] = frozenset({SECOND})
    assert hidden not in await caller.items(filled.FEW)
    assert hidden in await caller.items(filled.FEW, SECOND)
    assert (await caller.ask("POST", f"/items/{hidden}/purchase"))[0] == 404
    assert hidden not in {item.id for item in game.items(filled.FEW, FIRST)}

    game.lateness = 120.0
    assert (await caller.ask("POST", f"/items/{free}/purchase"))[0] == 200
    assert not (await caller.items(filled.FEW))[free]["has_purchased"]
    clock.advance(120.0)
    assert (await caller.items(filled.FEW))[free]["has_purchased"]


@pytest.mark.parametrize(
    ("naming", "player"), [(Naming.NO_ID, {"screen_name": "Hazel"}), (Naming.NOTHING, None)]
)
async def test_comments_name_no_players(
    game: SimulatedGame, caller: Caller, naming: Naming, player: Any
) -> None:
    game.naming = naming

    _, _, written = await caller.write("Hello")
    _, _, page = await caller.ask("GET", f"/threads/{filled.EMPTY}/comments", None)

    for comment in (written["data"], *page["data"]):
        said = comment.get("player")
        assert (said and {"screen_name": said["screen_name"]}) == player
        assert "id" not in (said or {})
