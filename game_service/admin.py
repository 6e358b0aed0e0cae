"""Administer the game's database: add things, change items, give out tokens.

AdminError
├── Unknown             no catalog, item or player has this id
└── TokenTaken          the token already belongs to a player
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from game_service.comments import add_comment
from game_service.times import Now, to_microseconds, utc_now
from game_service.tokens import hash_token, new_token
from storage.database import Database, Transaction, Value, load_queries

# Each function changes a database at once, or takes part in a transaction that is already open.
Writable = Database | Transaction

_HERE = Path(__file__).parent
# What makes the tables.
MIGRATIONS = _HERE / "steps"
_SQL = load_queries(_HERE / "sql" / "admin.sql")
# Pictures for what is added without one of its own, below the assets address.
_PLAIN_AVATAR = "avatars/sprout.png"
PLAIN_ICON = "items/parcel.png"
_PLAIN_TYPE = "types/other.png"
_PLAIN_CURRENCY = "currencies/coin.png"


class AdminError(Exception):
    """The change can't be made. The text says why in one line."""


class Unknown(AdminError):
    """No catalog, item or player has this id."""


class TokenTaken(AdminError):
    """The token already belongs to a player."""


async def add_thread(database: Writable, name: str) -> int:
    """Add a thread without comments. Return its id."""
    async with _writing(database) as transaction:
        return await _id(transaction, "insert_thread", name=name)


async def reply(
    database: Writable,
    comment_id: int,
    text: str,
    *,
    player_id: int | None = None,
    now: Now = utc_now,
) -> int:
    """Answer a comment, by default as another player than its writer. Return the answer's id."""
    async with _writing(database) as transaction:
        rows = await transaction.fetch(
            _SQL["find_answering"], comment_id=comment_id, player_id=player_id
        )
        if not rows:
            raise Unknown(f"there is no comment {comment_id}, or nobody to answer it")
        (found,) = rows
        written = await add_comment(
            transaction,
            found["thread_id"],
            found["player_id"],
            text,
            created_at=to_microseconds(now()),
            parent_id=comment_id,
        )
        return int(written["id"])


async def add_catalog(database: Writable, name: str) -> int:
    """Add a catalog without items. Return its id."""
    async with _writing(database) as transaction:
        return await _id(transaction, "insert_catalog", name=name)


async def add_currency(
    database: Writable, name: str, *, singular_name: str | None = None, icon: str = _PLAIN_CURRENCY
) -> int:
    """Add a currency, or find the one with this plural name. Return its id."""
    async with _writing(database) as transaction:
        await transaction.execute(
            _SQL["insert_currency"], name=name, singular_name=singular_name or name, icon=icon
        )
        return await _id(transaction, "find_currency", name=name)


async def add_item_type(database: Writable, name: str, *, image: str = _PLAIN_TYPE) -> int:
    """Add a type of items, or find the one with this name. Return its id."""
    async with _writing(database) as transaction:
        await transaction.execute(_SQL["insert_item_type"], name=name, image=image)
        return await _id(transaction, "find_item_type", name=name)


async def add_item(  # noqa: PLR0913 - an item has so many columns
    database: Writable,
    catalog_id: int,
    *,
    name: str,
    cost: int,
    currency: str = "Acorns",
    item_type: str = "Hat",
    icon: str = PLAIN_ICON,
    paper: str | None = None,
    no_eye: str | None = None,
    is_clearance: bool = False,
    is_coin_code_item: bool = False,
    is_member_item: bool = False,
    parks: Sequence[int] = (),
) -> int:
    """Add an item to a catalog. Return its id.

    A currency or item type of a new name is added with it. Pictures are whole addresses or places
    below the assets address. It can be redeemed by players who are at one of `parks`.

    Raises Unknown.
    """
    async with _writing(database) as transaction:
        await _must_exist(transaction, "find_catalog", "catalog", catalog_id)
        item_id = await _id(
            transaction,
            "insert_item",
            catalog_id=catalog_id,
            currency_id=await add_currency(transaction, currency),
            item_type_id=await add_item_type(transaction, item_type),
            name=name,
            cost=cost,
            icon=icon,
            paper=paper,
            no_eye=no_eye,
            is_clearance=is_clearance,
            is_coin_code_item=is_coin_code_item,
            is_member_item=is_member_item,
        )
        await _set_parks(transaction, item_id, parks)
        return item_id


