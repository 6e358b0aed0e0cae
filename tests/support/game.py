"""The demo game, served on loopback for as long as a test needs it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from game_service.app import Service, open_service


@asynccontextmanager
async def open_demo_game(folder: Path) -> AsyncGenerator[Service]:
    """Serve a fresh demo game, kept in a folder, on a free port."""
    async with open_service(f"sqlite:///{folder}/game.db", demo=True) as service:
        yield service
