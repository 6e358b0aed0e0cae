"""Servers that watch for nothing cost nothing, and what one process changes holds in others."""

import asyncio
from pathlib import Path

from bot.background import BackgroundTasks
from bot.cache import SHARED_LIFETIME
from bot.features.moderation.vetting import Vetting
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.moderation import Subject
from storage.vetting import Hit, VetLists
from tests.support.clock import ManualClock
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.gates import Happenings
from tests.unit.moderation.test_rules import removals_in

HERE = frozenset({30})
COMMENT = Subject(7, 3, 70, "Juniper", "Unkind words")


def vetting_on(database: Database, tasks: BackgroundTasks) -> Vetting:
    clock = ManualClock()
    return Vetting(VetLists(database, removals_in(database, clock), clock), tasks)


def let_pass(vetting: Vetting) -> None:
    """Let five seconds pass for a process."""
    # The cache takes the time from the machine, and no test waits.
    vetting._servers.outdate(lambda _: True, age=SHARED_LIFETIME)  # pyright: ignore[reportPrivateUsage]


async def test_a_server_that_watches_for_nothing_is_asked_about_once(tmp_path: Path) -> None:
    reads = Happenings[DatabaseRead]()
    async with (
        open_database(f"sqlite:///{tmp_path}/kiosk.db", MIGRATIONS) as database,
        BackgroundTasks() as tasks,
    ):
        vetting = vetting_on(database, tasks)
        watch_reads(database, reads)
        assert await vetting.here(1, HERE, "de") is None
        first = len(reads.past)

        assert await vetting.here(1, HERE, "de") is None
        assert await vetting.blocks(1, "Unkind words", HERE, frozenset()) is None
        assert await vetting.here(None, HERE, "de") is None

        assert first > 0
        assert len(reads.past) == first


async def test_words_and_what_is_released_elsewhere_hold_here_five_seconds_later(
    tmp_path: Path,
) -> None:
    async with (
        open_database(f"sqlite:///{tmp_path}/kiosk.db", MIGRATIONS) as database,
        BackgroundTasks() as tasks,
    ):
        here, elsewhere = (vetting_on(database, tasks) for _ in range(2))
        assert await here.here(1, HERE, "de") is None

        await elsewhere.add(1, ["unkind"])
        let_pass(here)
        vet = await here.here(1, HERE, "de")
        assert vet is not None
        assert vet.holds_back(COMMENT)
        assert await here.test(1, "unkind") == [Hit("unkind")]
        await tasks.close()

        await elsewhere.release(1, 1, 5)
        let_pass(here)
        again = await here.here(1, HERE, "de")

        assert again is not None
        assert not again.holds_back(COMMENT)
        assert again.holds_back(Subject(7, 3, 70, "Juniper", "Unkinder, unkind words"))


async def test_long_texts_are_looked_through_while_others_are_answered(tmp_path: Path) -> None:
    answered = 0

    async def answer_others() -> None:
        nonlocal answered
        while True:
            await asyncio.sleep(0)
            answered += 1

    async with (
        open_database(f"sqlite:///{tmp_path}/kiosk.db", MIGRATIONS) as database,
        BackgroundTasks() as tasks,
    ):
        vetting = vetting_on(database, tasks)
        await vetting.add(1, ["unkind"])
        vet = await vetting.here(1, HERE, "de")
        assert vet is not None
        others = asyncio.create_task(answer_others())
        texts = [f"{number} ü words " * 900 for number in range(9)]
        await vet.look_through([*texts, "Unkind words"])
        others.cancel()

        assert answered > 1
        assert vet.holds_back(COMMENT)
        assert not vet.holds_back(Subject(8, 3, 70, "Juniper", texts[0]))
