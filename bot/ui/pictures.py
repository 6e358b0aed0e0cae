"""The game's pictures beside texts, where Discord fetches them itself."""

import ipaddress
import re
from functools import lru_cache

from yarl import URL

from bot.ui import drawing
from bot.ui.markdown import one_line

# Of a picture, by what it shows: a card with ten has room for them.
_LONGEST_DESCRIPTION = 60
# The names of hosts that Discord takes; those that end in a number are no names.
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_HOST = re.compile(rf"(?=.{{1,253}}$)(?:{_LABEL}\.)+(?!\d){_LABEL}", re.IGNORECASE)
# Where a network translates, these lead to the IPv4 addresses in them.
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


def thumbnail(url: str | None, description: str) -> drawing.Component | None:
    """Return a picture to stand beside a text; None if Discord can't load it."""
    if not url or not _is_public("/".join(url.split("/", 3)[:3])):
        return None
    words = one_line(description, _LONGEST_DESCRIPTION, plain=True)
    return {"type": drawing.THUMBNAIL, "media": {"url": url}, "description": words}


@lru_cache(maxsize=256)
def _is_public(site: str) -> bool:
    """Return whether Discord takes a site and reaches it, such as `https://pictures.example`."""
    try:
        host = URL(site).raw_host
    except ValueError:
        # Such as `xn--`, which stands for no name in any script.
        return False
    if not host or host.endswith((".localhost", ".local", ".internal")):
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return _HOST.fullmatch(host) is not None
    if address in _TRANSLATED:
        address = ipaddress.IPv4Address(int(address) % 2**32)
    return address.is_global
