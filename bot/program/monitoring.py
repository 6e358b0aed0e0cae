"""The port on loopback: signs of life and /metrics, and what measures for it."""

import asyncio
import logging
import re
import time
from collections import OrderedDict, abc, deque
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any

import aiohttp
import discord
import prometheus_client
from aiohttp import web

from bot import __version__
from bot.game.game_client import GameClient
from bot.game.game_errors import GameError
from bot.game.transport import Request
from bot.program import backups, health, status
from bot.program.checking import endpoint
from bot.program.kiosk import Kiosk
from bot.program.needs import MONITORING_HOST
from bot.ui.messages.requests import counts_as_invalid
from bot.ui.router import PRESSES
from storage.database import Database
from storage.database.aside import is_aside
from storage.installation import PendingCounts
from storage.storage_errors import DatabaseError

log = logging.getLogger(__name__)

# Discord waits three seconds for a first sign.
_FIRST_SIGN = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0)
_REQUEST = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
# In seconds. Prometheus waits ten for the whole page.
_DATABASE_PATIENCE = 3.0
# How many followed catalogs are listed: those that weren't read for longest.
_MAX_CATALOGS = 10
_ENDPOINT = re.compile(r"/(?:threads|comments|catalogs|items)/\d+(?:/[a-z]+)?(?=\?|$)")
_CALLBACK = re.compile(r"/interactions/(\d+)/[^/]+/callback$")
_TEN_MINUTES = 600.0
# Discord's limit: higher numbers make no difference.
_MAX_INVALID = 10_000
# Interactions whose first sign is waited for. The oldest never got one.
_MAX_UNANSWERED = 1000


class Metrics:
    """Every instrument, in a registry of its own. No label names a member or a server."""

    def __init__(self) -> None:
        self.registry = registry = prometheus_client.CollectorRegistry()
        prometheus_client.ProcessCollector(registry=registry)
        counter = partial(prometheus_client.Counter, registry=registry)
        gauge = partial(prometheus_client.Gauge, registry=registry)
        histogram = partial(prometheus_client.Histogram, registry=registry)
        gauge("kiosk_build_info", "The running version.", ("version",)).labels(__version__).set(1)
        self.interactions = counter(
            "kiosk_interactions_total", "Interactions that arrived, by command.", ("command",)
        )
        self.uses = counter(
            "kiosk_uses_total",
            "All interactions together. Starts at 0, so that Prometheus sees the first one.",
        )
        self.endpoint_wrong = gauge(
            "kiosk_endpoint_wrong",
            "1 if the address that Discord posts to doesn't lead to this Kiosk.",
        )
        self.refused = counter(
            "kiosk_interactions_refused_total",
            "Refused requests and connections at INTERACTIONS_PORT.",
            ("reason",),
        )
        self.first_sign = histogram(
            "kiosk_first_sign_seconds",
            "Time from an interaction's arrival to the first response that Discord accepted.",
            ("command",),
            buckets=_FIRST_SIGN,
        )
        self.game_requests = counter(
            "kiosk_game_requests_total", "Attempted requests to the game.", ("endpoint", "outcome")
        )
        self.game_seconds = histogram(
            "kiosk_game_request_seconds", "How long each took.", ("endpoint",), buckets=_REQUEST
        )
        self.turn_wait = histogram(
            "kiosk_game_turn_wait_seconds",
            "How long a request waited for its turn.",
            buckets=_REQUEST,
        )
        self.database_seconds = histogram(
            "kiosk_database_seconds", "How long the database took.", ("operation",), buckets=_SHORT
        )
        self.database_up = gauge(
            "kiosk_database_up", "1 if the database answers and can be written."
        )
        self.loop_delay = histogram(
            "kiosk_loop_delay_seconds", "How late the event loop's timer fired.", buckets=_SHORT
        )
        self.discord_answers = counter(
            "kiosk_discord_answers_total", "Discord's answers to HTTP requests.", ("status",)
        )
        self.invalid_requests = gauge(
            "kiosk_discord_invalid_requests",
            "Invalid requests in the last ten minutes. Discord bans the address at 10,000.",
        )
        self.connected = gauge(
            "kiosk_connected",
            "1 if this process gets the interactions of every server and, over HTTP, can answer.",
        )
        self.worker = gauge("kiosk_worker_active", "1 if this process is the active worker.")
        self.backup_failed = gauge(
            "kiosk_backup_failed",
            "1 if the active worker couldn't make today's backup in BACKUP_DIR.",
        )
        self.orders = gauge("kiosk_orders", "Orders of the last day, and open orders.", ("state",))
        self.waiting = gauge("kiosk_waiting", "Items waiting to be settled or sent.", ("what",))
        self.oldest = gauge(
            "kiosk_waiting_oldest_age_seconds", "How long the oldest item has waited.", ("what",)
        )
        self.polls = gauge(
            "kiosk_catalog_last_good_poll_age_seconds",
            "Time since the last good reading, the oldest catalogs first.",
            ("rank",),
        )


