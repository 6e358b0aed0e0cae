"""Balloons, things to hold, and currencies."""

from game_service.demo.pictures.canvas import OUTLINE, Canvas


def _string(on: Canvas, top: float) -> None:
    on.curve([(128, top), (118, top + 22), (138, top + 44), (126, 240)], OUTLINE, 5)


def balloon(on: Canvas, color: str = "#e8574f", shine: str = "#fbb4ae") -> None:
    """Hold on tight."""
    _string(on, 170)
    on.polygon([(128, 160), (114, 182), (142, 182)], color)
    on.blob([(128, 20), (196, 58), (190, 124), (128, 168), (66, 124), (60, 58)], color)
    on.curve([(84, 92), (88, 64), (108, 48)], shine, 11)


def heart_balloon(on: Canvas) -> None:
    """Draw the heart balloon: for whom it may concern."""
    _string(on, 150)
    on.heart((128, 88), 76, "#f27f8f")
    on.curve([(74, 92), (76, 64), (94, 52)], "#fcd0d8", 11)


def star_balloon(on: Canvas) -> None:
    """Draw the star balloon: it came down on its own."""
    _string(on, 140)
    on.star((128, 96), 84, "#ffd15c")
    on.eyes((112, 92), (144, 92), 8)
    on.curve([(116, 112), (128, 120), (140, 112)], OUTLINE, 5)


def fish_balloon(on: Canvas) -> None:
    """Draw the fish balloon: it swims against the wind."""
    _string(on, 140)
    on.polygon([(184, 96), (238, 56), (228, 98), (238, 142)], "#f4a93f")
    on.ellipse((116, 98), (92, 58), "#f7b955")
    on.curve([(88, 60), (100, 96), (88, 136)], "#fdfaf3", 13)
    on.curve([(136, 52), (148, 96), (136, 144)], "#fdfaf3", 13)
    on.eyes((56, 84), (56, 84), 10)


def cloud_balloon(on: Canvas) -> None:
    """Draw the cloud balloon: it drizzles on Mondays."""
    _string(on, 140)
    on.blob(
        [
            (40, 128),
            (30, 96),
            (64, 78),
            (84, 44),
            (128, 44),
            (150, 64),
            (192, 62),
            (204, 92),
            (228, 112),
            (206, 142),
            (128, 146),
            (70, 146),
        ],
        "#f3f8fd",
    )
    on.eyes((104, 102), (152, 102), 8)
    on.curve([(118, 116), (128, 124), (138, 116)], OUTLINE, 5)


def umbrella(on: Canvas) -> None:
    """Draw the umbrella: seen from the dry side."""
    on.curve([(128, 120), (128, 206), (148, 222), (166, 204)], OUTLINE, 15)
    on.curve([(128, 120), (128, 206), (148, 222), (166, 204)], "#c98b5a", 6)
    on.blob(
        [(26, 134), (56, 70), (128, 40), (200, 70), (230, 134), (178, 122), (128, 134), (78, 122)],
        "#7a8fd6",
    )
    on.curve([(128, 42), (96, 80), (80, 122)], OUTLINE, 5)
    on.curve([(128, 42), (160, 80), (176, 122)], OUTLINE, 5)


def lantern(on: Canvas) -> None:
    """Draw the lantern: the moths have been asked to queue."""
    on.curve([(92, 80), (100, 32), (156, 32), (164, 80)], OUTLINE, 8)
    on.box((84, 66), (172, 90), "#8a5a3c", round_by=9)
    on.box((80, 88), (176, 190), "#fff0b8", round_by=12)
    on.blob([(128, 104), (150, 144), (142, 174), (114, 174), (106, 144)], "#f4a93f", stroke=0)
    on.blob([(128, 132), (138, 154), (128, 172), (118, 154)], "#ffe27a", stroke=0)
    on.box((72, 184), (184, 214), "#8a5a3c", round_by=9)
    for x in (104, 152):
        on.line([(x, 92), (x, 184)], OUTLINE, 4)


def kite(on: Canvas) -> None:
    """Draw the kite: it knows the way up."""
    on.curve([(104, 178), (84, 204), (108, 220), (88, 244)], OUTLINE, 5)
    on.polygon([(150, 22), (212, 96), (104, 180), (66, 82)], "#6fbf73")
    on.polygon([(150, 22), (212, 96), (128, 104)], "#ffd15c")
    on.polygon([(128, 104), (104, 180), (66, 82)], "#e8574f")
    for x, y in ((92, 202), (100, 224)):
        on.polygon([(x - 14, y - 8), (x + 14, y + 8), (x + 14, y - 8), (x - 14, y + 8)], "#f27f8f")


