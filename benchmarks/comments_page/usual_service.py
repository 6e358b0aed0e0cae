"""Comments (docs/connect-your-game.md#comments) with FastAPI and SQLAlchemy's core.

`python -m benchmarks.comments_page.usual_service PATH` serves the database at PATH on a free port
and prints its address. Rows become dictionaries and these JSON by orjson. No model is made. The
tables have the indexes this list wants: nothing is left slow on purpose. The writer is always the
first player: no token is looked up.
"""

import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import orjson
import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from sqlalchemy import ForeignKey, Index, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

PREFIX = "/api/v1"
PER_PAGE = 15


class Base(DeclarativeBase):
    """The tables."""


class PlayerRow(Base):
    """A player."""

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(primary_key=True)
    avatar_url: Mapped[str]
    is_subscribed: Mapped[bool]
    screen_name: Mapped[str]
    verified_at: Mapped[datetime | None]


class ThreadRow(Base):
    """A thread."""

    __tablename__ = "threads"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class CommentRow(Base):
    """A comment, and the replies to it."""

    __tablename__ = "comments"
    __table_args__ = (
        Index("comments_latest", "thread_id", "parent_id", "id"),
        Index("comments_hottest", "thread_id", "parent_id", "score", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    thread_id: Mapped[int] = mapped_column(ForeignKey("threads.id"))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("comments.id"), index=True)
    depth: Mapped[int]
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    content: Mapped[str]
    created_at: Mapped[datetime]
    score: Mapped[float]


class Sort(StrEnum):
    """The orders of the list."""

    LATEST = "latest"
    HOTTEST = "hottest"


_FIELDS = (
    CommentRow.id,
    CommentRow.parent_id,
    CommentRow.depth,
    CommentRow.content,
    CommentRow.created_at,
    CommentRow.player_id,
    PlayerRow.avatar_url,
    PlayerRow.is_subscribed,
    PlayerRow.screen_name,
    PlayerRow.verified_at,
)
_COMMENTS = select(*_FIELDS).join(PlayerRow, PlayerRow.id == CommentRow.player_id)
_Shape = dict[str, Any]


async def list_comments(
    request: Request, thread_id: int, sort: Sort = Sort.LATEST, page: int = 1
) -> Response:
    """GET /threads/:id/comments."""
    async with request.app.state.engine.connect() as connection:
        await _require_thread(connection, thread_id)
        rows = (await connection.execute(_page_of(thread_id, sort, page))).all()
        shapes = {row.id: _shape(row) for row in rows[:PER_PAGE]}
        await _nest(connection, shapes)
    entries = list(shapes.values())
    body = _envelope(request, entries, page, has_next=len(rows) > PER_PAGE)
    return Response(orjson.dumps(body), media_type="application/json")


async def create_comment(request: Request, thread_id: int) -> Response:
    """POST /threads/:id/comments, at the top."""
    comment = {
        "thread_id": thread_id,
        "player_id": 1,
        "depth": 1,
        "score": 0.0,
        "content": orjson.loads(await request.body())["content"].strip(),
        "created_at": datetime.now(UTC).replace(tzinfo=None),
    }
    async with request.app.state.engine.begin() as connection:
        await _require_thread(connection, thread_id)
        written = await connection.execute(insert(CommentRow).values(**comment))
        (comment_id,) = written.inserted_primary_key
        row = (await connection.execute(_COMMENTS.where(CommentRow.id == comment_id))).one()
    shape = _shape(row)
    del shape["children_count"], shape["children"]
    return Response(orjson.dumps({"data": shape}), 201, media_type="application/json")


async def _require_thread(connection: AsyncConnection, thread_id: int) -> None:
    found = await connection.execute(select(ThreadRow.id).where(ThreadRow.id == thread_id))
    if found.first() is None:
        raise HTTPException(404)


def _page_of(thread_id: int, sort: Sort, page: int) -> Any:
    newest = CommentRow.id.desc()
    order = (CommentRow.score.desc(), newest) if sort is Sort.HOTTEST else (newest,)
    return (
        _COMMENTS.where(CommentRow.thread_id == thread_id, CommentRow.parent_id.is_(None))
        .order_by(*order)
        .offset((page - 1) * PER_PAGE)
        .limit(PER_PAGE + 1)
    )


async def _nest(connection: AsyncConnection, shapes: dict[int, _Shape]) -> None:
    """Put the replies into their comments, a level with each query."""
    level: Sequence[int] = list(shapes)
    known = dict(shapes)
    while level:
        replies = _COMMENTS.where(CommentRow.parent_id.in_(level)).order_by(CommentRow.id)
        rows = (await connection.execute(replies)).all()
        for row in rows:
            known[row.id] = _shape(row)
            parent = known[row.parent_id]
            parent["children"].append(known[row.id])
            parent["children_count"] += 1
        level = [row.id for row in rows]


def _shape(row: Any) -> _Shape:
    return {
        "id": row.id,
        "children_count": 0,
        "children": [],
        "depth": row.depth,
        "player": {
            "id": row.player_id,
            "avatar_url": row.avatar_url,
            "is_subscribed": row.is_subscribed,
            "screen_name": row.screen_name,
            "verified_at": row.verified_at,
            "inventory": {"id": row.player_id, "pin_item": None},
        },
        "content": row.content,
        "created_at": f"{row.created_at.isoformat(timespec='microseconds')}Z",
    }


def _envelope(request: Request, entries: list[_Shape], page: int, *, has_next: bool) -> _Shape:
    def address(number: int) -> str:
        return str(request.url.include_query_params(page=number))

    first = (page - 1) * PER_PAGE + 1
    return {
        "data": entries,
        "links": {
            "first": address(1),
            "last": None,
            "prev": address(page - 1) if page > 1 else None,
            "next": address(page + 1) if has_next else None,
        },
        "meta": {
            "current_page": page,
            "from": first if entries else None,
            "path": str(request.url.replace(query="")),
            "per_page": PER_PAGE,
            "to": first + len(entries) - 1 if entries else None,
        },
    }


def create_app(path: str) -> FastAPI:
    """Build the application on the database at `path`."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        app.state.engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
        yield
        await app.state.engine.dispose()

    app = FastAPI(lifespan=lifespan)
    app.get(f"{PREFIX}/threads/{{thread_id}}/comments")(list_comments)
    app.post(f"{PREFIX}/threads/{{thread_id}}/comments")(create_comment)
    return app


def run(app: FastAPI) -> None:
    """Serve on a free port until the process is ended."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}{PREFIX}", flush=True)
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    run(create_app(sys.argv[1]))