@asynccontextmanager
async def serve(
    port: int, bot: Kiosk, client: GameClient, database: Database
) -> abc.AsyncGenerator[None]:
    """Measure a bot that hasn't logged in, and serve its metrics. Raises SettingsError."""
    metrics = Metrics()
    database.time_read = metrics.database_seconds.labels("read").time
    database.time_transaction = metrics.database_seconds.labels("transaction").time
    monitor = _Monitor(metrics, bot)
    client.observers.append(monitor.on_answer)
    assert bot.http.http_trace is not None  # noqa: S101 - Kiosk brings one
    bot.http.http_trace.on_request_end.append(monitor.on_discord_answer)
    bot.add_listener(monitor.on_interaction)
    app = web.Application()
    signs = health.Health(bot)
    bot.tasks.start(signs.watch_loop(metrics.loop_delay.observe))
    app.router.add_get("/metrics", monitor.show_metrics)
    app.router.add_get("/livez", signs.livez)
    app.router.add_get("/readyz", signs.readyz)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=health.SECONDS_TO_CLOSE)
    async with health.serving(runner, "MONITORING_PORT", MONITORING_HOST, port):
        host, port = runner.addresses[0][:2]
        log.info("Monitoring at http://%s:%s/readyz and /metrics", host, port)
        yield


class _Monitor:
    def __init__(self, metrics: Metrics, bot: Kiosk) -> None:
        self._metrics = metrics
        self._bot = bot
        # When Discord's answers came that it counts as invalid.
        self._invalid: deque[float] = deque(maxlen=_MAX_INVALID)
        # By the interaction's id: what was used, and when that arrived.
        self._unanswered: OrderedDict[int, tuple[str, float]] = OrderedDict()
        # How much of what was refused is measured, by the reason.
        self._refused: dict[str, int] = {}

    def on_answer(
        self, request: Request[Any], waited: float, seconds: float, error: GameError | None
    ) -> None:
        self._metrics.turn_wait.observe(waited)
        found = _ENDPOINT.search(request.path)
        endpoint = f"{request.method} {re.sub(r'[0-9]+', '{id}', found[0]) if found else 'other'}"
        self._metrics.game_requests.labels(endpoint, type(error).__name__ if error else "ok").inc()
        self._metrics.game_seconds.labels(endpoint).observe(seconds)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        # By names of ours alone: what arrives may say anything.
        used = interaction.command.qualified_name if interaction.command else "unknown"
        if interaction.type in PRESSES:
            used = f"press {self._bot.router.name_of(interaction)}"
        elif interaction.type is discord.InteractionType.autocomplete:
            used = f"suggest {used}"
        self._metrics.interactions.labels(used).inc()
        self._metrics.uses.inc()
        self._unanswered[interaction.id] = used, time.perf_counter()
        if len(self._unanswered) > _MAX_UNANSWERED:
            self._unanswered.popitem(last=False)

    async def on_discord_answer(
        self, _session: object, _context: object, params: aiohttp.TraceRequestEndParams
    ) -> None:
        self._metrics.discord_answers.labels(str(params.response.status)).inc()
        if counts_as_invalid(params.response):
            self._invalid.append(time.monotonic())
        answered = _CALLBACK.search(params.url.path)
        begun = self._unanswered.pop(int(answered[1]), None) if answered else None
        if begun is not None:
            used, arrived_at = begun
            self._metrics.first_sign.labels(used).observe(time.perf_counter() - arrived_at)

    async def show_metrics(self, _request: web.Request) -> web.Response:
        """Give everything to Prometheus, or without the database, what is known without it."""
        is_aside.set(True)
        bot = self._bot
        metrics = self._metrics
        now = bot.now()
        metrics.connected.set(bot.gateway_state() is status.GatewayState.CONNECTED)
        metrics.worker.set(bot.worker.is_active)
        metrics.endpoint_wrong.set(endpoint.SETTING in bot.faults)
        for reason, count in bot.refused.items():
            metrics.refused.labels(reason).inc(count - self._refused.get(reason, 0))
            self._refused[reason] = count
        metrics.backup_failed.set(backups.SETTING in bot.faults)
        oldest = time.monotonic() - _TEN_MINUTES
        metrics.invalid_requests.set(sum(at >= oldest for at in self._invalid))
        if not bot.worker.is_active:
            # Another process tells what this one saw while it was the worker.
            _set_polls(metrics, (), now)
        try:
            async with asyncio.timeout(_DATABASE_PATIENCE):
                _set_numbers(metrics, await bot.features.installation.count(now), now)
                if bot.worker.is_active:
                    read_at = await bot.features.poller.last_catalog_reads(_MAX_CATALOGS)
                    _set_polls(metrics, read_at, now)
            metrics.database_up.set(bot.claims.is_alive)
        except (DatabaseError, TimeoutError):
            metrics.database_up.set(0)
        page = prometheus_client.generate_latest(metrics.registry)
        return web.Response(
            body=page, headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST}
        )


def _set_numbers(metrics: Metrics, numbers: PendingCounts, now: datetime) -> None:
    metrics.orders.clear()
    for state, count in numbers.orders.items():
        metrics.orders.labels(state).set(count)
    for what, waiting in (
        ("open orders", numbers.open_orders),
        ("texts", numbers.texts),
        ("outbox", numbers.outbox),
    ):
        age = (now - waiting.oldest).total_seconds() if waiting.oldest else 0.0
        metrics.waiting.labels(what).set(waiting.count)
        metrics.oldest.labels(what).set(max(age, 0.0))


def _set_polls(metrics: Metrics, read_at: abc.Sequence[datetime], now: datetime) -> None:
    metrics.polls.clear()
    for rank, moment in enumerate(read_at, start=1):
        metrics.polls.labels(str(rank)).set((now - moment).total_seconds())
