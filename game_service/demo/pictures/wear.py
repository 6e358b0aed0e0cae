"""Glasses, shoes, backpacks and scarves."""

from game_service.demo.pictures.canvas import OUTLINE, Canvas


def round_specs(on: Canvas, frame: str = "#8a5a3c", glass: str = "#d8f0fa") -> None:
    """For reading small print on large leaves."""
    on.curve([(106, 122), (128, 110), (150, 122)], OUTLINE, 18)
    on.curve([(106, 122), (128, 110), (150, 122)], frame, 8)
    for x in (76, 180):
        on.ellipse((x, 130), 48, frame)
        on.ellipse((x, 130), 33, glass)
        on.line([(x - 14, 132), (x + 2, 114)], "#ffffff", 8)


def star_shades(on: Canvas) -> None:
    """Draw the star shades: for those who are one, and those who look for one."""
    on.line([(104, 124), (152, 124)], OUTLINE, 18)
    on.line([(104, 124), (152, 124)], "#f4a93f", 8)
    for x in (76, 180):
        on.star((x, 132), 60, "#ffd15c")
        on.star((x, 132), 34, "#7a5cc0", stroke=0)
        on.line([(x - 8, 134), (x + 2, 124)], "#c9b8f0", 6)


def heart_shades(on: Canvas) -> None:
    """Draw the heart shades: everything looks rosy."""
    on.line([(104, 120), (152, 120)], OUTLINE, 18)
    on.line([(104, 120), (152, 120)], "#e8574f", 8)
    for x in (76, 180):
        on.heart((x, 130), 50, "#e8574f")
        on.heart((x, 130), 32, "#f9b4c4", stroke=0)
        on.line([(x - 14, 124), (x - 4, 116)], "#ffffff", 7)


def square_shades(on: Canvas) -> None:
    """Draw the square shades: nobody knows where you are looking."""
    on.line([(104, 116), (152, 116)], OUTLINE, 20)
    for left in (26, 136):
        on.polygon([(left, 100), (left + 94, 100), (left + 84, 158), (left + 18, 158)], "#3d4a63")
        on.line([(left + 26, 140), (left + 48, 114)], "#8fa3cc", 8)
        on.line([(left + 46, 142), (left + 60, 126)], "#8fa3cc", 5)


def diving_goggles(on: Canvas) -> None:
    """Draw the diving goggles: for the pond; mind the carp."""
    on.box((20, 92), (236, 118), "#4fa3a5", round_by=12)
    on.blob(
        [(44, 92), (128, 76), (212, 92), (218, 142), (176, 174), (128, 152), (80, 174), (38, 142)],
        "#f4a93f",
    )
    on.blob(
        [
            (60, 104),
            (128, 92),
            (196, 104),
            (200, 138),
            (172, 156),
            (128, 136),
            (84, 156),
            (56, 138),
        ],
        "#bfe8f5",
    )
    on.line([(80, 132), (98, 110)], "#ffffff", 9)


def boots(on: Canvas, color: str = "#ffd15c", band: str = "#f4a93f") -> None:
    """Made for puddles."""
    for dx in (0, 92):
        on.blob(
            [
                (58 + dx, 62),
                (104 + dx, 62),
                (104 + dx, 136),
                (124 + dx, 160),
                (122 + dx, 190),
                (50 + dx, 190),
                (54 + dx, 130),
            ],
            color,
        )
        on.box((48 + dx, 182), (126 + dx, 202), band, round_by=9)
        on.box((52 + dx, 58), (110 + dx, 80), band, round_by=9)
        on.line([(70 + dx, 98), (70 + dx, 144)], "#fffaf0", 8)


def sneakers(on: Canvas, color: str = "#8fcbe8", toe: str = "#fdfaf3") -> None:
    """Quick, and quiet on moss."""
    for dx, dy in ((-10, -36), (10, 32)):
        on.blob(
            [
                (48 + dx, 96 + dy),
                (90 + dx, 88 + dy),
                (122 + dx, 118 + dy),
                (190 + dx, 130 + dy),
                (204 + dx, 156 + dy),
                (50 + dx, 160 + dy),
            ],
            color,
        )
        on.blob(
            [
                (164 + dx, 128 + dy),
                (196 + dx, 132 + dy),
                (206 + dx, 156 + dy),
                (160 + dx, 158 + dy),
            ],
            toe,
        )
        on.box((42 + dx, 150 + dy), (212 + dx, 172 + dy), "#fdfaf3", round_by=10)
        for x in (106, 124, 142):
            on.line([(x + dx, 130 + dy), (x + 10 + dx, 112 + dy)], "#ffffff", 6)


