"""Names that servers give to threads and catalogs, and the search for what a member typed."""

import logging
from collections import Counter, abc
from typing import Any

from msgspec import Struct

from bot import cache, errors
from bot.background import BackgroundTasks
from bot.features import matching
from bot.i18n import t
from bot.visible import name_key, plain, visible
from storage import moderation, storage_errors
from storage.names import MemberServers, Named, Names, PlaceKind

log = logging.getLogger(__name__)

MAX_NAME_LENGTH = 80
# The value of an entry that says why there are no choices.
STAND_IN = "…"
# How many seconds pass before Kiosk notes again that a member uses it in a server.
_NOTED = 24 * 3600.0
# How many of a member's servers count, the last used ones first.
_MAX_SERVERS = 20


class Place(Struct, frozen=True):
    kind: PlaceKind
    game_id: int
    name: str | None

    @property
    def label(self) -> str:
        return self.name or str(self.game_id)


class Directory:
    """The names in a server. Outside one, those of all servers in which a member used Kiosk."""

    def __init__(self, names: Names, used: MemberServers, tasks: BackgroundTasks) -> None:
        self._names = names
        self._used = used
        self._known = cache.TtlCache[tuple[int, PlaceKind], abc.Mapping[int, Named]](
            tasks, lifetime=cache.SHARED_SECONDS
        )
        # Returns a server's name in Discord. If two places share a name, each is listed with it.
        self.title_of: abc.Callable[[int], abc.Coroutine[Any, Any, str]] = _number_of
        self._titles = cache.TtlCache[int, str](tasks, lifetime=_NOTED)
        self._tasks = tasks
        self._noted = cache.TtlCache[tuple[int, int | None], bool](tasks, lifetime=_NOTED)

    async def add(
        self,
        guild_id: int,
        kind: PlaceKind,
        game_id: int,
        name: str,
        line_of: moderation.LineOf[Named] | None = None,
    ) -> Place:
        """Name an id. Raises BadName, NameIsTaken, BadId."""
        name = _name(name)
        if not 0 <= game_id <= matching.MAX_ID:
            raise errors.BadId(name=str(game_id))
        try:
            await self._names.save(guild_id, kind, Named(game_id, name), name_key(name), line_of)
        except storage_errors.NotUnique:
            self._known.forget((guild_id, kind).__eq__)
            await self.check(guild_id, kind, game_id, name)
            raise
        finally:
            self._known.forget((guild_id, kind).__eq__)
        return Place(kind, game_id, name)

    async def check(self, guild_id: int, kind: PlaceKind, game_id: int, name: str) -> str:
        """Return a name as it would be kept. Raises BadName, NameIsTaken."""
        name = _name(name)
        for named in await self.all_of_kind(guild_id, kind):
            if name_key(named.name) == name_key(name) and named.game_id != game_id:
                raise errors.NameIsTaken(name=named.name, game_id=str(named.game_id))
        return name

    async def remove(
        self,
        guild_id: int,
        kind: PlaceKind,
        text: str,
        line_of: moderation.LineOf[Named] | None = None,
    ) -> Place:
        """Remove the name that is typed, or whose id is typed. Raises UnknownName."""
        # Part of a name isn't enough to remove it.
        named, *others = matching.find(
            text,
            await self.all_of_kind(guild_id, kind),
            name_of=lambda named: named.name,
            number_of=lambda named: named.game_id,
            takes_part=False,
        ) or [None]
        try:
            if (
                named is None
                or others
                or not await self._names.remove(guild_id, kind, named.game_id, line_of)
            ):
                raise errors.UnknownName(name=text)
        finally:
            self._known.forget((guild_id, kind).__eq__)
        return Place(kind, *named)

    async def all_of_kind(
        self, guild_id: int | None, kind: PlaceKind, *, member_id: int | None = None
    ) -> abc.Sequence[Named]:
        servers = await self._servers(guild_id, member_id)
        by_name: dict[tuple[int, str], tuple[Named, int]] = {}
        for server in servers:
            for named in (await self._known.get((server, kind), self._read)).values():
                by_name.setdefault((named.game_id, name_key(named.name)), (named, server))
        if len(servers) == 1:
            return [named for named, _ in by_name.values()]
        called = Counter(key for _, key in by_name)
        names: list[Named] = []
        for (game_id, key), (named, server) in by_name.items():
            name = named.name
            if called[key] > 1:
                name += matching.LABEL_SEPARATOR + await self._titles.get(server, self.title_of)
            names.append(Named(game_id, name))
        return sorted(names, key=lambda named: name_key(named.name))

    async def resolve(
        self, guild_id: int | None, kind: PlaceKind, text: str, *, member_id: int | None = None
    ) -> Place:
        """Find what a member means by a name, by a part of it, or by a bare id.

        An empty text means the only place that has a name. Raises NothingNamed, NoNamesKnown, or,
        with what may be meant, ChoiceNeeded, SeveralFit or UnknownName.
        """
        game_id = matching.read_id(text)
        if game_id is not None:
            return await self.place(guild_id, kind, game_id, member_id=member_id)
        names = await self.all_of_kind(guild_id, kind, member_id=member_id)
        places = [Place(kind, *named) for named in names]
        labelled = labelled_id(kind, text)
        if labelled is not None:
            places = [place for place in places if place.name == text.strip()]
            return places[0] if places else Place(kind, labelled, None)
        if not places:
            raise errors.NothingNamed if guild_id is not None else errors.NoNamesKnown
        return matching.resolve(
            text,
            places,
            name_of=lambda place: place.label,
            number_of=lambda place: place.game_id,
            unknown=errors.UnknownName,
        )

    async def place(
        self, guild_id: int | None, kind: PlaceKind, game_id: int, *, member_id: int | None = None
    ) -> Place:
        for server in await self._servers(guild_id, member_id):
            named = (await self._known.get((server, kind), self._read)).get(game_id)
            if named is not None:
                return Place(kind, *named)
        return Place(kind, game_id, None)

    async def suggest(
        self, guild_id: int | None, kind: PlaceKind, typed: str, *, member_id: int | None = None
    ) -> abc.Sequence[Named]:
        names = await self.all_of_kind(guild_id, kind, member_id=member_id)
        numbered = [named for named in names if named.game_id == matching.read_id(typed)]
        return numbered or matching.holding(typed, names, lambda named: named.name)

    async def _servers(self, guild_id: int | None, member_id: int | None) -> abc.Sequence[int]:
        """Return the servers whose names count, and note which one a member uses."""
        if guild_id is None:
            return await self._used.of_member(member_id, _MAX_SERVERS) if member_id else []
        key = guild_id, member_id
        if member_id is not None and self._noted.known(key) is None:
            self._noted.put(key, value=True)
            self._tasks.start(self._note(guild_id, member_id), finish=True)
        return [guild_id]

    def forget(self, member_id: int) -> None:
        """Forget which servers were noted for a member, since their records are erased."""
        self._noted.forget(lambda key: key[1] == member_id)

    async def _note(self, guild_id: int, member_id: int) -> None:
        try:
            await self._used.note(guild_id, member_id)
        except storage_errors.DatabaseError as error:
            log.info("Can't save who uses server %s: %s", guild_id, error)
            self._noted.forget((guild_id, member_id).__eq__)

    async def _read(self, key: tuple[int, PlaceKind]) -> abc.Mapping[int, Named]:
        return {named.game_id: named for named in await self._names.all_of_kind(*key)}


