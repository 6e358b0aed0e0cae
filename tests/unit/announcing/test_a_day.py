"""A day in a catalog where items come, go, return and move, while the game fails now and then."""

import os
import random
from datetime import timedelta

from storage.following import News
from tests.support.announcing import Desk
from tests.support.rogue_shop import item

SEED = int(os.environ.get("KIOSK_SEED") or random.randrange(1 << 32))
LOOKS = 96
# What is away for longer is news when it returns.
A_DAY = timedelta(hours=23)


async def test_in_a_day_of_changes_every_new_item_is_told_once_and_nothing_else(
    desk: Desk,
) -> None:
    chance, shop = random.Random(SEED), desk.shop
    away: list[dict[str, object]] = []
    new: list[int] = []
    for _ in range(LOOKS):
        desk.clock.advance(A_DAY / LOOKS)
        happening = chance.choice(("new", "away", "back", "move", "fail", "nothing"))
        if happening == "new":
            new.append(100 + len(new))
            shop.items.insert(chance.randrange(len(shop.items)), item(new[-1]))
        elif happening == "away" and len(shop.items) > 10:
            away.append(shop.items.pop(chance.randrange(len(shop.items))))
        elif happening == "back" and away:
            shop.items.append(away.pop())
        elif happening == "move":
            chance.shuffle(shop.items)
        shop.fails_every = 3 if happening == "fail" else 0
        await desk.poll()
    shop.fails_every = 0
    shop.items += away
    await desk.poll()

    told = [each for _, events in await desk.owed() for each in events]
    assert sorted(told) == [(number, {News.NEW}) for number in new], f"KIOSK_SEED={SEED}"
