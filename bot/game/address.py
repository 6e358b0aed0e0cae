"""Which addresses the client talks to: the game's own, over https or on this machine."""

import ipaddress
from contextlib import suppress

from yarl import URL

from bot.game.errors import BadAddress, ForeignRedirect, InsecureAddress


def check_base_url(address: str, *, plain_http: bool = False) -> str:
    """Return the game's address without a slash at its end.

    Raises InsecureAddress for http beyond this machine, or with `plain_http` beyond a private
    network as far as the address shows; BadAddress for what is no web address.
    """
    try:
        url = URL(address)
        origin = url.origin()
    except ValueError:
        raise BadAddress("the game's address is not of the form https://host/path") from None
    if origin.scheme not in ("http", "https") or any(map(str.isspace, address)):
        raise BadAddress("the game's address is not of the form https://host/path")
    if url.user is not None or url.password is not None or url.query_string or url.fragment:
        raise BadAddress("the game's address must hold no user name, query or fragment")
    host = url.host or ""
    if url.scheme == "http" and not (_is_loopback(host) or (plain_http and not _is_public(host))):
        raise InsecureAddress(
            "the game's address must be https, except on this machine"
            " and, with GAME_PLAIN_HTTP=true, on a private network"
        )
    return str(url).rstrip("/")


def redirect_target(url: str, location: str) -> str:
    """Resolve a redirect that stays with the scheme, host and port of `url`.

    Raises ForeignRedirect for every other: it would carry a request, and perhaps a token, away.
    """
    with suppress(ValueError):
        target = URL(url).join(URL(location)).with_fragment(None)
        if location and _origin(target) == _origin(URL(url)) and target.user is None:
            return str(target)
    raise ForeignRedirect("the game redirects to another host")


def _origin(url: URL) -> tuple[str, str | None, int | None]:
    return url.scheme, url.host, url.port


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_public(host: str) -> bool:
    """Return whether a host is an address of the open internet; names may be anything."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return False
