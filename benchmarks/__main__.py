"""`python -m benchmarks`: measure everything, or the named parts. Print a table of ratios.

It fails if a goal is missed by more than its spread, or if a part can't be measured. The second
output says how long each part took.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks import (
    announcing,
    engines,
    flooding,
    growth,
    hidden_comments,
    long_threads,
    memory,
    over_http,
    polls,
    role_looks,
    shrinking,
    start_up,
    waiting,
    watched_words,
    wishes,
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
    "role-looks": role_looks.compare,
    "hidden-comments": hidden_comments.compare,
    "watched-words": watched_words.compare,
    "wishes": wishes.compare,
    "shrinking": shrinking.compare,
    "growth": growth.compare,
}


def main() -> None:
    """Compare Kiosk with the usual way of building it."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=main.__doc__)
    parser.add_argument("only", nargs="*", help=f"what to measure, of {', '.join(_PARTS)}")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not _PARTS.keys() >= set(given.only):
        parser.error(f"the parts are {', '.join(_PARTS)}")
    if given.folder is not None:
        are_good = [measure(part, _PARTS[part], given.folder) for part in given.only]
        sys.exit(not all(are_good))
    with tempfile.TemporaryDirectory(prefix="kiosk-benchmarks-") as folder:
        print(HEADING, flush=True)
        # A part that shares a process with others pauses for what these have left in memory.
        command = [sys.executable, "-m", "benchmarks", "--folder", folder]
        statuses = [subprocess.call([*command, part]) for part in given.only or _PARTS]
    sys.exit(any(statuses))


if __name__ == "__main__":
    main()
