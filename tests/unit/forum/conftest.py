"""The forum's features on a real game and a real database, with a clock that tests turn."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.background import BackgroundTasks
from bot.domain.drafts import Draft, DraftKind, NewDraft
from bot.features.accounts import Accounts
from bot.features.errors import Unsent
from bot.features.forum.drafts import DraftService
from bot.features.forum.settling import Written
from bot.features.forum.threads import ThreadService
from bot.features.moderation.policy import Viewer
from bot.game.models import PageKey
from bot.game.transport import Limits
from game_service import admin
from game_service.app import Service, open_service
from storage.database import Database
from storage.drafts import Drafts
from storage.messages import Messages
from storage.outcomes import AuthoredComments, Untold
from tests.support.clock import ManualClock
from tests.support.databases import game_address_at
from tests.support.faulty_proxy import Fault, FaultyProxy, is_read, is_write, open_proxy
from tests.support.gates import PATIENCE
from tests.support.moderating import Moderated, moderated_on
from tests.support.wiring import open_wiring
from tests.unit.forum.searching import Search, open_search

MEMBER, STRANGER = 1, 2
PATIENT = Limits(write_timeout=PATIENCE)
# Long enough for a game that answers on a busy machine.
impatient = pytest.mark.parametrize(
    "desk", [Limits(write_timeout=2.0)], ids=["impatient"], indirect=True
)
_READER = Viewer(MEMBER)


@dataclass
class Desk:
    """A linked member's forum; `thread_id` is an empty thread."""

    reading: ThreadService
    writing: DraftService
    game: Service
    proxy: FaultyProxy
    database: Database
    clock: ManualClock
    tasks: BackgroundTasks
    accounts: Accounts
    tokens: dict[int, SecretStr]
    thread_id: int
    moderated: Moderated
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    async def post(
        self, text: str, *, member: int = MEMBER, parent_id: int | None = None
    ) -> Written:
        """Write a comment in the thread."""
        kind = DraftKind.POST if parent_id is None else DraftKind.REPLY
        return await self.write(NewDraft(member, kind, self.thread_id, parent_id, text))

    async def lose(self, text: str) -> Unsent:
        """Post a text that does not reach the game."""
        with self.proxy.failing(Fault.LOST_REQUEST, is_write), pytest.raises(Unsent) as lost:
            await self.post(text)
        return lost.value

    async def leave_unknown(self, text: str, parent_id: int | None = None) -> Unsent:
        """Post a text that reaches the game, though Kiosk can't see it."""
        with (
            self.proxy.failing(Fault.LOST_ANSWER, is_write),
            self.proxy.failing(Fault.LOST_REQUEST, is_read),
            pytest.raises(Unsent) as lost,
        ):
            await self.post(text, parent_id=parent_id)
        return lost.value

    async def write(self, new: NewDraft) -> Written:
        """Keep and send a text."""
        return await self.writing.sender.send(await self.keep(new))

    async def keep(self, new: NewDraft) -> Draft:
        """Keep a text that nobody has heard of before."""
        draft = await self.writing.keep(new, next(self.ids))
        assert draft is not None
        return draft

    async def retry(
        self, member_id: int, draft_id: int, *, text: str | None = None, is_sure: bool = False
    ) -> Written:
        """Send a kept text again."""
        held = await self.writing.take(member_id, draft_id, text=text)
        return await self.writing.sender.send(held, is_sure=is_sure)

    async def look(self) -> None:
        """Read the thread, as members do before they write."""
        await self.reading.screen(_READER, PageKey(self.thread_id), max_age=0)

    def let_arrive(self) -> None:
        """Let the time pass in which what was sent may still arrive."""
        self.clock.advance(timedelta(minutes=6))

    async def texts(self) -> list[str]:
        """Give what stands in the thread of the game itself."""
        rows = await self.game.database.fetch("SELECT content FROM comments ORDER BY id")
        return [row["content"] for row in rows]


@pytest.fixture
async def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Desk]:
    """A member with a desk of their own; the client waits for any answer, unless `impatient`."""
    limits: Limits = getattr(request, "param", PATIENT)
    async with (
        open_service(game_address_at(tmp_path / "game.db")) as game,
        open_proxy(game.base_url) as proxy,
        open_wiring(tmp_path, proxy.base_url, limits=limits) as wired,
    ):
        clock = ManualClock()
        moderated = moderated_on(wired.database, wired.vault, wired.tasks, clock)
        reading = ThreadService(wired.client, moderated.policy, wired.tasks)
        untold = Untold(wired.database, Messages(wired.database, clock))
        writing = DraftService(
            wired.client,
            wired.accounts,
            Drafts(wired.database, wired.vault),
            AuthoredComments(wired.database, wired.vault),
            untold,
            wired.tasks,
            clock,
            pause=0,
        )
        catalog, tokens = await admin.add_catalog(game.database, "Season"), dict[int, SecretStr]()
        for member, name in {MEMBER: "Juniper", STRANGER: "Sprig"}.items():
            player = await admin.add_player(game.database, screen_name=name)
            tokens[member] = SecretStr(await admin.create_token(game.database, player))
            await wired.accounts.link(member, tokens[member], [catalog])
        thread_id = await admin.add_thread(game.database, "Quiet corner")
        yield Desk(
            *(reading, writing, game, proxy, wired.database, clock, wired.tasks),
            *(wired.accounts, tokens, thread_id, moderated),
        )


@pytest.fixture
async def search(tmp_path: Path) -> AsyncGenerator[Search]:
    async with open_search(tmp_path) as opened:
        yield opened
