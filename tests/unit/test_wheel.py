"""The wheel of a release: what runs from a checkout is inside, and its command is `kiosk`."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "cogs", "game_service", "storage")
# As the script does that pip makes for a command.
AS_INSTALLED = """
import sys
from importlib.metadata import entry_points

(script,) = entry_points(group="console_scripts", name="kiosk")
sys.argv = ["/somewhere/bin/kiosk", *sys.argv[1:]]
script.load()()
"""


def test_the_wheel_has_every_file_of_the_bot_and_brings_its_command(tmp_path: Path) -> None:
    source = tmp_path / "source"
    unwanted = shutil.ignore_patterns("__pycache__")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=unwanted)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (wheel,) = (source / "dist").glob("kiosk-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "installed")

    def files(folder: Path) -> set[Path]:
        paths = (path for name in PACKAGES for path in (folder / name).rglob("*"))
        return {path.relative_to(folder) for path in paths if path.is_file()}

    assert files(tmp_path / "installed") == files(source)
    ended = subprocess.run(
        [sys.executable, "-c", AS_INSTALLED, "keys", "status"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "installed"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr.startswith("KIOSK_KEYS: missing. Add this database's keys")
    # What to type is what was installed.
    assert ended.stderr.endswith("For a new database, `kiosk keys new` makes a key\n")
