"""Make the game's pictures of currencies and types emojis of the application."""

import asyncio
import base64
import hashlib
import io
import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

import aiohttp
import discord
from discord.http import HTTPClient

from bot.worker.pictures import NoPicture, Pictures
from storage.errors import DatabaseError
from storage.installation import Emojis, Picture

log = logging.getLogger(__name__)

# In seconds; between two pictures, and between two looks for new ones.
_BETWEEN_PICTURES, _BETWEEN_LOOKS = 3.0, 15.0
_SIDE = 128
# Discord takes 2,000 for each application; others may want some.
MOST_EMOJIS = 500
_MOST_PIXELS = 4096 * 4096
# A picture that can't be had is tried again so often, later each time.
_MOST_FAILURES, _PAUSE = 8, timedelta(minutes=5)


class EmojiUploads:
    """Uploads one picture after the other, as a duty of the active worker."""

    def __init__(self, emojis: Emojis, pictures: Pictures, clock: Callable[[], datetime]) -> None:
        self._emojis = emojis
        self._pictures = pictures
        self._clock = clock

    async def run(self, http: HTTPClient, application_id: Callable[[], int]) -> NoReturn:
        """Upload until cancelled."""
        while True:
            is_busy = await self.look(http, application_id())
            await asyncio.sleep(_BETWEEN_PICTURES if is_busy else _BETWEEN_LOOKS)

    async def look(self, http: HTTPClient, application_id: int) -> bool:
        """Take care of one picture; return whether there was one."""
        try:
            picture = await self._emojis.next(self._clock())
            if picture is None:
                return False
            try:
                await self._upload(picture, http, application_id)
            except (aiohttp.ClientError, OSError, TimeoutError, discord.HTTPException) as error:
                log.info("the picture of %s can't be had now: %s", picture.key, error)
                is_over = picture.failures >= _MOST_FAILURES
                pause = _PAUSE * 2**picture.failures
                until = None if is_over else self._clock() + pause
                await self._emojis.put_off(picture, until)
            except NoPicture as error:
                log.info("the picture of %s can't be shown: %s", picture.key, error)
                await self._emojis.put_off(picture, None)
        except DatabaseError as error:
            log.warning("the emojis can't be read or written now: %s", error)
            return False
        return True

    async def _upload(self, picture: Picture, http: HTTPClient, application_id: int) -> None:
        png = await asyncio.to_thread(as_emoji, await self._pictures.fetch(picture.url))
        name = emoji_name(picture.key, png)
        answer: Any = await http.get_application_emojis(application_id)
        there: Mapping[str, int] = {each["name"]: int(each["id"]) for each in answer["items"]}
        emoji_id = there.get(name)
        if emoji_id is None:
            if len(there) >= MOST_EMOJIS:
                raise NoPicture(f"there are {MOST_EMOJIS} emojis already")
            image = f"data:image/png;base64,{base64.b64encode(png).decode()}"
            made: Any = await http.create_application_emoji(application_id, name, image)
            emoji_id = int(made["id"])
        await self._emojis.keep(picture, name, emoji_id)
        if picture.emoji_id not in (None, emoji_id) and picture.name in there:
            await http.delete_application_emoji(application_id, picture.emoji_id)


def emoji_name(key: str, png: bytes) -> str:
    """Return a name that tells what is pictured, and one picture of it from another."""
    return f"{key.replace(' ', '_')}_{hashlib.sha256(png).hexdigest()[:8]}"[-32:]


def as_emoji(data: bytes) -> bytes:
    """Return a picture as a square PNG of 128 pixels. Raises NoPicture."""
    # For the one process that makes emojis, and not before there is a picture.
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as opened:
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
