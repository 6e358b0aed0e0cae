"""Bodies as the game sends them, to be changed by a test that wants them wrong."""

from datetime import UTC, datetime
from typing import Any


def just_now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def player(**changes: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "avatar_url": "https://assets.example/avatars/7.png",
        "is_subscribed": True,
        "screen_name": "Juniper",
        "verified_at": None,
        "inventory": {"id": 9, "pin_item": None},
    } | changes


def written_comment(**changes: Any) -> dict[str, Any]:
    return {
        "id": 31,
        "depth": 1,
        "player": player(),
        "content": "Hello!",
        "created_at": "2024-05-01T10:00:00.123456Z",
    } | changes


def comment(**changes: Any) -> dict[str, Any]:
    return written_comment(children_count=0, children=[]) | changes


def item(**changes: Any) -> dict[str, Any]:
    return {
        "id": 51,
        "currency": {
            "id": 1,
            "name": "Acorns",
            "singular_name": "Acorn",
            "icon_url": "https://assets.example/acorn.png",
        },
        "item_type": {"id": 2, "name": "Hat", "image_url": "https://assets.example/hat.png"},
        "name": "Straw hat",
        "cost": 40,
        "icon_url": "https://assets.example/straw.png",
        "paper_url": None,
        "no_eye_url": None,
        "is_clearance": False,
        "is_member_item": False,
        "has_purchased": False,
    } | changes


def purchase(**changes: Any) -> dict[str, Any]:
    currency = {"id": 1, "name": "Acorns", "singular_name": "Acorn"}
    bought = {"id": 51, "currency": currency, "name": "Straw hat", "cost": 40}
    return {"data": bought | changes}


def page(*entries: object, following: str | None = None, **meta: object) -> dict[str, Any]:
    return {
        "data": list(entries),
        "links": {"first": "https://game.example?page=1", "next": following},
        "meta": {"current_page": 1, "from": 1, "per_page": 15, "to": len(entries)} | meta,
    }
