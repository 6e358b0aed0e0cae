"""Pictures that become emojis, and from where they may come."""

import io
import socket
import struct
import zlib
from collections.abc import AsyncGenerator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer
from PIL import Image

from bot.program.emojis import NoPicture, PictureFetcher, as_emoji, emoji_name

COIN = "<:currency_1_abcdef12:7>"


def a_picture(kind: str = "JPEG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (300, 100), "red").save(written, kind)
    return written.getvalue()


def test_a_picture_becomes_a_square_png_of_128_pixels() -> None:
    png = as_emoji(a_picture())

    with Image.open(io.BytesIO(png)) as image:
        assert (image.format, image.size) == ("PNG", (128, 128))
        assert image.getpixel((64, 0)) == (0, 0, 0, 0)
    assert len(png) < 256 * 1024
    assert as_emoji(a_picture()) == png


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_pictures_of_the_webs_formats_are_read(kind: str) -> None:
    assert as_emoji(a_picture(kind=kind))


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "PPM", "ICO", "PCX", "TGA"])
def test_no_reader_of_another_format_sees_a_strangers_bytes(kind: str) -> None:
    with pytest.raises(NoPicture):
        as_emoji(a_picture(kind=kind))


@pytest.mark.parametrize("data", [b"", b"<svg/>", a_picture()[:200]])
def test_what_is_no_picture_is_none(data: bytes) -> None:
    with pytest.raises(NoPicture):
        as_emoji(data)


def test_a_name_tells_what_is_pictured_and_which_picture_it_is() -> None:
    name = emoji_name("currency 1", b"one")

    assert name.startswith("currency_1_")
    assert name != emoji_name("currency 1", b"another")
    assert 2 <= len(emoji_name(f"currency {2**63}", b"one")) <= 32


def test_a_picture_that_would_fill_the_memory_is_none() -> None:
    head = struct.pack(">4sIIBBBBB", b"IHDR", 60_000, 60_000, 8, 2, 0, 0, 0)
    parts = [head, b"IDAT", b"IEND"]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part))
        for part in parts
    )

    with pytest.raises(NoPicture):
        as_emoji(data)


GAME = "https://game.example/api"


class Names(AbstractResolver):
    """Finds every name at one address."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        return [
            ResolveResult(
                hostname=host, host=self.address, port=port, family=family, proto=0, flags=0
            )
        ]

    async def close(self) -> None: ...


@pytest.fixture
async def server() -> AsyncGenerator[TestServer]:
    async def away(_: web.Request) -> web.Response:
        raise web.HTTPFound("/picture")

    async def serve(request: web.Request) -> web.Response:
        return web.Response(body=b"a picture" if request.path == "/picture" else bytes(3 << 20))

    app = web.Application()
    app.router.add_get("/picture", serve)
    app.router.add_get("/large", serve)
    app.router.add_get("/away", away)
    server = TestServer(app)
    async with server:
        yield server


@pytest.mark.parametrize(
    "address",
    [
        "http://pictures.example/coin.png",
        "ftp://pictures.example/coin.png",
        "file:///etc/passwd",
        "https://127.0.0.1/coin.png",
        "https://[::1]/coin.png",
        "https://[::ffff:10.0.0.1]/coin.png",
        "https://169.254.169.254/latest/meta-data",
        "https://[64:ff9b::a9fe:a9fe]/latest/meta-data",
        "https://10.0.0.8/coin.png",
        "https://someone:secret@pictures.example/coin.png",
        "//pictures.example/coin.png",
        "https://pictures.example:99999/coin.png",
    ],
)
async def test_nothing_is_asked_at_an_address_that_the_game_may_not_name(address: str) -> None:
    names = Names("192.0.2.1")

    with pytest.raises(NoPicture):
        await PictureFetcher(GAME, names).fetch(address)

    assert names.asked == []


@pytest.mark.parametrize(
    "inside", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "fd00::1", "64:ff9b::7f00:1"]
)
async def test_a_name_that_leads_inside_leads_nowhere(inside: str) -> None:
    names = Names(inside)

    with pytest.raises(NoPicture):
        await PictureFetcher(GAME, names).fetch("https://pictures.example/coin.png")

    assert names.asked == ["pictures.example"]


async def test_the_games_own_host_may_be_on_a_private_network() -> None:
    with pytest.raises(aiohttp.ClientConnectorError):
        # Nobody listens there.
        await PictureFetcher(GAME, Names("127.0.0.1")).fetch("https://game.example:1/coin.png")


async def test_a_game_on_this_machine_has_its_pictures_there(server: TestServer) -> None:
    pictures = PictureFetcher(str(server.make_url("/api")))

    assert await pictures.fetch(str(server.make_url("/picture"))) == b"a picture"
    with pytest.raises(NoPicture, match="too large"):
        await pictures.fetch(str(server.make_url("/large")))
    with pytest.raises(aiohttp.ClientError, match="302"):
        await pictures.fetch(str(server.make_url("/away")))
