"""Links of members to their game accounts, each with its token encrypted."""

import datetime as dt
from collections.abc import Callable

from msgspec import Struct
from pydantic import SecretStr

from storage import messages, retention
from storage.database import Database, queries_beside
from storage.rows import read
from storage.vault import Vault

QUERIES = queries_beside(__file__)
_COUNT_BY_KEY = retention.query(
    "count_by_key", retention.TableRetention("links"), column="sealed_token"
)
PURPOSE = "link"
# The kind of message that a token is deleted soon.
UNUSED = "unused token"
# How long a token is unused before its member is warned, and how much later it is deleted.
_UNUSED_FOR = dt.timedelta(days=335)
_KEPT_FOR = dt.timedelta(days=30)


class Link(Struct, frozen=True):
    """A member's token. `token_key`, a keyed hash of it, shows that two links have one account.

    `used_at` is the last day on which its member used it. A token that isn't used until
    `kept_until` is deleted.
    """

    member_id: int
    token: SecretStr
    is_refused: bool
    linked_at: dt.datetime
    player_id: int | None
    player_name: str | None
    token_key: str
    sealed: bytes
    used_at: dt.datetime
    kept_until: dt.datetime | None = None
    locale: str = ""
    # Whether the member wants to know about replies to everything they write, and in which server
    # they asked for that. None outside of servers.
    hears_replies: bool = False
    replies_asked_in: int | None = None
    # Whether the member wants to know why their comments were removed.
    hears_decisions: bool = False

    def __repr__(self) -> str:
        # Logs must not contain anything sealed, or anything that identifies an account.
        return f"<Link of {self.member_id} since {self.linked_at}>"


class Links(Struct, frozen=True):
    database: Database
    vault: Vault
    now: Callable[[], dt.datetime]

    async def find(self, member_id: int) -> Link | None:
        """Return the member's link. Raises VaultError when its token can't be opened."""
        row = await self.database.fetch_one(QUERIES["find"], member_id=member_id)
        if row is None:
            return None
        sealed = bytes(row["sealed_token"])
        token = self.vault.open(sealed, owner=member_id, purpose=PURPOSE)
        return read(Link, row, token=SecretStr(token), sealed=sealed)

    async def save(self, member_id: int, token: SecretStr, locale: str = "") -> None:
        secret = token.get_secret_value()
        await self.database.execute(
            QUERIES["save"],
            member_id=member_id,
            sealed_token=self.vault.seal(secret, owner=member_id, purpose=PURPOSE),
            token_key=self.vault.fingerprint(secret, purpose=PURPOSE),
            linked_at=self.now(),
            used_at=self.today(),
            locale=locale,
        )

    def today(self) -> dt.datetime:
        return self.now().replace(hour=0, minute=0, second=0, microsecond=0)

    async def note_use(self, member_id: int) -> None:
        """Note a member's first use of a day."""
        await self.database.execute(QUERIES["note_use"], member_id=member_id, used_at=self.today())

    async def end_unused(self) -> None:
        """Give tokens that were unused for eleven months a last month, and queue a warning."""
        now = self.now()
        outbox = messages.Messages(self.database, self.now)
        async with self.database.transaction() as transaction:
            rows = await transaction.fetch(
                QUERIES["end_unused"], used_before=now - _UNUSED_FOR, kept_until=now + _KEPT_FOR
            )
            told = [
                messages.NewMessage(
                    UNUSED,
                    f"{UNUSED} {row['member_id']} {now:%Y-%m-%d}",
                    messages.Priority.DIRECT_MESSAGE,
                    member_id=row["member_id"],
                )
                for row in rows
                if not row["is_refused"]
            ]
            await outbox.want(transaction, *told)

    async def tell_replies(self, member_id: int, asked_in: int | None, *, is_on: bool) -> None:
        asked = {"asked_in": asked_in, "is_on": is_on}
        await self.database.execute(QUERIES["tell_replies"], member_id=member_id, **asked)

    async def mark_refused(self, link: Link) -> None:
        await self.database.execute(
            QUERIES["mark_refused"], member_id=link.member_id, sealed_token=link.sealed
        )

    async def remember_player(self, link: Link, player_id: int, player_name: str) -> None:
        await self.database.execute(
            QUERIES["remember_player"],
            member_id=link.member_id,
            sealed_token=link.sealed,
            player_id=player_id,
            player_name=player_name,
        )

    async def remove(self, member_id: int) -> bool:
        return await self.database.execute(QUERIES["remove"], member_id=member_id) > 0

    async def count(self) -> tuple[int, int]:
        """Return how many links there are, and how many of them no key of the vault opens."""
        rows = await self.database.fetch(_COUNT_BY_KEY)
        lost = (row["rows"] for row in rows if not self.vault.has_key_of(row["key_id"]))
        return sum(row["rows"] for row in rows), sum(lost)
