"""A server's setup: its settings, what is known to be wrong, and whether the game has its names."""

import datetime as dt
from collections import abc

import msgspec

from bot import errors
from bot.background import BackgroundTasks
from bot.features import feature_errors
from bot.features.following.announcing import Announcing
from bot.features.following.own_account import OwnAccount
from bot.features.moderation import ModerationService
from bot.features.moderation.policy import Viewer
from bot.features.reading.paging import Position
from bot.features.reading.shop import Address, Shop
from bot.features.reading.threads import ThreadService
from bot.game.game_errors import GameError
from bot.game.models import PageKey
from bot.game.transport import GameHealth
from storage.moderation import ServerSettings
from storage.names import Named, Names, PlaceKind
from storage.storage_errors import DatabaseError
from storage.subscriptions import Subscription

# In seconds. What the game hasn't shown by then is reported as not shown.
_TIMEOUT_SECONDS = 5.0
# Fewer requests than a member can have at once.
_AT_ONCE = 4

Listed = abc.Mapping[PlaceKind, abc.Sequence[Named]]


class PlacePreview(msgspec.Struct, frozen=True):
    """The game's proof of a thread or catalog: its newest comment, or its first item.

    `has_it` is None if Kiosk can't know, with `needs_link` if that is for lack of a token. `text`
    is empty if there is nothing in the place yet.
    """

    has_it: bool | None = None
    text: str = ""
    writer: str = ""
    written_at: dt.datetime | None = None
    needs_link: bool = False


class SetupState(msgspec.Struct, frozen=True):
    """A server's setup as Kiosk knows it without asking anyone."""

    settings: ServerSettings
    announced: abc.Sequence[Subscription]
    game_health: GameHealth
    # Whether Kiosk has an account of its own, and why it can't read announced catalogs with it.
    has_account: bool = True
    unread: abc.Mapping[int, str] = msgspec.field(default_factory=dict[int, str])

    @property
    def silent_since(self) -> dt.datetime | None:
        """When the game answered last, None while it does."""
        health = self.game_health
        return None if health.is_well else health.answered_at or health.failed_at

    @property
    def troubles(self) -> int:
        """Number of setup problems, not counting announcements."""
        is_silent = self.silent_since is not None
        return self.settings.log_is_closed + is_silent


class ServerSetup(msgspec.Struct, frozen=True):
    names: Names
    threads: ThreadService
    shop: Shop
    announcing: Announcing
    own_account: OwnAccount
    moderation: ModerationService
    game_health: GameHealth
    tasks: BackgroundTasks

    async def known(self, guild_id: int) -> SetupState:
        return SetupState(
            await self.moderation.settings.find(guild_id),
            await self.announcing.subscribed.of_guild(guild_id),
            self.game_health,
            self.own_account.is_there,
            await self.announcing.following.unread(guild_id),
        )

    async def listed(self, guild_id: int) -> Listed:
        """Return the named places as the database has them: a process may remember fewer."""
        return {kind: await self.names.all_of_kind(guild_id, kind) for kind in PlaceKind}

    async def proof_of(self, kind: PlaceKind, game_id: int, viewer: Viewer) -> PlacePreview:
        try:
            if kind is PlaceKind.CATALOG:
                gallery = await self.shop.screen(viewer.member_id, Address(game_id))
                items = [entry.item for entry in gallery.screen.entries]
                return PlacePreview(has_it=True, text=items[0].name if items else "")
            screen = await self.threads.screen(viewer, Position(PageKey(game_id)), max_age=None)
        except (feature_errors.ThreadNotInGame, feature_errors.CatalogNotInGame):
            return PlacePreview(has_it=False)
        except errors.AccountError:
            return PlacePreview(needs_link=True)
        except (errors.KioskError, GameError, DatabaseError):
            return PlacePreview()
        if not screen.entries:
            return PlacePreview(has_it=True)
        newest = screen.entries[0].comment
        name = newest.player.screen_name
        return PlacePreview(
            has_it=True, text=newest.content, writer=name, written_at=newest.created_at
        )

    async def fetch_previews(
        self, listed: Listed, viewer: Viewer
    ) -> abc.Mapping[tuple[PlaceKind, int], PlacePreview]:
        """Return what the game shows of these places, as far as it does within seconds."""
        found: dict[tuple[PlaceKind, int], PlacePreview] = {}
        left = iter([(kind, named.game_id) for kind in listed for named in listed[kind]])

        async def ask() -> None:
            for kind, game_id in left:
                found[kind, game_id] = await self.proof_of(kind, game_id, viewer)

        looks = [self.tasks.start(ask()) for _ in range(_AT_ONCE)]
        await self.tasks.wait_up_to(_TIMEOUT_SECONDS, *looks)
        await self.tasks.end(*looks)
        return dict(found)
