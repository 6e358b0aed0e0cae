"""What announcing costs: ten thousand deliveries at Discord's limits.

The stand-in for Discord and the game are here. Each side delivers in its own process (`python -m
benchmarks.announcing ours FOLDER`), which prints what each part took. The processor's time is
compared with that of a plain loop, on as many channels on both sides.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from discord.http import HTTPClient, Route, handle_message_parameters
from msgspec.structs import replace

from benchmarks.measuring import Finding, Ratio, ratio_of
from benchmarks.processes import told_by
from bot.app import open_bot
from bot.features.following.announcing import sample
from bot.program.kiosk import Kiosk
from bot.rest import Rest
from bot.settings import load_settings
from bot.ui.messages.kinds import Transaction
from bot.ui.messages.requests import tracing
from bot.ui.messages.verdicts import Settled
from cogs.announce.announcement_messages import AnnouncementKind, announcement
from storage import MIGRATIONS
from storage.database import open_database
from storage.messages import Message
from storage.names import PlaceKind
from storage.subscriptions import News, NewSubscription
from tests.support.discord_standin import open_discord
from tests.support.rogue_game import open_rogue_shop
from tests.support.world import KEY

_ROUNDS = 4
_SERVERS = 500
_DELIVERIES = 10_000
# How many a plain loop sends in reasonable time.
_BESIDE_PLAIN = 900
_RATE = 45
_MEMBER = 4242

# What each round took, in seconds of the clock and of the processor.
Rounds = list[tuple[float, float]]


def compare(folder: Path) -> Iterator[Finding]:
    """Deliver, and deliver plainly."""
    ours, refused = asyncio.run(_deliveries("ours", folder, _DELIVERIES))
    allowed = _DELIVERIES / _RATE
    spread = ratio_of([(seconds, allowed / _ROUNDS) for seconds, _ in ours]).spread
    yield Finding(
        "10,000 announcements in 10,000 channels",
        f"the {allowed:.0f} s that {_RATE} a second allow",
        Ratio(sum(seconds for seconds, _ in ours) / allowed, spread),
        at_most=1.05,
    )
    yield Finding("announcements that met a limit", "one", Ratio(refused), at_most=0)
    few, _ = asyncio.run(_deliveries("ours", folder, _BESIDE_PLAIN))
    plain, _ = asyncio.run(_deliveries("plain", folder, _BESIDE_PLAIN))
    costs = [(processor, theirs) for (_, processor), (_, theirs) in zip(few, plain, strict=True)]
    yield Finding(
        "processor time of an announcement, 900 of them",
        "a message of a plain discord.py loop",
        ratio_of(costs),
        at_most=1.7,
    )


async def _deliveries(role: str, folder: Path, count: int) -> tuple[Rounds, int]:
    """Return what each round took, and how many requests met a limit."""
    place = folder / f"{role}-{count}"
    place.mkdir()
    async with open_rogue_shop() as shop, open_discord() as discord:
        shop.stock(20)
        if role == "plain":
            # A plain loop has nothing to keep it within the limits.
            discord.state.limits.in_a_second = count
        channels = [discord.state.add_channel() for _ in range(count)]
        (place / "channels.json").write_text(json.dumps(channels), "utf-8")
        environment = {
            "STANDIN_API": discord.state.api_url,
            "DISCORD_TOKEN": discord.state.token,
            "DATABASE_URL": f"sqlite:///{place / 'kiosk.db'}",
            "KIOSK_KEYS": KEY,
            "GAME_BASE_URL": shop.base_url,
            "GAME_TOKEN": "the-operators",
        }
        rounds = await told_by("benchmarks.announcing", role, str(place), environment=environment)
        heard = [message.channel_id for message in discord.state.messages]
        assert sorted(heard) == sorted(channels), "a channel has not exactly one message"
        return rounds, discord.state.limits.invalid


class _Rounds:
    """Measures the time of each part of the deliveries."""

    def __init__(self, deliveries: int) -> None:
        self._in_each = deliveries // _ROUNDS
        self._delivered = 0
        self._begun = time.perf_counter(), time.process_time()
        self.taken: Rounds = []
        self.are_over = asyncio.Event()

    def count(self) -> None:
        """Count one more delivery."""
        self._delivered += 1
        if self._delivered % self._in_each == 0:
            now = time.perf_counter(), time.process_time()
            self.taken.append((now[0] - self._begun[0], now[1] - self._begun[1]))
            self._begun = now
        if len(self.taken) == _ROUNDS:
            self.are_over.set()


class _Counted(AnnouncementKind):
    """Announcements that are counted once they are settled."""

    def __init__(self, bot: Kiosk, rounds: _Rounds) -> None:
        super().__init__(bot.features)
        self._rounds = rounds

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        await super().on_settled(transaction, message, verdict)
        transaction.on_commit.append(self._rounds.count)


async def _deliver(channels: Sequence[int]) -> Rounds:
    """Announce one new item to all channels."""
    async with open_bot(load_settings()) as bot, _discord() as http:
        announcing = bot.features.announcing
        for number, channel in enumerate(channels):
            wanted = frozenset({News.NEW})
            await announcing.add(
                NewSubscription(
                    guild_id=number % _SERVERS + 1,
                    channel_id=channel,
                    channel_kind=0,
                    place_id=1,
                    news=wanted,
                    locale="en-US",
                    created_by=_MEMBER,
                )
            )
        await announcing.poller.poll(PlaceKind.CATALOG, 1)
        await _let_something_be_new()
        rounds = _Rounds(len(channels))
        bot.dispatcher.add(_Counted(bot, rounds))
        await announcing.poller.poll(PlaceKind.CATALOG, 1)
        running = asyncio.create_task(bot.dispatcher.run(http, Rest(bot.clock)))
        await rounds.are_over.wait()
        running.cancel()
        return rounds.taken


async def _let_something_be_new() -> None:
    """Forget one item, so that the next look finds it new."""
    async with open_database(os.environ["DATABASE_URL"], MIGRATIONS) as database:
        await database.execute("DELETE FROM seen WHERE subject_id = 7")
        await database.execute("UPDATE followed SET version = version + 1")


async def _deliver_plainly(channels: Sequence[int]) -> Rounds:
    """Send the same card to all channels, 45 a second, and nothing else."""
    async with open_bot(load_settings()) as bot, _discord() as http:
        announcing = bot.features.announcing
        items = await bot.features.own_account.items(1, whole=False)
        new = NewSubscription(
            guild_id=1,
            channel_id=channels[0],
            channel_kind=0,
            place_id=1,
            news=frozenset({News.NEW}),
            locale="en-US",
            created_by=_MEMBER,
        )
        subscription = await announcing.add(new)
        place = await bot.features.directory.place(1, PlaceKind.CATALOG, 1)
        event = sample(subscription, items, announcing.now())
        assert event is not None
        rounds = _Rounds(len(channels))
        begun = time.perf_counter()

        async def send(channel: int) -> None:
            card = announcement([replace(event, id=channel)], place)
            payload = handle_message_parameters(view=card).payload
            route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
            await http.request(route, json=payload)
            rounds.count()

        async with asyncio.TaskGroup() as tasks:
            for number, channel in enumerate(channels):
                await asyncio.sleep(begun + number / _RATE - time.perf_counter())
                tasks.create_task(send(channel))
        return rounds.taken


@asynccontextmanager
async def _discord() -> AsyncGenerator[HTTPClient]:
    Route.BASE = os.environ["STANDIN_API"]
    http = HTTPClient(asyncio.get_running_loop(), http_trace=tracing())
    await http.static_login(os.environ["DISCORD_TOKEN"])
    try:
        yield http
    finally:
        await http.close()


_ROLES = {"ours": _deliver, "plain": _deliver_plainly}

if __name__ == "__main__":
    _told = (Path(sys.argv[2]) / "channels.json").read_text("utf-8")
    print(json.dumps(asyncio.run(_ROLES[sys.argv[1]](json.loads(_told)))))
