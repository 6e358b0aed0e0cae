"""`make play`, until it is ended, and where somebody else has its port."""

import os
import signal
import socket
from pathlib import Path

import pytest

from tests.support.program import Launcher, run_program


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_cleanly(launcher: Launcher, tmp_path: Path, sign: signal.Signals) -> None:
    kept = {"TMPDIR": str(tmp_path)}
    async with run_program(launcher, ["playground"], kept, tmp_path) as program:
        await program.says("Nothing is kept")
        assert os.listdir(tmp_path)  # noqa: PTH208 - for a moment
        program.send(sign)
        assert await program.ended() == 0

    assert "http://127.0.0.1:" in program.output
    assert "Traceback" not in program.output
    assert not os.listdir(tmp_path)  # noqa: PTH208 - for a moment


def test_a_port_that_is_taken_is_one_line(launcher: Launcher, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = launcher.run(["playground", "--port", port], {}, tmp_path)

    assert ended.status == 1
    assert ended.err.strip() == f"playground: preview could not bind port {port}"
