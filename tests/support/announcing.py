"""Items as the game tells of them, for what is announced."""

from typing import Any

from bot.game.models import Item
from tests.support.rogue_shop import item


def an_item(item_id: int = 1, **changes: Any) -> Item:
    return Item.model_validate({**item(item_id, cost=10), "has_purchased": True} | changes)