def slippers(on: Canvas) -> None:
    """Draw the slippers: warm, and they look back at you."""
    for dx in (0, 104):
        on.blob(
            [
                (30 + dx, 170),
                (40 + dx, 112),
                (76 + dx, 96),
                (112 + dx, 112),
                (122 + dx, 170),
                (76 + dx, 190),
            ],
            "#f7c6d4",
        )
        for x in (54, 98):
            on.blob(
                [(x - 10 + dx, 112), (x - 8 + dx, 62), (x + 8 + dx, 62), (x + 10 + dx, 112)],
                "#f7c6d4",
            )
            on.line([(x + dx, 76), (x + dx, 98)], "#f28fa9", 7)
        on.eyes((62 + dx, 140), (90 + dx, 140), 7)
        on.ellipse((76 + dx, 156), (8, 6), "#f28fa9", stroke=4)


def backpack(on: Canvas, color: str = "#7fae6b", pocket: str = "#a3c98c") -> None:
    """Room for a picnic."""
    on.curve([(98, 62), (110, 34), (146, 34), (158, 62)], OUTLINE, 14)
    on.blob([(58, 200), (54, 100), (84, 58), (172, 58), (202, 100), (198, 200), (128, 210)], color)
    on.blob([(60, 118), (74, 70), (128, 62), (182, 70), (196, 118), (128, 134)], pocket)
    on.box((116, 112), (140, 148), "#ffd15c", round_by=7)
    on.box((80, 152), (176, 196), pocket, round_by=14)
    on.line([(94, 166), (162, 166)], OUTLINE, 5)


def ladybird_pack(on: Canvas) -> None:
    """Draw the ladybird pack: seven dots; it has been counted."""
    on.curve([(108, 66), (94, 40), (80, 36)], OUTLINE, 7)
    on.curve([(148, 66), (162, 40), (176, 36)], OUTLINE, 7)
    on.ellipse((128, 76), 40, "#3d3347")
    on.eyes((112, 64), (144, 64), 8)
    on.ellipse((128, 142), (84, 72), "#e8574f")
    on.line([(128, 74), (128, 212)], OUTLINE, 6)
    on.dots(
        [(92, 112), (164, 112), (76, 150), (180, 150), (104, 180), (152, 180), (128, 138)],
        13,
        "#3d3347",
    )


def snail_shell(on: Canvas) -> None:
    """Draw the snail shell: home, wherever one happens to be."""
    on.ellipse((128, 130), 82, "#f0b78a")
    on.curve(
        [
            (206, 150),
            (160, 196),
            (90, 180),
            (72, 124),
            (104, 82),
            (154, 86),
            (172, 126),
            (150, 154),
            (116, 146),
            (110, 120),
            (132, 110),
        ],
        "#4b3a55",
        9,
    )
    on.curve([(74, 96), (100, 66), (128, 58)], "#fbe0c6", 9)


def bee_pack(on: Canvas) -> None:
    """Draw the bee pack: it hums when the zip is open."""
    for x in (62, 194):
        on.ellipse((x, 96), (46, 34), "#e3f4fb")
    on.ellipse((128, 138), (64, 74), "#ffd15c")
    for y, reach in ((108, 56), (140, 62), (172, 54)):
        on.line([(128 - reach, y), (128 + reach, y)], "#4b3a55", 15)
    on.ellipse((128, 70), 34, "#ffd15c")
    on.eyes((116, 70), (140, 70), 7)


def turtle_shell(on: Canvas) -> None:
    """Draw the turtle shell: slow is a pace, too."""
    on.ellipse((128, 136), (90, 82), "#7fae6b")
    on.polygon([(128, 92), (166, 114), (166, 158), (128, 180), (90, 158), (90, 114)], "#a3c98c")
    for line in (
        ((128, 92), (128, 56)),
        ((166, 114), (204, 98)),
        ((166, 158), (202, 178)),
        ((128, 180), (128, 216)),
        ((90, 158), (54, 178)),
        ((90, 114), (52, 98)),
    ):
        on.line(line, OUTLINE, 6)
    on.line([(112, 124), (140, 110)], "#d3ecc2", 8)


def scarf(on: Canvas, color: str = "#e8574f", stripe: str = "#fdfaf3") -> None:
    """Knitted by somebody's grandmother."""
    on.blob([(142, 128), (186, 124), (196, 214), (150, 218)], color)
    for y in (154, 180):
        on.line([(150, y + 3), (188, y)], stripe, 11)
    for x in (156, 172, 188):
        on.line([(x, 214), (x + 1, 228)], OUTLINE, 6)
    on.blob(
        [
            (36, 100),
            (84, 122),
            (128, 128),
            (172, 122),
            (220, 100),
            (224, 138),
            (172, 164),
            (128, 168),
            (84, 164),
            (32, 138),
        ],
        color,
    )
    for x in (70, 116, 160):
        on.line([(x, 126), (x - 2, 154)], stripe, 13)