def magnifier(on: Canvas) -> None:
    """Draw the magnifier: for finding out who ate the cake."""
    on.line([(154, 158), (212, 216)], OUTLINE, 34)
    on.line([(156, 160), (210, 214)], "#c98b5a", 21)
    on.ellipse((108, 108), 76, "#f4a93f")
    on.ellipse((108, 108), 56, "#d8f0fa")
    on.curve([(76, 112), (80, 88), (102, 74)], "#ffffff", 10)


def watering_can(on: Canvas) -> None:
    """Draw the watering can: half full."""
    on.curve([(160, 92), (216, 80), (222, 150), (178, 176)], OUTLINE, 20)
    on.curve([(160, 92), (216, 80), (222, 150), (178, 176)], "#6fbf73", 9)
    on.polygon([(80, 176), (26, 92), (42, 82), (100, 132)], "#7fcf83")
    on.ellipse((34, 86), (22, 13), "#a3e0a6")
    on.blob([(78, 96), (178, 96), (190, 206), (72, 206)], "#7fcf83")
    on.ellipse((128, 96), (50, 13), "#4f9c54")
    on.heart((130, 152), 22, "#fdfaf3", stroke=0)


def mug(on: Canvas) -> None:
    """Draw the mug: cocoa, with one marshmallow too many."""
    on.curve([(176, 110), (220, 112), (216, 168), (172, 176)], OUTLINE, 22)
    on.curve([(176, 110), (220, 112), (216, 168), (172, 176)], "#f7a1b5", 10)
    on.blob([(60, 92), (184, 92), (176, 204), (122, 214), (68, 204)], "#f7a1b5")
    on.ellipse((122, 92), (62, 18), "#8a5a3c")
    on.box((94, 70), (126, 98), "#fffaf0", round_by=9)
    on.box((122, 74), (152, 100), "#fffaf0", round_by=9)
    on.eyes((102, 148), (142, 148), 8)
    on.curve([(112, 166), (122, 174), (132, 166)], OUTLINE, 5)


def parcel(on: Canvas) -> None:
    """Draw the parcel: no one knows yet what is inside."""
    on.box((46, 88), (210, 210), "#d9a06a", round_by=12)
    on.box((36, 76), (220, 116), "#e8b884", round_by=10)
    on.box((112, 76), (144, 210), "#e8574f", round_by=3)
    on.blob([(128, 78), (84, 30), (62, 62)], "#e8574f")
    on.blob([(128, 78), (172, 30), (194, 62)], "#e8574f")


def acorn_coin(on: Canvas) -> None:
    """Draw the acorn coin: the currency that squirrels bury."""
    on.ellipse((128, 128), 108, "#ffd98a")
    on.ellipse((128, 128), 88, "#f2b95c", stroke=0)
    on.blob([(82, 116), (174, 116), (166, 166), (128, 208), (90, 166)], "#c98b5a")
    on.line([(128, 66), (134, 44)], OUTLINE, 12)
    on.blob([(66, 118), (84, 76), (128, 62), (172, 76), (190, 118), (128, 128)], "#8a5a3c")
    on.line([(104, 140), (108, 164)], "#ecc08f", 9)


def gem(on: Canvas) -> None:
    """Draw the gem: the currency that doesn't sprout."""
    on.polygon([(76, 52), (180, 52), (232, 108), (128, 222), (24, 108)], "#6fd0d6")
    on.polygon([(76, 52), (180, 52), (164, 108), (92, 108)], "#a5e8ea", stroke=0)
    on.polygon([(92, 108), (164, 108), (128, 216)], "#4fb8c4", stroke=0)
    for line in (
        ((26, 108), (230, 108)),
        ((76, 54), (92, 108), (128, 218)),
        ((180, 54), (164, 108), (128, 218)),
    ):
        on.line(line, OUTLINE, 4)
    on.line([(60, 96), (82, 72)], "#ffffff", 8)


def plain_coin(on: Canvas) -> None:
    """Draw the plain coin: a currency without a picture of its own."""
    on.ellipse((128, 128), 104, "#d8dce6")
    on.ellipse((128, 128), 78, "#c2c8d6", stroke=4)
    on.star((128, 132), 44, "#eef1f6", stroke=4)
