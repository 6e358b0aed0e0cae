"""Steps that tests make, and that no one released."""

import shutil
from pathlib import Path

from storage import MIGRATIONS

NOTES = """-- kiosk: notes; a semicolon in a comment.
CREATE TABLE notes (text TEXT UNIQUE);
INSERT INTO notes VALUES ('a; b');
"""


def steps_in(folder: Path, *steps: str) -> Path:
    """Let a folder have these steps and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number, sql in enumerate(steps, 1):
        (folder / f"{number:04}_1.{number - 1}.0.sql").write_bytes(sql.encode())
    return folder


def kiosk_with(folder: Path, sql: str) -> Path:
    """Return a folder with Kiosk's own steps, and one more."""
    shutil.copytree(MIGRATIONS, folder)
    (folder / f"{len(list(folder.iterdir())) + 1:04}_9.0.0.sql").write_text(sql)
    return folder
