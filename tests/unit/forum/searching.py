"""Texts that may have arrived in a game of our own making."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bot.domain.drafts import Authored, Draft, DraftKind, DraftState, NewDraft
from bot.features.forum.reconcile import Reconciler
from bot.game.client import GameClient
from storage.drafts import Drafts
from storage.outcomes import AuthoredComments
from tests.support.game_samples import comment, page, player
from tests.support.rogue_game import RogueGame, open_rogue_game, reply
from tests.support.wiring import open_wiring

MEMBER, ME, SOMEBODY_ELSE = 1, 7, 8
SENT = datetime(2026, 5, 1, 12, tzinfo=UTC)
POST = Draft(
    member_id=MEMBER,
    kind=DraftKind.POST,
    thread_id=1,
    comment_id=None,
    text="Hello there",
    id=1,
    state=DraftState.UNKNOWN,
    claimed_by="",
    due_at=SENT,
    created_at=SENT,
    sent_at=SENT,
)
REPLY = replace(POST, kind=DraftKind.REPLY, comment_id=30)
EDIT = replace(POST, kind=DraftKind.EDIT, comment_id=31)


def said(
    text: str = "Hello there", *, minutes: float = 0, by: int = ME, number: int = 31, **changes: Any
) -> dict[str, Any]:
    """Return a comment as the game lists it, so many minutes after the text was sent."""
    moment = (SENT + timedelta(minutes=minutes)).isoformat()
    return comment(id=number, content=text, player=player(id=by), created_at=moment, **changes)


OTHER = said("Something else", number=32, by=SOMEBODY_ELSE)
OLD = said("Something else", number=33, minutes=-60 * 24 * 30, by=SOMEBODY_ELSE)


@dataclass
class Search:
    """A member's texts, and the game that they may have arrived in."""

    game: RogueGame
    client: GameClient
    reconciler: Reconciler
    drafts: Drafts

    async def note_written(self, comment_id: int) -> None:
        new = NewDraft(MEMBER, DraftKind.POST, 1, None, "Hello there")
        draft = await self.drafts.add(
            new, draft_id=comment_id, now=SENT, until=SENT, oldest=SENT - timedelta(days=1)
        )
        assert draft is not None
        await self.drafts.settle(draft, Authored(MEMBER, comment_id, 1, "Hello there", SENT))

    async def look(self, draft: Draft, known_as: int | None = ME) -> int | None:
        """Return the number of the comment that the text of a player has become."""
        async with self.reconciler.looking(replace(draft, player_id=known_as)) as arrived:
            return None if arrived is None else arrived.id

    async def found(
        self, draft: Draft, *listed: dict[str, Any], known_as: int | None = ME
    ) -> int | None:
        """Return the number of the comment that it is taken for on a page of these."""
        self.game.answers(reply(page(*listed)))
        return await self.look(draft, known_as)


@asynccontextmanager
async def open_search(folder: Path) -> AsyncGenerator[Search]:
    """Open both, with a database."""
    async with open_rogue_game() as game, open_wiring(folder, game.base_url) as wired:
        authored = AuthoredComments(wired.database, wired.vault)
        reconciler = Reconciler(wired.client, authored, lambda: SENT)
        yield Search(game, wired.client, reconciler, Drafts(wired.database, wired.vault))
