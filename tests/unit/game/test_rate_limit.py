"""When the client may ask."""

import asyncio

import pytest

from bot.game.errors import OwnPace, RateLimited, TooManyAtOnce
from bot.game.rate_limit import RateLimiter, pause_asked

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
    """A limiter with few turns, on a clock that stands still."""

    def __init__(self, per_second: float = 0.001, burst: int = 4, **bounds: int) -> None:
        self.now = 0.0
        self.limiter = RateLimiter(per_second, burst, clock=lambda: self.now, **bounds)
        self.served: list[str] = []
        self.gate = asyncio.Event()

    async def pass_once(self, asker: int | None, account: int | None = None) -> None:
        async with self.limiter.turn(asker, account, within=0):
            pass

    def ask(self, name: str, asker: int, **how: bool) -> asyncio.Task[None]:
        """Ask for a turn that is held until the gate opens."""

        async def hold() -> None:
            async with self.limiter.turn(asker, asker, within=60, **how):
                self.served.append(name)
                await self.gate.wait()

        return asyncio.create_task(hold())

    async def settle(self) -> None:
        """Let every task go as far as it gets."""
        for _ in range(10):
            await asyncio.sleep(0)


async def test_a_burst_passes_and_what_exceeds_it_has_to_wait() -> None:
    queue = Queue(burst=3)
    for asker in range(3):
        await queue.pass_once(asker)

    with pytest.raises(OwnPace) as caught:
        await queue.pass_once(3)

    assert caught.value.retry_after == 1000


async def test_those_who_came_before_are_waited_for_longer_than_a_pause_of_the_game() -> None:
    queue = Queue(burst=1)
    await queue.pass_once(1)

    async def wait() -> None:
        async with queue.limiter.turn(2, None, within=0, behind_others=60):
            queue.served.append("behind")

    waiting = asyncio.create_task(wait())
    await queue.settle()
    assert queue.served == []
    queue.now += 1000
    queue.limiter.share(1.0)
    await waiting
    assert queue.served == ["behind"]


async def test_turns_come_back_with_time() -> None:
    queue = Queue(burst=1)

    for _ in range(5):
        await queue.pass_once(1)
        queue.now += 1000


async def test_a_pause_holds_for_one_account() -> None:
    queue = Queue()
    queue.limiter.pause(1, 60)

    with pytest.raises(RateLimited) as caught:
        await queue.pass_once(1, account=1)
    assert caught.value.retry_after == 60
    await queue.pass_once(2, account=2)
    await queue.pass_once(1, account=None)


async def test_one_member_has_few_requests_under_way_and_others_pass() -> None:
    queue = Queue(per_second=1000, burst=1000, at_once=2)

    tasks = [queue.ask(f"flood {n}", 1) for n in range(9)]
    tasks.append(queue.ask("a friend's", 2))
    await queue.settle()

    assert queue.served == ["flood 0", "flood 1", "a friend's"]
    queue.gate.set()
    await asyncio.gather(*tasks)
    assert len(queue.served) == 10


async def test_turns_go_round_among_those_who_wait() -> None:
    queue = Queue(burst=1)
    tasks = [queue.ask(name, asker) for name, asker in (("a", 1), ("b", 1), ("c", 1), ("d", 2))]
    queue.gate.set()
    await queue.settle()
    for _ in range(3):
        queue.now += 1000
        tasks.append(queue.ask("e", 3))
        await queue.settle()

    # Who came later waits for one turn of each, not for all of them.
    assert queue.served == ["a", "b", "d", "e"]
    for task in tasks:
        task.cancel()


async def test_what_anybody_pressed_goes_before_what_is_read_in_bulk() -> None:
    queue = Queue(burst=1)
    tasks = [queue.ask(f"page {n}", n, in_bulk=True) for n in (1, 2, 1)]
    await queue.settle()
    tasks += [queue.ask("a press of the first", 1), queue.ask("a friend's", 3)]
    await queue.settle()
    for _ in range(4):
        queue.now += 1000
        queue.limiter.share(1.0)
        await queue.settle()

    presses = ["a friend's", "a press of the first"]
    assert queue.served[0] == "page 1"
    assert sorted(queue.served[1:3]) == presses
    assert queue.served[3:] == ["page 2", "page 1"]
    queue.gate.set()
    await asyncio.gather(*tasks)


