"""The demo game's pictures, handed to the page: it shows nothing that it would have to fetch."""

from pathlib import Path

import game_service

# Where Kiosk believes them: it shows no picture that this machine alone could see.
PICTURES_URL = "https://pictures.example"

_FOLDER = Path(game_service.__file__).parent / "assets"


def pictures() -> dict[str, tuple[str, bytes]]:
    """Give each picture's name and bytes by the address at which Kiosk believes it."""
    return {
        f"{PICTURES_URL}/{path.relative_to(_FOLDER).as_posix()}": (path.name, path.read_bytes())
        for path in sorted(_FOLDER.rglob("*.png"))
    }
