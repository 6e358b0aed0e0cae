"""The game as a Python object: one method for each endpoint of the interface."""

import ipaddress
import typing
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from weakref import WeakValueDictionary

import aiohttp
from yarl import URL

from bot import background
from bot.cache import TtlCache
from bot.game import game_errors, models, reading, transport
from bot.game.rate_limit import THE_BOT
from bot.game.transport import Caller

T = typing.TypeVar("T")

# How long pages stay loaded: comments for about the time that someone reads on without asking for
# news, items while their names are good enough to choose from.
COMMENTS_LIFETIME_SECONDS = 600.0
_ITEMS_LIFETIME_SECONDS = 86_400.0
# How many percent of a page don't count if its items are in memory already: not all, because the
# page that had them first may be forgotten first.
_SAVED = 85
# A page beyond the last one holds nothing.
_NO_ITEMS = b'{"data": []}'


def comments_request(
    thread_id: int, sort: models.Sort, page: int, asker: int | None = None
) -> transport.Request[models.Page[models.Comment]]:
    """Ask for a page of comments, without a token (docs/connect-your-game.md#list-comments)."""
    path = f"/threads/{thread_id}/comments?sort={sort}&page={page}"
    return transport.Request(
        "GET", path, partial(reading.read_page, models.Comment, asked=page), asker=asker
    )


def items_request(
    caller: Caller, catalog_id: int, page: int
) -> transport.Request[models.Page[models.Item]]:
    """Ask for a page of a catalog (docs/connect-your-game.md#list-items)."""
    path = items_path(catalog_id, page)
    return transport.Request(
        "GET", path, partial(reading.read_page, models.Item, asked=page), caller
    )


def items_path(catalog_id: int, page: int) -> str:
    """Return the path of a catalog's page. The interface shows no query: the first has none."""
    return f"/catalogs/{catalog_id}/items" + (f"?page={page}" if page > 1 else "")


class Look(typing.NamedTuple):
    """A page of a catalog as it is now. `page` is None if the digest is the expected one."""

    body: bytes
    digest: bytes
    page: models.Page[models.Item] | None


def check_base_url(address: str, *, plain_http: bool = False) -> str:
    """Return the game's address without a slash at its end. Raises BadAddress."""
    try:
        url = URL(address)
        origin = url.origin()
    except ValueError:
        raise game_errors.BadAddress(
            "the game's address must have the form https://host/path"
        ) from None
    if origin.scheme not in ("http", "https") or any(map(str.isspace, address)):
        raise game_errors.BadAddress("the game's address must have the form https://host/path")
    if url.user is not None or url.password is not None or url.query_string or url.fragment:
        raise game_errors.BadAddress("the game's address can't have a user name, query or fragment")
    host = url.host or ""
    is_loopback = host == "localhost" or host.endswith(".localhost")
    is_public = False
    # A name may lead to any address.
    with suppress(ValueError):
        numbers = ipaddress.ip_address(host)
        is_loopback = numbers.is_loopback
        is_public = numbers.is_global
    if url.scheme == "http" and not (is_loopback or (plain_http and not is_public)):
        raise game_errors.BadAddress(
            "the game's address must be https, except on this machine"
            " and, with GAME_PLAIN_HTTP=true, on a private network"
        )
    return str(url).rstrip("/")


