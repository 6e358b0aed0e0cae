"""The panel of a server: where it is, and what it lists."""

from collections.abc import Sequence

from msgspec import Struct

from bot.domain.names import Named, PlaceKind
from storage.names import Names, Panels


class Listed(Struct, frozen=True):
    """What a server has named, in order of name."""

    threads: Sequence[Named] = ()
    catalogs: Sequence[Named] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything at all."""
        return bool(self.threads or self.catalogs)

    def page(self, number: int, size: int) -> "Listed":
        """Return so many of each kind, those of a page that is counted from 0."""
        part = slice(number * size, (number + 1) * size)
        return Listed(self.threads[part], self.catalogs[part])


class PanelService:
    """The panels of all servers; `kept` is where they are."""

    def __init__(self, panels: Panels, names: Names) -> None:
        self.kept = panels
        self._names = names

    async def listed(self, guild_id: int) -> Listed:
        """Return what a panel lists, as it is kept now: whoever draws one may remember less."""
        return Listed(
            await self._names.all_of_kind(guild_id, PlaceKind.THREAD),
            await self._names.all_of_kind(guild_id, PlaceKind.CATALOG),
        )
