"""The demo game, until the simulated one stands."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from game_service.app import Service
from tests.support.clock import SteppedClock


@dataclass
class Demo:
    service: Service
    clock: SteppedClock = field(
        default_factory=lambda: SteppedClock(datetime(2027, 3, 1, tzinfo=UTC))
    )
    tokens: tuple[str, ...] = ("demo-subscriber", "demo-visitor", "demo-newcomer")
    thread_ids: tuple[int, ...] = (1, 2, 3)
    catalog_ids: tuple[int, ...] = (1, 2)
    is_busy: bool = False

    @property
    def base_url(self) -> str:
        return self.service.base_url