async def set_item(
    database: Writable,
    item_id: int,
    *,
    cost: int | None = None,
    is_clearance: bool | None = None,
    is_member_item: bool | None = None,
    is_gone: bool | None = None,
    parks: Sequence[int] | None = None,
) -> None:
    """Change what is given of an item. One that is gone is neither listed nor sold.

    Raises Unknown.
    """
    async with _writing(database) as transaction:
        await _must_exist(transaction, "find_item", "item", item_id)
        await transaction.execute(
            _SQL["update_item"],
            item_id=item_id,
            cost=cost,
            is_clearance=is_clearance,
            is_member_item=is_member_item,
            is_gone=is_gone,
        )
        if parks is not None:
            await _set_parks(transaction, item_id, parks)


async def add_player(
    database: Writable,
    *,
    screen_name: str,
    is_subscribed: bool = False,
    park: int = 1,
    balances: Mapping[str, int] | None = None,
    avatar: str = _PLAIN_AVATAR,
    verified_at: datetime | None = None,
) -> int:
    """Add a player, with amounts of currencies by their plural names. Return the player's id."""
    async with _writing(database) as transaction:
        player_id = await _id(
            transaction,
            "insert_player",
            screen_name=screen_name,
            avatar=avatar,
            is_subscribed=is_subscribed,
            verified_at=None if verified_at is None else to_microseconds(verified_at),
            park=park,
        )
        for currency, amount in (balances or {}).items():
            await transaction.execute(
                _SQL["set_balance"],
                player_id=player_id,
                currency_id=await add_currency(transaction, currency),
                amount=amount,
            )
        return player_id


async def create_token(
    database: Writable, player_id: int, token: str | None = None, *, now: Now = utc_now
) -> str:
    """Give a player a token, by default a new one. Only its hash is stored.

    Raises Unknown and TokenTaken.
    """
    token = token or new_token()
    async with _writing(database) as transaction:
        await _must_exist(transaction, "find_player", "player", player_id)
        stored = await transaction.execute(
            _SQL["insert_token"],
            hash=hash_token(token),
            player_id=player_id,
            created_at=to_microseconds(now()),
        )
    if not stored:
        raise TokenTaken("this token already belongs to a player")
    return token


async def has_token(transaction: Transaction, token: str) -> bool:
    """Return whether a token is a player's."""
    return bool(await transaction.fetch(_SQL["find_token"], hash=hash_token(token)))


async def is_filled(transaction: Transaction) -> bool:
    """Return whether the game has any player, thread or catalog."""
    return bool((await transaction.fetch(_SQL["is_filled"]))[0]["is_filled"])


@asynccontextmanager
async def _writing(database: Writable) -> AsyncGenerator[Transaction]:
    if isinstance(database, Transaction):
        yield database
    else:
        async with database.transaction() as transaction:
            yield transaction


async def _id(transaction: Transaction, query: str, **values: Value) -> int:
    return (await transaction.fetch(_SQL[query], **values))[0]["id"]


async def _must_exist(transaction: Transaction, query: str, kind: str, entry_id: int) -> None:
    if not await transaction.fetch(_SQL[query], id=entry_id):
        raise Unknown(f"there is no {kind} {entry_id}")


async def _set_parks(transaction: Transaction, item_id: int, parks: Sequence[int]) -> None:
    await transaction.execute(_SQL["clear_parks"], item_id=item_id)
    await transaction.execute_many(
        _SQL["insert_park"], [{"item_id": item_id, "park": park} for park in parks]
    )
