"""Kiosk's own account in the game, which reads catalogs without a member's request."""

import asyncio
import contextlib
import dataclasses
import datetime as dt
from collections import abc
from functools import partial

from msgspec import Struct
from pydantic import SecretStr

from bot.clock import Clock
from bot.features import feature_errors
from bot.features.reading.catalogs import read_catalog
from bot.game import game_client, game_errors, models
from bot.game.reading import read_page
from bot.rest import Rest

# How long a page waits at most while the game limits requests.
_MAX_WAIT = dt.timedelta(hours=1)
# How long it waits each time if the game doesn't say.
_PAUSE_SECONDS = 60.0


@dataclasses.dataclass
class CatalogPages:
    """The pages of one look at a catalog, each asked for once, by their numbers from 1 on."""

    look_at: abc.Callable[[int, bytes], abc.Awaitable[game_client.Look]]
    digests: dict[int, bytes] = dataclasses.field(default_factory=dict[int, bytes])
    _met: dict[int, game_client.Look | game_errors.GameError] = dataclasses.field(
        default_factory=dict[int, game_client.Look | game_errors.GameError]
    )

    async def are_as_before(self, digests: abc.Mapping[int, bytes]) -> bool:
        """Return whether all pages have these digests. No page is read before one differs."""
        for number, digest in digests.items():
            try:
                look = self._met[number] = await self.look_at(number, digest)
            except game_errors.GameError as error:
                self._met[number] = error
                return False
            if look.page is not None:
                return False
        return bool(digests)

    async def page(self, number: int) -> models.Page[models.Item]:
        look = self._met.pop(number, None) or await self.look_at(number, b"")
        if isinstance(look, game_errors.GameError):
            raise look
        self.digests[number] = look.digest
        return look.page or await asyncio.to_thread(read_page, models.Item, look.body, asked=number)


class OwnAccount(Struct, frozen=True):
    client: game_client.GameClient
    clock: Clock
    token: SecretStr | None

    @property
    def is_there(self) -> bool:
        """Whether Kiosk has an account of its own, without which it looks at no catalog."""
        return self.token is not None

    @contextlib.contextmanager
    def using(self) -> abc.Generator[game_client.Caller]:
        """Lend the account for requests about one catalog.

        Raises NoOwnAccount, OwnAccountRefused, CatalogNotShown.
        """
        if self.token is None:
            raise feature_errors.NoOwnAccount
        try:
            yield game_client.Caller(game_client.THE_BOT, self.token)
        except game_errors.Unauthorized as error:
            raise feature_errors.OwnAccountRefused from error
        except game_errors.Forbidden as error:
            raise feature_errors.CatalogNotShown from error

    async def items(self, catalog_id: int, *, whole: bool) -> abc.Sequence[models.Item]:
        """Return the items of the first page, or of the whole catalog, as far as it can be read.

        Raises NoOwnAccount, OwnAccountRefused, CatalogNotShown, CatalogNotInGame, GameError.
        """
        pages = self.pages(catalog_id)

        async def read() -> abc.Sequence[models.Item]:
            if not whole:
                return (await pages.page(1)).entries
            return [entry.item for entry in (await read_catalog(catalog_id, pages.page)).items]

        try:
            return await self.client.tasks.start(read())
        except game_errors.NotFound as error:
            raise feature_errors.CatalogNotInGame(number=str(catalog_id)) from error

    def pages(self, catalog_id: int, rest: Rest | None = None) -> CatalogPages:
        """Return a catalog's pages. Each rests until the game takes more requests, or fails."""
        return CatalogPages(partial(self._look_at, catalog_id, rest))

    async def _look_at(
        self, catalog_id: int, rest: Rest | None, number: int, digest: bytes
    ) -> game_client.Look:
        until = self.clock.now() + _MAX_WAIT
        while True:
            try:
                with self.using() as caller:
                    return await self.client.look_at_items(caller, catalog_id, number, digest)
            except game_errors.RateLimited as error:
                if rest is None or self.clock.now() >= until:
                    raise
                pause = error.retry_after
            await rest.sleep(_PAUSE_SECONDS if pause is None else pause)
