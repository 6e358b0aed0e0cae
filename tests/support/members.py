"""Members of Discord, as far as a card asks who they are."""

from types import SimpleNamespace
from typing import Any


def called(name: str, member_id: int) -> Any:
    """Return a member of this name and number."""
    return SimpleNamespace(id=member_id, display_name=name)
