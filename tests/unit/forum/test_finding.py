"""Looking through a thread ends in time, and asks no more than is needed."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.features.moderation.policy import Viewer
from bot.features.reading.threads import ThreadService
from bot.game.game_errors import Unavailable
from cogs.find.service import Search, SearchEnding, asked_for, search
from storage.messages import Messages
from storage.writes import Writes
from tests.support.clock import ManualClock, utc_now
from tests.support.game_samples import comment
from tests.support.gates import PATIENCE_SECONDS
from tests.support.moderating import moderated_on
from tests.support.rogue_game import RogueThread, open_rogue_thread
from tests.support.wiring import open_wiring

# Longer than any machine takes for what is at hand.
SECONDS = 2.0


@pytest.fixture
async def game() -> AsyncGenerator[RogueThread]:
    async with open_rogue_thread() as opened:
        yield opened


@pytest.fixture
async def threads(game: RogueThread, tmp_path: Path) -> AsyncGenerator[ThreadService]:
    async with open_wiring(tmp_path, game.base_url) as wired:
        policy = moderated_on(wired.database, wired.vault, wired.tasks, ManualClock()).policy
        writes = Writes(wired.database, wired.vault, Messages(wired.database, utc_now))
        yield ThreadService(wired.client, policy, wired.tasks, writes)


def stock(game: RogueThread, count: int) -> None:
    game.comments = [comment(id=number) for number in range(count, 0, -1)]


async def look(threads: ThreadService, seconds: float = PATIENCE_SECONDS) -> Search:
    async def report(_: int) -> None:
        pass

    viewer = Viewer(1)
    return await search(threads, viewer, 1, asked_for("hello", ""), report, seconds=seconds)


async def test_a_game_that_is_too_slow_ends_it(threads: ThreadService, game: RogueThread) -> None:
    stock(game, 100)
    game.silent_pages = {2, 3}
    # The first page is at hand.
    await threads.client.list_comments(1)

    found = await look(threads, SECONDS)

    assert (found.ending, found.count, len(found.found)) == (SearchEnding.LATE, 15, 15)


async def test_nothing_at_all_in_time_is_a_failure(
    threads: ThreadService, game: RogueThread
) -> None:
    stock(game, 100)
    game.silent_pages = {1}

    with pytest.raises(Unavailable):
        await look(threads, SECONDS)


@pytest.mark.parametrize(
    ("count", "pages", "ending"),
    [
        (0, [1], SearchEnding.WHOLE),
        (14, [1], SearchEnding.WHOLE),
        (20, [1, 2, 3], SearchEnding.WHOLE),
        (50, [1, 2, 3, 4, 5, 6, 7], SearchEnding.WHOLE),
        (290, range(1, 21), SearchEnding.WHOLE),
        (301, range(1, 21), SearchEnding.LONG),
    ],
)
async def test_few_pages_are_asked_for_in_vain(
    threads: ThreadService, game: RogueThread, count: int, pages: list[int], ending: SearchEnding
) -> None:
    stock(game, count)

    found = await look(threads)

    assert (found.ending, found.count) == (ending, min(count, 300))
    assert sorted(game.pages_asked) == list(pages)
