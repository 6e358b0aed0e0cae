"""Fill an empty database with the demo's world, its times counted back from now."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from game_service import admin
from game_service.comments import MAX_CONTENT_LENGTH, add_comment
from game_service.times import Now, to_microseconds
from storage.database import Database, Transaction

_HERE = Path(__file__).parent
_BETWEEN_REPLIES = 15
# What TOML holds is checked by the tests that read the demo through the interface.
_Table = Mapping[str, Any]


@dataclass
class _Comment:
    """A comment of the demo on its way into the database."""

    written: datetime
    by: str
    text: str
    parent: "_Comment | None"
    id: int = 0


async def add_kiosk(database: Database, token: str, now: Now) -> None:
    """Give Kiosk a player with this token who buys nothing, once, and only in the demo's world."""
    newcomer = _read("players")["sprig"]["token"]
    async with database.transaction() as transaction:
        is_demo = await admin.has_token(transaction, newcomer)
        if is_demo and not await admin.has_token(transaction, token):
            player_id = await admin.add_player(transaction, screen_name="Kiosk", park=1)
            await admin.create_token(transaction, player_id, token, now=now)


async def fill_if_empty(database: Database, now: Now) -> None:
    """Add players with known tokens, threads, catalogs and items, unless anything is there."""
    async with database.transaction() as transaction:
        if not await admin.is_filled(transaction):
            # The shop first: it knows each currency's picture, players only its name.
            await _add_shop(transaction, _read("shop"))
            players = await _add_players(transaction, _read("players"), now)
            await _add_threads(transaction, _read("forum"), players, now())


def _read(name: str) -> _Table:
    return tomllib.loads((_HERE / f"{name}.toml").read_text(encoding="utf-8"))


async def _add_players(transaction: Transaction, players: _Table, now: Now) -> Mapping[str, int]:
    ids: dict[str, int] = {}
    for key, player in players.items():
        days = player.get("verified_days_ago")
        ids[key] = await admin.add_player(
            transaction,
            screen_name=player["screen_name"],
            is_subscribed=player.get("subscribed", False),
            park=player["park"],
            balances=player.get("balances"),
            avatar=f"avatars/{player['avatar']}.png",
            verified_at=None if days is None else now() - timedelta(days=days),
        )
        if "token" in player:
            await admin.create_token(transaction, ids[key], player["token"], now=now)
    return ids


async def _add_threads(
    transaction: Transaction, forum: _Table, players: Mapping[str, int], present: datetime
) -> None:
    for thread in forum["threads"]:
        thread_id = await admin.add_thread(transaction, thread["name"])
        comments = [
            comment
            for entry in thread["comments"]
            for comment in _comments(entry, present - timedelta(hours=entry["hours"]), None)
        ]
        # Ids are to grow with time, as they do where people write.
        for comment in sorted(comments, key=lambda comment: comment.written):
            row = await add_comment(
                transaction,
                thread_id,
                players[comment.by],
                comment.text,
                parent_id=comment.parent.id if comment.parent else None,
                created_at=to_microseconds(comment.written),
            )
            comment.id = row["id"]


def _comments(entry: _Table, written: datetime, parent: _Comment | None) -> Iterator[_Comment]:
    """Yield a comment and those below it, each a while after the one before."""
    text = _long_text(entry["long"]) if "long" in entry else entry["text"].strip()
    comment = _Comment(written, entry["by"], text, parent)
    yield comment
    for reply in entry.get("replies", ()):
        written += timedelta(minutes=reply.get("after", _BETWEEN_REPLIES))
        yield from _comments(reply, written, comment)


def _long_text(title: str) -> str:
    """Write as much as a comment may hold, to the last character."""
    text = f"{title}.\n"
    year = 1
    while len(text) < MAX_CONTENT_LENGTH:
        text += f"\nIn year {year} " + _CHRONICLE[year * 7 % len(_CHRONICLE)]
        year += 1
    return f"{text[: MAX_CONTENT_LENGTH - 1]}…"


_CHRONICLE = (
    "the pond was dug, and the first complaint about its depth was received.",
    "a mill was built. It had no wheel, but everyone was very encouraging.",
    "it rained from spring to spring, and the frogs call it the Good Year.",
    "somebody invented the sandwich, and nobody did anything else until autumn.",
    "the bridge was finished from both ends, a small step apart. We jump.",
    "the owls were asked to keep the records, and so this one begins at night.",
    "a balloon was seen to rise. It has not been seen to do anything since.",
    "the great acorn count was abandoned when the squirrels were hired to help.",
    "nothing happened, which was celebrated with a parade.",
)


async def _add_shop(transaction: Transaction, shop: _Table) -> None:
    for name, currency in shop["currencies"].items():
        await admin.add_currency(
            transaction,
            name,
            singular_name=currency["singular"],
            icon=f"currencies/{currency['picture']}.png",
        )
    for name, item_type in shop["types"].items():
        await admin.add_item_type(transaction, name, image=f"types/{item_type['picture']}.png")
    for catalog in shop["catalogs"]:
        catalog_id = await admin.add_catalog(transaction, catalog["name"])
        for item in catalog["items"]:
            await _add_item(transaction, catalog_id, item, shop["types"][item["type"]])


async def _add_item(
    transaction: Transaction, catalog_id: int, item: _Table, item_type: _Table
) -> None:
    picture = f"items/{item['picture']}"
    await admin.add_item(
        transaction,
        catalog_id,
        name=item["name"],
        cost=item["cost"],
        currency=item.get("currency", "Acorns"),
        item_type=item["type"],
        icon=f"{picture}.png",
        paper=f"{picture}-paper.png" if item_type.get("paper") else None,
        no_eye=f"{picture}-no-eye.png" if item_type.get("no_eye") else None,
        is_clearance=item.get("clearance", False),
        is_coin_code_item=item.get("coin_code", False),
        is_member_item=item.get("member", False),
        parks=item.get("parks", ()),
    )