async def test_who_has_asked_for_much_leaves_half_of_the_burst_to_others() -> None:
    queue = Queue(burst=8)
    for _ in range(4):
        await queue.pass_once(1)

    with pytest.raises(RateLimited):
        await queue.pass_once(1)
    for other in (2, 2, 3, 3):
        await queue.pass_once(other)


async def test_a_write_does_not_wait_behind_reads() -> None:
    queue = Queue(per_second=1000, burst=1000, at_once=1)
    tasks = [queue.ask("read", 1), queue.ask("waiting", 1), queue.ask("write", 1, is_write=True)]
    await queue.settle()

    assert queue.served == ["read", "write"]
    queue.gate.set()
    await asyncio.gather(*tasks)


async def test_whoever_asks_for_too_much_at_once_is_told_so() -> None:
    queue = Queue(per_second=1000, burst=1000, at_once=1, waiting=1)
    tasks = [queue.ask("read", 1), queue.ask("waiting", 1)]
    tasks += [queue.ask("write", 1, is_write=True) for _ in range(10)]
    await queue.settle()

    with pytest.raises(TooManyAtOnce):
        await queue.ask("one too many", 1)
    with pytest.raises(TooManyAtOnce):
        await queue.ask("a write too many", 1, is_write=True)
    queue.gate.set()
    await asyncio.gather(*tasks)


async def test_whoever_gives_up_waiting_holds_up_nobody() -> None:
    queue = Queue(per_second=1000, burst=1000, at_once=1)
    tasks = [queue.ask("first", 1), queue.ask("gives up", 1), queue.ask("last", 1)]
    await queue.settle()
    tasks[1].cancel()
    await queue.settle()
    queue.gate.set()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert queue.served == ["first", "last"]


async def test_a_share_of_the_rate_is_a_share_of_the_burst_too() -> None:
    queue = Queue(burst=8)
    queue.limiter.share(1 / 4)
    for asker in range(2):
        await queue.pass_once(asker)

    with pytest.raises(RateLimited) as caught:
        await queue.pass_once(3)
    assert caught.value.retry_after == 4000


async def test_the_smallest_share_lets_one_request_through_at_a_time() -> None:
    queue = Queue(burst=8)
    queue.limiter.share(1 / 100)
    await queue.pass_once(1)

    with pytest.raises(RateLimited) as caught:
        await queue.pass_once(2)
    assert caught.value.retry_after == pytest.approx(100_000)


async def test_those_who_wait_are_let_through_when_the_share_grows() -> None:
    queue = Queue(per_second=1, burst=10)
    queue.limiter.share(1 / 10)
    tasks = [queue.ask("first", 1), queue.ask("waits", 2)]
    await queue.settle()
    assert queue.served == ["first"]
    queue.limiter.share(1.0)
    await queue.settle()

    assert queue.served == ["first", "waits"]
    queue.gate.set()
    await asyncio.gather(*tasks)


async def test_a_pause_that_is_heard_of_holds_for_those_who_wait_already() -> None:
    queue = Queue(per_second=1000, burst=1000, at_once=1)
    tasks = [queue.ask("first", 1), queue.ask("waits", 1)]
    await queue.settle()
    queue.limiter.learn_pause(1, 60)
    queue.gate.set()

    with pytest.raises(RateLimited) as caught:
        await asyncio.gather(*tasks)
    assert (queue.served, caught.value.retry_after) == (["first"], 60)


async def test_a_pause_that_is_heard_of_shortens_none_that_was_asked_for_here() -> None:
    queue = Queue()
    queue.limiter.pause(1, 60)
    queue.limiter.learn_pause(1, 5)
    queue.limiter.learn_pause(2, 5)

    assert (queue.limiter.pause_of(1), queue.limiter.pause_of(2)) == (60, 5)
    queue.now += 60
    assert queue.limiter.pause_of(1) == 0
    await queue.pass_once(1, account=1)
