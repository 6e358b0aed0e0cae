"""Ask the game itself to delete what moderators removed from chat."""

from bot.domain.moderation import GameAnswer, Removal, Subject
from bot.errors import AccountError
from bot.features.accounts import Accounts
from bot.features.forum.comment_cache import CommentCache
from bot.game.client import GameClient
from bot.game.errors import Forbidden, GameError, NotFound
from storage.removals import Removals


class InGameDeletion:
    """Deletes comments in the game as a moderator's own player, and notes what it answered."""

    def __init__(self, client: GameClient, accounts: Accounts, removals: Removals) -> None:
        self._client = client
        self._accounts = accounts
        self._removals = removals

    async def delete(self, removal: Removal, member_id: int) -> GameAnswer:
        """Ask the game to delete a removed comment; return its answer."""
        answer = await self._ask(removal.subject, member_id)
        await self._removals.note_answer(removal, answer)
        return answer

    async def _ask(self, subject: Subject, member_id: int) -> GameAnswer:
        comment_id = subject.comment_id or 0
        try:
            async with self._accounts.acting_as(member_id) as caller:
                await self._client.delete_comment(caller, comment_id)
        except AccountError:
            return GameAnswer.NOT_LINKED
        except Forbidden:
            return GameAnswer.NOT_ALLOWED
        except NotFound:
            return GameAnswer.NOT_THERE
        except GameError:
            return GameAnswer.NO_ANSWER
        CommentCache(self._client).remove(subject.thread_id, comment_id)
        return GameAnswer.DELETED
