"""The list of comments (Interface 4.1) as most would write it: FastAPI and SQLAlchemy's ORM.

`python -m benchmarks.comments_page.usual_service PATH` serves the database at PATH on a free port
and prints its address. Relations are loaded eagerly in few queries, rows become pydantic models,
the tables have the indexes this list wants: nothing is left slow on purpose.
"""

import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer
from sqlalchemy import ForeignKey, Index, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    joinedload,
    mapped_column,
    relationship,
    selectinload,
)

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

    @property
    def inventory(self) -> dict[str, int | None]:
        """Each player has one, without a pin."""
        return {"id": self.id, "pin_item": None}


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
    player: Mapped[PlayerRow] = relationship()
    children: Mapped[list["CommentRow"]] = relationship(order_by="CommentRow.id")

    @property
    def children_count(self) -> int:
        """How many replies there are."""
        return len(self.children)


class Sort(StrEnum):
    """The orders of the list."""

    LATEST = "latest"
    HOTTEST = "hottest"


Moment = Annotated[
    datetime, PlainSerializer(lambda moment: moment.isoformat(timespec="microseconds") + "Z")
]


class Inventory(BaseModel):
    """Interface 2.2."""

    id: int
    pin_item: int | None


class Player(BaseModel):
    """Interface 2.2."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    avatar_url: str
    is_subscribed: bool
    screen_name: str
    verified_at: Moment | None
    inventory: Inventory


class Comment(BaseModel):
    """Interface 2.1."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    children_count: int
    children: list["Comment"]
    depth: int
    player: Player
    content: str
    created_at: Moment


class Links(BaseModel):
    """Interface 2.6."""

    first: str
    last: str | None
    prev: str | None
    next: str | None


class Meta(BaseModel):
    """Interface 2.6."""

    current_page: int
    from_: int | None = Field(serialization_alias="from")
    path: str
    per_page: int
    to: int | None


class CommentPage(BaseModel):
    """Interface 4.1."""

    data: list[Comment]
    links: Links
    meta: Meta


async def open_session(request: Request) -> AsyncGenerator[AsyncSession]:
    """Give each request a session."""
    async with request.app.state.sessions() as session:
        yield session


Session = Annotated[AsyncSession, Depends(open_session)]
PageNumber = Annotated[int, Query(ge=1)]


async def list_comments(
    request: Request,
    session: Session,
    thread_id: int,
    sort: Sort = Sort.LATEST,
    page: PageNumber = 1,
) -> CommentPage:
    """GET /threads/:id/comments."""
    if await session.get(ThreadRow, thread_id) is None:
        raise HTTPException(404)
    newest = CommentRow.id.desc()
    order = (CommentRow.score.desc(), newest) if sort is Sort.HOTTEST else (newest,)
    query = (
        select(CommentRow)
        .where(CommentRow.thread_id == thread_id, CommentRow.parent_id.is_(None))
        .order_by(*order)
        .offset((page - 1) * PER_PAGE)
        .limit(PER_PAGE + 1)
        .options(
            joinedload(CommentRow.player),
            selectinload(CommentRow.children, recursion_depth=-1).joinedload(CommentRow.player),
        )
    )
    rows = (await session.scalars(query)).all()
    comments = [Comment.model_validate(row) for row in rows[:PER_PAGE]]
    return _page(request, comments, page, has_next=len(rows) > PER_PAGE)


def _page(request: Request, comments: list[Comment], page: int, *, has_next: bool) -> CommentPage:
    def address(number: int) -> str:
        return str(request.url.include_query_params(page=number))

    first = (page - 1) * PER_PAGE + 1
    return CommentPage(
        data=comments,
        links=Links(
            first=address(1),
            last=None,
            prev=address(page - 1) if page > 1 else None,
            next=address(page + 1) if has_next else None,
        ),
        meta=Meta(
            current_page=page,
            from_=first if comments else None,
            path=str(request.url.replace(query="")),
            per_page=PER_PAGE,
            to=first + len(comments) - 1 if comments else None,
        ),
    )


def create_app(path: str) -> FastAPI:
    """Build the application on the database at `path`."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
        app.state.sessions = async_sessionmaker(engine, expire_on_commit=False)
        yield
        await engine.dispose()

    app = FastAPI(lifespan=lifespan)
    app.get(f"{PREFIX}/threads/{{thread_id}}/comments")(list_comments)
    return app


def run(app: FastAPI) -> None:
    """Serve on a free port until the process is ended."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}{PREFIX}", flush=True)
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    run(create_app(sys.argv[1]))
