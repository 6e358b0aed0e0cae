"""Find the player that a bearer token belongs to (docs/connect-your-game.md#tokens)."""

from dataclasses import dataclass
from pathlib import Path

from game_service.errors import Unauthorized
from storage.database import Database, load_queries

_SQL = load_queries(Path(__file__).parent / "sql" / "players.sql")


@dataclass(frozen=True)
class Player:
    """The player that a token belongs to, with what decides what they can do."""

    id: int
    is_subscribed: bool
    park: int


async def find_player(database: Database, token_hash: str) -> Player:
    """Find whose token has this hash. Raises Unauthorized."""
    row = await database.fetch_one(_SQL["find_player_by_token"], hash=token_hash)
    if row is None:
        raise Unauthorized("This access token is not valid.")
    return Player(id=row["id"], is_subscribed=bool(row["is_subscribed"]), park=row["park"])


def read_bearer_token(authorization: str | None) -> str:
    """Take the token out of `Authorization: Bearer <ACCESS_TOKEN>`. Raises Unauthorized."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized("This request needs an access token.")
    return token.strip()
