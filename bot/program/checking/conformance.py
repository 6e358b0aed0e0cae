"""`python -m bot check --game`: whether a service answers as Kiosk needs, endpoint by endpoint."""

import logging
import os
import secrets
import sys
import typing
from collections import abc
from contextlib import suppress
from enum import StrEnum
from getpass import getpass
from pathlib import Path

import aiohttp
from msgspec import Struct
from pydantic import SecretStr

from bot import background
from bot.clock import Clock
from bot.game import game_client, game_errors, models
from bot.game.transport import open_write_session
from bot.program.proxies import proxy_for
from bot.settings import Settings, SettingsError, check_token, read_settings

T = typing.TypeVar("T")

# The settings that such a service can need. None of Kiosk's others matter here.
_SETTINGS = ("GAME_TOKEN: ", "GAME_BODY_FORMAT: ", "GAME_PLAIN_HTTP: ")
# The second page shows whether one page leads to the next.
_PAGES = (1, 2)
_NO_THREAD = "name a thread with --thread"
_NO_CATALOG = "name a catalog with --catalog"
_NO_TOKEN = "set GAME_TOKEN to the access token of an account"  # noqa: S105 - a sentence
_NO_WRITING = "add --write to post, edit and delete a comment"
_NO_COMMENT = "no comment was posted"


class Verdict(StrEnum):
    AS_EXPECTED = "as expected"
    NOT_AS_EXPECTED = "not as expected"
    NOT_TRIED = "not tried"


class Endpoint(Struct, frozen=True):
    """An endpoint, and the answer that Kiosk needs (docs/connect-your-game.md#endpoints)."""

    method: str
    path: str
    needed: str


LIST_COMMENTS = Endpoint(
    "GET", "/threads/:id/comments", "a page of comments, each with id and created_at"
)
CREATE_COMMENT = Endpoint(
    "POST", "/threads/:id/comments", "2xx, and in data the comment with id and created_at"
)
UPDATE_COMMENT = Endpoint(
    "PUT", "/comments/:id", "2xx, and in data the comment with id and created_at"
)
DELETE_COMMENT = Endpoint("DELETE", "/comments/:id", "2xx, with or without a body")
LIST_ITEMS = Endpoint(
    "GET",
    "/catalogs/:id/items",
    "a page of items, each with id, cost, currency.id and has_purchased",
)
PURCHASE = Endpoint(
    "POST", "/items/:id/purchase", "2xx, and in data the item's id, cost and currency.id"
)
REDEEM = Endpoint("POST", "/items/:id/redeem", "2xx, and in data the item's id")
_WRITING = (CREATE_COMMENT, UPDATE_COMMENT, DELETE_COMMENT)
ENDPOINTS = (LIST_COMMENTS, *_WRITING, LIST_ITEMS, PURCHASE, REDEEM)


class Judgment(Struct, frozen=True):
    endpoint: Endpoint
    verdict: Verdict
    text: str

    def line(self) -> str:
        endpoint = f"{self.endpoint.method:6} {self.endpoint.path:21}"
        return f"{self.verdict:15}  {endpoint}  {self.text}"


# Gets each judgment as soon as there is one.
Report = abc.Callable[[Judgment], None]


def read_service_settings(address: str, *, needs_token: bool) -> Settings:
    """Return the settings for a service at this address, from the environment alone.

    A terminal is asked for a token that is needed and not set. Raises SettingsError, BadAddress.
    """
    # Not from .env: its GAME_TOKEN is for another service.
    settings, problems = read_settings(Path(os.devnull))
    wrong = [problem for problem in problems if problem.startswith(_SETTINGS)]
    if wrong:
        raise SettingsError(wrong)
    address = game_client.check_base_url(address, plain_http=settings.game_plain_http)
    token = settings.game_token
    if needs_token and token is None and sys.stdin.isatty():
        token = _ask_for_token()
    return settings.model_copy(update={"game_base_url": address, "game_token": token})


def _ask_for_token() -> SecretStr | None:
    question = "An account's token (you won't see it here; leave it empty to do without): "
    try:
        token = SecretStr(getpass(question).strip())
        check_token(token)
    except EOFError:
        return None
    except ValueError as error:
        raise SettingsError([f"GAME_TOKEN: {error}"]) from None
    return token or None


async def examine_service(
    settings: Settings,
    report: Report,
    *,
    thread_id: int | None,
    catalog_id: int | None,
    may_write: bool,
) -> None:
    """Ask each endpoint that may be asked, as Kiosk asks it, and report what came."""
    # Each fault is in a judgment already.
    logging.getLogger("bot").addHandler(logging.NullHandler())
    address = settings.game_base_url or ""
    proxy = proxy_for(address)
    async with (
        aiohttp.ClientSession(proxy=proxy) as session,
        open_write_session(proxy) as write_session,
        background.BackgroundTasks(Clock()) as tasks,
    ):
        client = game_client.GameClient(
            session,
            address,
            tasks,
            body_format=settings.game_body_format,
            plain_http=settings.game_plain_http,
            write_session=write_session,
        )
        token = settings.game_token
        caller = game_client.Caller(0, token) if token else None
        examination = _Examination(client, caller, report)
        await examination.examine_comments(thread_id, may_write=may_write)
        await examination.examine_items(catalog_id)


