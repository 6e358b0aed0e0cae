"""Kept pages match what would be read, no matter how much is written, or by which writer."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import orjson
import pytest

from game_service import admin, comments
from game_service.anchors import Anchors, Sort
from game_service.answers import Answers
from game_service.auth import Player
from game_service.comment_pages import CommentPages
from game_service.pagination import PER_PAGE, PageRequest
from storage.database import Database, open_database
from tests.support.databases import empty_at, run_beside

PLAYER = Player(id=1, is_subscribed=True, park=1)
THREADS = (1, 2)
ORDERS = {Sort.LATEST: "id DESC", Sort.HOTTEST: "score DESC, id DESC"}


@dataclass
class Forum:
    """One service that keeps what it can, beside one that has just begun."""

    address: str
    database: Database
    answers: Answers
    pages: CommentPages

    async def kept(self, thread: int, sort: Sort, page: int) -> bytes:
        async def make() -> bytes:
            return await self.pages.page(thread, sort, request(page), "http://here")

        return await self.answers.get(thread, f"{thread} {sort} {page}", make)

    async def new(self, thread: int, sort: Sort, page: int) -> bytes:
        anew = CommentPages(self.database)
        return await anew.page(thread, sort, request(page), "http://here")

    def counted(self, thread: int, sort: Sort, page: int) -> list[int]:
        rows = run_beside(
            self.address,
            "SELECT id FROM comments WHERE thread_id = :thread AND parent_id IS NULL"
            f" ORDER BY {ORDERS[sort]} LIMIT {PER_PAGE} OFFSET {(page - 1) * PER_PAGE}",
            thread=thread,
        )
        return [comment for (comment,) in rows]

    async def write(self, random: Random) -> None:
        """Do what players do, or what someone does who has the same database open."""
        rows = await self.database.fetch("SELECT id, thread_id FROM comments ORDER BY id")
        some = random.choice(rows)
        change = random.randrange(8)
        if change == 6:
            run_beside(
                self.address, "UPDATE players SET screen_name = :name", name=f"{random.random()}"
            )
        elif change == 7:
            run_beside(
                self.address,
                "UPDATE comments SET score = score + :more WHERE id = :id",
                more=random.uniform(-9, 9),
                id=some["id"],
            )
        else:
            async with self.database.transaction() as transaction:
                if change == 0:
                    await comments.delete_comment(transaction, some["id"], PLAYER)
                elif change == 1:
                    await comments.edit_comment(transaction, some["id"], PLAYER, "Edited.")
                else:
                    parent = some["id"] if change > 3 else None
                    await comments.add_comment(
                        transaction,
                        some["thread_id"],
                        1,
                        "Written.",
                        created_at=100,
                        parent_id=parent,
                    )


def request(page: int) -> PageRequest:
    return PageRequest(page, "http://here/comments", "")


@pytest.fixture
async def forum(on_both_engines: None, tmp_path: Path) -> AsyncGenerator[Forum]:
    address = empty_at(tmp_path / "game.db")
    async with open_database(address, admin.MIGRATIONS) as database:
        await admin.add_player(database, screen_name="Bo")
        async with database.transaction() as transaction:
            for _ in THREADS:
                thread = await admin.add_thread(transaction, "A thread")
                for number in range(100):
                    await comments.add_comment(
                        transaction, thread, 1, f"{number}", created_at=number
                    )
        pages = CommentPages(database, Anchors(database, step=8))
        yield Forum(address, database, Answers(database), pages)


async def test_every_page_is_the_one_that_a_new_service_would_read(forum: Forum) -> None:
    random = Random(13)
    for _ in range(30):
        await forum.write(random)
        for _ in range(3):
            where = random.choice(THREADS), random.choice(list(Sort)), random.randint(1, 8)
            kept = await forum.kept(*where)
            assert kept == await forum.new(*where)
            assert [entry["id"] for entry in orjson.loads(kept)["data"]] == forum.counted(*where)


async def test_what_is_kept_stays_within_its_bytes(forum: Forum) -> None:
    answers = Answers(forum.database, most_bytes=10_000)
    made: list[str] = []

    async def page(name: str) -> None:
        async def make() -> bytes:
            made.append(name)
            return b" " * 4_000

        await answers.get(1, name, make)

    for name in ("a", "b", "a", "c", "a", "b"):
        await page(name)
    assert made == ["a", "b", "c", "b"]
