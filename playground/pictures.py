"""The demo game's pictures, handed to the page: it shows nothing that it would have to fetch."""

from pathlib import Path

from yarl import URL

import game_service
from game_service.routes import ASSETS

_FOLDER = Path(game_service.__file__).parent / "assets"


def pictures_of(base_url: str) -> dict[str, tuple[str, bytes]]:
    """Give each picture's name and bytes by the address at which the game serves it."""
    root = URL(base_url).origin()
    return {
        str(root.with_path(f"{ASSETS}/{path.relative_to(_FOLDER).as_posix()}")): (
            path.name,
            path.read_bytes(),
        )
        for path in sorted(_FOLDER.rglob("*.png"))
    }
