"""Tokens, bodies and errors, alike on every endpoint (docs/connect-your-game.md#requests)."""

import asyncio
import itertools
import logging
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest

from game_service.app import Service, open_service
from game_service.times import to_microseconds
from tests.service.conftest import NEWCOMER, SUBSCRIBER, Api
from tests.support.clock import SteppedClock, utc_now
from tests.support.databases import copy_of, everything_in, game_address_at, run_beside
from tests.support.game import open_demo_game, open_game_copy

GUARDED = [
    ("POST", "/threads/3/comments"),
    ("PUT", "/comments/1"),
    ("DELETE", "/comments/1"),
    ("GET", "/catalogs/1/items"),
    ("POST", "/items/1/purchase"),
    ("POST", "/items/1/redeem"),
]
TAKING_BODIES = [
    ("POST", "/threads/3/comments"),
    ("PUT", "/comments/1"),
    ("POST", "/items/1/purchase"),
    ("POST", "/items/1/redeem"),
]


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer nobody-has-this", "Basic demo", "demo-subscriber"],
)
async def test_a_missing_token_is_told_of(api: Api, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    for method, path in GUARDED:
        answer = await api.ask(method, path, headers=headers)
        assert (answer.status, answer.code) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_the_scheme_is_read_in_any_case(api: Api) -> None:
    answer = await api.get("/catalogs/1/items", headers={"Authorization": "bearer demo-newcomer"})
    assert answer.status == 200


async def test_a_token_is_nowhere_in_the_database(
    session: aiohttp.ClientSession, filled: str, tmp_path: Path
) -> None:
    with copy_of(filled, tmp_path / "game.db") as address:
        async with open_service(address) as service:
            await Api(session, service.base_url).get("/catalogs/1/items", SUBSCRIBER)
        kept = everything_in(address)

    assert "Park life" in kept
    assert SUBSCRIBER not in kept


async def test_a_body_that_is_too_large_is_refused(api: Api) -> None:
    for (method, path), content_type in itertools.product(
        TAKING_BODIES, ("application/json", "application/x-www-form-urlencoded")
    ):
        answer = await api.ask(
            method,
            path,
            SUBSCRIBER,
            data=b'"' + b"x" * 200_000 + b'"',
            headers={"Content-Type": content_type},
        )
        assert (answer.status, answer.code) == (413, "request_entity_too_large")


async def test_a_multipart_form_is_a_form_and_a_file_is_no_text(api: Api) -> None:
    form = aiohttp.FormData(default_to_multipart=True)
    form.add_field("content", "In several parts")
    answer = await api.post("/threads/3/comments", SUBSCRIBER, data=form)
    assert (answer.status, answer.data["content"]) == (201, "In several parts")

    upload = aiohttp.FormData()
    upload.add_field("content", b"In a file", filename="comment.txt")
    answer = await api.post("/threads/3/comments", SUBSCRIBER, data=upload)
    assert (answer.status, list(answer.body["errors"])) == (422, ["content"])


async def test_an_odd_host_is_no_fault_of_the_service(api: Api) -> None:
    for host in ("a:b:c", "[", "game host", "x" * 500, "é"):
        answer = await api.get("/threads/1/comments", headers={"Host": host})
        assert answer.status in {200, 400}


async def test_a_fault_of_the_service_has_the_usual_shape_and_is_logged(
    api: Api, game: Service, caplog: pytest.LogCaptureFixture
) -> None:
    async with game.database.transaction() as transaction:
        await transaction.execute("ALTER TABLE redemptions RENAME TO lost")
    with caplog.at_level(logging.ERROR):
        answer = await api.post("/items/1/redeem", SUBSCRIBER)
    assert (answer.status, answer.code) == (500, "server_error")
    assert "redemptions" not in answer.body["message"]
    (record,) = caplog.records
    assert record.exc_info is not None
    assert SUBSCRIBER not in caplog.text


async def test_hanging_up_halfway_is_no_fault_of_the_service(
    filled: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_game_copy(filled, tmp_path) as service:
        port = int(service.base_url.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            b"POST /api/v1/threads/3/comments HTTP/1.1\r\nHost: game\r\n"
            b"Authorization: Bearer demo-newcomer\r\nContent-Type: application/json\r\n"
            b"Expect: 100-continue\r\nContent-Length: 99\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
    # The service has stopped, and so is done with the request.
    assert caplog.records == []


@pytest.mark.parametrize("end", [b"\0", b"\x0b", b"x" * 10_000])
async def test_a_token_in_a_broken_header_stays_out_of_the_log(
    game: Service, caplog: pytest.LogCaptureFixture, end: bytes
) -> None:
    port = int(game.base_url.split(":")[2].split("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"GET /api/v1/catalogs/1/items HTTP/1.1\r\nHost: game\r\n"
        b"Authorization: Bearer demo-newcomer" + end + b"\r\n\r\n"
    )
    assert (await reader.readline()).split()[1] == b"400"
    writer.close()
    await writer.wait_closed()

    assert "Error handling request" in caplog.text
    assert NEWCOMER not in caplog.text


async def test_a_token_has_its_share(session: aiohttp.ClientSession, tmp_path: Path) -> None:
    clock = SteppedClock(utc_now())
    async with open_service(
        game_address_at(tmp_path / "limited.db"),
        demo=True,
        rate_limit=3,
        now=clock.now,
        monotonic=clock.monotonic,
    ) as limited:
        api = Api(session, limited.base_url)
        answers = await asyncio.gather(
            *(api.get("/catalogs/1/items", SUBSCRIBER) for _ in range(5))
        )
        assert sorted(answer.status for answer in answers) == [200, 200, 200, 429, 429]
        refused = next(answer for answer in answers if answer.status == 429)
        assert refused.code == "too_many_requests"
        assert refused.headers["Retry-After"] == "60"
        assert (await api.get("/catalogs/1/items", NEWCOMER)).status == 200
        assert (await api.get("/threads/1/comments")).status == 200

        clock.advance(59.5)
        refused = await api.get("/catalogs/1/items", SUBSCRIBER)
        assert (refused.status, refused.headers["Retry-After"]) == (429, "1")
        clock.advance(0.5)
        assert (await api.get("/catalogs/1/items", SUBSCRIBER)).status == 200


async def test_the_game_goes_by_the_clock_that_it_is_handed(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    clock = SteppedClock(datetime(2031, 5, 1, 12, tzinfo=UTC))
    async with open_demo_game(tmp_path, clock=clock) as game:
        api = Api(session, game.base_url)
        days = {entry["created_at"][:7] for entry in await api.walk("/threads/2/comments")}
        assert days <= {"2031-04", "2031-05"}

        clock.advance(3600.0)
        await api.write()
        bought = await api.post("/items/2/purchase", SUBSCRIBER)

        (written, *_) = (await api.get("/threads/3/comments")).data
        assert written["created_at"] == "2031-05-01T13:00:00.000000Z"
        address = game_address_at(tmp_path / "game.db")
        rows = run_beside(address, "SELECT created_at FROM purchases")
        assert (bought.status, rows) == (200, [(to_microseconds(clock.now()),)])
