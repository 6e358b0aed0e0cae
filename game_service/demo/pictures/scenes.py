"""Backgrounds: a sky, something in it, and hills."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from game_service.demo.pictures.canvas import Canvas


def landscape(
    on: Canvas, sky: str, hills: Sequence[str], extras: Sequence[Callable[[Canvas], None]]
) -> None:
    """Draw a sky, whatever is up there, and rolling hills from far to near."""
    on.box((0, 0), (256, 256), sky, round_by=1, stroke=0)
    for extra in extras:
        extra(on)
    for index, hill in enumerate(hills):
        y, lean = 150 + index * 36, 26 if index % 2 else -26
        ridge = [(-40, y + lean), (70, y - 16), (186, y + 16), (300, y - lean)]
        on.polygon([*_between(ridge), (300, 300), (-40, 300)], hill, stroke=0)


def _between(ridge: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for (x1, y1), (x2, y2) in pairwise(ridge):
        for step in range(16):
            t = step / 16
            # Eases in and out, so that hills meet without a corner.
            points.append((x1 + (x2 - x1) * t, y1 + (y2 - y1) * t * t * (3 - 2 * t)))
    return [*points, ridge[-1]]


def sun(on: Canvas) -> None:
    """Draw the sun: a low sun with a glow."""
    on.ellipse((180, 96), 56, "#ffe6a0", stroke=0)
    on.ellipse((180, 96), 40, "#ffd15c", stroke=0)


def moon_and_stars(on: Canvas) -> None:
    """Draw the moon and stars: a crescent among stars."""
    on.ellipse((184, 72), 38, "#fff3c4", stroke=0)
    on.ellipse((168, 62), 34, "#2f3563", stroke=0)
    for x, y, radius in (
        (48, 48, 11),
        (104, 86, 7),
        (86, 30, 6),
        (220, 132, 7),
        (40, 114, 6),
        (132, 44, 8),
    ):
        on.star((x, y), radius, "#ffe9a8", stroke=0)


def rainbow(on: Canvas) -> None:
    """Draw the rainbow: all of it, end to end."""
    colors = ("#f27f8f", "#f7b955", "#ffe27a", "#8fd694", "#8fcbe8", "#b7a4e8", "#cdeaf7")
    for index, color in enumerate(colors):
        on.ellipse((128, 186), 124 - index * 13, color, stroke=0)


def clouds(on: Canvas) -> None:
    """Draw the clouds: two, and no hurry."""
    for x, y in ((70, 64), (190, 104)):
        for dx, radius in ((-26, 18), (0, 26), (26, 20)):
            on.ellipse((x + dx, y), radius, "#ffffff", stroke=0)


def trees(on: Canvas) -> None:
    """Draw the trees: a wood in autumn colours."""
    for x, color in (
        (36, "#e8864f"),
        (88, "#f2b04a"),
        (142, "#d9624a"),
        (196, "#f2c45c"),
        (236, "#e8864f"),
    ):
        on.line([(x, 120), (x, 200)], "#7a5240", 12)
        on.ellipse((x, 104), (34, 50), color, stroke=0)


def snowflakes(on: Canvas) -> None:
    """Draw the snowflakes: the first of the year."""
    for x, y in (
        (40, 40),
        (92, 84),
        (140, 36),
        (190, 78),
        (228, 30),
        (60, 126),
        (222, 120),
        (150, 118),
    ):
        on.star((x, y), 9, "#ffffff", points=6, stroke=0)
