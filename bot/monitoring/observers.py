"""What measures as things happen: the game, and Discord."""

import re
import time
from collections import OrderedDict, deque
from typing import Any

import aiohttp
import discord

from bot.game.errors import GameError
from bot.game.transport import Observer, Request
from bot.kiosk import Kiosk
from bot.monitoring.metrics import Metrics

_ENDPOINT = re.compile(r"/(?:threads|comments|catalogs|items)/\d+(?:/[a-z]+)?(?=\?|$)")
_CALLBACK = re.compile(r"/interactions/(\d+)/[^/]+/callback$")
_INVALID = (401, 403, 429)
_TEN_MINUTES = 600.0
# Of Discord's limit; more need not be told apart.
_MOST_INVALID = 10_000
# Interactions whose first sign is waited for; the oldest never got one.
_MOST_UNANSWERED = 1000


class GameObserver(Observer):
    """Counts requests to the game by their endpoint and outcome."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def on_answer(
        self, request: Request[Any], waited: float, seconds: float, error: GameError | None
    ) -> None:
        """Count a try by what came of it."""
        self._metrics.turn_wait.observe(waited)
        endpoint = _endpoint(request)
        self._metrics.game_requests.labels(endpoint, error.key if error else "ok").inc()
        self._metrics.game_seconds.labels(endpoint).observe(seconds)

    def on_retry(self, request: Request[Any]) -> None:
        """Count it."""
        self._metrics.game_retries.labels(_endpoint(request)).inc()


def _endpoint(request: Request[Any]) -> str:
    found = _ENDPOINT.search(request.path)
    return f"{request.method} {re.sub(r'[0-9]+', '{id}', found[0]) if found else 'other'}"


def _command_of(bot: Kiosk, interaction: discord.Interaction[Any]) -> str:
    """Return what was used, by names of ours alone: what arrives may say anything."""
    if interaction.type in (
        discord.InteractionType.component,
        discord.InteractionType.modal_submit,
    ):
        return f"press {bot.router.name_of(interaction)}"
    name = interaction.command.qualified_name if interaction.command else "unknown"
    is_typing = interaction.type is discord.InteractionType.autocomplete
    return f"suggest {name}" if is_typing else name


class DiscordObserver:
    """Hears of every answer of Discord's HTTP side, and of everything that members use.

    It is made before the bot logs in.
    """

    def __init__(self, metrics: Metrics, bot: Kiosk) -> None:
        self._metrics = metrics
        self._bot = bot
        self._invalid: deque[float] = deque(maxlen=_MOST_INVALID)
        # By the interaction's id: what was used, and when that arrived.
        self._unanswered: OrderedDict[int, tuple[str, float]] = OrderedDict()
        trace = bot.http.http_trace
        assert trace is not None  # noqa: S101 - Kiosk brings one
        trace.on_request_end.append(self._on_answer)
        bot.add_listener(self._on_interaction, "on_interaction")

    def count_invalid(self) -> int:
        """Return how many requests of the last ten minutes Discord counts as invalid."""
        oldest = time.monotonic() - _TEN_MINUTES
        while self._invalid and self._invalid[0] < oldest:
            self._invalid.popleft()
        return len(self._invalid)

    async def _on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        command = _command_of(self._bot, interaction)
        self._metrics.interactions.labels(command).inc()
        self._unanswered[interaction.id] = command, time.perf_counter()
        if len(self._unanswered) > _MOST_UNANSWERED:
            self._unanswered.popitem(last=False)

    async def _on_answer(
        self, _session: object, _context: object, params: aiohttp.TraceRequestEndParams
    ) -> None:
        status = params.response.status
        self._metrics.discord_answers.labels(str(status)).inc()
        is_shared = params.response.headers.get("X-RateLimit-Scope") == "shared"
        if status in _INVALID and not is_shared:
            self._invalid.append(time.monotonic())
        answered = _CALLBACK.search(params.url.path)
        begun = self._unanswered.pop(int(answered[1]), None) if answered else None
        if begun is not None:
            command, arrived_at = begun
            self._metrics.first_sign.labels(command).observe(time.perf_counter() - arrived_at)
