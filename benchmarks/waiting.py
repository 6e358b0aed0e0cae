"""How often the game is asked for members who wait for replies, beside followed threads.

A thousand members wait for replies at three comments each, in fifty threads of a thousand comments.
"""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiohttp import web

from benchmarks.measuring import Finding, Ratio
from bot.features.following.followed_threads import FollowedThreads
from bot.features.following.watching import Watching
from bot.game.models import PageKey
from cogs.replies.service import ReplyService
from storage.member_watches import MemberWatches
from storage.names import PlaceKind
from tests.support.announcing import open_desk, thread_in
from tests.support.game_samples import comment, page
from tests.support.rogue_game import RogueShop

_THREADS = range(1, 51)
_COMMENTS = 1_000
_PER_PAGE = 15
_PAGES = -(-_COMMENTS // _PER_PAGE)
_MEMBERS = 1_000
_WISHES = 3
# Looks at each thread: what is read in turn comes to all pages.
_LOOKS = 20
_START = datetime(2026, 5, 1, tzinfo=UTC)
_SEED = 44


def compare(folder: Path) -> Iterator[Finding]:
    """Look at threads in which members wait, and at as many that channels follow."""
    place = folder / "waiting"
    place.mkdir()
    waiting, followed = asyncio.run(_measure(place))
    what = "requests an hour for 1,000 members who wait for replies at 3 comments each"
    yield Finding(what, "those for 50 followed threads", Ratio(waiting / followed), at_most=1)


async def _measure(folder: Path) -> tuple[int, int]:
    """Return how many requests the same looks need for members, and for channels."""
    async with _serve_threads() as (base_url, asked):
        shop = RogueShop()
        shop.base_url = base_url
        counts: list[int] = []
        for name in ("members", "channels"):
            (folder / name).mkdir()
            async with open_desk(folder / name, shop) as desk:
                watching = Watching(
                    desk.accounts,
                    MemberWatches(desk.database),
                    desk.outbox,
                    desk.poller,
                    desk.views,
                    desk.clock,
                )
                threads = FollowedThreads(
                    desk.following,
                    desk.subscribed,
                    desk.deliveries,
                    desk.outbox,
                    desk.poller,
                    desk.clock,
                )
                if name == "members":
                    await _wait_for_replies(watching)
                else:
                    for thread_id in _THREADS:
                        await threads.follow(thread_in(1, thread_id, 0, thread_id))
                for thread_id in _THREADS:
                    # The first look is another one.
                    assert await desk.poller.poll(PlaceKind.THREAD, thread_id)
                before = len(asked)
                for _ in range(_LOOKS):
                    for thread_id in _THREADS:
                        assert await desk.poller.poll(PlaceKind.THREAD, thread_id)
                counts.append(len(asked) - before)
    return counts[0], counts[1]


async def _wait_for_replies(watching: Watching) -> None:
    service = ReplyService(watching.poller.client, watching.accounts, watching)
    chance = random.Random(_SEED)
    for member_id in range(1, _MEMBERS + 1):
        for _ in range(_WISHES):
            near = PageKey(chance.choice(_THREADS), page=chance.randint(1, _PAGES))
            listed = await watching.poller.client.list_comments(
                near.thread_id, page=near.page, max_age=float("inf")
            )
            own = chance.choice(listed.entries)
            await service.watch_replies(member_id, near, [own], None, "en-US")


@asynccontextmanager
async def _serve_threads() -> AsyncGenerator[tuple[str, list[int]]]:
    """Serve threads of a thousand comments, newest first. Give the pages that are asked for."""
    asked: list[int] = []

    async def serve(request: web.Request) -> web.Response:
        number = int(request.query.get("page", "1"))
        asked.append(number)
        thread_id = int(request.match_info["thread"])
        newest = _COMMENTS - (number - 1) * _PER_PAGE
        entries = [
            comment(
                id=thread_id * 10_000 + nth,
                created_at=(_START + timedelta(minutes=nth)).isoformat(),
            )
            for nth in range(newest, max(newest - _PER_PAGE, 0), -1)
        ]
        following = f"?page={number + 1}" if number < _PAGES else None
        body = page(*entries, following=following, current_page=number)
        return web.Response(body=json.dumps(body), content_type="application/json")

    app = web.Application()
    app.router.add_get("/api/threads/{thread}/comments", serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api", asked
    finally:
        await runner.cleanup()
