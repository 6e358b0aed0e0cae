"""`python -m benchmarks`: measure all, or what is named, and print a table of ratios.

A goal that is missed by more than its spread makes it fail, and so does what can't be measured. How
long each part took is told on the second output.
"""

import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

from benchmarks import (
    announcing,
    engines,
    flooding,
    growth,
    long_threads,
    memory,
    over_http,
    polls,
    start_up,
    waiting,
    watched_words,
)
from benchmarks.comments_page import side_by_side as comments_page
from benchmarks.forum_read import side_by_side as forum_read
from benchmarks.measuring import HEADING, Part, measure
from benchmarks.servers import side_by_side as servers

_PARTS: Mapping[str, Part] = {
    "comments-page": comments_page.compare,
    "long-threads": long_threads.compare,
    "forum-read": forum_read.compare,
    "start-up": start_up.compare,
    "flooding": flooding.compare,
    "servers": servers.compare,
    "engines": engines.compare,
    "over-http": over_http.compare,
    "memory": memory.compare,
    "announcing": announcing.compare,
    "polls": polls.compare,
    "waiting": waiting.compare,
    "watched-words": watched_words.compare,
    "growth": growth.compare,
}


def main() -> None:
    """Hold Kiosk beside the usual way of building it."""
    parser = ArgumentParser("python -m benchmarks", description=main.__doc__)
    parser.add_argument("only", nargs="*", help=f"what to measure, of {', '.join(_PARTS)}")
    only = parser.parse_args().only
    if not _PARTS.keys() >= set(only):
        parser.error(f"the parts are {', '.join(_PARTS)}")
    with tempfile.TemporaryDirectory(prefix="kiosk-benchmarks-") as folder:
        print(HEADING, flush=True)
        are_good = [measure(part, _PARTS[part], Path(folder)) for part in only or _PARTS]
    sys.exit(not all(are_good))


if __name__ == "__main__":
    main()
