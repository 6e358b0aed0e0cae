"""Pictures beside texts: Discord fetches them itself, from where it stands."""

import ipaddress
from functools import lru_cache

from yarl import URL

from bot.ui.cards import Component, paragraph, section, thumbnail
from bot.ui.text import one_line

# Of a picture, by what it shows.
LONGEST_DESCRIPTION = 256


def visible_picture(url: str | None) -> str | None:
    """Return a picture's address, None where nobody beyond this machine or network can see it."""
    return url if url and _is_public("/".join(url.split("/", 3)[:3])) else None


def beside(text: str, url: str | None, name: str) -> Component:
    """Return a text with the picture of what is named beside it, where there is one."""
    address = visible_picture(url)
    if address is None:
        return paragraph(text)
    return section(text, thumbnail(address, one_line(name, LONGEST_DESCRIPTION)))


@lru_cache(maxsize=256)
def _is_public(site: str) -> bool:
    """Return whether everybody can reach a site, such as `https://pictures.example`."""
    host = URL(site).host
    if not host or host.endswith((".localhost", ".local", ".internal")):
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host
