"""How long the event loop is blocked while messages for many waiting members are queued.

The process that polls is one of its own (`python -m benchmarks.wishes FOLDER`). Its loop and its
garbage collection are Kiosk's.
"""

import asyncio
import gc
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import uvloop

from benchmarks.measuring import Finding, ratio_of, watching_loop
from benchmarks.processes import told_by
from bot.features.following.comparing import subscription_key
from storage.names import PlaceKind
from storage.subscriptions import NewSubscription, add_subscription
from tests.support.announcing import Desk, open_desk, watch_of
from tests.support.game_samples import comment
from tests.support.rogue_game import RogueShop, open_rogue_shop

_WISHES_OF_ITEMS = 10_000
_MAX_ITEMS_SECONDS = 0.02
_WISHES_OF_WORDS = 1_000
_WORDS_OF_WISH = 3
_MAX_WORDS_SECONDS = 0.1
_COMMENTS = 15
_COMMENT_CHARACTERS = 2_000
_ROUNDS = 3
_LETTERS = "aionstrlmd"
_SEED = 44


def compare(folder: Path) -> Iterator[Finding]:
    """Poll a catalog and a thread in which everything new fits each wish."""
    place = folder / "wishes"
    place.mkdir()
    stops = asyncio.run(told_by("benchmarks.wishes", str(place)))
    items = ratio_of([(stop, _MAX_ITEMS_SECONDS) for stop in stops["items"]])
    announcements = "the loop's longest stop while 10,000 announcements to members are owed"
    yield Finding(announcements, "20 ms", items, at_most=1)
    words = ratio_of([(stop, _MAX_WORDS_SECONDS) for stop in stops["words"]])
    yield Finding("the same at 1,000 wishes of words and 15 comments", "100 ms", words, at_most=1)


async def _measure(folder: Path) -> Mapping[str, list[float]]:
    """Return the longest block of each round, in seconds."""
    stops: dict[str, list[float]] = {"items": [], "words": []}
    for number in range(_ROUNDS):
        for name, measure in (("items", _find_item), ("words", _find_comments)):
            place = folder / f"{name} {number}"
            place.mkdir()
            async with open_rogue_shop() as shop, open_desk(place, shop) as desk:
                stops[name].append(await measure(desk, shop))
    return stops


async def _find_item(desk: Desk, shop: RogueShop) -> float:
    shop.stock(20)
    members = range(1, _WISHES_OF_ITEMS + 1)
    await _wish(desk, (watch_of(member, 1, "en-US", name="hat") for member in members))
    assert await desk.poll()
    shop.stock(21)
    _collect_as_kiosk()
    async with watching_loop() as stops:
        assert await desk.poll()
    await _check(desk, _WISHES_OF_ITEMS)
    return max(stops)


async def _find_comments(desk: Desk, shop: RogueShop) -> float:
    chance = random.Random(_SEED)
    _write_comments(desk, shop, chance)
    wishes = [
        NewSubscription(
            kind=PlaceKind.THREAD,
            place_id=1,
            subject_name=", ".join(["acorn*", *(_word(chance) for _ in range(_WORDS_OF_WISH - 1))]),
            news=frozenset(),
            member_id=member,
            locale="en-US",
            created_by=member,
        )
        for member in range(1, _WISHES_OF_WORDS + 1)
    ]
    await _wish(desk, wishes)
    _collect_as_kiosk()
    async with watching_loop() as stops:
        # The first look also looks for words: a member may have asked after a comment was written.
        assert await desk.poller.poll(PlaceKind.THREAD, 1)
        _write_comments(desk, shop, chance)
        assert await desk.poller.poll(PlaceKind.THREAD, 1)
    await _check(desk, _WISHES_OF_WORDS)
    return max(stops)


async def _wish(desk: Desk, wishes: Iterable[NewSubscription]) -> None:
    async with desk.database.transaction() as transaction:
        for wish in wishes:
            key = subscription_key(wish)
            await add_subscription(transaction, wish, key, desk.clock(), renews=False)


async def _check(desk: Desk, members: int) -> None:
    (row,) = await desk.database.fetch("SELECT COUNT(DISTINCT member_id) AS n FROM messages")
    assert row["n"] == members, f"{row['n']} members are owed a message"


def _write_comments(desk: Desk, shop: RogueShop, chance: random.Random) -> None:
    """Write a page of comments that each contain a word that every member waits for."""
    for _ in range(_COMMENTS):
        number = len(shop.comments) + 1
        text = "Acorns "
        while len(text) < _COMMENT_CHARACTERS:
            text += f"{_word(chance)} "
        moment = desk.clock() + timedelta(seconds=number)
        written = comment(id=number, content=text.strip(), created_at=moment.isoformat())
        shop.comments.insert(0, written)


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(_LETTERS, k=chance.randint(2, 10)))


def _collect_as_kiosk() -> None:
    """Let garbage be collected as in `bot.program.running`."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(runner.run(_measure(Path(sys.argv[1])))))
