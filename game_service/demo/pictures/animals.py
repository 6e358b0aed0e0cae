"""The faces of the animals that live in the hollow."""

from game_service.demo.pictures.canvas import OUTLINE, Canvas


def _smile(on: Canvas, y: float = 168) -> None:
    on.curve([(108, y - 4), (118, y + 5), (128, y - 2), (138, y + 5), (148, y - 4)], OUTLINE, 5)


def fox(on: Canvas) -> None:
    """Draw the fox: knows a shortcut."""
    for x, lean in ((66, -8), (190, 8)):
        on.polygon([(x - 34, 116), (x + lean, 34), (x + 34, 100)], "#e8864f")
        on.polygon([(x - 14, 100), (x + lean * 0.6, 62), (x + 14, 94)], "#4b3a55", stroke=0)
    on.blob(
        [(32, 128), (70, 84), (128, 76), (186, 84), (224, 128), (172, 194), (128, 216), (84, 194)],
        "#e8864f",
    )
    on.blob([(40, 142), (84, 134), (118, 176), (128, 212), (88, 192)], "#fff3e4", stroke=0)
    on.blob([(216, 142), (172, 134), (138, 176), (128, 212), (168, 192)], "#fff3e4", stroke=0)
    on.eyes((88, 128), (168, 128), 11)
    on.ellipse((128, 190), (14, 10), OUTLINE, stroke=0)


def owl(on: Canvas) -> None:
    """Draw the owl: awake, technically."""
    on.blob(
        [(44, 60), (84, 68), (128, 60), (172, 68), (212, 60), (212, 160), (128, 222), (44, 160)],
        "#9a7a5c",
    )
    for x in (86, 170):
        on.ellipse((x, 120), 40, "#fff3e4")
        on.ellipse((x, 120), 20, OUTLINE, stroke=0)
        on.ellipse((x - 6, 113), 7, "#ffffff", stroke=0)
    on.polygon([(128, 128), (144, 152), (128, 174), (112, 152)], "#f4a93f")


def frog(on: Canvas) -> None:
    """Draw the frog: lives at the pond, and says so."""
    for x in (78, 178):
        on.ellipse((x, 78), 36, "#7fcf83")
        on.ellipse((x, 78), 22, "#ffffff", stroke=4)
        on.ellipse((x, 80), 11, OUTLINE, stroke=0)
    on.blob(
        [(28, 144), (62, 98), (128, 92), (194, 98), (228, 144), (184, 204), (128, 214), (72, 204)],
        "#7fcf83",
    )
    on.curve([(64, 150), (96, 174), (128, 180), (160, 174), (192, 150)], OUTLINE, 6)
    on.dots([(58, 162), (198, 162)], 13, "#f7a1b5")


def hedgehog(on: Canvas) -> None:
    """Draw the hedgehog: softer than expected."""
    on.star((128, 128), 112, "#8a6a58", points=16, inner=0.8)
    on.blob(
        [(58, 134), (92, 92), (128, 106), (164, 92), (198, 134), (168, 188), (128, 204), (88, 188)],
        "#f6dcc0",
    )
    on.eyes((98, 136), (158, 136), 10)
    on.ellipse((128, 164), (15, 12), OUTLINE, stroke=0)
    on.dots([(78, 162), (178, 162)], 11, "#f2b8a0")


def rabbit(on: Canvas) -> None:
    """Draw the rabbit: never late twice."""
    for x, lean in ((92, -10), (164, 10)):
        on.blob(
            [
                (x - 22, 110),
                (x - 24 + lean, 40),
                (x + lean, 14),
                (x + 24 + lean, 40),
                (x + 22, 110),
            ],
            "#e9e3ee",
        )
        on.blob(
            [(x - 8, 96), (x - 9 + lean, 50), (x + lean, 36), (x + 9 + lean, 50), (x + 8, 96)],
            "#f7b8c6",
            stroke=0,
        )
    on.ellipse((128, 152), (84, 70), "#f4f0f7")
    on.eyes((96, 142), (160, 142), 11)
    on.ellipse((128, 162), (10, 8), "#f28fa9", stroke=4)
    _smile(on, 178)


