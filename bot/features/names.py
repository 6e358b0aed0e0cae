"""What a server calls its threads and catalogs, and what a member means by what they typed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.domain.names import Kind, Named, name_key
from bot.errors import BadName, NameIsTaken, NamingError, UnknownCatalog, UnknownThread
from bot.visible import visible
from storage.changes import Changes
from storage.names import TOPIC, Names, NameTaken

LONGEST_NAME = 80
# Ids are kept in, and travel as, signed 64-bit numbers.
LARGEST_ID = 2**63 - 1
# In seconds, unless they change.
_LIFETIME = 3600.0
# What a name takes in memory, about, and what all may take, in bytes.
_NAME_SIZE = 300
_MOST_BYTES = 8 * 2**20

_UNKNOWN: dict[Kind, type[NamingError]] = {
    Kind.THREAD: UnknownThread,
    Kind.CATALOG: UnknownCatalog,
}


@dataclass(frozen=True)
class Place:
    """A thread or catalog of the game, with the server's name for it if it has one."""

    kind: Kind
    game_id: int
    name: str | None


class Directory:
    """The names that servers gave; `guild_id` is None outside a server, where none are known."""

    def __init__(self, names: Names, tasks: BackgroundTasks, changes: Changes) -> None:
        self._names = names
        self._changes = changes
        self._known = TtlCache[tuple[int, Kind], Mapping[int, Named]](
            tasks,
            lifetime=_LIFETIME,
            most_bytes=_MOST_BYTES,
            size=lambda named: len(named) * _NAME_SIZE,
        )
        changes.follow(TOPIC, lambda: self._known.forget(lambda _: True))

    async def add(self, guild_id: int, kind: Kind, game_id: int, name: str) -> Place:
        """Name an id. Raises BadName, NameIsTaken, or the kind's Unknown error for a bad id."""
        name = " ".join(name.split())
        if not visible(name).strip() or len(name) > LONGEST_NAME or read_id(name) is not None:
            raise BadName(limit=LONGEST_NAME)
        if not 0 <= game_id <= LARGEST_ID:
            raise _UNKNOWN[kind](name=str(game_id))
        try:
            await self._names.save(guild_id, kind, Named(game_id, name))
        except NameTaken as error:
            holder = await self._names.find_by_name(guild_id, kind, name)
            raise NameIsTaken(name=name, game_id=str(holder.game_id) if holder else "?") from error
        finally:
            self._known.forget((guild_id, kind).__eq__)
        return Place(kind, game_id, name)

    async def remove(self, guild_id: int, kind: Kind, text: str) -> Place:
        """Take away the name that is typed, or whose id is. Raises the kind's Unknown error."""
        place = await self.resolve(guild_id, kind, text)
        try:
            was_there = await self._names.remove(guild_id, kind, place.game_id)
        finally:
            self._known.forget((guild_id, kind).__eq__)
        if not was_there:
            raise _UNKNOWN[kind](name=text)
        return place

    async def all_of_kind(self, guild_id: int | None, kind: Kind) -> Sequence[Named]:
        """Return every name of a kind, in order of name."""
        return [] if guild_id is None else list((await self._all(guild_id, kind)).values())

    async def resolve(self, guild_id: int | None, kind: Kind, text: str) -> Place:
        """Find what a member means by a name or a bare id. Raises the kind's Unknown error."""
        game_id = read_id(text)
        if game_id is not None:
            return await self.place(guild_id, kind, game_id)
        key = name_key(text)
        for named in await self.all_of_kind(guild_id, kind):
            if name_key(named.name) == key:
                return Place(kind, named.game_id, named.name)
        raise _UNKNOWN[kind](name=text)

    async def place(self, guild_id: int | None, kind: Kind, game_id: int) -> Place:
        """Return the server's name for an id, if it has one."""
        if guild_id is None:
            return Place(kind, game_id, None)
        named = (await self._all(guild_id, kind)).get(game_id)
        return Place(kind, game_id, named.name if named else None)

    async def suggest(self, guild_id: int | None, kind: Kind, typed: str) -> Sequence[Named]:
        """Return the names that hold what was typed so far, those that start with it first."""
        key = name_key(typed)
        names = await self.all_of_kind(guild_id, kind)
        fitting = [n for n in names if key in name_key(n.name) or typed.strip() == str(n.game_id)]
        return sorted(fitting, key=lambda named: not name_key(named.name).startswith(key))

    async def _all(self, guild_id: int, kind: Kind) -> Mapping[int, Named]:
        return await self._known.get(
            (guild_id, kind),
            lambda: self._read(guild_id, kind),
            max_age=self._changes.max_age(_LIFETIME),
        )

    async def _read(self, guild_id: int, kind: Kind) -> Mapping[int, Named]:
        return {named.game_id: named for named in await self._names.all_of_kind(guild_id, kind)}


def read_id(text: str) -> int | None:
    """Read a bare id such as `12` or `#12`; None for anything else."""
    digits = text.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= len(str(LARGEST_ID))):
        return None
    number = int(digits)
    return number if number <= LARGEST_ID else None
