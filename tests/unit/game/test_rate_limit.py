"""How politely the game is asked, at which addresses, and how it complains."""

import asyncio
import json
import time

import pytest
from pydantic import SecretStr

from bot.game import game_errors
from bot.game.game_client import check_base_url
from bot.game.game_errors import BadAddress, RateLimited
from bot.game.rate_limit import THE_BOT, RateLimiter, pause_asked
from bot.game.transport import Caller, GameAnswer, Request
from tests.support.clock import SteppedClock, utc_now

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-remaining": "5", "x-ratelimit-reset": "60"}, None),
        ({"x-ratelimit-remaining": "0"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"}, 60),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000060"}, 60),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000060000"}, 60),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1600000000"}, 0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1900000000"}, 300),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "tomorrow"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "60", "retry-after": "5"}, 5),
    ],
)
def test_the_pause_a_game_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert pause_asked(headers, NOW) == seconds


class Queue:
    """A limiter, and who was let through by it."""

    def __init__(
        self, per_second: float = 1000, burst: int = 1000, longest_turn: float = 60
    ) -> None:
        self.clock = SteppedClock(utc_now())
        self.limiter = RateLimiter(per_second, burst, self.clock, longest_turn=longest_turn)
        self.served: list[str] = []
        self.gate = asyncio.Event()

    async def pass_once(self, asker: int, account: int | None = None) -> None:
        async with self.limiter.turn(asker, account, within=0):
            pass

    def ask(self, name: str, asker: int, *, is_write: bool = False) -> asyncio.Task[None]:
        """Ask for a turn that is held until the gate opens."""

        async def hold() -> None:
            async with self.limiter.turn(asker, asker, within=60, is_write=is_write):
                self.served.append(name)
                await self.gate.wait()

        return asyncio.create_task(hold())

    async def settle(self) -> None:
        """Let every task go as far as it gets."""
        for _ in range(20):
            await asyncio.sleep(0)


async def test_a_burst_passes_and_what_exceeds_it_waits_for_the_rate() -> None:
    never_again = Queue(per_second=0.001, burst=3)
    for asker in range(1, 4):
        await never_again.pass_once(asker)

    queue = Queue(per_second=100, burst=3)
    begun = time.monotonic()
    for asker in range(1, 9):
        await queue.pass_once(asker)
    assert time.monotonic() - begun >= 0.045


async def test_whoever_waits_for_a_turn_for_too_long_is_told_so() -> None:
    queue = Queue(per_second=0.001, burst=1, longest_turn=0.01)
    await queue.pass_once(1)

    for asker in (1, 2):
        with pytest.raises(RateLimited, match="wait for a turn"):
            await queue.pass_once(asker)


async def test_a_pause_holds_for_those_who_wait_already() -> None:
    queue = Queue()
    tasks = [queue.ask(f"read {number}", 1) for number in range(7)]
    await queue.settle()
    queue.limiter.pause(1, 100)
    queue.gate.set()

    with pytest.raises(RateLimited):
        await asyncio.gather(*tasks)
    assert len(queue.served) == 6


async def test_a_pause_is_over_when_the_clock_says_so() -> None:
    queue = Queue()
    queue.gate.set()
    queue.limiter.pause(1, 4)
    asked = queue.ask("read", 1)
    await queue.settle()

    queue.clock.advance(3)
    await queue.settle()
    assert queue.served == []
    queue.clock.advance(1)
    await queue.settle()
    assert queue.served == ["read"]
    await asked


async def test_one_member_has_few_requests_under_way_and_others_pass() -> None:
    queue = Queue()

    tasks = [queue.ask(f"flood {n}", 1) for n in range(9)]
    tasks.append(queue.ask("a friend's", 2))
    await queue.settle()

    assert queue.served == [*(f"flood {n}" for n in range(6)), "a friend's"]
    queue.gate.set()
    await asyncio.gather(*tasks)
    assert len(queue.served) == 10


async def test_the_background_has_one_request_under_way() -> None:
    queue = Queue()
    tasks = [queue.ask(f"poll {n}", THE_BOT) for n in range(3)]
    tasks.append(queue.ask("a member's", 1))
    await queue.settle()

    assert queue.served == ["poll 0", "a member's"]
    queue.gate.set()
    await asyncio.gather(*tasks)
    assert len(queue.served) == 4


