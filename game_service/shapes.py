"""The JSON shapes of what the service answers (docs/connect-your-game.md#fields)."""

from game_service.times import timestamp
from storage.database import Row

Shape = dict[str, object]


def listed_comment(row: Row, assets_url: str, children: list[Shape]) -> Shape:
    """Shape a comment as lists show it (docs/connect-your-game.md#comment)."""
    return {
        "id": row["id"],
        "children_count": row["children_count"],
        "children": children,
        "depth": row["depth"],
        "player": comment_player(row, assets_url),
        "content": row["content"],
        "created_at": timestamp(row["created_at"]),
    }


def written_comment(row: Row, assets_url: str) -> Shape:
    """Shape a comment as writing answers it (docs/connect-your-game.md#create-comment)."""
    return {
        "id": row["id"],
        "depth": row["depth"],
        "player": comment_player(row, assets_url),
        "content": row["content"],
        "created_at": timestamp(row["created_at"]),
    }


def comment_player(row: Row, assets_url: str) -> Shape:
    """Shape the player inside a comment (docs/connect-your-game.md#player)."""
    verified_at = row["verified_at"]
    return {
        "id": row["player_id"],
        "avatar_url": picture(row["avatar"], assets_url),
        "is_subscribed": bool(row["is_subscribed"]),
        "screen_name": row["screen_name"],
        "verified_at": None if verified_at is None else timestamp(verified_at),
        # Each player has one inventory, so it goes by the player's id.
        "inventory": {"id": row["player_id"], "pin_item": None},
    }


def listed_item(row: Row, assets_url: str) -> Shape:
    """Shape an item, with both spellings of its flag (docs/connect-your-game.md#item)."""
    has_purchased = bool(row["has_purchased"])
    return {
        "id": row["id"],
        "currency": {**priced_in(row), "icon_url": picture(row["currency_icon"], assets_url)},
        "item_type": {
            "id": row["type_id"],
            "name": row["type_name"],
            "image_url": picture(row["type_image"], assets_url),
        },
        "name": row["name"],
        "cost": row["cost"],
        "icon_url": picture(row["icon"], assets_url),
        "paper_url": row["paper"] and picture(row["paper"], assets_url),
        "no_eye_url": row["no_eye"] and picture(row["no_eye"], assets_url),
        "is_clearance": bool(row["is_clearance"]),
        "is_coin_code_item": bool(row["is_coin_code_item"]),
        "is_member_item": bool(row["is_member_item"]),
        "has_purchasd": has_purchased,
        "has_purchased": has_purchased,
    }


def purchased_item(row: Row) -> Shape:
    """Shape a purchase, its currency without an icon (docs/connect-your-game.md#purchase)."""
    return {"id": row["id"], "currency": priced_in(row), "name": row["name"], "cost": row["cost"]}


def redeemed_item(row: Row) -> Shape:
    """Shape what a redemption answers (docs/connect-your-game.md#redeem)."""
    return {"id": row["id"], "name": row["name"]}


def priced_in(row: Row) -> Shape:
    """Shape an item's currency (docs/connect-your-game.md#currency)."""
    return {
        "id": row["currency_id"],
        "name": row["currency_name"],
        "singular_name": row["currency_singular_name"],
    }


def picture(place: str, assets_url: str) -> str:
    """Return a picture's absolute address: whole ones as they are, others below the assets."""
    return place if place.startswith(("https://", "http://")) else f"{assets_url}/{place}"
