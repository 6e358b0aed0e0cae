"""Which pages a change of a comment lets Kiosk read anew."""

import pytest

from bot.domain.drafts import DraftKind, NewDraft
from bot.features.forum.threads import Viewer
from bot.game.models import PageKey
from game_service import admin
from tests.unit.forum.conftest import MEMBER, Desk

READER = Viewer(MEMBER)


@pytest.mark.parametrize("kind", [DraftKind.EDIT, DraftKind.DELETE])
async def test_a_change_in_one_thread_lets_no_other_be_read_anew(
    desk: Desk, kind: DraftKind
) -> None:
    written = await desk.post("Frist!")
    assert written.comment is not None
    elsewhere = await admin.add_thread(desk.game.database, "Loud corner")
    await desk.reading.screen(READER, PageKey(elsewhere), max_age=None)

    await desk.reading.screen(READER, PageKey(desk.thread_id), max_age=None)
    await desk.write(NewDraft(MEMBER, kind, desk.thread_id, written.comment.id, "First!"))
    asked = len(desk.proxy.forwarded.past)
    await desk.reading.screen(READER, PageKey(elsewhere), max_age=None)
    assert len(desk.proxy.forwarded.past) == asked

    await desk.reading.screen(READER, PageKey(desk.thread_id), max_age=None)
    assert len(desk.proxy.forwarded.past) == asked + 1
