"""A square to draw on with outlined, rounded shapes; coordinates run from 0 to 256."""

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

Point = tuple[float, float]
Color = str

SIZE = 256
OUTLINE = "#4b3a55"
# Drawn this much larger and scaled down, which smooths every edge.
_SCALE = 4
_STROKE = 6.0


class Canvas:
    """Transparent at first; every shape is filled and, unless told otherwise, outlined."""

    def __init__(self) -> None:
        self.image = Image.new("RGBA", (SIZE * _SCALE, SIZE * _SCALE))
        self._draw = ImageDraw.Draw(self.image)

    def polygon(self, points: Sequence[Point], fill: Color, *, stroke: float = _STROKE) -> None:
        """Draw straight edges with rounded joints."""
        self._draw.polygon([_scaled(point) for point in points], fill=fill)
        if stroke:
            self.line([*points, points[0]], OUTLINE, stroke)

    def blob(self, points: Sequence[Point], fill: Color, *, stroke: float = _STROKE) -> None:
        """Draw one smooth closed curve through all points."""
        self.polygon(_smooth(points), fill, stroke=stroke)

    def ellipse(
        self, center: Point, radius: Point | float, fill: Color, *, stroke: float = _STROKE
    ) -> None:
        """Draw a circle, or an ellipse when both radii are given."""
        rx, ry = radius if isinstance(radius, tuple) else (radius, radius)
        x, y = center
        around = [
            (x + rx * math.cos(step * math.tau / 90), y + ry * math.sin(step * math.tau / 90))
            for step in range(90)
        ]
        self.polygon(around, fill, stroke=stroke)

    def box(
        self,
        corner: Point,
        opposite: Point,
        fill: Color,
        *,
        round_by: float = 14,
        stroke: float = _STROKE,
    ) -> None:
        """Draw a rectangle with round corners."""
        (left, top), (right, bottom) = corner, opposite
        points: list[Point] = []
        for x, y, start in (
            (right - round_by, bottom - round_by, 0.0),
            (left + round_by, bottom - round_by, 0.25),
            (left + round_by, top + round_by, 0.5),
            (right - round_by, top + round_by, 0.75),
        ):
            for step in range(9):
                angle = (start + step / 32) * math.tau
                points.append((x + round_by * math.cos(angle), y + round_by * math.sin(angle)))
        self.polygon(points, fill, stroke=stroke)

    def star(
        self,
        center: Point,
        radius: float,
        fill: Color,
        *,
        points: int = 5,
        inner: float = 0.52,
        stroke: float = _STROKE,
    ) -> None:
        """Draw a star; `inner` is how far its hollows are from the center, of the radius."""
        x, y = center
        corners: list[Point] = []
        for step in range(points * 2):
            reach = radius if step % 2 == 0 else radius * inner
            angle = step * math.pi / points - math.pi / 2
            corners.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
        self.polygon(corners, fill, stroke=stroke)

    def heart(self, center: Point, radius: float, fill: Color, *, stroke: float = _STROKE) -> None:
        """Draw a heart."""
        x, y = center
        points: list[Point] = []
        for step in range(80):
            angle = step * math.tau / 80
            across = 16 * math.sin(angle) ** 3
            up = (
                13 * math.cos(angle)
                - 5 * math.cos(2 * angle)
                - 2 * math.cos(3 * angle)
                - math.cos(4 * angle)
            )
            points.append((x + across * radius / 16, y - up * radius / 16))
        self.polygon(points, fill, stroke=stroke)

    def line(self, points: Sequence[Point], color: Color, width: float = _STROKE) -> None:
        """Draw a line with round ends and joints."""
        scaled = [_scaled(point) for point in points]
        self._draw.line(scaled, fill=color, width=round(width * _SCALE), joint="curve")
        reach = width * _SCALE / 2
        for x, y in (scaled[0], scaled[-1]):
            self._draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=color)

    def curve(self, points: Sequence[Point], color: Color, width: float = _STROKE) -> None:
        """Draw one smooth open curve through all points."""
        first, last = points[0], points[-1]
        self.line(_smooth([first, *points, last])[12:-24], color, width)

    def dots(self, centers: Sequence[Point], radius: float, color: Color) -> None:
        """Draw equal dots without outlines."""
        for center in centers:
            self.ellipse(center, radius, color, stroke=0)

    def eyes(self, left: Point, right: Point, radius: float = 9) -> None:
        """Draw two eyes with a glint each."""
        for x, y in (left, right):
            self.ellipse((x, y), radius, OUTLINE, stroke=0)
            self.ellipse((x - radius * 0.3, y - radius * 0.35), radius * 0.36, "#ffffff", stroke=0)

    def paste(self, other: "Canvas", corner: Point, size: float) -> None:
        """Lay another canvas onto this one, scaled to `size`."""
        small = resized(other.image, round(size * _SCALE))
        x, y = _scaled(corner)
        self.image.alpha_composite(small, (round(x), round(y)))


def resized(image: Image.Image, side: int) -> Image.Image:
    """Scale a square picture smoothly."""
    # Pillow's types name numpy, which is not installed for drawing.
    return image.resize((side, side), Image.Resampling.LANCZOS)  # pyright: ignore[reportUnknownMemberType]


def _scaled(point: Point) -> Point:
    return point[0] * _SCALE, point[1] * _SCALE


def _smooth(points: Sequence[Point]) -> list[Point]:
    """Put 12 points on each stretch of the closed Catmull-Rom curve through `points`."""
    curve: list[Point] = []
    count = len(points)
    for index in range(count):
        p0, p1, p2, p3 = (points[(index + step) % count] for step in (-1, 0, 1, 2))
        for step in range(12):
            t = step / 12
            x, y = (
                0.5
                * (
                    2 * b
                    + (c - a) * t
                    + (2 * a - 5 * b + 4 * c - d) * t**2
                    + (3 * b - a - 3 * c + d) * t**3
                )
                for a, b, c, d in zip(p0, p1, p2, p3, strict=True)
            )
            curve.append((x, y))
    return curve
