"""When the client may ask."""

import pytest

from bot.game.errors import RateLimited
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


async def test_a_burst_passes_and_what_exceeds_it_has_to_wait() -> None:
    pacer = RateLimiter(per_second=0.001, burst=3)
    for _ in range(3):
        await pacer.turn(None, within=0)

    with pytest.raises(RateLimited) as caught:
        await pacer.turn(None, within=0)

    # The turn is a thousand seconds after the burst, which was a moment ago.
    assert 900 < (caught.value.retry_after or 0) <= 1000


async def test_turns_come_back_with_time() -> None:
    pacer = RateLimiter(per_second=1000, burst=1)

    for _ in range(5):
        await pacer.turn(None, within=1)


async def test_a_pause_holds_for_one_member() -> None:
    pacer = RateLimiter(per_second=100, burst=10)
    pacer.pause(1, 60)

    with pytest.raises(RateLimited):
        await pacer.turn(1, within=5)
    await pacer.turn(2, within=0)
    await pacer.turn(None, within=0)
