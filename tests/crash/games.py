"""Games that take what is asked of them in ways of their own."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest
from aiohttp import web

from tests.support.databases import ENGINES
from tests.support.faulty_proxy import Forward
from tests.support.game_process import Books


class Manner(StrEnum):
    """How a game answers; all but the strict one do again what they have done."""

    HONEST = "honest"
    STRICT = "strict"
    """Refuses what it has done already."""
    LATE = "late"
    """Shows what it has done only once it is told to."""
    BREAKING = "5xx"
    """Does it, and answers that it has failed."""


_FAILURES = (500, 502, 503, 504)


def with_every_game(quick: Manner) -> pytest.MarkDecorator:
    """Run a test with each game on both engines; only a soak has more than the honest and a quick.

    Of its fixtures, `on_both_engines` has to be the first.
    """
    return pytest.mark.parametrize(
        ("on_both_engines", "manner"),
        [
            pytest.param(engine, manner, marks=() if is_quick else pytest.mark.soak)
            for engine in ENGINES
            for manner in Manner
            for is_quick in [manner is Manner.HONEST or (engine, manner) == (ENGINES[0], quick)]
        ],
        indirect=["on_both_engines"],
    )


@dataclass
class Game:
    """What stands before the game that keeps these books, to answer in a manner."""

    manner: Manner
    books: Books
    _done: set[tuple[str, str | None, bytes]] = field(
        default_factory=set[tuple[str, str | None, bytes]]
    )
    # The ids of the items or comments that are not to be seen yet.
    _unseen: set[int] = field(default_factory=set[int])

    def show(self) -> None:
        """Let everything be seen that was done so far."""
        self._unseen.clear()

    async def __call__(self, request: web.Request, forward: Forward) -> web.Response:
        """Answer a request."""
        if request.method == "GET":
            return self._seen(await forward())
        asked = (request.path, request.headers.get("Authorization"), await request.read())
        is_purchase = request.path.endswith("/purchase")
        if asked in self._done and self.manner is Manner.STRICT:
            return web.json_response({"message": "You have done this already."}, status=409)
        if asked in self._done and is_purchase:
            self.books.sell_again(_item_in(request.path))
        answer = await forward()
        if answer.status >= 300:
            return answer
        self._done.add(asked)
        if self.manner is Manner.LATE:
            made = _item_in(request.path) if is_purchase else _body_of(answer)["data"]["id"]
            self._unseen.add(made)
        if self.manner is Manner.BREAKING:
            return web.json_response({}, status=_FAILURES[len(self._done) % len(_FAILURES)])
        return answer

    def _seen(self, answer: web.Response) -> web.Response:
        """Leave out of a list what is not to be seen yet."""
        if not self._unseen or answer.status >= 300:
            return answer
        body = _body_of(answer)
        unseen = [entry for entry in body["data"] if entry["id"] in self._unseen]
        for entry in unseen:
            if "has_purchased" in entry:
                entry["has_purchased"] = False
            else:
                body["data"].remove(entry)
        return web.json_response(body)


def _item_in(path: str) -> int:
    return int(path.split("/")[-2])


def _body_of(answer: web.Response) -> Any:
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)
