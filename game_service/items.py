"""The catalogs' items: list, buy and redeem them (docs/connect-your-game.md#items)."""

from pathlib import Path

import orjson

from game_service.auth import Player
from game_service.errors import Conflict, Forbidden, NotFound
from game_service.pagination import PER_PAGE, PageRequest, envelope
from game_service.shapes import listed_item
from storage.database import Database, Row, Transaction, load_queries

_SQL = load_queries(Path(__file__).parent / "sql" / "items.sql")


async def list_items(
    database: Database, catalog_id: int, player: Player, page: PageRequest, assets_url: str
) -> bytes:
    """Return one page of a catalog's items as this player sees them, as JSON. Raises NotFound."""
    rows = await database.fetch(
        _SQL["list_items"],
        catalog_id=catalog_id,
        player_id=player.id,
        limit=page.limit,
        offset=page.offset,
    )
    if not rows and await database.fetch_one(_SQL["find_catalog"], catalog_id=catalog_id) is None:
        raise NotFound("catalog")
    entries = [orjson.dumps(listed_item(row, assets_url)) for row in rows[:PER_PAGE]]
    return envelope(page, entries, has_next=len(rows) > PER_PAGE)


async def purchase(
    transaction: Transaction, item_id: int, player: Player, *, created_at: int
) -> Row:
    """Take the item's cost from the player's balance and grant the item, once.

    Raises NotFound, Forbidden (members only) and Conflict (owned, or not enough currency).
    """
    item = await _item_for(transaction, item_id, player)
    granted = await transaction.execute(
        _SQL["grant_item"],
        player_id=player.id,
        item_id=item_id,
        currency_id=item["currency_id"],
        cost=item["cost"],
        created_at=created_at,
    )
    if not granted:
        raise Conflict("already_owned", f"You already own {item['name']}.")
    paid = await transaction.execute(
        _SQL["take_from_balance"],
        player_id=player.id,
        currency_id=item["currency_id"],
        cost=item["cost"],
    )
    # Players who never had any of the currency can still take what is free.
    if item["cost"] and not paid:
        raise Conflict(
            "not_enough_currency",
            f"You don't have enough {item['currency_name']} for {item['name']}.",
        )
    return item


async def redeem(transaction: Transaction, item_id: int, player: Player, *, created_at: int) -> Row:
    """Redeem the item, which must be at the player's current park, once.

    Raises NotFound, Forbidden (members only) and Conflict (not at this park, or redeemed).
    """
    item = await _item_for(transaction, item_id, player)
    here = await transaction.fetch_one(_SQL["find_item_at_park"], item_id=item_id, park=player.park)
    if here is None:
        raise Conflict("not_at_park", f"{item['name']} is not available at your current park.")
    recorded = await transaction.execute(
        _SQL["record_redemption"], player_id=player.id, item_id=item_id, created_at=created_at
    )
    if not recorded:
        raise Conflict("already_redeemed", f"You have already redeemed {item['name']}.")
    return item


async def _item_for(transaction: Transaction, item_id: int, player: Player) -> Row:
    item = await transaction.fetch_one(_SQL["find_item"], item_id=item_id)
    if item is None:
        raise NotFound("item")
    if item["is_member_item"] and not player.is_subscribed:
        raise Forbidden("members_only", f"{item['name']} is for subscribed players only.")
    return item
