"""What a moderator's words come to, and what can be undone once only."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from msgspec.structs import replace

from bot.features.errors import NotInForce, ReasonNeeded
from bot.features.moderation import LOG_PAGE, ModerationService
from storage.removals import LONGEST_REASON, Removal
from tests.support.moderating import HERE, MODERATOR, REMOVAL, moderated_on, open_bench
from tests.support.wiring import open_wiring


@pytest.fixture
async def service(tmp_path: Path) -> AsyncGenerator[ModerationService]:
    async with (
        open_wiring(tmp_path, "http://127.0.0.1:9") as wired,
        open_bench(f"sqlite:///{tmp_path}/bench.db", wired.vault) as bench,
    ):
        moderated = moderated_on(bench.database, wired.vault, wired.tasks, bench.clock)
        yield ModerationService(
            wired.client,
            wired.accounts,
            bench.removals,
            moderated.policy,
            wired.tasks,
            bench.clock,
        )


async def test_blanks_are_no_reason_and_a_long_one_is_cut(service: ModerationService) -> None:
    await service.change_rules(HERE, needs_reason=True)

    with pytest.raises(ReasonNeeded):
        await service.remove(replace(REMOVAL, reason=" \n "))
    removal, _ = await service.remove(replace(REMOVAL, reason="a  b" * LONGEST_REASON))
    assert removal.reason.startswith("a ba b")
    assert len(removal.reason) == LONGEST_REASON


async def test_blanks_are_no_note(service: ModerationService) -> None:
    removal, _ = await service.remove(REMOVAL)

    await service.note(HERE, removal.id, MODERATOR, "  ")
    noted = await service.note(HERE, removal.id, MODERATOR, " Twice now ")
    assert [note.text for note in noted.notes] == ["Twice now"]


async def test_a_removal_is_undone_once(service: ModerationService) -> None:
    await service.remove(REMOVAL)

    undone = await asyncio.gather(
        *(service.restore(HERE, REMOVAL.subject, MODERATOR) for _ in range(2)),
        return_exceptions=True,
    )
    assert {type(each) for each in undone} == {Removal, NotInForce}


async def test_a_full_page_of_the_log_is_its_last(service: ModerationService) -> None:
    for number in range(LOG_PAGE):
        subject = replace(REMOVAL.subject, comment_id=number + 1)
        await service.remove(replace(REMOVAL, subject=subject))

    shown, has_more = await service.log(HERE)
    assert (len(shown), has_more) == (LOG_PAGE, False)
