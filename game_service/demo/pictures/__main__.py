"""Draw all pictures anew: `python -m game_service.demo.pictures`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image, ImageFilter

from game_service.demo.pictures import animals, hats, scenes, things, wear
from game_service.demo.pictures.canvas import OUTLINE, SIZE, Canvas, resized

Drawing = Callable[[Canvas], None]

ASSETS = Path(__file__).parents[2] / "assets"
_COLORS = 48

_HATS: dict[str, Drawing] = {
    "acorn-cap": hats.acorn_cap,
    "toadstool-cap": hats.toadstool,
    "straw-hat": hats.straw_hat,
    "wizard-hat": hats.wizard_hat,
    "bobble-beanie": hats.beanie,
    "berry-beanie": partial(hats.beanie, color="#c0507a", band="#fbe4ec"),
    "paper-crown": hats.paper_crown,
    "captains-hat": hats.captain_hat,
    "flower-wreath": hats.flower_wreath,
    "top-hat": hats.top_hat,
    "teapot-hat": hats.teapot_hat,
}
_GLASSES: dict[str, Drawing] = {
    "round-specs": wear.round_specs,
    "mint-specs": partial(wear.round_specs, frame="#4fa3a5", glass="#e4f7e8"),
    "star-shades": wear.star_shades,
    "heart-shades": wear.heart_shades,
    "square-shades": wear.square_shades,
    "diving-goggles": wear.diving_goggles,
}
_SHOES: dict[str, Drawing] = {
    "puddle-boots": wear.boots,
    "berry-boots": partial(wear.boots, color="#c0507a", band="#f7a1b5"),
    "sky-sneakers": wear.sneakers,
    "mint-sneakers": partial(wear.sneakers, color="#8fd6b0", toe="#f4a93f"),
    "bunny-slippers": wear.slippers,
}
_BACKPACKS: dict[str, Drawing] = {
    "moss-rucksack": wear.backpack,
    "sunset-rucksack": partial(wear.backpack, color="#e8864f", pocket="#f7b98a"),
    "ladybird-pack": wear.ladybird_pack,
    "snail-shell": wear.snail_shell,
    "bee-pack": wear.bee_pack,
    "turtle-shell": wear.turtle_shell,
}
_SCARVES: dict[str, Drawing] = {
    "poppy-scarf": wear.scarf,
    "harbour-scarf": partial(wear.scarf, color="#4c6fa8", stripe="#ffd15c"),
}
_BALLOONS: dict[str, Drawing] = {
    "red-balloon": things.balloon,
    "blue-balloon": partial(things.balloon, color="#5b9bd5", shine="#c4e0f7"),
    "heart-balloon": things.heart_balloon,
    "star-balloon": things.star_balloon,
    "fish-balloon": things.fish_balloon,
    "cloud-balloon": things.cloud_balloon,
}
_HANDHELDS: dict[str, Drawing] = {
    "rainy-umbrella": things.umbrella,
    "moth-lantern": things.lantern,
    "patchwork-kite": things.kite,
    "magnifying-glass": things.magnifier,
    "watering-can": things.watering_can,
    "cocoa-mug": things.mug,
    "parcel": things.parcel,
}
_BACKGROUNDS: dict[str, Drawing] = {
    "morning-meadow": partial(
        scenes.landscape,
        sky="#cdeaf7",
        hills=("#a3d99a", "#86c97f", "#6bb56a"),
        extras=(scenes.sun, scenes.clouds),
    ),
    "sunset-beach": partial(
        scenes.landscape,
        sky="#f9b48f",
        hills=("#5fa8c9", "#7fc4d6", "#f5dfae"),
        extras=(scenes.sun,),
    ),
    "starry-night": partial(
        scenes.landscape,
        sky="#2f3563",
        hills=("#414a85", "#383f73", "#2a2f58"),
        extras=(scenes.moon_and_stars,),
    ),
    "autumn-wood": partial(
        scenes.landscape,
        sky="#fbe6c4",
        hills=("#d9a05c", "#c4844a", "#a86c3f"),
        extras=(scenes.trees,),
    ),
    "rainbow-valley": partial(
        scenes.landscape,
        sky="#cdeaf7",
        hills=("#8fd6b0", "#74c49a", "#5ab086"),
        extras=(scenes.rainbow,),
    ),
    "first-snow": partial(
        scenes.landscape,
        sky="#b7cfe8",
        hills=("#e6eef7", "#f1f6fb", "#ffffff"),
        extras=(scenes.snowflakes,),
    ),
}
_ANIMALS: dict[str, tuple[str, Drawing]] = {
    "fox": ("#bfe3d4", animals.fox),
    "owl": ("#c9c2ec", animals.owl),
    "frog": ("#fbe3a4", animals.frog),
    "hedgehog": ("#cfe6b8", animals.hedgehog),
    "rabbit": ("#f9cfc0", animals.rabbit),
    "cat": ("#fbd9e2", animals.cat),
    "bear": ("#c4def2", animals.bear),
    "duck": ("#b5e0ea", animals.duck),
    "mouse": ("#f4dcae", animals.mouse),
    "badger": ("#d3e3a8", animals.badger),
    "bee": ("#d9c9f0", animals.bee),
    "sprout": ("#dcebf7", animals.sprout),
}
# A type's tile color, which all its items share, and what stands for the type.
_TYPES: dict[str, tuple[str, dict[str, Drawing], str]] = {
    "hat": ("#fbe3c4", _HATS, "top-hat"),
    "glasses": ("#d6e6fa", _GLASSES, "round-specs"),
    "shoes": ("#d9f0dc", _SHOES, "puddle-boots"),
    "backpack": ("#fbf0b8", _BACKPACKS, "moss-rucksack"),
    "scarf": ("#e4dcf7", _SCARVES, "poppy-scarf"),
    "balloon": ("#cdeef2", _BALLOONS, "red-balloon"),
    "handheld": ("#fadbe4", _HANDHELDS, "cocoa-mug"),
    "background": ("#ffffff", _BACKGROUNDS, "morning-meadow"),
    "other": ("#e6e8ee", {"parcel": things.parcel}, "parcel"),
}
# What is worn over the eyes or low on the brow has a picture on a face without any.
_NO_EYE_TYPES = ("hat", "glasses")
_PAPER_TYPES = ("hat", "glasses", "shoes", "scarf")


def main() -> None:
    """Draw every picture into the assets folder."""
    for kind, (tile, drawings, emblem) in _TYPES.items():
        margin = 0 if kind == "background" else 46
        _save(_in_circle(_drawn(drawings[emblem]), tile, margin), f"types/{kind}")
        for name, drawing in drawings.items():
            icon = _drawn(drawing)
            _save(_on_tile(icon, tile), f"items/{name}")
            if kind in _PAPER_TYPES:
                _save(_cut_out(icon), f"items/{name}-paper")
            if kind in _NO_EYE_TYPES:
                _save(_on_tile(_worn(icon, kind), tile), f"items/{name}-no-eye")
    for name, (tile, drawing) in _ANIMALS.items():
        _save(_on_tile(_drawn(drawing), tile), f"avatars/{name}")
    for name, drawing in (
        ("acorn", things.acorn_coin),
        ("gem", things.gem),
        ("coin", things.plain_coin),
    ):
        _save(_drawn(drawing), f"currencies/{name}")


def _drawn(drawing: Drawing) -> Canvas:
    canvas = Canvas()
    drawing(canvas)
    return canvas


def _on_tile(icon: Canvas, color: str) -> Canvas:
    tile = Canvas()
    tile.box((0, 0), (SIZE, SIZE), color, round_by=40, stroke=0)
    shape = tile.image.getchannel("A")
    tile.image.alpha_composite(icon.image)
    # A background reaches past the corners; the tile's shape cuts it.
    tile.image.putalpha(shape)
    return tile


def _in_circle(icon: Canvas, color: str, margin: float) -> Canvas:
    circle = Canvas()
    circle.ellipse((128, 128), 122, color)
    inside = circle.image.getchannel("A")
    circle.paste(icon, (margin, margin), SIZE - 2 * margin)
    circle.image.putalpha(inside)
    return circle


def _cut_out(icon: Canvas) -> Canvas:
    """Show the item as cut out of paper: a white border around it, with a pencil line."""
    small = Canvas()
    small.paste(icon, (18, 18), 220)
    shape = resized(small.image.getchannel("A"), SIZE)
    paper = Canvas()
    for width, color in ((21, "#b9b2c4"), (17, "#fffdf6")):
        border = shape.filter(ImageFilter.MaxFilter(width)).filter(ImageFilter.GaussianBlur(2))
        mask = resized(border, paper.image.width)
        layer = Image.new("RGBA", paper.image.size, color)
        layer.putalpha(Image.eval(mask, _is_paper))
        paper.image.alpha_composite(layer)
    paper.image.alpha_composite(small.image)
    return paper


def _is_paper(level: int) -> int:
    return 255 if level > 110 else 0


def _worn(icon: Canvas, kind: str) -> Canvas:
    """Show the item on a face without eyes."""
    face = Canvas()
    face.ellipse((128, 156), (82, 76), "#f6dcc0")
    face.dots([(78, 178), (178, 178)], 11, "#f2b8a0")
    face.curve([(112, 190), (128, 200), (144, 190)], OUTLINE, 5)
    corner, size = ((26.0, 0.0), 204.0) if kind == "hat" else ((50.0, 66.0), 156.0)
    face.paste(icon, corner, size)
    return face


def _save(canvas: Canvas, name: str) -> None:
    path = ASSETS / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    small = resized(canvas.image, SIZE)
    palette = small.quantize(_COLORS, method=Image.Quantize.FASTOCTREE)
    palette.save(path, optimize=True)


if __name__ == "__main__":
    main()
