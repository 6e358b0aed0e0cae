"""The numbers that Prometheus collects; no label names a member, a server or anything of theirs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
)
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from bot import __version__
from bot.cache import TtlCache
from storage.installation import Numbers
from storage.messages import Waiting

# Discord waits three seconds for a first sign.
_FIRST_SIGN = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0)
_REQUEST = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
# Of the followed catalogs: so many that were not read for longest.
_MOST_CATALOGS = 10


class Metrics:
    """Every instrument, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(name, text, labels, registry=registry)

        def gauge(name: str, text: str, *labels: str) -> Gauge:
            return Gauge(name, text, labels, registry=registry)

        def histogram(name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
            return Histogram(name, text, labels, buckets=buckets, registry=registry)

        gauge("kiosk_build_info", "The version that runs.", "version").labels(__version__).set(1)
        self.interactions = counter(
            "kiosk_interactions_total", "What members used, as it arrived.", "command"
        )
        self.first_sign = histogram(
            "kiosk_first_sign_seconds",
            "From the arrival of what a member used to the first sign that Discord took.",
            _FIRST_SIGN,
            "command",
        )
        self.game_requests = counter(
            "kiosk_game_requests_total", "Tries of requests to the game.", "endpoint", "outcome"
        )
        self.game_seconds = histogram(
            "kiosk_game_request_seconds", "How long a try took.", _REQUEST, "endpoint"
        )
        self.game_retries = counter(
            "kiosk_game_retries_total", "Reads that were asked for again.", "endpoint"
        )
        self.turn_wait = histogram(
            "kiosk_game_turn_wait_seconds", "How long a request waited for its turn.", _REQUEST
        )
        self.database_seconds = histogram(
            "kiosk_database_seconds", "How long the database took.", _SHORT, "operation"
        )
        self.database_up = gauge(
            "kiosk_database_up",
            "1 where the database answered when these were collected, and takes in what is new.",
        )
        self.loop_delay = histogram(
            "kiosk_loop_delay_seconds", "How much later than due a timer came.", _SHORT
        )
        self.discord_answers = counter(
            "kiosk_discord_answers_total", "Answers of Discord's HTTP side.", "status"
        )
        self.invalid_requests = gauge(
            "kiosk_discord_invalid_requests",
            "Of the last ten minutes; Discord bans the address at 10,000.",
        )
        self.identifies_left = gauge("kiosk_identifies_left", "Of the day's, as Discord last said.")
        self.shards = gauge("kiosk_shards", "Shards of this process.", "state")
        self.worker = gauge("kiosk_worker_active", "1 where this process is the active worker.")
        self._orders = gauge("kiosk_orders", "Orders of the last day, and those open.", "state")
        self._waiting = gauge("kiosk_waiting", "What waits to be settled or sent.", "what")
        self._oldest = gauge(
            "kiosk_waiting_oldest_age_seconds", "Since when the oldest of it waits.", "what"
        )
        self._catalogs = gauge("kiosk_catalogs_followed", "Catalogs that are polled.")
        self._polls = gauge(
            "kiosk_catalog_last_good_poll_age_seconds",
            "Of the catalogs that were not read for longest, the worst first.",
            "rank",
        )

    def set_numbers(self, numbers: Numbers, now: datetime) -> None:
        """Take over what the database says is under way."""
        self._orders.clear()
        for state, count in numbers.orders.items():
            self._orders.labels(state).set(count)
        self._set_waiting("open orders", numbers.open_orders, now)
        self._set_waiting("texts", numbers.texts, now)
        self._set_waiting("outbox", numbers.outbox, now)

    def set_polls(self, read_at: Sequence[datetime], now: datetime) -> None:
        """Take over when each followed catalog was last read."""
        self._catalogs.set(len(read_at))
        self._polls.clear()
        for rank, moment in enumerate(sorted(read_at)[:_MOST_CATALOGS], start=1):
            self._polls.labels(str(rank)).set((now - moment).total_seconds())

    def _set_waiting(self, what: str, waiting: Waiting, now: datetime) -> None:
        age = (now - waiting.oldest).total_seconds() if waiting.oldest else 0.0
        self._waiting.labels(what).set(waiting.count)
        self._oldest.labels(what).set(max(age, 0.0))


class CacheCollector(Collector):
    """How often what was asked for was at hand, as each cache counts it for itself."""

    def __init__(self, caches: Mapping[str, TtlCache[Any, Any]]) -> None:
        self._caches = caches

    def collect(self) -> Sequence[CounterMetricFamily]:
        """Return the counts as they are now."""
        family = CounterMetricFamily(
            "kiosk_cache_reads", "What was asked of a cache.", labels=("cache", "result")
        )
        for name, cache in self._caches.items():
            family.add_metric([name, "hit"], cache.hits)
            family.add_metric([name, "miss"], cache.misses)
        return [family]
