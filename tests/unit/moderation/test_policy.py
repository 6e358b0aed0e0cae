"""A server without a policy costs nothing, and what one process changes holds in others."""

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.cache import SHARED_SECONDS
from bot.clock import Clock
from bot.features.moderation.policy import Policy, Viewer, Visibility
from storage import MIGRATIONS
from storage.database import Database, open_database
from storage.moderation import Subject
from storage.removals import Removal
from storage.vault import Vault
from tests.support.clock import ManualClock
from tests.support.database_reads import DatabaseRead, watch_reads
from tests.support.gates import Happenings
from tests.support.moderating import Moderated, moderated_on
from tests.support.world import KEY

HOUR = timedelta(hours=1)
READER = Viewer(5, 1, "de")
COMMENT = Subject(7, 3, 70, "Juniper", "Unkind words")


def let_pass(policy: Policy) -> None:
    """Let five seconds pass for a process."""
    # The cache takes the time from the machine, and no test waits.
    policy._servers.outdate(lambda _: True, age=SHARED_SECONDS)  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    async with open_database(f"sqlite:///{tmp_path}/kiosk.db", MIGRATIONS) as opened:
        yield opened


@pytest.fixture
async def tasks() -> AsyncGenerator[BackgroundTasks]:
    async with BackgroundTasks(Clock()) as opened:
        yield opened


@pytest.fixture
def vault() -> Vault:
    return Vault([SecretStr(KEY)])


@pytest.fixture
def moderated(database: Database, vault: Vault, tasks: BackgroundTasks) -> Moderated:
    return moderated_on(database, vault, tasks, ManualClock())


async def test_no_policy_is_asked_about_once(database: Database, moderated: Moderated) -> None:
    reads, policy = Happenings[DatabaseRead](), moderated.policy
    watch_reads(database, reads)
    assert (await policy.prepare(READER)).server.is_clear
    first = len(reads.past)

    assert (await policy.prepare(READER)).server.is_clear
    assert await policy.word_in(1, "Unkind words") == ""
    assert (await policy.prepare(Viewer(5))).server.is_clear

    assert first > 0
    assert len(reads.past) == first


async def test_words_and_what_is_released_elsewhere_hold_here_five_seconds_later(
    database: Database, vault: Vault, tasks: BackgroundTasks
) -> None:
    here, elsewhere = (moderated_on(database, vault, tasks, ManualClock()) for _ in range(2))
    assert (await here.policy.prepare(READER)).server.is_clear

    await elsewhere.words.set_words(1, ["unkind"], 5)
    let_pass(here.policy)
    sight = (await here.policy.prepare(READER)).see(COMMENT)
    assert sight == Visibility(word="unkind")
    assert await here.policy.word_in(1, "unkind") == "unkind"
    here.policy.tell(READER, COMMENT, sight.word, ManualClock()())
    await tasks.until_finished()

    await elsewhere.held_back.release(1, 1, 5)
    let_pass(here.policy)
    view = await here.policy.prepare(READER)

    assert view.see(COMMENT) == Visibility()
    assert view.see(Subject(7, 3, 70, "Juniper", "Unkinder, unkind words")).word


async def test_what_is_hidden_is_read_again_only_after_a_change(
    database: Database, vault: Vault, tasks: BackgroundTasks
) -> None:
    here, elsewhere = (moderated_on(database, vault, tasks, ManualClock()) for _ in range(2))
    reads = Happenings[DatabaseRead]()
    for comment_id in range(3):
        await elsewhere.hide(1, Subject(comment_id))
    await here.policy.prepare(READER)

    watch_reads(database, reads)
    let_pass(here.policy)
    assert (await here.policy.prepare(READER)).see(Subject(0)).is_hidden
    assert [len(read.rows) for read in reads.past] == [1]

    await elsewhere.hide(1, COMMENT)
    let_pass(here.policy)
    assert (await here.policy.prepare(READER)).see(COMMENT).is_hidden


async def test_a_mute_that_nobody_changes_ends_by_itself_and_the_next_one_too(
    database: Database, vault: Vault, tasks: BackgroundTasks
) -> None:
    clock = ManualClock()
    moderated = moderated_on(database, vault, tasks, clock)
    for hours, player_id in ((2, 70), (1, 71)):
        mute = Removal(1, Subject(None, player_id=player_id), 5, "", "de", clock() + hours * HOUR)
        await moderated.removals.add(mute)

    for expected in ({70, 71}, {70}, set[int]()):
        view = await moderated.policy.prepare(READER)
        hidden = {player for player in (70, 71) if view.see(Subject(9, 3, player)).is_hidden}
        assert hidden == expected
        clock.advance(HOUR)
        let_pass(moderated.policy)


async def test_words_that_an_older_version_kept_by_other_keys_stay(
    database: Database, moderated: Moderated
) -> None:
    # As 2.0.0 wrote them: it read ば as は.
    old = json.dumps({"はは": "ばば", "rotten": "Rotten"})
    await database.execute(f"INSERT INTO watched (guild_id, words) VALUES (1, '{old}')")
    assert await moderated.policy.word_in(1, "ばば") == "ばば"
    assert await moderated.policy.word_in(1, "はは") == ""

    assert await moderated.words.set_words(1, ["ばば", "rotten"], 5) == (0, 0)
    assert await moderated.words.set_words(1, ["ばば", "はは"], 5) == (1, 1)
    assert await moderated.words.watched.words(1) == ["はは", "ばば"]


@pytest.mark.parametrize(
    "texts",
    [
        [f"{number} ü words " * 900 for number in range(9)],
        # Few letters, before they are folded.
        ["ﷺ" * 4_000],
    ],
)
async def test_long_texts_keep_nobody_waiting(moderated: Moderated, texts: list[str]) -> None:
    answered = 0

    async def answer_others() -> None:
        nonlocal answered
        while True:
            await asyncio.sleep(0)
            answered += 1

    await moderated.words.set_words(1, ["unkind"], 5)
    await moderated.policy.prepare(READER)
    others = asyncio.create_task(answer_others())
    view = await moderated.policy.prepare(READER, [*texts, "Unkind words"])
    others.cancel()

    assert answered > 1
    assert view.see(COMMENT).word
    assert view.see(Subject(8, 3, 70, "Juniper", texts[0])) == Visibility()
