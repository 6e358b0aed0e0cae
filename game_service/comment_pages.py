"""List the comments of a thread, replies nested (docs/connect-your-game.md#list-comments).

The JSON of a top-level comment with all below it is made when it is first read, and kept until a
trigger has counted its version up, whether this program wrote or another.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from game_service.anchors import TOP, Anchors, Sort, Start, place
from game_service.errors import NotFound
from game_service.kept import Kept
from game_service.pagination import PER_PAGE, PageRequest, envelope
from game_service.shapes import Shape, listed_comment
from storage.database import Database, Row, load_queries

# If a comment has more children, a list nests the newest ones: a fresh reply is always seen.
MAX_CHILDREN = 100
# What one page nests stays within these, however long and many the replies are.
_MAX_ROWS = 4_096
_MAX_BYTES = 1_500_000
_SHAPE_BYTES = 400
_MAX_BYTES_KEPT = 16 * 2**20
# How often a place is looked for, if someone writes at the same time.
_TRIES = 3

_SQL = load_queries(Path(__file__).parent / "sql" / "comments.sql")


@dataclass(frozen=True, slots=True)
class _Tree:
    """A top-level comment as lists show it, and its share of a page's limits."""

    version: int
    json: bytes
    rows: int
    size: int


class CommentPages:
    """The lists of all threads."""

    def __init__(self, database: Database, anchors: Anchors | None = None) -> None:
        self._database = database
        self._anchors = anchors or Anchors(database)
        self._trees: Kept[tuple[int, str], _Tree] = Kept(_MAX_BYTES_KEPT)

    async def page(self, thread_id: int, sort: Sort, page: PageRequest, assets_url: str) -> bytes:
        """Return one page of a thread's top-level comments, oldest reply first, as JSON.

        Raises NotFound.
        """
        roots = await self._roots(thread_id, sort, page)
        shown = roots[:PER_PAGE]
        entries = await self._entries(thread_id, shown, assets_url)
        return envelope(page, entries, has_next=len(roots) > PER_PAGE)

    async def _roots(self, thread_id: int, sort: Sort, page: PageRequest) -> Sequence[Row]:
        """Return the page's top-level comments, and the next one, in their order."""
        for _ in range(_TRIES):
            start = await self._anchors.start(thread_id, sort, page.offset)
            found = await self._from(start, thread_id, sort, page)
            if start.moves in (None, found[0]["moves"]):
                break
        else:
            found = await self._from(Start(TOP, page.offset), thread_id, sort, page)
        return [row for row in found if row["id"] is not None]

    async def _from(
        self, start: Start, thread_id: int, sort: Sort, page: PageRequest
    ) -> Sequence[Row]:
        found = await self._database.fetch(
            _SQL[sort], thread_id=thread_id, **place(start.key), rest=start.rest, limit=page.limit
        )
        if not found:
            raise NotFound("thread")
        return found

    async def _entries(
        self, thread_id: int, roots: Sequence[Row], assets_url: str
    ) -> Sequence[bytes]:
        """Return the JSON of top-level comments, without one deleted a moment ago."""
        kept = {root["id"]: self._kept(root, assets_url) for root in roots}
        missing = [root_id for root_id, tree in kept.items() if tree is None]
        if missing:
            kept |= self._make(await self._rows(thread_id, missing), assets_url)
        trees = [tree for tree in kept.values() if tree is not None]
        rows = sum(tree.rows for tree in trees)
        size = sum(tree.size for tree in trees)
        if rows < _MAX_ROWS and size <= _MAX_BYTES:
            return [tree.json for tree in trees]
        shapes = _nest(await self._rows(thread_id, list(kept)), assets_url)
        return [orjson.dumps(shapes[root_id]) for root_id in kept if root_id in shapes]

    def _kept(self, root: Row, assets_url: str) -> _Tree | None:
        tree = self._trees.get((root["id"], assets_url))
        return tree if tree is not None and tree.version == root["version"] else None

    def _make(self, rows: Sequence[Row], assets_url: str) -> Mapping[int, _Tree]:
        """Make the JSON of trees. Keep it, unless it is too much for one page."""
        below: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows:
            below[row["root_id"]].append(row)
        trees: dict[int, _Tree] = {}
        for root_id, tree_rows in below.items():
            shape = _nest(tree_rows, assets_url)[root_id]
            tree = trees[root_id] = _Tree(
                version=tree_rows[0]["version"],
                json=orjson.dumps(shape),
                rows=len(tree_rows),
                size=sum(map(_size, tree_rows)),
            )
            if len(rows) < _MAX_ROWS and tree.size <= _MAX_BYTES:
                self._trees.put((root_id, assets_url), tree, len(tree.json))
        return trees

    async def _rows(self, thread_id: int, root_ids: Sequence[int]) -> Sequence[Row]:
        """Return the comments of trees. Very large trees have as many as a page may nest."""
        # What is named twice is read once.
        ids = {f"id_{n}": root_ids[min(n, len(root_ids) - 1)] for n in range(PER_PAGE)}
        return await self._database.fetch(
            _SQL["list_trees"],
            thread_id=thread_id,
            **ids,
            most_children=MAX_CHILDREN,
            most_rows=_MAX_ROWS,
        )


def _nest(rows: Iterable[Row], assets_url: str) -> dict[int, Shape]:
    """Shape the rows and put each into its parent, top-level comments first, then the oldest."""
    shapes: dict[int, Shape] = {}
    children: dict[int, list[Shape]] = {}
    size = 0
    for row in sorted(rows, key=_parents_first):
        size += _size(row)
        if size > _MAX_BYTES and row["parent_id"] is not None:
            break
        children[row["id"]] = []
        shape = shapes[row["id"]] = listed_comment(row, assets_url, children[row["id"]])
        if row["parent_id"] is not None:
            children[row["parent_id"]].append(shape)
    return shapes


def _size(row: Row) -> int:
    return _SHAPE_BYTES + len(orjson.dumps(row["content"]))


def _parents_first(row: Row) -> tuple[bool, int]:
    return row["parent_id"] is not None, row["id"]
