"""How many requests, and how long, it takes to look at 50,000 members for roles."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Finding, Ratio
from tests.support.rogue_game import open_rogue_shop
from tests.support.role_looks import open_role_looks

# How many members the bench checks. Requests and hours grow with their number.
_LOOKED_AT = 200
_MEMBERS = 50_000
_PAGES = 8
_PER_PAGE = 10
_DAY_SECONDS = 24 * 3600.0


def compare(folder: Path) -> Iterator[Finding]:
    """Look at members whose rules name the last item of page 8 of a catalog that is longer."""
    requests, seconds = asyncio.run(_measure(folder))
    of_each = requests / _LOOKED_AT
    days = seconds * _MEMBERS / _LOOKED_AT / _DAY_SECONDS
    what = "requests for the roles of 50,000 members, with the items of the rules on page 8"
    yield Finding(what, "8 a member", Ratio(of_each / _PAGES), at_most=1)
    yield Finding(f"hours for these: {days * 24:.1f}", "a day", Ratio(days), at_most=1)


async def _measure(folder: Path) -> tuple[int, float]:
    place = folder / "role-looks"
    place.mkdir()
    async with open_rogue_shop() as shop, open_role_looks(place, shop.base_url) as looks:
        shop.stock(2 * _PAGES * _PER_PAGE)
        shop.per_page = _PER_PAGE
        await looks.add_rule(1, item_id=_PAGES * _PER_PAGE)
        await looks.add_members(1, range(_LOOKED_AT))
        seconds = await looks.look_at_all()
        return len(shop.asked), seconds
