"""Ask a server for pages as fast as it answers, from a process of its own.

`python -m benchmarks.load HOST PORT SECONDS`, with a path in each line of the input, prints how
many answers a second came. The clients speak no more HTTP than it takes to keep their connections
alive, so that it is the server that is measured.
"""

import asyncio
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import uvloop

CLIENTS = 16


def pages_a_second(base_url: str, paths: Sequence[str], seconds: float) -> float:
    """Ask for the paths in turn with 16 clients, from another process."""
    address = urlsplit(base_url)
    lines = "".join(f"{address.path}{path}\n" for path in paths)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.load"),
            *(str(address.hostname), str(address.port), str(seconds)),
        ],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


async def _ask_until(ends_at: float, host: str, port: int, paths: Iterator[str]) -> int:
    """Ask again as soon as an answer is there; gives how many there were."""
    reader, writer = await asyncio.open_connection(host, port)
    answers = 0
    while time.perf_counter() < ends_at:
        writer.write(
            f"GET {next(paths)} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            "Accept: application/json\r\n\r\n".encode()
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200 "), head
        await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
        answers += 1
    writer.close()
    await writer.wait_closed()
    return answers


async def _measure(host: str, port: int, seconds: float, paths: Sequence[str]) -> float:
    endless = itertools.cycle(paths)
    started = time.perf_counter()
    answers = await asyncio.gather(
        *(_ask_until(started + seconds, host, port, endless) for _ in range(CLIENTS))
    )
    return sum(answers) / (time.perf_counter() - started)


if __name__ == "__main__":
    _host, _port, _seconds = sys.argv[1:]
    print(uvloop.run(_measure(_host, int(_port), float(_seconds), sys.stdin.read().split())))
