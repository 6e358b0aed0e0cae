"""Pictures of currencies and types as emojis: made from what the game has, and left out again."""

import io
import struct
import zlib

import pytest
from PIL import Image

from bot.program.emojis import NoPicture, as_emoji, emoji_name
from bot.ui.pictures import pictured, shown_emojis, without_emojis

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


def test_words_have_their_picture_before_them_and_stay_without_it() -> None:
    assert pictured("currency", 1, "10 Coins") == "10 Coins"
    shown_emojis.set({"currency 1": COIN})
    text = pictured("currency", 1, "10 Coins")
    assert text == f"{COIN} 10 Coins"

    payload = {"components": [{"type": 10, "content": text, "custom_id": text}]}
    assert without_emojis(payload) == {
        "components": [{"type": 10, "content": "10 Coins", "custom_id": text}]
    }


def test_a_picture_that_would_fill_the_memory_is_none() -> None:
    head = struct.pack(">4sIIBBBBB", b"IHDR", 60_000, 60_000, 8, 2, 0, 0, 0)
    parts = [head, b"IDAT", b"IEND"]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part))
        for part in parts
    )

    with pytest.raises(NoPicture):
        as_emoji(data)