def cat(on: Canvas) -> None:
    """Draw the cat: was here first."""
    for x in (70, 186):
        on.polygon([(x - 32, 110), (x - (128 - x) * 0.2, 38), (x + 32, 96)], "#8d8fa8")
    on.ellipse((128, 140), (94, 76), "#a5a7be")
    for x in (108, 128, 148):
        on.line([(x, 72), (x, 94)], "#6d6f8c", 8)
    on.eyes((92, 134), (164, 134), 12)
    on.polygon([(118, 156), (138, 156), (128, 168)], "#f7a1b5", stroke=4)
    _smile(on, 180)
    for y in (156, 172):
        on.line([(26, y - 4), (64, y)], OUTLINE, 4)
        on.line([(230, y - 4), (192, y)], OUTLINE, 4)


def bear(on: Canvas) -> None:
    """Draw the bear: hugs by appointment."""
    for x in (62, 194):
        on.ellipse((x, 76), 34, "#a87850")
        on.ellipse((x, 76), 16, "#e0b48c", stroke=0)
    on.ellipse((128, 138), (94, 84), "#b8865c")
    on.ellipse((128, 170), (44, 34), "#f0d4b4", stroke=4)
    on.eyes((92, 124), (164, 124), 11)
    on.ellipse((128, 156), (14, 10), OUTLINE, stroke=0)
    _smile(on, 180)


def duck(on: Canvas) -> None:
    """Draw the duck: unbothered."""
    on.curve([(128, 56), (122, 30), (140, 22)], OUTLINE, 8)
    on.ellipse((128, 128), 88, "#ffdf7a")
    on.eyes((92, 112), (164, 112), 12)
    on.blob([(84, 150), (128, 134), (172, 150), (160, 180), (128, 188), (96, 180)], "#f4a93f")
    on.curve([(92, 160), (128, 166), (164, 160)], OUTLINE, 4)


def mouse(on: Canvas) -> None:
    """Draw the mouse: small, and in charge."""
    for x in (62, 194):
        on.ellipse((x, 86), 52, "#c2bccb")
        on.ellipse((x, 86), 32, "#f7c6d4", stroke=0)
    on.blob(
        [(54, 140), (84, 98), (128, 90), (172, 98), (202, 140), (164, 196), (128, 212), (92, 196)],
        "#d5d0dd",
    )
    on.eyes((98, 140), (158, 140), 10)
    on.ellipse((128, 190), (12, 9), "#f28fa9", stroke=4)


def badger(on: Canvas) -> None:
    """Draw the badger: digs deep into the patch notes."""
    for x in (60, 196):
        on.ellipse((x, 78), 26, "#5d6174")
    on.ellipse((128, 138), (92, 82), "#fdfaf3")
    for x, lean in ((84, -1), (172, 1)):
        on.blob(
            [(x - 16, 66), (x + 16, 64), (x + 22, 140), (x + lean * 8, 184), (x - 22, 140)],
            "#5d6174",
            stroke=0,
        )
        on.ellipse((x, 128), 11, "#ffffff", stroke=0)
        on.ellipse((x, 128), 7, "#2b2333", stroke=0)
    on.ellipse((128, 188), (15, 11), OUTLINE, stroke=0)


def bee(on: Canvas) -> None:
    """Draw the bee: busy."""
    for x in (64, 192):
        on.ellipse((x, 84), (44, 34), "#e3f4fb")
    for x, lean in ((104, -18), (152, 18)):
        on.curve([(x, 82), (x + lean * 0.6, 48), (x + lean, 36)], OUTLINE, 7)
    on.ellipse((128, 144), (82, 72), "#ffd15c")
    on.line([(58, 188), (198, 188)], OUTLINE, 16)
    on.eyes((96, 134), (160, 134), 11)
    on.curve([(114, 158), (128, 168), (142, 158)], OUTLINE, 5)


def sprout(on: Canvas) -> None:
    """Draw the sprout: nobody yet, but growing."""
    on.curve([(128, 150), (126, 110), (128, 84)], OUTLINE, 9)
    on.blob([(128, 96), (84, 84), (60, 42), (108, 46)], "#7fcf83")
    on.blob([(128, 88), (150, 40), (202, 34), (178, 82)], "#a3e0a6")
    on.blob([(40, 190), (76, 142), (128, 130), (180, 142), (216, 190), (128, 222)], "#a87850")
    on.eyes((104, 172), (152, 172), 9)
    on.curve([(116, 188), (128, 196), (140, 188)], OUTLINE, 5)
