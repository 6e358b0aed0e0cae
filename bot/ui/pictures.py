"""Which pictures Discord can show: it fetches them itself, from where it stands."""

import ipaddress
from functools import lru_cache

from yarl import URL


@lru_cache(maxsize=4096)
def visible_picture(url: str | None) -> str | None:
    """Return a picture's address, None where nobody beyond this machine or network can see it."""
    host = URL(url).host if url else None
    if not host or host.endswith((".localhost", ".local", ".internal")):
        return None
    try:
        is_public = ipaddress.ip_address(host).is_global
    except ValueError:
        is_public = "." in host
    return url if is_public else None
