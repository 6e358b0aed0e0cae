"""The service's own description, OpenAPI 3.1."""

from functools import cache
from pathlib import Path

import orjson

_PATH = Path(__file__).parent / "openapi.json"


def describe(base_url: str) -> dict[str, object]:
    """Return the description of the service at this address."""
    return {**_read(), "servers": [{"url": base_url}]}


@cache
def _read() -> dict[str, object]:
    return orjson.loads(_PATH.read_bytes())
