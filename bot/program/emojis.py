"""Fetch the game's pictures of currencies and types, and make them emojis of the application."""

import asyncio
import base64
import hashlib
import io
import logging
import socket
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

import aiohttp
import discord
from aiohttp.abc import AbstractResolver, ResolveResult
from discord.http import HTTPClient
from msgspec import Struct
from yarl import URL

from bot.ui.pictures import is_on_the_internet
from storage.errors import DatabaseError
from storage.installation import Emojis, Picture

log = logging.getLogger(__name__)

# In seconds; between two pictures, and between two looks for new ones.
_BETWEEN_PICTURES, _BETWEEN_LOOKS = 3.0, 15.0
_SIDE = 128
_DIGEST_LENGTH = 8
# Discord takes 2,000 for each application; others may want some.
MOST_EMOJIS = 500
_MOST_PIXELS = 4096 * 4096
# A picture that can't be had is tried again so often, later each time.
_MOST_FAILURES, _PAUSE = 8, timedelta(minutes=5)
_MOST_BYTES = 2 * 2**20
_TIMEOUT = aiohttp.ClientTimeout(total=20)
_OK = 200
# A stranger's bytes are given to no other reader.
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")


class EmojiUploads(Struct):
    """Uploads one picture after the other, as a duty of the active worker."""

    emojis: Emojis
    pictures: "PictureFetcher"
    clock: Callable[[], datetime]
    # As long as Discord wants to be asked for none.
    resting_until: datetime | None = None

    async def run(self, http: HTTPClient, application_id: int) -> NoReturn:
        while True:
            is_busy = await self.look(http, application_id)
            await asyncio.sleep(_BETWEEN_PICTURES if is_busy else _BETWEEN_LOOKS)

    async def look(self, http: HTTPClient, application_id: int) -> bool:
        """Take care of one picture; return whether there was one to be taken care of now."""
        try:
            now = self.clock()
            picture = await self.emojis.next(now)
            if picture is None or (self.resting_until and now < self.resting_until):
                return False
            try:
                await self._upload(picture, http, application_id)
            except discord.RateLimited as error:
                # No fault of the picture.
                log.info("Discord takes no emojis for %.0f seconds", error.retry_after)
                self.resting_until = self.clock() + timedelta(seconds=error.retry_after)
            except (aiohttp.ClientError, OSError, TimeoutError, discord.HTTPException) as error:
                log.info("the picture of %s can't be had now: %s", picture.key, error)
                is_over = picture.failures >= _MOST_FAILURES
                pause = _PAUSE * 2**picture.failures
                until = None if is_over else self.clock() + pause
                await self.emojis.put_off(picture, until)
            except NoPicture as error:
                log.info("the picture of %s can't be shown: %s", picture.key, error)
                await self.emojis.put_off(picture, None)
        except DatabaseError as error:
            log.warning("the emojis can't be read or written now: %s", error)
            return False
        return True

    async def _upload(self, picture: Picture, http: HTTPClient, application_id: int) -> None:
        png = await asyncio.to_thread(as_emoji, await self.pictures.fetch(picture.url))
        name = emoji_name(picture.key, png)
        answer: Any = await http.get_application_emojis(application_id)
        there: Mapping[str, int] = {each["name"]: int(each["id"]) for each in answer["items"]}
        emoji_id = there.get(name)
        # What it was before, also where a crash forgot that.
        pictured = name[:-_DIGEST_LENGTH]
        before = [
            emoji_id
            for other, emoji_id in there.items()
            if other != name and other[:-_DIGEST_LENGTH] == pictured
        ]
        if emoji_id is None:
            if len(there) - len(before) >= MOST_EMOJIS:
                raise NoPicture(f"there are {MOST_EMOJIS} emojis already")
            image = f"data:image/png;base64,{base64.b64encode(png).decode()}"
            made: Any = await http.create_application_emoji(application_id, name, image)
            emoji_id = int(made["id"])
        await self.emojis.save_made(picture, name, emoji_id)
        for each in before:
            await http.delete_application_emoji(application_id, each)


def emoji_name(key: str, png: bytes) -> str:
    """Return a name that tells what is pictured, and one picture of it from another."""
    return f"{key.replace(' ', '_')}_{hashlib.sha256(png).hexdigest()[:_DIGEST_LENGTH]}"[-32:]


def as_emoji(data: bytes) -> bytes:
    """Return a picture as a square PNG of 128 pixels. Raises NoPicture."""
    # For the one process that makes emojis, and not before there is a picture.
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > _MOST_PIXELS:
                raise NoPicture("it is too large")
            image = opened.convert("RGBA")
    except NoPicture:
        raise
    except Exception as error:
        # A stranger's bytes: the library's readers raise all kinds of errors for them.
        raise NoPicture("it is no picture") from error
    image.thumbnail((_SIDE, _SIDE))
    square = Image.new("RGBA", (_SIDE, _SIDE))
    square.paste(image, ((_SIDE - image.width) // 2, (_SIDE - image.height) // 2))
    written = io.BytesIO()
    square.save(written, "PNG", optimize=True)
    return written.getvalue()


class NoPicture(Exception):
    """The address holds no picture that can be shown."""


class PictureFetcher:
    """Fetches pictures from where the game may send Kiosk: over https, and the game's own address.

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
        resolver = self._resolver or aiohttp.DefaultResolver()
        if not self._is_near(url):
            resolver = _OpenInternet(resolver)
        connector = aiohttp.TCPConnector(resolver=resolver, limit=1)
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
            url, host = URL(address), URL(address).host
        except ValueError as error:
            raise NoPicture("its address is none") from error
        if not host or url.user or url.scheme not in ("https", self._game.scheme):
            raise NoPicture("its address is not of https://host/path")
        if not self._is_near(url) and is_on_the_internet(host) is False:
            raise NoPicture("its address is not on the open internet")
        return url

    def _is_near(self, url: URL) -> bool:
        """Return whether an address may be on this machine or a private network."""
        return self._game.scheme == "http" or url.host == self._game.host


class _OpenInternet(AbstractResolver):
    """Finds no host that is on this machine or a private network, by whatever name."""

    def __init__(self, resolver: AbstractResolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        outside = [each for each in found if is_on_the_internet(each["host"])]
        if not outside:
            raise NoPicture(f"{host} is not on the open internet")
        return outside

    async def close(self) -> None:
        await self._resolver.close()
