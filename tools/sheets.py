"""Put several pictures on a sheet with their names, or into a moving picture."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

# Sizes in pixels: of a sheet, of the space around a picture, and of its name above it.
_WIDTH = 2400
_SPACE = 16
_NAME = 24
_ROWS = 2
_BACKGROUND = "#555"
# Discord's own background, behind frames that are smaller than the largest one.
_PAGE = "#313338"
_FRAME_MILLISECONDS = 2000


def draw_sheets(pictures: Sequence[Path], width: int, sheet: Path) -> None:
    """Draw pictures of at most `width`. `sheet` is their files' name before a number."""
    columns = _WIDTH // width
    on_each = columns * _ROWS
    for number, first in enumerate(range(0, len(pictures), on_each), start=1):
        rows = [
            pictures[start : start + columns]
            for start in range(first, min(first + on_each, len(pictures)), columns)
        ]
        _sheet(rows, width + _SPACE).save(sheet.with_name(f"{sheet.name}-{number}.png"))


def draw_story(pictures: Sequence[Path], story: Path) -> None:
    """Draw a GIF that shows one picture after the other."""
    opened = [Image.open(path).convert("RGB") for path in pictures]
    size = (max(image.width for image in opened), max(image.height for image in opened))
    frames: list[Image.Image] = []
    for image in opened:
        frame = Image.new("RGB", size, _PAGE)
        frame.paste(image, (0, 0))
        frames.append(frame.quantize())
    first, *others = frames
    first.save(story, save_all=True, append_images=others, duration=_FRAME_MILLISECONDS, loop=0)


def _sheet(rows: Sequence[Sequence[Path]], column: int) -> Image.Image:
    opened = [[(path.stem, Image.open(path)) for path in row] for row in rows]
    heights = [max(image.height for _, image in row) + _NAME + _SPACE for row in opened]
    size = (column * max(map(len, rows)), sum(heights))
    sheet = Image.new("RGB", size, _BACKGROUND)
    draw = ImageDraw.Draw(sheet)
    top = 0
    for row, height in zip(opened, heights, strict=True):
        for number, (name, image) in enumerate(row):
            draw.text((number * column, top), name, font_size=_NAME * 3 // 4)
            sheet.paste(image, (number * column, top + _NAME))
        top += height
    return sheet
