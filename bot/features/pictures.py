"""The game's pictures that cards show as emojis, and those still to be uploaded."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NoReturn

from bot.background import BackgroundTasks
from bot.cache import SHARED_LIFETIME
from bot.game.models import Item
from storage.errors import DatabaseError
from storage.installation import Emojis

log = logging.getLogger(__name__)


class Pictures:
    """The emojis of currencies and types: `shown` has their text by key, changed in place."""

    def __init__(
        self, emojis: Emojis, tasks: BackgroundTasks, clock: Callable[[], datetime]
    ) -> None:
        self._emojis = emojis
        self._tasks = tasks
        self._clock = clock
        self._noted: set[tuple[str, str]] = set()
        self.shown: dict[str, str] = {}

    def note(self, items: Iterable[Item]) -> None:
        """Have the pictures of these items made emojis, in the background."""
        urls: dict[str, str] = {}
        for item in items:
            pictured = (
                (f"currency {item.currency.id}", item.currency.icon_url),
                (f"type {item.item_type.id}", item.item_type.image_url),
            )
            urls |= {key: url for key, url in pictured if url and (key, url) not in self._noted}
        if urls:
            self._noted |= set(urls.items())
            self._tasks.start(self._keep(urls))

    async def forget(self) -> None:
        """Forget every emoji, as those of another bot; each is made anew when next it is seen."""
        await self._emojis.forget_made()

    async def keep_fresh(self) -> NoReturn:
        while True:
            await self.refresh()
            await asyncio.sleep(SHARED_LIFETIME)

    async def refresh(self) -> None:
        try:
            made = await self._emojis.made()
        except DatabaseError as error:
            log.info("the emojis can't be read now: %s", error)
            return
        self.shown.clear()
        self.shown.update((key, f"<:{name}:{emoji_id}>") for key, (name, emoji_id) in made.items())

    async def _keep(self, urls: dict[str, str]) -> None:
        try:
            await self._emojis.note(urls, self._clock())
        except DatabaseError as error:
            self._noted -= set(urls.items())
            log.warning("pictures can't be noted now: %s", error)