async def _number_of(guild_id: int) -> str:
    return str(guild_id)


def _name(text: str) -> str:
    name = " ".join(text.split())
    if (
        not visible(name).strip()
        or len(name) > MAX_NAME_LENGTH
        or matching.read_id(name) is not None
    ):
        raise errors.BadName(limit=MAX_NAME_LENGTH)
    return name


def label_of(kind: PlaceKind, game_id: int) -> str:
    if kind is PlaceKind.THREAD:
        return t("Thread %(id)s", id=game_id)
    return t("Catalog %(number)s", number=game_id)


def labelled_id(kind: PlaceKind, text: str) -> int | None:
    """Return the id if a text is its label, else None."""
    game_id = matching.read_id("".join(filter(str.isdecimal, text)))
    is_label = game_id is not None and text.strip() == label_of(kind, game_id)
    return game_id if is_label else None


def find_comment_id(text: str) -> int | None:
    """Read the id of a comment, alone or before its label's text, as in `#12 Rowan: a text`."""
    number, *words = plain(text).split(maxsplit=1) or [""]
    return None if words and not number.startswith("#") else matching.read_id(number)


def read_comment_id(text: str) -> int:
    """Read the id of a comment. Raises BadId."""
    comment_id = find_comment_id(text)
    if comment_id is None:
        raise errors.BadId(name=text)
    return comment_id
