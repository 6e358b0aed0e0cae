"""Texts, names and numbers that people type: most fit, and some don't."""

from collections.abc import Callable
from random import Random

from tests.simulation.filled_game import TOKENS
from tests.simulation.steps.stories import drawn_again
from tests.simulation.town import Person, Town

_UNFIT = 0.1
_JUNK = ("", "0", "-1", "99999999", "#", "nowhere", "x" * 300, "\u200b", "🌰🌰", "1e9", "<@1>")
_MARKUP = (
    "plain words",
    "**bold** and `code` and ||hidden||",
    "@everyone <@123456789012345678> <#1> https://example.com/a_b",
    "# Title\n> quote\n- list",
    "желудь в парке",
    "どんぐりの公園",
    "حديقة البلوط",
    "🌰 <:acorn:123456789012345678> <t:1700000000:R>",
    "acorn hat",
)
_NEWEST = 12
_CHEAP = 50
_UNTIL = ("1d", "7d", "2030-12-31", "2h", "yesterday", "1m")


def new_text(town: Town, draw: Random) -> str:
    """Return a text that no other is: its mark stands first."""
    town.texts += 1
    return f"qt{town.texts}z {draw.choice(_MARKUP)}"


def word_for(town: Town, draw: Random, who: Person, name: str) -> str:
    """Return what someone types for an option or a field of this name."""
    if draw.random() < _UNFIT or name not in _WORDS:
        town.unknown_names[name] += name not in _WORDS
        return draw.choice(_JUNK)
    return _WORDS[name](town, draw, who)


_Word = Callable[[Town, Random, Person], str]


def _text(town: Town, draw: Random, _who: Person) -> str:
    return new_text(town, draw)


def some_comment(town: Town, draw: Random) -> int:
    """Return the number of a comment, of the newest in its thread."""
    comments = town.game.comments(draw.choice(town.game.threads()))
    number = draw.choice(comments[-_NEWEST:]).id if comments else 1
    return drawn_again(town, draw, "comment", number)


def some_item(town: Town, draw: Random) -> int:
    """Return the number of an item, one of two times of one that most can pay."""
    items = town.game.items(draw.choice(town.game.catalogs()))
    cheap = [item for item in items if item.cost <= _CHEAP]
    items = cheap if cheap and draw.random() < 0.5 else items
    number = draw.choice(items).id if items else 1
    return drawn_again(town, draw, "item", number)


_WORDS: dict[str, _Word] = {
    "thread": lambda town, draw, _: str(draw.choice(town.game.threads())),
    "catalog": lambda town, draw, _: str(draw.choice(town.game.catalogs())),
    "token": lambda town, draw, who: who.token or draw.choice(TOKENS),
    "content": _text,
    "text": _text,
    "reason": _text,
    "page": lambda town, draw, _: str(draw.randint(1, 4)),
    "until": lambda town, draw, _: draw.choice(_UNTIL),
    "muted_until": lambda town, draw, _: draw.choice(_UNTIL),
    "words": lambda town, draw, _: draw.choice(("acorn", "hat*", "желудь", "park, *ole*")),
    # Moderation.
    "comment": lambda town, draw, _: f"#{some_comment(town, draw)}",
    "removed": lambda town, draw, _: str(some_comment(town, draw)),
    "player": lambda town, draw, _: str(draw.choice(town.game.players()).id),
    "writer": lambda town, draw, _: str(draw.choice(town.game.players()).id),
    "mute": lambda town, draw, _: draw.choice(_UNTIL),
    "added": lambda town, draw, _: "acorn",
    "usual": _text,
    "kept_days": lambda town, draw, _: draw.choice(("1", "90", "3650")),
    "reasons": lambda town, draw, _: draw.choice(("Rude\nOff topic", "Advertising", "")),
    # The shop.
    "item": lambda town, draw, _: str(some_item(town, draw)),
    "name": lambda town, draw, _: draw.choice(("Cap", "hat", "Шап", "どんぐり", "Place", "🎩")),
    "type": lambda town, draw, _: draw.choice(("Hat", "Balloon", "плащ")),
    "max_cost": lambda town, draw, _: draw.choice(("0", "40", "120", "1000000")),
    # What servers name and announce.
    "id": lambda town, draw, _: str(draw.choice(town.game.threads())),
    "cost": lambda town, draw, _: draw.choice(("", "< 50", "10-100", "0")),
}
