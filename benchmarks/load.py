"""Ask a server for pages as fast as it answers, from a process of its own.

`python -m benchmarks.load HOST PORT SECONDS TOKEN`, with what to ask in each line of the input
(`/path`, or `/path text` to write a comment with the token), prints how many answers a second came.
The clients speak no more HTTP than it takes to keep their connections alive, so that it is the
server that is measured.
"""

import asyncio
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import uvloop

CLIENTS = 16


def answers_a_second(
    base_url: str, wishes: Sequence[str], seconds: float, *, token: str = ""
) -> float:
    """Ask for each wish in turn with 16 clients, from another process.

    A wish is a path to read, or a path and a text that is written there with the token.
    """
    address = urlsplit(base_url)
    lines = "".join(f"{address.path}{path}\n" for path in wishes)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.load"),
            *(str(address.hostname), str(address.port), str(seconds), token),
        ],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


async def _ask_until(
    ends_at: float, host: str, port: int, token: str, wishes: Iterator[str]
) -> int:
    """Ask again as soon as an answer arrives. Return how many there were."""
    reader, writer = await asyncio.open_connection(host, port)
    answers = 0
    while time.perf_counter() < ends_at:
        writer.write(_request(f"{host}:{port}", token, next(wishes)))
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 20"), head
        await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
        answers += 1
    writer.close()
    await writer.wait_closed()
    return answers


def _request(host: str, token: str, wish: str) -> bytes:
    path, _, text = wish.partition(" ")
    if not text:
        return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\n\r\n".encode()
    body = json.dumps({"content": text})
    return (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


async def _measure(
    host: str, port: int, seconds: float, token: str, wishes: Sequence[str]
) -> float:
    endless = itertools.cycle(wishes)
    started = time.perf_counter()
    answers = await asyncio.gather(
        *(_ask_until(started + seconds, host, port, token, endless) for _ in range(CLIENTS))
    )
    return sum(answers) / (time.perf_counter() - started)


if __name__ == "__main__":
    _host, _port, _seconds, _token = sys.argv[1:]
    _wishes = sys.stdin.read().splitlines()
    print(uvloop.run(_measure(_host, int(_port), float(_seconds), _token, _wishes)))
