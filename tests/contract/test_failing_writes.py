"""What is known of a write when the game answers in ways it should not."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from bot.background import BackgroundTasks
from bot.game import game_errors
from bot.game.game_client import Caller, GameClient
from bot.game.transport import open_write_session
from tests.contract.conftest import PATIENT, impatient
from tests.support.game_samples import item, page, purchase, written_comment
from tests.support.rogue_game import (
    Reply,
    RogueGame,
    cut,
    cut_short,
    held,
    open_rogue_game,
    raw,
    redirect,
    reply,
    silence,
)

HTML = b"<!doctype html><title>Oops</title>"
TOO_MUCH = b'{"data": "' + b"x" * 10_000_000 + b'"}'


Write = Callable[[GameClient, Caller], Awaitable[object]]
WRITES: list[Write] = [
    lambda client, caller: client.create_comment(caller, 1, "Hello!"),
    lambda client, caller: client.update_comment(caller, 1, 1, "Hello!"),
    lambda client, caller: client.delete_comment(caller, 1, 1),
    lambda client, caller: client.purchase(caller, 1),
    lambda client, caller: client.redeem(caller, 1),
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "answer",
    [
        cut,
        reply(status=408),
        reply(status=500),
        reply(status=503),
        redirect("/api/done", 303),
        raw(b"?"),
    ],
)
async def test_a_write_without_a_clear_answer_is_unknown_and_never_sent_twice(
    client: GameClient, rogue: RogueGame, caller: Caller, write: Write, answer: Reply
) -> None:
    rogue.answers(answer)

    with pytest.raises(game_errors.UnknownOutcome):
        await write(client, caller)

    assert len(rogue.asked) == 1


@impatient
async def test_a_write_that_meets_silence_is_unknown_and_never_sent_twice(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(silence)

    with pytest.raises(game_errors.UnknownOutcome) as caught:
        await client.purchase(caller, 1)

    assert isinstance(caught.value.__cause__, game_errors.Timeout)
    assert len(rogue.asked) == 1


async def test_a_write_on_a_connection_that_dies_under_it_is_not_sent_twice(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(page()), cut)
    await client.list_comments(1)

    with pytest.raises(game_errors.UnknownOutcome):
        await client.delete_comment(caller, 1, 1)

    assert rogue.connections == 1
    assert [asked.method for asked in rogue.asked] == ["GET", "DELETE"]


@pytest.mark.parametrize(
    "answer", [reply(HTML), reply(b""), reply(status=204), reply({"data": {}}), cut_short()]
)
async def test_a_purchase_whose_answer_is_unreadable_says_that_the_game_took_it(
    client: GameClient, rogue: RogueGame, caller: Caller, answer: Reply
) -> None:
    rogue.answers(answer)

    with pytest.raises(game_errors.UnknownOutcome) as caught:
        await client.purchase(caller, 51)

    malformed = isinstance(caught.value.__cause__, game_errors.MalformedResponse)
    assert (caught.value.status in (200, 204)) == malformed


@pytest.mark.parametrize("body", [b"", HTML, b'{"data": null}', b"[]"])
async def test_a_delete_is_done_whatever_its_answer_holds(
    client: GameClient, rogue: RogueGame, caller: Caller, body: bytes
) -> None:
    rogue.answers(reply(body, status=202))

    await client.delete_comment(caller, 1, 31)

    assert len(rogue.asked) == 1


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "answer",
    [
        *(reply(HTML, status) for status in (400, 401, 403, 404, 405, 409, 418, 422, 429)),
        *(
            reply(body, 403)
            for body in (b"error code: 1020", b'{"message": "N', b"\xff\xfe", TOO_MUCH)
        ),
        cut_short(403),
    ],
)
async def test_a_refusal_by_something_in_front_of_the_game_is_no_answer_to_a_write(
    client: GameClient, rogue: RogueGame, caller: Caller, write: Write, answer: Reply
) -> None:
    rogue.answers(answer)

    with pytest.raises(game_errors.UnknownOutcome) as caught:
        await write(client, caller)

    assert isinstance(caught.value.__cause__, game_errors.Unavailable)
    assert len(rogue.asked) == 1


@pytest.mark.parametrize("body", [b"", b" \r\n", b"null", b"[]", b'"No."', b"\xef\xbb\xbf{}"])
async def test_a_refusal_in_json_or_without_a_body_counts(
    client: GameClient, rogue: RogueGame, caller: Caller, body: bytes
) -> None:
    rogue.answers(reply(body, 403))

    with pytest.raises(game_errors.Forbidden) as caught:
        await client.purchase(caller, 51)

    assert caught.value.message is None


async def test_nothing_has_happened_when_no_connection_could_be_made(
    session: aiohttp.ClientSession, tasks: BackgroundTasks, caller: Caller
) -> None:
    async with open_rogue_game() as game:
        address = game.base_url
    client = GameClient(session, address, tasks, limits=PATIENT)

    with pytest.raises(game_errors.Unreachable):
        await client.purchase(caller, 51)
    with pytest.raises(game_errors.Unreachable):
        await client.list_comments(1)


@pytest.mark.parametrize("status", [301, 307, 308])
async def test_a_write_that_should_go_elsewhere_has_not_happened(
    client: GameClient, rogue: RogueGame, caller: Caller, status: int
) -> None:
    rogue.answers(redirect("/api/elsewhere", status))

    with pytest.raises(game_errors.ForeignRedirect):
        await client.purchase(caller, 51)

    assert len(rogue.asked) == 1


async def test_nothing_is_sent_once_the_session_is_closed(
    session: aiohttp.ClientSession, client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    await session.close()

    with pytest.raises(game_errors.Unreachable):
        await client.purchase(caller, 51)

    assert rogue.asked == []


async def test_a_cancelled_write_is_finished_before_the_program_ends(
    client: GameClient, tasks: BackgroundTasks, rogue: RogueGame, caller: Caller
) -> None:
    gate = asyncio.Event()
    finished = asyncio.Event()

    async def finish(writer: asyncio.StreamWriter) -> None:
        await reply(purchase())(writer)
        finished.set()

    rogue.answers(held(finish, gate))
    buying = asyncio.create_task(client.purchase(caller, 51))
    await rogue.arrivals.get()

    buying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await buying
    closing = asyncio.create_task(tasks.close())
    closed_too_soon, _ = await asyncio.wait([closing], timeout=0.02)
    gate.set()
    await closing

    assert not closed_too_soon
    assert finished.is_set()


async def test_a_wrapped_session_that_has_read_the_body_already_serves_as_well(
    session: aiohttp.ClientSession, tasks: BackgroundTasks, rogue: RogueGame, caller: Caller
) -> None:
    send = session._request  # pyright: ignore[reportPrivateUsage]  # as the simulator's users do

    async def read_ahead(*args: object, **options: object) -> aiohttp.ClientResponse:
        response = await send(*args, **options)  # pyright: ignore[reportArgumentType]  # passed on
        await response.read()
        return response

    object.__setattr__(session, "_request", read_ahead)
    client = GameClient(session, rogue.base_url, tasks, limits=PATIENT)
    rogue.answers(reply(page(item(id=4))), reply(TOO_MUCH), cut_short(), reply(status=204))

    assert [entry.id for entry in (await client.list_items(caller, 1)).entries] == [4]
    with pytest.raises(game_errors.MalformedResponse):
        await client.list_items(caller, 2)
    with pytest.raises(game_errors.UnknownOutcome):
        await client.purchase(caller, 51)
    await client.delete_comment(caller, 1, 31)


@pytest.mark.parametrize(
    ("write", "answer"),
    [
        (WRITES[0], {"success": False, "data": written_comment()}),
        (WRITES[2], {"success": False}),
        (WRITES[3], {"success": False, **purchase(id=1)}),
        (WRITES[3], {"success": 0, **purchase(id=1)}),
        (WRITES[3], {"success": "false", **purchase(id=1)}),
        (WRITES[3], purchase(id=1, success=False)),
        (WRITES[2], {"data": {"success": "No"}}),
    ],
)
async def test_an_answer_that_denies_itself_settles_nothing(
    client: GameClient, rogue: RogueGame, caller: Caller, write: Write, answer: dict[str, object]
) -> None:
    rogue.answers(reply(answer))
    with pytest.raises(game_errors.UnknownOutcome):
        await write(client, caller)


@pytest.mark.parametrize(
    ("write", "answer"),
    [
        (WRITES[1], {"data": written_comment(id=2)}),
        (WRITES[3], purchase(id=2)),
        (WRITES[4], {"data": {"id": 2, "name": "Straw hat"}}),
    ],
)
async def test_a_write_is_done_whatever_number_its_answer_carries(
    client: GameClient, rogue: RogueGame, caller: Caller, write: Write, answer: dict[str, object]
) -> None:
    rogue.answers(reply(answer))
    await write(client, caller)


async def test_what_a_game_leaves_behind_on_a_connection_is_no_answer_to_a_purchase(
    session: aiohttp.ClientSession, rogue: RogueGame, tasks: BackgroundTasks, caller: Caller
) -> None:
    async def page_and_a_stray_answer(writer: asyncio.StreamWriter) -> None:
        await reply(page())(writer)
        await reply(purchase(id=51, name="Somebody else's"))(writer)

    rogue.answers(page_and_a_stray_answer, reply(purchase(id=51, name="Straw hat")))
    fresh = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=fresh) as write_session:
        client = GameClient(session, rogue.base_url, tasks, write_session=write_session)
        await client.list_comments(1)

        bought = [await client.purchase(caller, 51) for _ in range(2)]

    assert [one.name for one in bought] == ["Straw hat"] * 2
    assert rogue.connections == 3


async def test_a_write_whose_moment_is_over_is_not_sent(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(purchase(id=51)))

    with pytest.raises(game_errors.TooLate):
        await client.purchase(caller, 51, send_before=time.monotonic())
    with pytest.raises(game_errors.TooLate):
        await client.create_comment(caller, 1, "Hello!", send_before=time.monotonic())

    assert rogue.asked == []


async def test_a_write_that_is_not_connected_by_its_moment_is_not_sent(
    session: aiohttp.ClientSession, rogue: RogueGame, tasks: BackgroundTasks, caller: Caller
) -> None:
    rogue.answers(reply(purchase(id=51)))
    connected = asyncio.Event()

    async def wait(*_: object) -> None:
        await connected.wait()

    never = aiohttp.TraceConfig()
    never.on_connection_create_start.append(wait)
    never.freeze()
    async with open_write_session() as write_session:
        write_session.trace_configs.append(never)
        client = GameClient(session, rogue.base_url, tasks, write_session=write_session)

        with pytest.raises(game_errors.TooLate):
            await client.purchase(caller, 51, send_before=time.monotonic() + 0.05)

    assert rogue.asked == []
