"""Write the table of look-alike letters anew, from the one in ICU (`pip install pyicu-wheels`)."""

import importlib
import json
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

from bot.features.moderation.matching import LOOK_ALIKES, plain

# What ICU's table is: Unicode's, under Unicode's licence.
_SOURCE = "https://www.unicode.org/Public/security/{version}/confusables.txt"
_LICENCE = "Unicode License v3, https://www.unicode.org/license.txt"
_UNASSIGNED = ("Cs", "Cn", "Co")


def main() -> None:
    """Write what looks like other letters: as small letters do, and as big ones besides."""
    icu: Any = importlib.import_module("icu")
    skeleton: Callable[[int, str], str] = icu.SpoofChecker().getSkeleton
    small: dict[str, str] = {}
    big: dict[str, str] = {}
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(character) in _UNASSIGNED:
            continue
        if plain(character) == character:
            _add(small, character, _shown(skeleton, character) or _shown_big(skeleton, character))
        elif unicodedata.normalize("NFKD", character) == character != character.casefold():
            _add(big, character, plain(skeleton(0, character)))
    # What only looks as a big letter does, and what looks like that.
    for shown, characters in list(small.items()):
        letter = _shown_big(skeleton, characters[0])
        if letter and len(shown) == 1 and not shown.isascii():
            _add(small, shown, letter)
            small[letter] += small.pop(shown)
    table = {
        "source": _SOURCE.format(version=icu.UNICODE_VERSION),
        "licence": _LICENCE,
        "small": small,
        "big": {
            shown: kept
            for shown, characters in big.items()
            if (kept := "".join(each for each in characters if plain(each) != shown))
        },
    }
    text = json.dumps(table, ensure_ascii=False, indent=0, sort_keys=True)
    LOOK_ALIKES.write_text(text + "\n", encoding="utf-8")


def _shown(skeleton: Callable[[int, str], str], character: str) -> str:
    # "burn" is not "bum", though Unicode's table says so.
    shown = plain(skeleton(0, character)).replace("rn", "m")
    return "" if shown == character else shown


def _shown_big(skeleton: Callable[[int, str], str], character: str) -> str:
    """Return the plain letter that a small one looks like where it is written big."""
    upper = character.upper()
    if character.isascii() or len(upper) != 1 or upper == character:
        return ""
    shown = plain(skeleton(0, upper))
    return shown if shown.isascii() and len(shown) == 1 else ""


def _add(table: dict[str, str], character: str, shown: str) -> None:
    # No letter becomes a mark between words.
    if shown and (shown.isalnum() or not character.isalnum()):
        table[shown] = table.get(shown, "") + character


if __name__ == "__main__":
    main()
