"""The JSON shapes of what the service answers (Interface 2)."""

from game_service.times import timestamp
from storage.database import Row

Shape = dict[str, object]


def listed_comment(row: Row, assets_url: str, children: list[Shape]) -> Shape:
    """Shape a comment as lists carry it (Interface 2.1, rule 1)."""
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
    """Shape a comment as create and update answer it (Interface 2.1, rule 2)."""
    return {
        "id": row["id"],
        "depth": row["depth"],
        "player": comment_player(row, assets_url),
        "content": row["content"],
        "created_at": timestamp(row["created_at"]),
    }


def comment_player(row: Row, assets_url: str) -> Shape:
    """Shape the player inside a comment (Interface 2.2)."""
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
    """Shape an item as the catalog lists it, with both spellings of the flag (Interface 2.3)."""
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
    """Shape what a purchase answers, its currency without an icon (Interface 4.6)."""
    return {"id": row["id"], "currency": priced_in(row), "name": row["name"], "cost": row["cost"]}


def redeemed_item(row: Row) -> Shape:
    """Shape what a redemption answers (Interface 4.7)."""
    return {"id": row["id"], "name": row["name"]}


def priced_in(row: Row) -> Shape:
    """Shape an item's currency (Interface 2.4)."""
    return {
        "id": row["currency_id"],
        "name": row["currency_name"],
        "singular_name": row["currency_singular_name"],
    }


def picture(place: str, assets_url: str) -> str:
    """Give a picture's absolute address: a whole one as it is, else below the assets address."""
    return place if place.startswith(("https://", "http://")) else f"{assets_url}/{place}"
