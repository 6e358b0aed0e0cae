"""Messages of a channel are changed as fast as Discord takes it, and no faster."""

import random
from collections.abc import Sequence

import pytest

from cogs.moderate.posted import Turns
from tests.crash.rounds import SEED


class Discord:
    """Takes five changes in five seconds, and of old messages three in six; counts by itself."""

    def __init__(self) -> None:
        self.now = 0.0
        self.arrived: list[tuple[float, bool]] = []
        self._random = random.Random(SEED)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds

    def change(self, *, is_old: bool) -> None:
        """Let a request arrive after a while, and its answer after another."""
        self.now += self._random.choice([0.0, 0.01, 0.3, 1.0])
        self.arrived.append((self.now, is_old))
        self.now += self._random.choice([0.0, 0.01, 0.3])

    def most_within(self, seconds: float, arrived: Sequence[float]) -> int:
        """Give how many arrived in any so many seconds."""
        return max(sum(at <= each < at + seconds for each in arrived) for at in arrived)


@pytest.mark.parametrize("share_of_old", [0.0, 0.5, 1.0])
async def test_whatever_the_way_takes_no_limit_is_met(share_of_old: float) -> None:
    discord, chance = Discord(), random.Random(SEED)
    turns = Turns(lambda: discord.now, discord.sleep)
    for _ in range(300):
        is_old = chance.random() < share_of_old
        async with turns.turn(1, is_old=is_old):
            discord.change(is_old=is_old)

    old = [at for at, is_old in discord.arrived if is_old]
    assert discord.most_within(5.0, [at for at, _ in discord.arrived]) <= 5
    assert not old or discord.most_within(6.0, old) <= 3


@pytest.mark.parametrize(("is_old", "seconds"), [(True, 2.1), (False, 1.1)])
async def test_changes_take_no_longer_than_members_are_told(is_old: bool, seconds: float) -> None:
    discord = Discord()
    turns = Turns(lambda: discord.now, discord.sleep)
    for _ in range(100):
        async with turns.turn(1, is_old=is_old):
            discord.now += 0.02

    assert discord.now <= 100 * seconds + 2


async def test_channels_do_not_wait_for_each_other() -> None:
    discord = Discord()
    turns = Turns(lambda: discord.now, discord.sleep)
    for channel_id in range(1500):
        async with turns.turn(channel_id):
            discord.now -= 1.05

    assert discord.now == pytest.approx(0.0)
