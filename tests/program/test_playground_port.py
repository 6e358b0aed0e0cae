"""`make play PORT=...`, when somebody else has that port."""

import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-m", "playground", "--port", port],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    assert ended.returncode == 1
    assert ended.stderr.strip() == f"playground: preview could not bind port {port}"
