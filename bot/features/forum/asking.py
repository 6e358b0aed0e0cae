"""Ask the game for what a kept text is to become."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.domain.drafts import CHANGES, Draft, DraftKind
from bot.domain.links import Link
from bot.features.accounts import Accounts
from bot.features.errors import (
    CommentNotInGame,
    DraftBusy,
    GivenBack,
    MayStillArrive,
    ThreadNotInGame,
    TokenInText,
)
from bot.features.forum.settling import Settler
from bot.game.client import GameClient
from bot.game.errors import NotFound
from bot.game.models import WrittenComment
from storage.drafts import Drafts

# A text goes out within the first of these, and what went out may arrive for the second: whoever
# held it for longer is gone, and the game has it or never will.
_SENDING = timedelta(seconds=10)
_ARRIVING = timedelta(seconds=35)
LEASE = _SENDING + _ARRIVING
# A shorter token may be a word.
_SHORTEST_TOKEN = 8


class Asker:
    """Asks for what is held; `now` tells the time, aware."""

    def __init__(
        self,
        client: GameClient,
        accounts: Accounts,
        drafts: Drafts,
        settler: Settler,
        now: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._drafts = drafts
        self._settler = settler
        self._now = now

    async def ask(self, draft: Draft, link: Link) -> WrittenComment | None:
        """Return the comment as the game has it now, None after a deletion.

        Raises GameError, GivenBack, DraftBusy, MayStillArrive, ThreadNotInGame, CommentNotInGame.
        """
        if draft.kind in CHANGES:
            await self._check_earlier(draft)
        async with self._accounts.using(link) as caller:
            left = (draft.due_at - _ARRIVING - self._now()).total_seconds()
            if left <= 0:
                # This process stood still, and somebody else may have the text by now.
                raise DraftBusy
            before = time.monotonic() + left
            comment_id, text = draft.comment_id, draft.text
            token = caller.token.get_secret_value()
            if len(token) >= _SHORTEST_TOKEN and token in text:
                # It would be shown to everybody; nor does its writer's card show it.
                raise GivenBack(text.replace(token, "…"), TokenInText())
            try:
                if draft.kind is DraftKind.DELETE and comment_id is not None:
                    await self._client.delete_comment(
                        caller, comment_id, thread_id=draft.thread_id, send_before=before
                    )
                    return None
                if draft.kind is DraftKind.EDIT and comment_id is not None:
                    return await self._client.update_comment(
                        caller,
                        comment_id,
                        text,
                        thread_id=draft.thread_id,
                        send_before=before,
                    )
                return await self._client.create_comment(
                    caller, draft.thread_id or 0, text, parent_id=comment_id, send_before=before
                )
            except NotFound as error:
                if draft.kind is DraftKind.DELETE:
                    await self._settler.forget_comment(draft)
                raise (
                    ThreadNotInGame(name=str(draft.thread_id))
                    if comment_id is None
                    else CommentNotInGame(name=str(comment_id))
                ) from error

    async def _check_earlier(self, change: Draft) -> None:
        """Raise MayStillArrive where an earlier change may reach the game after this one."""
        until = await self._drafts.changing_until(change, now=self._now())
        if until is not None:
            raise MayStillArrive(when=until)