async def test_a_write_does_not_wait_behind_reads() -> None:
    queue = Queue(per_second=20, burst=1)
    queue.gate.set()
    tasks = [queue.ask(f"read {n}", n % 5 + 1) for n in range(20)]
    await queue.settle()
    tasks.append(queue.ask("write", 1, is_write=True))
    await tasks[-1]

    # The one before the write, and the one that was the next already.
    assert len(queue.served) <= 3
    for task in tasks:
        task.cancel()


async def test_whoever_gives_up_waiting_holds_up_nobody() -> None:
    queue = Queue()
    tasks = [queue.ask(f"read {n}", 1) for n in range(6)]
    tasks += [queue.ask("gives up", 1), queue.ask("last", 1)]
    await queue.settle()
    tasks[-2].cancel()
    await queue.settle()
    queue.gate.set()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert queue.served[6:] == ["last"]


@pytest.mark.parametrize(
    ("address", "checked"),
    [
        ("https://game.example/api/v1", "https://game.example/api/v1"),
        ("https://game.example/api/v1/", "https://game.example/api/v1"),
        ("https://game.example", "https://game.example"),
        ("http://127.0.0.1:8089/api", "http://127.0.0.1:8089/api"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://[::1]:8089/api", "http://[::1]:8089/api"),
    ],
)
def test_https_and_this_machine_are_taken(address: str, checked: str) -> None:
    assert check_base_url(address) == checked


@pytest.mark.parametrize(
    "address",
    ["http://game.example", "http://10.0.0.1", "http://localhost.example", "http://0.0.0.0",
     "http://127.0.0.1.example"],
)  # fmt: skip
def test_plain_http_to_another_machine_is_refused(address: str) -> None:
    with pytest.raises(BadAddress, match="must be https"):
        check_base_url(address)


@pytest.mark.parametrize("address", ["http://10.0.0.1/api", "http://[fd00::1]", "http://game:8089"])
def test_plain_http_on_a_private_network_is_taken_where_that_is_wanted(address: str) -> None:
    assert check_base_url(address, plain_http=True) == address


@pytest.mark.parametrize("address", ["http://8.8.8.8/api", "http://[2001:4860:4860::8888]"])
def test_plain_http_to_the_open_internet_is_refused_even_then(address: str) -> None:
    with pytest.raises(BadAddress, match="must be https"):
        check_base_url(address, plain_http=True)


@pytest.mark.parametrize(
    "address",
    ["", "game.example", "ftp://game.example", "https://", "/api", "https://ann:pw@game.example",
     "https://game.example/?a=b", "https://game.example/#a", "https://game.example:port",
     "https://game.example/a b", "https://game.example\n"],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_refused(address: str) -> None:
    with pytest.raises(BadAddress) as caught:
        check_base_url(address)
    assert isinstance(caught.value, ValueError)


def refusal(body: object, status: int = 422, **headers: str) -> game_errors.GameError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request("POST", "/items/1/purchase", bytes, Caller(1, SecretStr("secret-of-ann")))
    with pytest.raises(game_errors.GameError) as caught:
        request.result(GameAnswer(status, headers, content, received_at=1_700_000_000.0))
    return caught.value


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "  Not\nenough\tacorns. "}, "Not enough acorns."),
        ({"message": "x" * 301}, "x" * 299 + "…"),
        ({"message": "x" * 300}, "x" * 300),
        ({"message": "secret-of-ann is unknown"}, "••• is unknown"),
        ({"message": "SECRET-OF-ANN is unknown"}, "••• is unknown"),
        ({"message": "secret%2dof%2Dann is unknown"}, "••• is unknown"),
        ({"message": "%73%65%63%72%65%74%2D%6F%66%2D%61%6E%6E"}, "•••"),
        ({"message": "&#" + "9" * 1000 + "; is no secret"}, "&#" + "9" * 297 + "…"),
        ({"message": "half \ud83d a letter"}, "half � a letter"),
        ({"message": ""}, None),
        ({"message": None}, None),
        ({"message": {"en": "No."}}, None),
        ({"error": "No."}, None),
        (["No."], None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_a_message_is_carried_as_one_plain_line(body: object, message: str | None) -> None:
    assert refusal(body).message == message


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30),
        ("1.5", 1.5),
        ("999999", 300),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
        ("Tue, 99 Nov 2023 22:00:00 GMT", None),
    ],
)
def test_a_wait_is_read_as_seconds_or_as_a_date(value: str, seconds: float | None) -> None:
    assert refusal({}, 429, **{"retry-after": value}).retry_after == seconds
