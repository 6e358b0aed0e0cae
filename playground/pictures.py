"""The demo game's pictures for the page, which shows nothing that it would have to fetch."""

from pathlib import Path

import game_service

# The address that Kiosk knows: it shows no picture that only this machine could see.
PICTURES_URL = "https://pictures.example"

_FOLDER = Path(game_service.__file__).parent / "assets"


def pictures() -> dict[str, tuple[str, bytes]]:
    """Return each picture's name and bytes by the address that Kiosk knows."""
    return {
        f"{PICTURES_URL}/{path.relative_to(_FOLDER).as_posix()}": (path.name, path.read_bytes())
        for path in sorted(_FOLDER.rglob("*.png"))
    }