class _Examination:
    def __init__(
        self, client: game_client.GameClient, caller: game_client.Caller | None, report: Report
    ) -> None:
        self._client = client
        self._caller = caller
        self._report = report
        self.tasks = client.tasks

    async def examine_comments(self, thread_id: int | None, *, may_write: bool) -> None:
        if thread_id is None:
            self._skip(_NO_THREAD, LIST_COMMENTS, *_WRITING)
            return

        async def page_of(number: int) -> models.Page[models.Comment]:
            return await self._client.list_comments(thread_id, page=number)

        await self._judge(LIST_COMMENTS, _read_pages(page_of), str)
        if not may_write:
            self._skip(_NO_WRITING, *_WRITING)
        elif self._caller is None:
            self._skip(_NO_TOKEN, *_WRITING)
        else:
            await self._write(self._caller, thread_id)

    async def examine_items(self, catalog_id: int | None) -> None:
        caller = self._caller
        if catalog_id is None:
            self._skip(_NO_CATALOG, LIST_ITEMS)
        elif caller is None:
            self._skip(_NO_TOKEN, LIST_ITEMS)
        else:

            async def page_of(number: int) -> models.Page[models.Item]:
                return await self._client.list_items(caller, catalog_id, page=number)

            await self._judge(LIST_ITEMS, _read_pages(page_of), str)
        self._skip("check never buys", PURCHASE)
        self._skip("check never redeems", REDEEM)

    @background.uncancellable
    async def _write(self, caller: game_client.Caller, thread_id: int) -> None:
        """Post, edit and delete a comment. Ctrl-C leaves none behind."""
        words = f"Kiosk tries this game, and deletes this comment ({secrets.token_hex(4)})."
        posting = self._client.create_comment(caller, thread_id, words)
        posted = await self._judge(CREATE_COMMENT, posting, lambda new: f"posted comment {new.id}")
        comment_id = posted.id if isinstance(posted, models.Comment) else None
        reason = _NO_COMMENT
        if isinstance(posted, game_errors.UnknownOutcome):
            comment_id = await self._find(thread_id, words)
            reason = f"thread {thread_id} may have “{words}” now, so delete it in the game"
        if comment_id is None:
            self._skip(reason, UPDATE_COMMENT, DELETE_COMMENT)
            return
        editing = self._client.update_comment(caller, thread_id, comment_id, f"{words} Edited.")
        await self._judge(UPDATE_COMMENT, editing, lambda _: f"edited comment {comment_id}")
        await self._judge(
            DELETE_COMMENT,
            self._client.delete_comment(caller, thread_id, comment_id),
            lambda _: f"deleted comment {comment_id}",
            left=f"; comment {comment_id} may still be there, so delete it in the game",
        )

    async def _find(self, thread_id: int, words: str) -> int | None:
        """Look for a comment whose answer had no id."""
        with suppress(game_errors.GameError):
            page = await self._client.list_comments(thread_id, max_age=0)
            return next((new.id for new in page.entries if new.content == words), None)
        return None

    async def _judge(
        self,
        endpoint: Endpoint,
        asking: abc.Awaitable[T],
        describe: abc.Callable[[T], str],
        *,
        left: str = "",
    ) -> T | game_errors.GameError:
        """Return what came, and report it. With a fault, say what is `left` behind."""
        try:
            answer = await asking
        except game_errors.GameError as error:
            text = f"came: {_came(error)}; expected: {endpoint.needed}{left}"
            self._report(Judgment(endpoint, Verdict.NOT_AS_EXPECTED, text))
            return error
        self._report(Judgment(endpoint, Verdict.AS_EXPECTED, describe(answer)))
        return answer

    def _skip(self, reason: str, *endpoints: Endpoint) -> None:
        for endpoint in endpoints:
            text = f"{reason}; expected: {endpoint.needed}"
            self._report(Judgment(endpoint, Verdict.NOT_TRIED, text))


async def _read_pages(page_of: abc.Callable[[int], abc.Awaitable[models.Page[T]]]) -> str:
    """Return how many entries the first pages have. Raises GameError, also if one is left out."""
    count = 0
    for number in _PAGES:
        page = await page_of(number)
        if page.fault:
            raise game_errors.MalformedResponse(f"page {number}, {page.fault}", status=200)
        count += len(page.entries)
        if not page.has_next:
            break
    return f"read {count} entries" if count else "read an empty page, so it shows no fields"


def _came(error: game_errors.GameError) -> str:
    cause = error.__cause__ if isinstance(error, game_errors.UnknownOutcome) else error
    fault = cause if isinstance(cause, game_errors.GameError) else error
    text = fault.detail
    if isinstance(fault, game_errors.MalformedResponse) and fault.status:
        text = f"{fault.status}, {text}"
    # Without its control characters, which a terminal would obey.
    return f"{text} ({fault.message!r})" if fault.message else text
