"""The proxy that the environment names, through which the game and Discord are asked."""

from urllib import request

from yarl import URL

from bot.settings import SettingsError


def proxy_for(address: str) -> str | None:
    """Return the proxy by HTTPS_PROXY (of http: HTTP_PROXY) and NO_PROXY. Raises SettingsError.

    It is looked up once: aiohttp's `trust_env` would do so at every request, and would send what
    `.netrc` says in place of a member's token.
    """
    try:
        url = URL(address)
    except ValueError:
        # The code that uses the address says so.
        return None
    host = url.host or ""
    given = request.getproxies_environment().get(url.scheme, "").strip()
    # Nothing on this machine is behind one.
    if not given or host in ("localhost", "::1") or host.startswith("127."):
        return None
    if request.proxy_bypass(f"{host}:{url.port}"):
        return None
    try:
        proxy = URL(given if "://" in given else f"http://{given}")
    except ValueError:
        proxy = URL()
    if proxy.scheme not in ("http", "https") or not proxy.host:
        # Not in its own words: it may hold a password.
        name = f"{url.scheme.upper()}_PROXY"
        raise SettingsError(
            [f"{name}: enter an HTTP proxy's address, for example http://host:3128"]
        )
    return str(proxy)
