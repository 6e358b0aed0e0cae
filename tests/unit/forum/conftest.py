"""Reading threads of a real game, in which a linked member writes."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.features.accounts import Accounts
from bot.features.reading.threads import ThreadService
from bot.features.reading.trees import with_comment
from bot.game.game_client import GameClient
from bot.game.models import Comment
from game_service import admin
from game_service.app import open_service
from storage.messages import Messages
from storage.writes import Writes
from tests.support.clock import ManualClock, utc_now
from tests.support.databases import game_address_at
from tests.support.faulty_proxy import FaultyProxy, open_proxy
from tests.support.moderating import Moderated, moderated_on
from tests.support.wiring import open_wiring

MEMBER = 1


@dataclass
class Desk:
    """A linked member's forum; `thread_id` is an empty thread."""

    reading: ThreadService
    proxy: FaultyProxy
    client: GameClient
    accounts: Accounts
    moderated: Moderated
    thread_id: int

    async def post(self, text: str, *, parent_id: int | None = None) -> Comment:
        """Write a comment in the thread."""
        async with self.accounts.using(await self.accounts.require(MEMBER)) as caller:
            written = await self.client.create_comment(
                caller, self.thread_id, text, parent_id=parent_id
            )
        self.client.comments.change(
            lambda key: key.thread_id == self.thread_id,
            lambda page: with_comment(page, parent_id, written),
        )
        return written


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with (
        open_service(game_address_at(tmp_path / "game.db")) as game,
        open_proxy(game.base_url) as proxy,
        open_wiring(tmp_path, proxy.base_url) as wired,
    ):
        moderated = moderated_on(wired.database, wired.vault, wired.tasks, ManualClock())
        catalog = await admin.add_catalog(game.database, "Season")
        player = await admin.add_player(game.database, screen_name="Juniper")
        token = SecretStr(await admin.create_token(game.database, player))
        await wired.accounts.link(MEMBER, token, [catalog])
        thread_id = await admin.add_thread(game.database, "Quiet corner")
        writes = Writes(wired.database, wired.vault, Messages(wired.database, utc_now))
        reading = ThreadService(wired.client, moderated.policy, wired.tasks, writes)
        yield Desk(reading, proxy, wired.client, wired.accounts, moderated, thread_id)
