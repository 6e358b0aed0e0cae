"""What tests of backups and of restoring them share."""

from pathlib import Path

from storage import MIGRATIONS
from storage.database import open_database
from storage.links import Links
from tests.storage.conftest import BACKED_UP, MEMBER
from tests.support.clock import utc_now


def content_of(path: Path) -> bytes:
    return path.read_bytes()


def put(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def token_in(address: str) -> str | None:
    async with open_database(address, MIGRATIONS) as database:
        link = await Links(database, BACKED_UP, utc_now).find(MEMBER)
    return link and link.token.get_secret_value()
