"""The game's pictures become emojis, one after the other, and each once."""

import io
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from PIL import Image

from bot.program.emojis import MOST_EMOJIS, EmojiUploads, PictureFetcher, emoji_name
from storage.installation import Emojis, Picture
from storage.rows import read
from tests.support.discord_standin.limits import TooMany
from tests.worker.conftest import Office

HOUR = timedelta(hours=1)


def a_picture(colour: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(written, "PNG")
    return written.getvalue()


class Studio:
    """A game that has pictures, and the worker that uploads them."""

    def __init__(self, office: Office, url: str) -> None:
        self.office = office
        self.emojis = Emojis(office.database)
        self.uploads = EmojiUploads(self.emojis, PictureFetcher(url), office.clock)
        self.pictures: dict[str, bytes] = {}
        self.url = url

    async def note(self, key: str, name: str) -> None:
        await self.emojis.note({key: f"{self.url}/{name}"}, self.office.clock())

    async def look(self) -> bool:
        state = self.office.discord.state
        return await self.uploads.look(self.office.http, state.application_id)

    async def known(self, key: str) -> Picture:
        sql = "SELECT * FROM emojis WHERE key = :key"
        row = await self.office.database.fetch_one(sql, key=key)
        assert row is not None
        return read(Picture, row)

    async def serve(self, request: web.Request) -> web.Response:
        data = self.pictures.get(request.match_info["name"])
        return web.Response(status=404) if data is None else web.Response(body=data)


@pytest.fixture
async def studio(office: Office) -> AsyncGenerator[Studio]:
    async def serve(request: web.Request) -> web.Response:
        return await opened.serve(request)

    app = web.Application()
    app.router.add_get("/{name}", serve)
    async with TestServer(app) as server:
        opened = Studio(office, str(server.make_url("")).rstrip("/"))
        yield opened


async def test_each_picture_is_uploaded_once_and_another_takes_its_place(studio: Studio) -> None:
    state = studio.office.discord.state
    studio.pictures = {"coin": a_picture("red"), "new": a_picture("blue")}
    await studio.note("currency 1", "coin")

    assert await studio.look()
    assert not await studio.look()
    (name,) = state.emojis
    assert name.startswith("currency_1_")
    assert (await studio.known("currency 1")).emoji_id == state.emojis[name]

    await studio.note("currency 1", "coin")
    assert not await studio.look()
    await studio.note("currency 1", "new")
    assert await studio.look()
    (other,) = state.emojis
    assert other != name


async def test_what_a_crash_had_uploaded_is_found_by_its_name(studio: Studio) -> None:
    state = studio.office.discord.state
    studio.pictures["coin"] = a_picture("red")
    await studio.note("currency 1", "coin")
    await studio.look()
    before = dict(state.emojis)
    await studio.office.database.execute("UPDATE emojis SET emoji_id = NULL, due_at = 0")

    await studio.look()

    assert state.emojis == before
    assert (await studio.known("currency 1")).emoji_id in before.values()


async def test_what_a_crash_forgot_to_take_away_goes_with_the_next_picture(studio: Studio) -> None:
    state = studio.office.discord.state
    studio.pictures = {"coin": a_picture("red"), "new": a_picture("blue")}
    await studio.note("currency 1", "coin")
    await studio.look()
    left = emoji_name("currency 1", b"another")
    others = {emoji_name("currency 11", b"another"): 11, "welcome": 12}
    state.emojis |= {left: 10, **others}

    await studio.note("currency 1", "new")
    await studio.look()

    shown = await studio.known("currency 1")
    assert state.emojis == {**others, shown.name: shown.emoji_id}


async def test_while_discord_takes_no_emojis_it_is_left_alone(studio: Studio) -> None:
    state = studio.office.discord.state
    studio.office.http.max_ratelimit_timeout = 30.0
    studio.pictures["coin"] = a_picture("red")
    await studio.note("currency 1", "coin")
    state.refusal = TooMany(100.0, "user")
    await studio.look()
    asked = len(state.asked.past)
    assert not await studio.look()
    assert len(state.asked.past) == asked

    state.refusal = None
    studio.office.clock.advance(101)
    assert await studio.look()
    assert (await studio.known("currency 1")).emoji_id in state.emojis.values()


async def test_a_picture_that_can_not_be_had_is_tried_again_later(studio: Studio) -> None:
    await studio.note("type 2", "hat")
    assert await studio.look()
    assert not await studio.look()

    studio.pictures["hat"] = a_picture("green")
    studio.office.clock.advance(HOUR)
    assert await studio.look()
    assert (await studio.known("type 2")).emoji_id


async def test_an_address_that_is_none_keeps_no_other_picture_waiting(studio: Studio) -> None:
    studio.pictures = {"coin": a_picture("red")}
    bad = "https://assets.example:99999/coin.png"
    await studio.emojis.note({"currency 1": bad}, studio.office.clock())
    await studio.note("currency 2", "coin")

    assert await studio.look()
    assert await studio.look()

    assert (await studio.known("currency 2")).emoji_id is not None


async def test_no_more_are_kept_than_is_right(studio: Studio) -> None:
    state = studio.office.discord.state
    state.emojis = {f"other_{number}": number for number in range(MOST_EMOJIS)}
    studio.pictures["hat"] = a_picture("green")
    await studio.note("type 2", "hat")

    await studio.look()
    studio.office.clock.advance(HOUR)

    assert not await studio.look()
    assert len(state.emojis) == MOST_EMOJIS
