"""Where the tests' databases are: on SQLite, or with DATABASE=postgresql on PostgreSQL."""

import atexit
import os
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from tests.support.postgres import empty_schema, run_postgres


def address_at(path: Path) -> str:
    """Return the address of the database that stands for a file, the same each time."""
    if os.environ.get("DATABASE") == "postgresql":
        return _schema_for(path)
    return f"sqlite:///{path}"


@cache
def _schema_for(path: Path) -> str:
    return empty_schema(_server())


@cache
def _server() -> str:
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    return stack.enter_context(run_postgres(Path(folder)))
