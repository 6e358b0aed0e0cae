"""What the client sends, what it keeps to itself, and how politely it asks."""

import logging
import time
from datetime import UTC, datetime

import aiohttp
import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.game import game_errors
from bot.game.game_client import Caller, GameClient
from tests.contract.conftest import impatient
from tests.support.game_samples import comment, item, page, purchase, written_comment
from tests.support.rogue_game import RogueGame, cut, raw, reply, silence

HTML = b"<!doctype html><title>Oops</title>"


async def test_every_endpoint_is_asked_as_the_interface_shows(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(
        reply(page(comment())),
        reply({"data": written_comment()}, status=201),
        reply({"data": written_comment()}),
        reply(status=204),
        reply(page(item())),
        reply(purchase()),
        reply({"data": {"id": 51, "name": "Straw hat"}}),
    )

    await client.list_comments(12)
    await client.create_comment(caller, 12, "Hello!", parent_id=31)
    await client.update_comment(caller, 1, 31, "Hi!")
    await client.delete_comment(caller, 1, 31)
    await client.list_items(caller, 3)
    await client.purchase(caller, 51)
    await client.redeem(caller, 51)

    assert [(asked.method, asked.path, asked.body) for asked in rogue.asked] == [
        ("GET", "/api/threads/12/comments?sort=latest&page=1", b""),
        ("POST", "/api/threads/12/comments", b'{"content": "Hello!", "comment_id": 31}'),
        ("PUT", "/api/comments/31", b'{"content": "Hi!"}'),
        ("DELETE", "/api/comments/31", b""),
        ("GET", "/api/catalogs/3/items", b""),
        ("POST", "/api/items/51/purchase", b""),
        ("POST", "/api/items/51/redeem", b""),
    ]
    assert {asked.headers["accept"] for asked in rogue.asked} == {"application/json"}
    tokens = [asked.headers.get("authorization") for asked in rogue.asked]
    assert tokens == [None] + ["Bearer secret-of-ann"] * 6
    types = [asked.headers.get("content-type") for asked in rogue.asked]
    assert types == [None, "application/json", "application/json", None, None, None, None]


async def test_bodies_go_out_as_form_data_when_the_game_wants_them_so(
    session: aiohttp.ClientSession, tasks: BackgroundTasks, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply({"data": written_comment()}))
    client = GameClient(session, rogue.base_url, tasks, body_format="form")

    await client.create_comment(caller, 12, "Grüße & more", parent_id=31)

    assert rogue.asked[0].body == b"content=Gr%C3%BC%C3%9Fe+%26+more&comment_id=31"
    assert rogue.asked[0].headers["content-type"] == "application/x-www-form-urlencoded"


async def test_cookies_of_one_member_never_travel_with_another(
    tasks: BackgroundTasks, rogue: RogueGame, caller: Caller
) -> None:
    rogue.answers(reply(page(), headers={"Set-Cookie": "who=ann; Path=/"}), reply(page()))
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        client = GameClient(session, rogue.base_url, tasks)
        await client.list_items(caller, 1)
        await client.list_comments(1)

    assert len(jar) == 1
    assert "cookie" not in rogue.asked[1].headers


@impatient
async def test_the_token_is_in_no_error_and_in_no_log(
    client: GameClient, rogue: RogueGame, caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    says = {"message": "secret-of-ann is unknown", "errors": {"secret-of-ann": "secret-of-ann"}}
    answers = [reply(says, 401), reply(says, 422), cut, silence, raw(b"?"), reply(HTML)]
    for answer in answers:
        rogue.answers(answer)
        with pytest.raises(game_errors.GameError) as caught:
            await client.list_items(caller, 1)
        told = [caught.value, caught.value.message, vars(caught.value), caught.value.__context__]
        assert "secret-of-ann" not in f"{told!r} {caller!r}"

    assert "secret-of-ann" not in caplog.text


async def test_the_game_is_left_alone_for_as_long_as_it_asks(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    # As long as a read may take in these tests.
    rogue.answers(reply(status=429, headers={"Retry-After": "300"}), reply(page()))

    with pytest.raises(game_errors.RateLimited) as first:
        await client.list_items(caller, 1)
    with pytest.raises(game_errors.RateLimited) as second:
        await client.purchase(caller, 51)

    assert first.value.retry_after == 300
    assert 0 < (second.value.retry_after or 0) <= 300
    assert len(rogue.asked) == 1


async def test_one_members_spent_allowance_silences_nobody_else(
    client: GameClient, rogue: RogueGame, caller: Caller
) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 60)}
    rogue.answers(reply(page(), headers=spent), reply(page()))
    await client.list_items(caller, 1)

    with pytest.raises(game_errors.RateLimited):
        await client.list_items(caller, 2)
    await client.list_items(Caller(2, SecretStr("secret-of-ben")), 2)
    await client.list_comments(1)

    assert len(rogue.asked) == 3


async def test_a_short_pause_is_waited_out(client: GameClient, rogue: RogueGame) -> None:
    rogue.answers(reply(status=503, headers={"Retry-After": "0.1"}), reply(page()))

    await client.list_comments(1)

    assert len(rogue.asked) == 2


async def test_the_games_clock_is_known(client: GameClient, rogue: RogueGame) -> None:
    assert client.game_now() is None
    rogue.answers(
        reply(page(), headers={"Date": "Wed, 01 Jan 2020 10:00:00 GMT"}),
        reply(page(), headers={"Date": "some day"}),
        reply(page(), headers={"Date": "Fri, 31 Dec 9999 23:59:59 GMT"}),
        reply(page()),
    )

    for thread in range(4):
        await client.list_comments(thread)

    told = client.game_now()
    assert told is not None
    assert (told - datetime(2020, 1, 1, 10, tzinfo=UTC)).total_seconds() < 60
