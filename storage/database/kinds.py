"""Whose a database is: the bot's, a game's, or another program's."""

from enum import Enum


class DatabaseKind(Enum):
    """What a database is marked as: its name, its application id in SQLite, its first step."""

    KIOSK = ("kiosk", 0x4B696F73, "0001_links_and_names", "Kiosk")
    GAME = ("game", 0x4B67616D, "0001_game", "the game")

    def __init__(self, mark: str, application_id: int, first_step: str, owner: str) -> None:
        self.mark = mark
        self.application_id = application_id
        self.first_step = first_step
        self.owner = owner

    @classmethod
    def made_by(cls, first_step: str) -> "DatabaseKind | None":
        """Return what a step of this name is the first one of, if it is known."""
        return next((kind for kind in cls if kind.first_step == first_step), None)
