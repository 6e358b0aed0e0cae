"""A real Caddy before our processes, with the Caddyfile that is shipped."""

import asyncio
import socket
import sysconfig
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.program import ROOT

_PROCESSES = "kiosk-1:8080 kiosk-2:8080 kiosk-3:8080"


@asynccontextmanager
async def run_caddy(folder: Path, *targets: str) -> AsyncGenerator[str]:
    """Run a Caddy before these addresses, over plain HTTP on loopback; gives its own address.

    All else is as deploy/Caddyfile says.
    """
    shipped = (ROOT / "deploy/Caddyfile").read_text()
    assert _PROCESSES in shipped
    adapted = folder / "Caddyfile"
    adapted.write_text(shipped.replace(_PROCESSES, " ".join(targets)))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    caddy = await asyncio.create_subprocess_exec(
        Path(sysconfig.get_path("scripts")) / "caddy",
        *("run", "--adapter", "caddyfile", "--config", adapted),
        env={"KIOSK_HOST": address, "HOME": str(folder), "CADDY_ADMIN": "127.0.0.1:0"},
        stderr=PIPE,
    )
    assert caddy.stderr is not None
    while b"serving initial configuration" not in (line := await caddy.stderr.readline()):
        assert line, "Caddy has ended"
    # Caddy waits if no one reads what it says.
    reading = asyncio.create_task(caddy.stderr.read())
    try:
        yield address
    finally:
        caddy.kill()
        await reading
        await caddy.wait()
