"""Who is asking: bearer tokens, kept as hashes only (Interface 5)."""

import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path

from game_service.errors import Unauthorized
from storage.database import Database, load_queries

_SQL = load_queries(Path(__file__).parent / "sql" / "players.sql")


@dataclass(frozen=True)
class Player:
    """The player a token belongs to, with what decides what they may do."""

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


def new_token() -> str:
    """Make a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Give what is stored in a token's place; tokens are random, so no salt is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
