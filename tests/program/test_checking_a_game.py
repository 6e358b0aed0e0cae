"""`python -m bot check --game`, as a game's developers run it."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.support.game import open_game_copy
from tests.support.game_samples import comment, item, page
from tests.support.program import Ended, Launcher, at_a_terminal, run_program
from tests.support.rogue_game import Reply, cut, open_rogue_game, reply

TOKEN = "secret-of-ann"
COMMENTS, CATALOG = "GET /threads/:id/comments", "GET /catalogs/:id/items"
WRITING = ["POST /threads/:id/comments", "PUT /comments/:id", "DELETE /comments/:id"]
ORDERS = ["POST /items/:id/purchase", "POST /items/:id/redeem"]
ALL = [COMMENTS, *WRITING, CATALOG, *ORDERS]


async def check(launcher: Launcher, folder: Path, *arguments: str, token: str = "") -> Ended:
    """Run it in an empty folder without any setting but a token."""
    settings = {"GAME_TOKEN": token} if token else {}
    command = ["bot", "check", "--game", *arguments]
    ended = await asyncio.to_thread(launcher.run, command, settings, folder)
    assert not token or token not in ended.out + ended.err
    return ended


def judged(ended: Ended) -> dict[str, tuple[str, str]]:
    """Give the verdict on each endpoint, and the text beside it."""
    assert not ended.err
    found: dict[str, tuple[str, str]] = {}
    for line in ended.out.splitlines():
        verdict, endpoint, text = line[:15].strip(), line[17:45], line[47:]
        found[" ".join(endpoint.split())] = verdict, text
    return found


def verdicts(ended: Ended) -> list[str]:
    found = judged(ended)
    assert list(found) == ALL
    return [verdict for verdict, _ in found.values()]


async def test_the_demo_game_is_as_expected_and_keeps_no_comment(
    launcher: Launcher, demo: str, tmp_path: Path
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    async with open_game_copy(demo, tmp_path) as game:
        places = (game.base_url, "--thread", "1", "--catalog", "1")
        first = await check(launcher, folder, *places, "--write", token="demo-visitor")
        wrong = await check(launcher, folder, *places, "--write", token="nobodys-token")
        nowhere = await check(launcher, folder, game.base_url, "--thread", "999999")
        async with aiohttp.request("GET", f"{game.base_url}/threads/1/comments") as newest:
            left = await newest.text()

    assert verdicts(first) == ["as expected"] * 5 + ["not tried"] * 2
    assert first.status == 0
    assert judged(first)[ORDERS[0]][1] == (
        "check never buys; expected: 2xx, and in data the item's id, cost and currency.id"
    )
    assert judged(first)[WRITING[0]][1].startswith("posted comment ")
    assert "Kiosk tries this game" not in left
    assert wrong.status == 1
    assert judged(wrong)[CATALOG][1].startswith("came: the game answered 401 ('This access token")
    assert [judged(wrong)[each][0] for each in WRITING[1:]] == ["not tried"] * 2
    assert nowhere.status == 1
    assert "404 ('There is no such thread.')" in judged(nowhere)[COMMENTS][1]
    assert not list(folder.iterdir())


async def test_without_a_token_it_reads_comments_alone(launcher: Launcher, tmp_path: Path) -> None:
    async with open_rogue_game() as game:
        game.answers(reply(page(comment())))
        places = (game.base_url, "--thread", "12", "--catalog", "3", "--write")
        ended = await check(launcher, tmp_path, *places)

    assert ended.status == 0
    assert verdicts(ended) == ["as expected"] + ["not tried"] * 6
    assert judged(ended)[CATALOG][1].startswith("set GAME_TOKEN")
    (asked,) = game.asked
    assert asked.path == "/api/threads/12/comments?sort=latest&page=1"
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    ("of_thread", "of_catalog", "came"),
    [
        (page(comment(created_at=None)), page(item()), {COMMENTS: "200, data.0.created_at: miss"}),
        (
            page(comment(), comment(id="many")),
            page(item(), item(has_purchased="maybe")),
            {COMMENTS: "200, page 1, data.1.id: ", CATALOG: "200, page 1, data.1.has_purchased: "},
        ),
        (
            page(comment(children=[comment(id=None)])),
            {"data": {}},
            {
                COMMENTS: "200, page 1, data.0.children.0.id: missing",
                CATALOG: "200, data: not a list",
            },
        ),
        (b"<html>", page() | {"success": False}, {COMMENTS: "200, the ", CATALOG: "200, the "}),
        (page(comment()), page(), {}),
    ],
)
async def test_a_wrong_shape_is_named_by_its_place(
    launcher: Launcher, tmp_path: Path, of_thread: object, of_catalog: object, came: dict[str, str]
) -> None:
    async with open_rogue_game() as game:
        game.answers(reply(of_thread), reply(of_catalog))
        places = (game.base_url, "--thread", "1", "--catalog", "1")
        ended = await check(launcher, tmp_path, *places, token=TOKEN)

    found = judged(ended)
    for endpoint in (COMMENTS, CATALOG):
        verdict, text = found[endpoint]
        assert verdict == ("not as expected" if endpoint in came else "as expected")
        if endpoint in came:
            assert text.startswith(f"came: {came[endpoint]}")
            assert "; expected: a page of " in text
    assert ended.status == (1 if came else 0)


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (reply({"message": f"No {TOKEN}\x1b[2J here"}, 403), r"403 ('No •••\x1b[2J here')"),
        (reply({}, 500), "the game answered 500"),
        (reply({}, 302, {"Location": "https://elsewhere.example/"}), "redirects to another host"),
        (cut, "the connection was cut"),
    ],
)
async def test_what_is_no_page_is_told_without_the_token(
    launcher: Launcher, tmp_path: Path, answer: Reply, came: str
) -> None:
    async with open_rogue_game() as game:
        game.answers(answer)
        ended = await check(launcher, tmp_path, game.base_url, "--catalog", "1", token=TOKEN)

    assert ended.status == 1
    assert came in judged(ended)[CATALOG][1]


class Forum:
    """A game that has four of the seven endpoints, with no field that Kiosk can do without."""

    def __init__(self) -> None:
        self.comments: dict[int, dict[str, Any]] = {}
        self.names_new = True
        self.deletes = True
        self.is_updating = asyncio.Event()
        self.may_update = asyncio.Event()
        self.may_update.set()
        self.base_url = ""

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/threads/7/comments", self.list_comments)
        app.router.add_post("/threads/7/comments", self.create)
        app.router.add_put("/comments/{id}", self.update)
        app.router.add_delete("/comments/{id}", self.delete)
        return app

    async def list_comments(self, _request: web.Request) -> web.Response:
        return web.json_response({"data": [*self.comments.values()]})

    async def create(self, request: web.Request) -> web.Response:
        self._require_token(request)
        number = len(self.comments) + 41
        new = {"id": number, "created_at": "2026-01-01T00:00:00Z"}
        self.comments[number] = new | {"content": (await request.json())["content"]}
        return web.json_response({"data": new if self.names_new else {}}, status=201)

    async def update(self, request: web.Request) -> web.Response:
        found = self._find_own(request)
        self.is_updating.set()
        await self.may_update.wait()
        found["content"] = (await request.json())["content"]
        return web.json_response({"data": found})

    async def delete(self, request: web.Request) -> web.Response:
        found = self._find_own(request)
        if not self.deletes:
            return web.json_response({"message": "Never."}, status=403)
        del self.comments[found["id"]]
        return web.Response(status=204)

    def _find_own(self, request: web.Request) -> dict[str, Any]:
        self._require_token(request)
        number = int(request.match_info["id"])
        if number not in self.comments:
            raise web.HTTPNotFound(text="{}", content_type="application/json")
        return self.comments[number]

    def _require_token(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise web.HTTPUnauthorized(text="{}", content_type="application/json")


@pytest.fixture
async def forum() -> AsyncGenerator[Forum]:
    served = Forum()
    async with TestServer(served.app()) as server:
        served.base_url = str(server.make_url(""))
        yield served


async def test_a_game_of_four_endpoints_is_judged_by_those(
    launcher: Launcher, tmp_path: Path, forum: Forum
) -> None:
    places = (forum.base_url, "--thread", "7", "--write")
    four = await check(launcher, tmp_path, *places, token=TOKEN)
    assert not forum.comments
    five = await check(launcher, tmp_path, *places, "--catalog", "1", token=TOKEN)

    assert verdicts(four) == ["as expected"] * 4 + ["not tried"] * 3
    assert judged(four)[CATALOG][1].startswith("name a catalog with --catalog")
    assert four.status == 0
    assert judged(five)[CATALOG][1].startswith("came: the game answered 404, but not in JSON")
    assert five.status == 1


async def test_a_comment_whose_answer_says_no_id_is_found_and_deleted(
    launcher: Launcher, tmp_path: Path, forum: Forum
) -> None:
    forum.names_new = False
    places = (forum.base_url, "--thread", "7", "--write")
    ended = await check(launcher, tmp_path, *places, token=TOKEN)

    assert verdicts(ended)[1:4] == ["not as expected", "as expected", "as expected"]
    assert judged(ended)[WRITING[0]][1].startswith("came: 201, data.id: missing; expected: 2xx")
    assert not forum.comments


async def test_a_comment_that_stays_is_named(
    launcher: Launcher, tmp_path: Path, forum: Forum
) -> None:
    forum.deletes = False
    places = (forum.base_url, "--thread", "7", "--write")
    ended = await check(launcher, tmp_path, *places, token=TOKEN)

    assert ended.status == 1
    assert "403 ('Never.')" in judged(ended)[WRITING[2]][1]
    assert "comment 41 may still be there, so delete it" in judged(ended)[WRITING[2]][1]
    assert list(forum.comments) == [41]


async def test_ctrl_c_leaves_no_comment_behind(
    launcher: Launcher, tmp_path: Path, forum: Forum
) -> None:
    forum.may_update.clear()
    command = ["bot", "check", "--game", forum.base_url, "--thread", "7", "--write"]
    async with run_program(launcher, command, {"GAME_TOKEN": TOKEN}, tmp_path) as program:
        await forum.is_updating.wait()
        program.send(signal.SIGINT)
        forum.may_update.set()
        assert await program.ended() == 130

    assert "deleted comment 41" in program.output
    assert not forum.comments


NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("command", "token"),
    [
        (f"--game {NOWHERE}", ""),
        (f"--game {NOWHERE} --catalog 1", ""),
        (f"--game {NOWHERE} --thread one", ""),
        ("--game game.example --thread 1", ""),
        ("--thread 1", ""),
        ("--write", ""),
        (f"--game {NOWHERE} --thread 1 --token {TOKEN}", ""),
        (f"--game {NOWHERE} --thread 1 --write", f"{TOKEN} and more"),
        (f"--game http://ann:{TOKEN}@127.0.0.1:9 --thread 1", ""),
    ],
)
def test_wrong_usage_ends_with_2_and_shows_no_token(
    launcher: Launcher, tmp_path: Path, command: str, token: str
) -> None:
    ended = launcher.run(["bot", "check", *command.split()], {"GAME_TOKEN": token}, tmp_path)

    assert ended.status == 2
    assert not ended.out
    assert ended.err
    assert TOKEN not in ended.err


async def test_at_a_terminal_it_asks_for_the_token_and_does_not_show_it(
    launcher: Launcher, tmp_path: Path
) -> None:
    async with open_rogue_game() as game:
        game.answers(reply(page(item())))
        command = ["bot", "check", "--game", game.base_url, "--catalog", "1"]
        answers = [("leave it empty to do without): ", TOKEN), ("check never redeems", "")]
        status, said = await at_a_terminal(launcher, command, {}, tmp_path, answers)

    assert status == 0
    assert game.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in said
