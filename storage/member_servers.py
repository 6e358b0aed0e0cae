"""In which servers each member uses Kiosk, so that the names there hold in direct messages too."""

from collections.abc import Callable, Sequence
from datetime import datetime

from storage.database import Database, queries_beside

QUERIES = queries_beside(__file__)


class MemberServers:
    """The servers of members."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    async def note(self, guild_id: int, member_id: int) -> bool:
        """Note that a member uses Kiosk in a server now."""
        values = {"guild_id": guild_id, "member_id": member_id}
        used_at = self._clock()
        return await self._database.execute(QUERIES["note"], **values, used_at=used_at) > 0

    async def of_member(self, member_id: int, most: int) -> Sequence[int]:
        """Return the servers in which a member has used Kiosk, the last used first."""
        rows = await self._database.fetch(QUERIES["of_member"], member_id=member_id, most=most)
        return [row["guild_id"] for row in rows]
