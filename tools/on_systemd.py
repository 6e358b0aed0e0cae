"""Install Kiosk on a new Debian with systemd, upgrade it and go back, as the documents say.

`python -m tools.on_systemd --older COMMIT` makes the wheels of that commit and of this one. In a
container, it types what docs/operators.md and docs/upgrading.md say. It fails if a version isn't
ready after that, or if a row is lost. It needs root, debootstrap and systemd-nspawn.
"""

import asyncio
import contextlib
import os
import re
import shutil
import sqlite3
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from bot import __version__
from tests.support.bot_process import environment_of
from tests.support.discord_standin import Discord, open_discord

ROOT = Path(__file__).parents[1]
DEBIAN = "bookworm"
PACKAGES = "--include=python3,python3-venv,ca-certificates,systemd,dbus"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
# The documents' names for the version to install, and for the one to return to.
NEWER, OLDER = __version__.partition(".dev")[0], "2.0.0"
# Points what is installed at the stand-in for Discord, at each start of Python.
STAND_IN = """
import os
if "STANDIN_API" in os.environ:
    import yarl
    from discord.gateway import DiscordWebSocket
    from discord.http import Route
    Route.BASE = os.environ["STANDIN_API"]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["STANDIN_GATEWAY"])
"""
# Versions differ in how they end this line, and the one of their start.
READY = "Kiosk is ready"
READY_SECONDS = 60
NEWEST_START = (
    "journalctl --unit=kiosk --output=cat"
    " _SYSTEMD_INVOCATION_ID=$(systemctl show --property=InvocationID --value kiosk)"
)
ROW = "INSERT INTO names VALUES (1, 'thread', 2, 'Kept', 'kept')"


async def run(*command: str | Path) -> str:
    # This machine's own package index is kept out.
    keep = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        env={**keep, "PIP_CERT": f"/{CERTIFICATES}", "PIP_QUIET": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {process.returncode}\n{told.decode()}")
    return told.decode()


async def release(commit: str, releases: Path) -> str:
    """Put a release's files into a folder named by its version, with this unit. Return it."""
    folder = releases / commit
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as code:
        archive = Path(code) / "code.tar"
        await run("git", "archive", f"--output={archive}", commit)
        shutil.unpack_archive(archive, code)
        pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
        await run(*pip, f"--wheel-dir={folder}", code)
        shutil.copy(Path(code) / "requirements/run.txt", folder)
    for name in ("kiosk.service", "kiosk.sh"):
        shutil.copy(ROOT / "deploy" / name, folder)
    (wheel,) = folder.glob("kiosk-*.whl")
    version = wheel.name.split("-")[1]
    folder.rename(releases / version)
    return version


class Machine:
    """A Debian that runs, in which commands are typed by its root."""

    def __init__(self, root: Path, init: str) -> None:
        self.root = root
        self._enter = ("nsenter", f"--target={init}", "--mount", "--uts", "--ipc", "--pid", "sh")

    async def type(self, command: str, folder: str = "/") -> str:
        print(f"# {command}", flush=True)
        told = await run(*self._enter, "-c", f"cd {folder} && {command}")
        print(told, end="", flush=True)
        return told

    async def ready(self, version: str) -> None:
        """Wait until this version says that members are answered."""
        told = ""
        for _ in range(READY_SECONDS):
            told = await run(*self._enter, "-c", NEWEST_START)
            if READY in told:
                break
            await asyncio.sleep(1)
        print(told, end="", flush=True)
        if f"Kiosk {version} " not in told or READY not in told:
            sys.exit(f"{version} isn't ready")


@contextlib.asynccontextmanager
async def booted(root: Path) -> AsyncGenerator[Machine]:
    nspawn = await asyncio.create_subprocess_exec(
        *("systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit"),
        f"--directory={root}",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        # Its first process is the only child.
        children = f"/proc/{nspawn.pid}/task/{nspawn.pid}/children"
        init = await run("sh", "-c", f"until grep '[0-9]' {children}; do sleep 0.1; done")
        machine = Machine(root, init.strip())
        is_up = "systemctl is-system-running --wait | grep -E 'running|degraded'"
        await machine.type(f"until {is_up}; do sleep 1; done")
        yield machine
    finally:
        nspawn.terminate()
        await nspawn.wait()


def commands(path: str, heading: str) -> Sequence[str]:
    """Return what a page says to type below a heading."""
    below = (ROOT / path).read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    return re.findall(r"^\$ (.+)", below.partition("\n#")[0], re.MULTILINE)


async def walk(machine: Machine, older: str, newer: str, discord: Discord) -> None:
    state = machine.root / "var/lib/private/kiosk"

    def require_row() -> None:
        with contextlib.closing(sqlite3.connect(state / "kiosk.db")) as reading:
            if reading.execute("SELECT name FROM names").fetchall() != [("Kept",)]:
                sys.exit("a row is lost")

    async def type_all(lines: Sequence[str], version: str) -> None:
        for line in lines:
            told = line.replace(NEWER, newer).replace(OLDER, older)
            await machine.type(told, f"/releases/{version}")
            for site in machine.root.glob(f"opt/kiosk/{version}/lib/python3*/site-packages"):
                (site / "standin.pth").write_text("import standin\n")
                (site / "standin.py").write_text(STAND_IN)

    settings = environment_of(discord, "", Path())
    for name in ("DATABASE_URL", "GAME_BASE_URL", "GAME_TOKEN"):
        del settings[name]
    lines = "".join(f"{name}={value}\n" for name, value in settings.items())
    (machine.root / "releases" / older / ".env").write_text(lines)

    installing = commands("docs/operators.md", "## systemd")
    await type_all([line.replace(NEWER, OLDER) for line in installing], older)
    await machine.ready(older)
    await machine.type("systemd-analyze verify kiosk.service")
    await machine.type("kiosk data backup monday.db")
    await machine.type("systemctl stop kiosk")
    with contextlib.closing(sqlite3.connect(state / "kiosk.db")) as writing, writing:
        writing.execute(ROW)
    await machine.type("systemctl start kiosk")
    await machine.ready(older)

    await type_all(commands("docs/upgrading.md", "### With systemd"), newer)
    await machine.ready(newer)
    require_row()

    await type_all(commands("docs/upgrading.md", "### Going back with systemd"), newer)
    await machine.ready(older)
    require_row()
    await machine.type("systemctl stop kiosk")


async def main() -> None:
    parser = ArgumentParser("python -m tools.on_systemd", description=__doc__)
    parser.add_argument("--older", required=True, help="a commit of the version to upgrade")
    older_commit = parser.parse_args().older
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        # Services that don't run as root enter it, too.
        await run("chmod", "755", root)
        await run("debootstrap", "--variant=minbase", PACKAGES, DEBIAN, root)
        # This machine's way to the network is the new one's.
        shutil.copy(Path("/") / CERTIFICATES, root / CERTIFICATES)
        releases = root / "releases"
        older, newer = await release(older_commit, releases), await release("HEAD", releases)
        async with open_discord() as discord, booted(root) as machine:
            await walk(machine, older, newer, discord)


if __name__ == "__main__":
    asyncio.run(main())
