"""Texts that a bot had in hand when it was killed."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.drafts import DraftKind, NewDraft
from storage import MIGRATIONS
from storage.database import open_database
from storage.drafts import Drafts
from storage.vault import Vault
from tests.support.cards import answer_of, text_of
from tests.support.databases import everything_in
from tests.support.forum import EMPTY, ForumTown


@pytest.mark.usefixtures("on_both_engines")
async def test_a_text_that_a_crash_cut_off_is_offered_at_the_next_command(
    linked: ForumTown,
) -> None:
    await _leave_half_sent(linked, "Half sent", age=timedelta(minutes=10))

    told = await linked.world.slash("help")

    assert "Kiosk was interrupted while sending it" in text_of(told)
    listed = await linked.press(answer_of(told), "Show unsent texts")
    await linked.press(listed, "Open")
    await linked.press(listed, "Try again")
    assert await linked.texts_in(EMPTY) == ["Half sent"]
    assert "interrupted" not in text_of(await linked.world.slash("help"))


async def test_a_text_that_a_crash_cut_off_is_offered_after_a_command_that_fails_too(
    linked: ForumTown,
) -> None:
    await _leave_half_sent(linked, "Half sent", age=timedelta(minutes=10))

    told = await linked.read("404")

    assert "Kiosk was interrupted while sending it" in text_of(told)


async def test_a_text_is_forgotten_after_a_day(linked: ForumTown) -> None:
    await _leave_half_sent(linked, "Long ago", age=timedelta(hours=25))

    assert "You have no unsent texts" in text_of(await linked.world.slash("forum drafts"))


async def test_what_a_member_typed_is_sealed(linked: ForumTown) -> None:
    await _leave_half_sent(linked, "Only for the eyes of the game", age=timedelta(minutes=10))

    kept = everything_in(linked.world.settings.database_url)
    assert str(linked.world.member.id) in kept
    assert "eyes of the game" not in kept


async def _leave_half_sent(town: ForumTown, text: str, *, age: timedelta) -> None:
    """Leave behind what a bot that was killed while sending leaves behind."""
    settings = town.world.settings
    then = datetime.now(UTC) - age
    async with open_database(settings.database_url, MIGRATIONS) as database:
        drafts = Drafts(database, Vault(settings.kiosk_keys))
        draft = NewDraft(town.world.member.id, DraftKind.POST, int(EMPTY), None, text)
        until = then + timedelta(seconds=45)
        await drafts.add(draft, draft_id=1, now=then, until=until, oldest=then)
