"""Pages of 15 and the envelope they travel in (docs/connect-your-game.md#pages)."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from aiohttp import web

PER_PAGE = 15
# Far beyond any list, and small enough for every database to count to.
LAST_PAGE = 10**9


@dataclass(frozen=True)
class PageRequest:
    """Which page of which list was asked for."""

    number: int
    path: str
    other_parameters: str

    @property
    def offset(self) -> int:
        """The number of entries before this page."""
        return (self.number - 1) * PER_PAGE

    @property
    def limit(self) -> int:
        """The number of entries to fetch: one more than fits, to see if there is a next page."""
        return PER_PAGE + 1

    def address(self, number: int) -> str:
        """Return the absolute address of another page of the same list, in the same order."""
        return f"{self.path}?{self.other_parameters}page={number}"


def page_request(request: web.Request, number: int) -> PageRequest:
    """Note the list's address as the caller reached it, with its parameters other than page."""
    address = request.rel_url
    others = [
        parameter
        for parameter in address.raw_query_string.split("&")
        if parameter and parameter.partition("=")[0] != "page"
    ]
    return PageRequest(
        number=number,
        path=f"{origin(request)}{address.raw_path}",
        other_parameters="".join(f"{parameter}&" for parameter in others),
    )


def origin(request: web.Request) -> str:
    """Return scheme and host as the caller sees them."""
    return f"{request.scheme}://{request.host}"


def envelope(page: PageRequest, entries: Sequence[bytes], *, has_next: bool) -> bytes:
    """Wrap the JSON of the entries of one page, as JSON.

    `from` and `to` count from 1 and are null on an empty page.
    """
    count = len(entries)
    around = {
        "links": {
            "first": page.address(1),
            # The last page would cost a count of the whole list.
            "last": None,
            "prev": page.address(page.number - 1) if page.number > 1 else None,
            "next": page.address(page.number + 1) if has_next else None,
        },
        "meta": {
            "current_page": page.number,
            "from": page.offset + 1 if count else None,
            "path": page.path,
            "per_page": PER_PAGE,
            "to": page.offset + count if count else None,
        },
    }
    return b'{"data":[' + b",".join(entries) + b"]," + orjson.dumps(around)[1:]
