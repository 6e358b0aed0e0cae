"""Hats, seen from the front."""

from game_service.demo.pictures.canvas import Canvas


def acorn_cap(on: Canvas) -> None:
    """Draw the acorn cap: the cup of an acorn, stalk and all."""
    on.line([(128, 84), (136, 46)], "#4b3a55", 20)
    on.line([(128, 84), (136, 48)], "#8a5a3c", 9)
    on.blob([(40, 168), (52, 112), (128, 74), (204, 112), (216, 168), (128, 186)], "#b57a4a")
    for y, xs in (
        (112, (96, 128, 160)),
        (136, (72, 104, 136, 168)),
        (158, (64, 96, 128, 160, 192)),
    ):
        on.dots([(x, y) for x in xs], 7, "#d9a06a")


def toadstool(on: Canvas) -> None:
    """Draw the toadstool: red with white dots; not for eating."""
    on.blob([(104, 150), (152, 150), (162, 208), (94, 208)], "#fbeedd")
    on.blob([(32, 160), (60, 84), (128, 52), (196, 84), (224, 160), (128, 172)], "#e8574f")
    for center, radius in (
        ((96, 98), 15),
        ((152, 84), 12),
        ((182, 130), 16),
        ((126, 136), 11),
        ((66, 136), 11),
    ):
        on.ellipse(center, radius, "#fff6ea", stroke=0)


def straw_hat(on: Canvas) -> None:
    """Draw the straw hat: for long afternoons at the pond."""
    on.ellipse((128, 166), (104, 30), "#f2cf7a")
    on.blob([(72, 164), (78, 104), (128, 78), (178, 104), (184, 164), (128, 178)], "#f7dc93")
    on.blob([(71, 160), (75, 138), (128, 150), (181, 138), (185, 160), (128, 176)], "#e8574f")
    on.curve([(92, 118), (128, 98), (150, 102)], "#fff2c4", 7)


def wizard_hat(on: Canvas) -> None:
    """Draw the wizard hat: it leans a little, as they do."""
    on.blob(
        [
            (72, 176),
            (106, 110),
            (128, 54),
            (172, 36),
            (162, 62),
            (168, 116),
            (184, 176),
            (128, 190),
        ],
        "#6a5acd",
    )
    on.ellipse((128, 184), (100, 24), "#7d6ee0")
    on.star((128, 132), 19, "#ffd766", stroke=0)
    on.star((150, 82), 11, "#ffd766", stroke=0)
    on.dots([(104, 160), (160, 156)], 5, "#ffd766")


def beanie(on: Canvas, color: str = "#4fa3a5", band: str = "#f4f1de") -> None:
    """Knitted, with a bobble."""
    on.blob([(56, 172), (66, 106), (128, 76), (190, 106), (200, 172), (128, 182)], color)
    for x in (96, 128, 160):
        on.curve([(x, 92), (x + (x - 128) * 0.25, 160)], band, 6)
    on.box((46, 152), (210, 194), band, round_by=18)
    for x in range(66, 204, 22):
        on.line([(x, 164), (x, 182)], "#d8d2b8", 5)
    on.ellipse((128, 66), 26, band)


def paper_crown(on: Canvas) -> None:
    """Draw the paper crown: whoever wears it decides what to play."""
    on.polygon(
        [(52, 188), (44, 92), (90, 130), (128, 72), (166, 130), (212, 92), (204, 188)], "#ffd15c"
    )
    on.line([(58, 168), (198, 168)], "#f4a93f", 10)
    on.dots([(44, 90), (212, 90)], 11, "#e8574f")
    on.ellipse((128, 70), 12, "#4fa3d9")
    on.ellipse((128, 142), 13, "#e8574f")
    on.dots([(86, 150), (170, 150)], 8, "#6fbf73")


def captain_hat(on: Canvas) -> None:
    """Draw the captain hat: for whoever rows the boat."""
    on.blob(
        [(40, 112), (80, 72), (128, 62), (176, 72), (216, 112), (184, 150), (72, 150)], "#fdfaf3"
    )
    on.blob([(66, 138), (128, 126), (190, 138), (190, 170), (128, 160), (66, 170)], "#34507a")
    on.blob([(62, 172), (128, 156), (194, 172), (168, 198), (128, 204), (88, 198)], "#26364f")
    on.ellipse((128, 110), 15, "#ffd15c")
    on.line([(128, 102), (128, 118)], "#4b3a55", 4)


def flower_wreath(on: Canvas) -> None:
    """Draw the flower wreath: picked this morning."""
    on.curve([(44, 150), (80, 118), (128, 106), (176, 118), (212, 150)], "#4b3a55", 24)
    on.curve([(44, 150), (80, 118), (128, 106), (176, 118), (212, 150)], "#6fbf73", 13)
    flowers = (
        (52, 146, "#f7a1b5"),
        (88, 118, "#ffd766"),
        (128, 106, "#fdfaf3"),
        (168, 118, "#9fc5f8"),
        (204, 146, "#f7a1b5"),
    )
    for x, y, color in flowers:
        for dx, dy in ((0, -17), (16, -5), (10, 14), (-10, 14), (-16, -5)):
            on.ellipse((x + dx, y + dy), 11, color, stroke=4)
        on.ellipse((x, y), 9, "#f4a93f", stroke=4)


def top_hat(on: Canvas) -> None:
    """Draw the top hat: for opening nights and for pulling out rabbits."""
    on.ellipse((128, 186), (100, 24), "#3d4a63")
    on.blob(
        [(74, 184), (80, 130), (68, 62), (128, 50), (188, 62), (176, 130), (182, 184), (128, 196)],
        "#4c5b7a",
    )
    on.ellipse((128, 60), (60, 13), "#5f6f92")
    on.polygon([(78, 150), (178, 150), (181, 176), (128, 184), (75, 176)], "#e8574f")


def teapot_hat(on: Canvas) -> None:
    """Draw the teapot hat: mind the spout."""
    on.curve([(196, 108), (232, 112), (228, 152), (192, 164)], "#4b3a55", 22)
    on.curve([(196, 108), (232, 112), (228, 152), (192, 164)], "#8fcbe8", 10)
    on.blob([(70, 168), (24, 100), (40, 92), (86, 124)], "#8fcbe8")
    on.ellipse((132, 142), (74, 56), "#a9dcf2")
    on.box((92, 80), (172, 98), "#fdfaf3", round_by=9)
    on.ellipse((132, 72), 13, "#e8574f")
    for x, y in ((104, 140), (160, 140), (132, 164)):
        on.heart((x, y), 13, "#f27f8f", stroke=0)
