"""A feature is deleted by its folder and its name, in a copy."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("bot", "cogs", "game_service", "playground", "storage", "tests", "tools")


@pytest.mark.parametrize("feature", ["roles", "find", "decisions", "panel", "replies"])
def test_a_feature_is_deleted_by_its_folder_and_its_name(feature: str, tmp_path: Path) -> None:
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.rmtree(tmp_path / "cogs" / feature)
    names = tmp_path / "cogs" / "__init__.py"
    names.write_text(re.sub(rf'"{feature}",\s*', "", names.read_text()))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("tests/unit/test_house.py", "tests/conversations/without_a_feature.py"),
        ],
        cwd=tmp_path,
        env=os.environ | {"WITHOUT_FEATURE": feature, "DISCORD_SPEC": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]