class GameClient:
    """Asks the game, for a member or for no one, and keeps the pages it was given.

    Every method raises GameError. A write is sent at most once, and finished even if its caller is
    cancelled. After `send_before`, a moment of `Clock.monotonic`, it isn't sent (TooLate). After
    UnknownOutcome it may have happened. The loaded pages are `comments` and `items`.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base_url: str,
        tasks: background.BackgroundTasks,
        *,
        body_format: transport.BodyFormat = "json",
        plain_http: bool = False,
        limits: transport.Limits | None = None,
        write_session: aiohttp.ClientSession | None = None,
    ) -> None:
        self._limits = limits = limits or transport.Limits()
        self._transport = transport.Transport(
            session,
            check_base_url(base_url, plain_http=plain_http),
            limits,
            tasks.clock,
            write_session=write_session,
            body_format=body_format,
        )
        self.health = self._transport.health
        self.observers = self._transport.observers
        self.game_now = self._transport.game_now
        self.tasks = tasks
        self.comments = TtlCache[models.PageKey, models.Page[models.Comment]](
            tasks,
            lifetime=COMMENTS_LIFETIME_SECONDS,
            most_bytes=limits.cached_bytes,
            size=attrgetter("size"),
            group_of=attrgetter("thread_id"),
        )
        self.items = TtlCache[models.ItemPageKey, models.Page[models.Item]](
            tasks,
            lifetime=_ITEMS_LIFETIME_SECONDS,
            most_bytes=limits.cached_bytes,
            size=attrgetter("size"),
            group_of=attrgetter("catalog_id"),
        )
        # Members see most items alike: each is in memory once for those who have bought it, and
        # once for the others.
        self._known_items = WeakValueDictionary[tuple[int, bool], models.Item]()
        # Which token the kept items of a member were read with: by its hash, not to keep it.
        self._callers: dict[int, int] = {}

    async def list_comments(
        self,
        thread_id: int,
        *,
        sort: models.Sort = models.Sort.LATEST,
        page: int = 1,
        max_age: float | None = None,
        asker: int | None = None,
    ) -> models.Page[models.Comment]:
        """Return a page of comments younger than `max_age` seconds, empty beyond the last one.

        By default it is seconds old. `asker` is for whom it is read, None for the bot itself.
        """
        key = models.PageKey(thread_id, sort, page)
        if max_age is None:
            max_age = self._limits.public_page_seconds
        return await self.comments.get(
            key, lambda key: self._read_comments(key, asker), max_age=max_age
        )

    async def list_items(
        self, caller: Caller, catalog_id: int, *, page: int = 1, max_age: float | None = None
    ) -> models.Page[models.Item]:
        """Return a page as the caller sees it, each item once, younger than `max_age` seconds."""
        if self._callers.get(caller.member_id) != hash(caller):
            # Another link, or the one before: what was read with one is not the other's.
            self.forget(caller.member_id)
            self._callers[caller.member_id] = hash(caller)
        key = models.ItemPageKey(caller.member_id, catalog_id, page)
        if max_age is None:
            max_age = self._limits.private_page_seconds
        return await self.items.get(
            key, lambda _: self.read_items(caller, catalog_id, page), max_age=max_age
        )

    async def look_at_items(
        self, caller: Caller, catalog_id: int, page: int, expected: bytes = b""
    ) -> Look:
        """Return a page of a catalog as it is now, in the bot's own turn. Keep nothing of it.

        A body of the expected digest is not read.
        """

        def look(body: bytes) -> Look:
            digest = blake2b(body, digest_size=16).digest()
            is_expected = digest == expected
            return Look(
                body,
                digest,
                None if is_expected else reading.read_page(models.Item, body, asked=page),
            )

        request = transport.Request(
            "GET", items_path(catalog_id, page), look, caller, asker=THE_BOT
        )
        try:
            return await self._transport.read(request)
        except game_errors.NotFound:
            if page == 1:
                raise
            return look(_NO_ITEMS)

    async def try_token(self, caller: Caller, catalog_id: int) -> None:
        """Ask for a catalog with a token that is not linked, and keep nothing of the answer."""
        await self.tasks.run(self._transport.read(items_request(caller, catalog_id, 1)))

    def forget(self, member_id: int) -> None:
        self._callers.pop(member_id, None)
        self.items.forget(lambda key: key.member_id == member_id)

    async def create_comment(
        self,
        caller: Caller,
        thread_id: int,
        content: str,
        *,
        parent_id: int | None = None,
        send_before: float | None = None,
    ) -> models.Comment:
        """Write a comment (docs/connect-your-game.md#create-comment), or a reply to `parent_id`."""
        fields: dict[str, str | int] = {"content": content}
        if parent_id is not None:
            fields["comment_id"] = parent_id
        path = f"/threads/{thread_id}/comments"
        request = transport.Request(
            "POST", path, reading.read_written, caller, fields, send_before=send_before
        )
        return await self._write(request, thread_id)

    async def update_comment(
        self,
        caller: Caller,
        thread_id: int,
        comment_id: int,
        content: str,
        *,
        send_before: float | None = None,
    ) -> models.Comment:
        """Change the caller's comment in this thread (docs/connect-your-game.md#update-comment)."""
        path = f"/comments/{comment_id}"
        fields = {"content": content}
        request = transport.Request(
            "PUT", path, reading.read_written, caller, fields, send_before=send_before
        )
        return await self._write(request, thread_id)

    async def delete_comment(
        self, caller: Caller, thread_id: int, comment_id: int, *, send_before: float | None = None
    ) -> None:
        """Delete the caller's comment in this thread (docs/connect-your-game.md#delete-comment)."""
        path = f"/comments/{comment_id}"
        request = transport.Request(
            "DELETE", path, reading.read_nothing, caller, send_before=send_before
        )
        await self._write(request, thread_id)

    async def purchase(
        self, caller: Caller, item_id: int, *, send_before: float | None = None
    ) -> models.Purchase:
        """Buy an item for the caller's in-game account (docs/connect-your-game.md#purchase)."""
        path = f"/items/{item_id}/purchase"
        read = partial(reading.read_one, models.Purchase)
        return await self._write(
            transport.Request("POST", path, read, caller, send_before=send_before)
        )

    async def redeem(
        self, caller: Caller, item_id: int, *, send_before: float | None = None
    ) -> models.Redemption:
        """Redeem an item at the caller's current park (docs/connect-your-game.md#redeem)."""
        path = f"/items/{item_id}/redeem"
        read = partial(reading.read_one, models.Redemption)
        return await self._write(
            transport.Request("POST", path, read, caller, send_before=send_before)
        )

    async def _read_comments(
        self, key: models.PageKey, asker: int | None
    ) -> models.Page[models.Comment]:
        try:
            return await self._transport.read(comments_request(*key, asker))
        except game_errors.NotFound:
            if key.page == 1:
                raise
        # Some games call the page after the last one unknown. The first page shows if that is so.
        await self.list_comments(
            key.thread_id, sort=key.sort, max_age=COMMENTS_LIFETIME_SECONDS, asker=asker
        )
        return models.Page((), key.page, 0, has_next=False)

    async def read_items(
        self, caller: Caller, catalog_id: int, number: int
    ) -> models.Page[models.Item]:
        """Return a page as the caller sees it now, each item once. Keep nothing of it."""
        try:
            page = await self._transport.read(items_request(caller, catalog_id, number))
        except game_errors.NotFound:
            if number == 1:
                raise
            return models.Page((), number, 0, has_next=False)
        # A list to choose from can't hold an item twice.
        entries = {item.id: item for item in page.entries}
        shared = 0
        for item_id, item in entries.items():
            sight = item_id, item.has_purchased
            known = self._known_items.get(sight)
            if known is not None and known == item:
                entries[item_id] = known
                shared += 1
            else:
                self._known_items[sight] = item
        size = page.size - page.size * shared * _SAVED // max(len(entries) * 100, 1)
        return replace(page, entries=tuple(entries.values()), size=size)

    @background.uncancellable
    async def _write(self, request: transport.Request[T], thread_id: int | None = None) -> T:
        """Send a write once, and outdate the pages of the caller's items and of a thread."""
        self._outdate(request.caller, thread_id)
        try:
            return await self._transport.perform(request, self._limits.write_timeout)
        except (game_errors.ForeignRedirect, game_errors.Unreachable):
            raise
        except (game_errors.Unavailable, game_errors.MalformedResponse) as cause:
            raise game_errors.UnknownOutcome(
                f"outcome unknown: {cause.detail}",
                message=cause.message,
                status=cause.status,
                retry_after=cause.retry_after,
            ) from cause
        finally:
            # Again: a read during the write may have seen the state before it.
            self._outdate(request.caller, thread_id)

    def _outdate(self, caller: Caller | None, thread_id: int | None) -> None:
        age = self._limits.public_page_seconds
        self.comments.outdate(lambda key: key.thread_id == thread_id, age=age)
        self.items.outdate(
            lambda key: caller is not None and key.member_id == caller.member_id,
            age=self._limits.private_page_seconds,
        )
