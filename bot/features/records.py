"""What Kiosk keeps about a member: give it to them, or erase it."""

import io
import json
import zipfile
from datetime import datetime

from bot.features.accounts import Accounts
from storage.retention import Erased, MemberData


def zipped(name: str, content: bytes) -> bytes:
    """Return an archive with a file of this name in it."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return archive.getvalue()


class Records:
    """The records of all members, each for the member alone."""

    def __init__(self, data: MemberData, accounts: Accounts) -> None:
        self._data = data
        self._accounts = accounts

    async def export(self, member_id: int, now: datetime) -> bytes:
        """Return all that is kept about a member as a JSON file; their token is not in it."""
        found = await self._data.export(member_id)
        whole = {"member_id": str(member_id), "exported_at": now.isoformat(), "kept": found}
        return json.dumps(whole, indent=2, ensure_ascii=False).encode()

    async def erase(self, member_id: int) -> Erased:
        """Remove all that is kept about a member, but for orders that are under way."""
        erased = await self._data.erase(member_id)
        # Nothing is left to unlink, but what this process remembers of them goes, too.
        await self._accounts.unlink(member_id)
        return erased
