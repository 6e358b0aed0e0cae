"""What a member is told of an error."""

from typing import NamedTuple


class Words(NamedTuple):
    """Marked sentences; an error's values fill their `%(name)s` places."""

    title: str
    message: str
    next_step: str
