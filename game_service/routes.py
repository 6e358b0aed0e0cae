"""The seven endpoints, their description and pictures (docs/connect-your-game.md#endpoints)."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

import orjson
from aiohttp import web

from game_service import comments, items
from game_service.anchors import Sort
from game_service.answers import Answers
from game_service.auth import Player, find_player, read_bearer_token
from game_service.comment_pages import CommentPages
from game_service.comments import MAX_CONTENT_LENGTH
from game_service.errors import NotFound
from game_service.fields import path_id, query_fields, read_fields
from game_service.limits import RateLimiter
from game_service.openapi import describe
from game_service.pagination import LAST_PAGE, origin, page_request
from game_service.shapes import purchased_item, redeemed_item, written_comment
from game_service.times import Now, to_microseconds
from game_service.tokens import hash_token
from storage.database import Database

PREFIX = "/api/v1"
ASSETS = "/assets"
_PICTURES = Path(__file__).parent / "assets"
DATABASE = web.AppKey("database", Database)
ANSWERS = web.AppKey("answers", Answers)
COMMENT_PAGES = web.AppKey("comment_pages", CommentPages)
LIMITER: web.AppKey[RateLimiter | None] = web.AppKey("limiter")
PICTURES_URL: web.AppKey[str | None] = web.AppKey("pictures_url")
NOW: web.AppKey[Now] = web.AppKey("now")


def add_routes(app: web.Application) -> None:
    """Put every endpoint below the prefix."""
    app.router.add_get(f"{PREFIX}/threads/{{id}}/comments", list_comments)
    app.router.add_post(f"{PREFIX}/threads/{{id}}/comments", create_comment)
    app.router.add_put(f"{PREFIX}/comments/{{id}}", update_comment)
    app.router.add_delete(f"{PREFIX}/comments/{{id}}", delete_comment)
    app.router.add_get(f"{PREFIX}/catalogs/{{id}}/items", list_items)
    app.router.add_post(f"{PREFIX}/items/{{id}}/purchase", purchase)
    app.router.add_post(f"{PREFIX}/items/{{id}}/redeem", redeem)
    app.router.add_get(f"{PREFIX}/openapi.json", openapi)
    app.router.add_get(f"{ASSETS}/{{folder}}/{{name}}", picture)


async def list_comments(request: web.Request) -> web.Response:
    """GET /threads/:id/comments (docs/connect-your-game.md#list-comments), without a token."""
    thread_id = path_id(request, "thread")
    address = f"{origin(request)}{request.raw_path}"
    make = partial(_comments_page, request, thread_id)
    return _answer(await request.app[ANSWERS].get(thread_id, address, make))


async def _comments_page(request: web.Request, thread_id: int) -> bytes:
    query = query_fields(request)
    sort = query.choice("sort", Sort.LATEST)
    number = query.page_number("page", last=LAST_PAGE)
    query.check()
    page = page_request(request, number)
    return await request.app[COMMENT_PAGES].page(thread_id, sort, page, _assets_url(request))


async def create_comment(request: web.Request) -> web.Response:
    """POST /threads/:id/comments (docs/connect-your-game.md#create-comment)."""
    player = await _caller(request)
    thread_id = path_id(request, "thread")
    fields = await read_fields(request)
    content = fields.text("content", longest=MAX_CONTENT_LENGTH)
    parent_id = fields.optional_id("comment_id")
    fields.check()
    async with request.app[DATABASE].transaction() as transaction:
        row = await comments.add_comment(
            transaction,
            thread_id,
            player.id,
            content,
            created_at=_present(request),
            parent_id=parent_id,
        )
    return _json({"data": written_comment(row, _assets_url(request))}, status=201)


async def update_comment(request: web.Request) -> web.Response:
    """PUT /comments/:id (docs/connect-your-game.md#update-comment)."""
    player = await _caller(request)
    comment_id = path_id(request, "comment")
    fields = await read_fields(request)
    content = fields.text("content", longest=MAX_CONTENT_LENGTH)
    fields.check()
    async with request.app[DATABASE].transaction() as transaction:
        row = await comments.edit_comment(transaction, comment_id, player, content)
    return _json({"data": written_comment(row, _assets_url(request))})


async def delete_comment(request: web.Request) -> web.Response:
    """DELETE /comments/:id (docs/connect-your-game.md#delete-comment)."""
    player = await _caller(request)
    comment_id = path_id(request, "comment")
    async with request.app[DATABASE].transaction() as transaction:
        await comments.delete_comment(transaction, comment_id, player)
    return web.Response(status=204)


async def list_items(request: web.Request) -> web.Response:
    """GET /catalogs/:id/items (docs/connect-your-game.md#list-items)."""
    player = await _caller(request)
    catalog_id = path_id(request, "catalog")
    query = query_fields(request)
    number = query.page_number("page", last=LAST_PAGE)
    query.check()
    page = page_request(request, number)
    return _answer(
        await items.list_items(
            request.app[DATABASE], catalog_id, player, page, _assets_url(request)
        )
    )


async def purchase(request: web.Request) -> web.Response:
    """POST /items/:id/purchase (docs/connect-your-game.md#purchase)."""
    player = await _caller(request)
    item_id = await _item_id(request)
    async with request.app[DATABASE].transaction() as transaction:
        item = await items.purchase(transaction, item_id, player, created_at=_present(request))
    return _json({"data": purchased_item(item)})


async def redeem(request: web.Request) -> web.Response:
    """POST /items/:id/redeem (docs/connect-your-game.md#redeem)."""
    player = await _caller(request)
    item_id = await _item_id(request)
    async with request.app[DATABASE].transaction() as transaction:
        item = await items.redeem(transaction, item_id, player, created_at=_present(request))
    return _json({"data": redeemed_item(item)})


async def openapi(request: web.Request) -> web.Response:
    """Describe the service, at the address by which the caller reached it."""
    return _json(describe(f"{origin(request)}{PREFIX}"))


async def picture(request: web.Request) -> web.FileResponse:
    """Serve one of the pictures that addresses in answers lead to."""
    # Compared with what is there, so that no path leads anywhere else.
    path = _pictures().get((request.match_info["folder"], request.match_info["name"]))
    if path is None:
        raise NotFound("picture")
    return web.FileResponse(path, headers={"Cache-Control": "public, max-age=86400"})


@cache
def _pictures() -> Mapping[tuple[str, str], Path]:
    return {(path.parent.name, path.name): path for path in _PICTURES.glob("*/*.png")}


async def _caller(request: web.Request) -> Player:
    token_hash = hash_token(read_bearer_token(request.headers.get("Authorization")))
    player = await find_player(request.app[DATABASE], token_hash)
    limiter = request.app[LIMITER]
    if limiter is not None:
        limiter.count(token_hash)
    return player


async def _item_id(request: web.Request) -> int:
    """Read the path's id, which the body may repeat but not contradict."""
    item_id = path_id(request, "item")
    fields = await read_fields(request)
    named = fields.optional_id("item_id")
    if named is not None and named != item_id:
        fields.reject("item_id", "This is another item than the address names.")
    fields.check()
    return item_id


def _present(request: web.Request) -> int:
    return to_microseconds(request.app[NOW]())


def _assets_url(request: web.Request) -> str:
    return request.app[PICTURES_URL] or f"{origin(request)}{ASSETS}"


def _json(value: object, *, status: int = 200) -> web.Response:
    return _answer(orjson.dumps(value), status=status)


def _answer(body: bytes, *, status: int = 200) -> web.Response:
    return web.Response(body=body, content_type="application/json", status=status)
