"""The game that each walk has a copy of: what its ids are, and its people, comments and items."""

from datetime import datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from random import Random

from game_service import admin, comments
from game_service.times import to_microseconds
from storage.database import Transaction, open_database
from tests.support.databases import run_aside

KIOSK_TOKEN = "walk-kiosk"
# Ids are given in this order.
SHORT, LONG, LONGEST, EMPTY = 1, 2, 3, 4
COMMENTS_IN = {SHORT: 3, LONG: 40, LONGEST: 400, EMPTY: 0}
FEW, MANY = 1, 2
ITEMS_IN = {FEW: 7, MANY: 60}
# Who has a token, `walk-<number>`; the first two have subscribed.
NAMES = (
    "Hazel",
    "Тимофей Берёзкин",
    "こんぺいとう🍬",
    "زهرة الليمون",
    "**bold** _under_ `code` ||gone||",
    "<@123456789012345678> @everyone",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "Zażółć gęślą jaźń, Großmeisterin vom Eichelsee " * 5,
)
TOKENS = tuple(f"walk-{number}" for number in range(1, len(NAMES) + 1))
# Who has none, and only writes.
OTHERS = ("Rowan", "[link](https://example.com)", "​", "# Überschrift", "@here", "Ⓡⓞⓦⓐⓝ")
TEXTS = (
    "Hello, everyone!",
    "Кто-нибудь видел мой жёлудь?",
    "池のほとりで見つけました。とてもきれい。",
    "رأيت سنجابًا يبيع القبعات",
    "@everyone <@123456789012345678> <@&42> <#7> </shop:1>",
    "**bold *and* broken __text ||secret",
    "[free coins](https://example.com/coins) and <https://example.com>",
    "```py\nprint('code')\n```\n> a quote\n# A heading\n- a list",
    "🐸🐸🐸 <:frog:1> <t:0:R>",
    "line\n\n\n\n\nline",
    "Toadstool, TOADSTOOL, t o a d s t o o l",
    "Acorn hat for sale, 40 acorns",
    "ĉ́̂̃ẕ̈a̧l̨g̣ȯ ﷽﷽﷽",
    "A very long story. " * 250,
    "1",
)
_ITEM_NAMES = (
    "Acorn Cap",
    "Шапка-ушанка",
    "どんぐりの帽子",
    "قبعة القش",
    "Hat *with* __markup__ @everyone",
    "🎩",
    "A hat with a name that goes on and on " * 6,
    "Acorn Cap",
    "Toadstool Cap",
    "Kapelusz grzybiarza",
    "Sombrero de mañana",
)


async def _fill(address: str, moment: datetime, random: Random) -> None:
    async with (
        open_database(address, admin.MIGRATIONS) as database,
        database.transaction() as transaction,
    ):
        for number, name in enumerate((*NAMES, *OTHERS, "Kiosk")):
            player = await admin.add_player(
                transaction,
                screen_name=name,
                is_subscribed=number < 2,
                park=1 + number % 2,
                balances={"Acorns": 500 * (number % 3), "Gems": 20},
                verified_at=moment if number % 2 else None,
            )
            tokens = (*TOKENS, *[None] * len(OTHERS), KIOSK_TOKEN)
            if (token := tokens[number]) is not None:
                await admin.create_token(transaction, player, token, now=lambda: moment)
        for thread, count in COMMENTS_IN.items():
            await admin.add_thread(transaction, f"Thread {thread}")
            await _fill_thread(transaction, thread, count, moment, random)
        for catalog, count in ITEMS_IN.items():
            await admin.add_catalog(transaction, f"Catalog {catalog}")
            for number, name in enumerate(islice(cycle(_ITEM_NAMES), count)):
                await admin.add_item(
                    transaction,
                    catalog,
                    name=name if number < len(_ITEM_NAMES) else f"{name} {number}",
                    cost=(40, 0, 120, 1, 999_999)[number % 5],
                    currency="Gems" if number % 4 == 3 else "Acorns",
                    item_type=("Hat", "Balloon", "Плащ")[number % 3],
                    is_clearance=number % 6 == 2,
                    is_coin_code_item=number % 7 == 4,
                    is_member_item=number % 5 == 3,
                    parks=((), (1,), (1, 2))[number % 3],
                )


async def _fill_thread(
    transaction: Transaction, thread: int, count: int, moment: datetime, random: Random
) -> None:
    written: list[int] = []
    depths: dict[int, int] = {}
    for number in range(count):
        # One of two answers another, most often one of the newest.
        open_to = [each for each in written[-12:] if depths[each] < comments.DEEPEST]
        parent = random.choice(open_to) if open_to and random.random() < 0.5 else None
        age = timedelta(hours=2 * (count - number))
        row = await comments.add_comment(
            transaction,
            thread,
            1 + random.randrange(len(NAMES) + len(OTHERS)),
            random.choice(TEXTS).strip(),
            created_at=to_microseconds(moment - age),
            parent_id=parent,
        )
        written.append(row["id"])
        depths[row["id"]] = 1 if parent is None else depths[parent] + 1


def fill_game(folder: Path, moment: datetime) -> str:
    """Fill a game whose past ends at a moment; return its address, to be copied for each walk."""
    address = f"sqlite:///{folder / 'filled.db'}"
    run_aside(_fill(address, moment, Random(57)))
    return address
