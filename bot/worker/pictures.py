"""Fetch the pictures that the game names, from where the game may send Kiosk and nowhere else."""

import ipaddress
import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

_MOST_BYTES = 2 * 2**20
_TIMEOUT = aiohttp.ClientTimeout(total=20)
_OK = 200


class NoPicture(Exception):
    """What is at an address is no picture that can be shown."""


class Pictures:
    """Fetches over https from the open internet, and from the game's own address.

    Where that is plain http, which the operator allows for this machine and private networks alone,
    pictures may come from there, too.
    """

    def __init__(self, game: str, resolver: AbstractResolver | None = None) -> None:
        self._game = URL(game)
        self._resolver = resolver

    async def fetch(self, address: str) -> bytes:
        """Return what is at an address, 2 MiB at most.

        Raises NoPicture, and ClientError, OSError or TimeoutError where it can't be had now.
        """
        url = self._allowed(address)
        connector = aiohttp.TCPConnector(resolver=self._resolver_for(url), limit=1)
        async with (
            aiohttp.ClientSession(connector=connector, timeout=_TIMEOUT) as session,
            session.get(url, allow_redirects=False) as response,
        ):
            if response.status != _OK:
                raise aiohttp.ClientError(f"status {response.status}")
            data = bytearray()
            async for part in response.content.iter_chunked(2**16):
                data += part
                if len(data) > _MOST_BYTES:
                    raise NoPicture("it is too large")
        return bytes(data)

    def _allowed(self, address: str) -> URL:
        try:
            url = URL(address)
        except ValueError as error:
            raise NoPicture("its address is none") from error
        if not url.host or url.user or url.scheme not in ("https", self._game.scheme):
            raise NoPicture("its address is not of https://host/path")
        if not self._is_near(url) and _is_inside(url.host):
            raise NoPicture("its address is not on the open internet")
        return url

    def _is_near(self, url: URL) -> bool:
        """Return whether an address may be on this machine or a private network."""
        return self._game.scheme == "http" or url.host == self._game.host

    def _resolver_for(self, url: URL) -> AbstractResolver:
        resolver = self._resolver or aiohttp.DefaultResolver()
        return resolver if self._is_near(url) else _OpenInternet(resolver)


class _OpenInternet(AbstractResolver):
    """Finds no host that is on this machine or a private network, by whatever name."""

    def __init__(self, resolver: AbstractResolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        outside = [each for each in found if not _is_inside(each["host"])]
        if not outside:
            raise NoPicture(f"{host} is not on the open internet")
        return outside

    async def close(self) -> None:
        await self._resolver.close()


def _is_inside(host: Any) -> bool:
    """Return whether an address is none of the open internet; a name has to be looked up first."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False
