"""A server that does nothing but send: bare aiohttp, with the service's own bytes loaded.

`python -m benchmarks.comments_page.bare_service BASE_URL`, with a path in each line of the input,
fetches each from BASE_URL once, then serves them on a free port and prints its address.
"""

import asyncio
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import urlopen

import uvloop
from aiohttp import web


async def serve(prefix: str, bodies: Mapping[str, bytes]) -> None:
    """Serve until the process is ended."""

    async def send(request: web.Request) -> web.Response:
        return web.Response(body=bodies[request.path_qs], content_type="application/json")

    app = web.Application()
    app.router.add_get(f"{prefix}/threads/{{id}}/comments", send)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"listening on http://127.0.0.1:{runner.addresses[0][1]}{prefix}", flush=True)
    await asyncio.Event().wait()


def fetch(base_url: str, prefix: str) -> Mapping[str, bytes]:
    """Return what another server answers, by path."""
    answers: dict[str, bytes] = {}
    for path in sys.stdin.read().split():
        with urlopen(base_url + path) as answer:
            answers[prefix + path] = answer.read()
    return answers


if __name__ == "__main__":
    _base_url = sys.argv[1]
    _prefix = urlsplit(_base_url).path
    uvloop.run(serve(_prefix, fetch(_base_url, _prefix)))
