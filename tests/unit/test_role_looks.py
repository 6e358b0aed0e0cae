"""Members are looked at for roles with few requests, and at an even pace."""

from collections import Counter
from pathlib import Path

import pytest

from cogs.roles.service import PAGES_PER_SECOND
from tests.support.rogue_game import RogueShop
from tests.support.role_looks import open_role_looks

MEMBERS = range(100, 120)
OTHERS = range(200, 205)


async def test_many_members_are_looked_at_no_further_than_needed_and_five_pages_a_second(
    tmp_path: Path, shop: RogueShop
) -> None:
    shop.per_page = 5
    shop.owned_by = {"token-of-103": {7}}
    async with open_role_looks(tmp_path, shop.base_url) as looks:
        await looks.add_rule(1, item_id=2)
        await looks.add_rule(1, item_id=7)
        await looks.add_rule(2)
        await looks.add_members(1, MEMBERS)
        await looks.add_members(2, OTHERS)

        seconds = await looks.look_at_all()

        given = await looks.wired.database.fetch("SELECT about_member FROM messages")
    # The second of four pages has the last of the items.
    asked = Counter(request.headers["authorization"] for request in shop.asked)
    assert asked == {f"Bearer token-of-{member}": 2 for member in MEMBERS}
    assert {row["about_member"] for row in given} == {103, *OTHERS}
    turns = 2 * len(MEMBERS) + len(OTHERS)
    assert seconds == pytest.approx((turns - 1) / PAGES_PER_SECOND)
