"""A pseudo-language: cards in a language with longer words and other letters.

It reads as English with accents, is 40 % longer, and each sentence is in brackets: it shows what
isn't translated, what is put together and what is cut off.
"""

import gettext
import re

from bot.i18n import SOURCE_LANGUAGE, catalogs

# A locale of Discord's for which there is no catalog.
PSEUDO = "en_GB"

_ACCENTED = dict(zip("aceginosuyzAEIOU", "áčéğíñőšúýžÁÉÍÓÚ", strict=True))
# Two columns wide, and three bytes of UTF-8.
_WIDE = {letter: chr(ord(letter) + 0xFEE0) for letter in "dhlrtDHLRT"}
_IN_NAMES = str.maketrans(_ACCENTED)
_IN_SENTENCES = str.maketrans(_ACCENTED | _WIDE)
_BACK = str.maketrans({letter: plain for plain, letter in (_ACCENTED | _WIDE).items()})
_LEFT = "⟦"
_RIGHT = "⟧"
_PADDING = "ˑˑˑˑ "
# Places to fill, commands, pages and moments stay as they are.
_KEPT = re.compile(r"(%\(\w+\)s|`[^`]*`|https?://\S+|<[^>]*>|%%)")
_ADDED = re.compile("⟦|[ ˑ]*⟧")
# The name of a command or an option, which can't have other marks.
_NAME = re.compile(r"[a-z]+(?:[_-][a-z]+)*")


class Pseudo(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return _pseudo(message)

    def pgettext(self, context: str, message: str) -> str:
        return _pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return _pseudo(msgid1 if n == 1 else msgid2)


def speak_pseudo() -> None:
    """Show the pseudo-language in place of English, until this process ends."""
    catalogs[SOURCE_LANGUAGE] = Pseudo()


def _pseudo(message: str) -> str:
    if _NAME.fullmatch(message):
        return message.translate(_IN_NAMES) + message[-1] * (len(message) * 2 // 5)
    parts = _KEPT.split(message)
    for number in range(0, len(parts), 2):
        parts[number] = parts[number].translate(_IN_SENTENCES)
    longer = max(len("".join(parts[::2])) * 2 // 5 - len(_LEFT + _RIGHT), 0)
    return _LEFT + "".join(parts) + (_PADDING * longer)[:longer] + _RIGHT


def english(text: str) -> str:
    """Return the English text that a pseudo-translation was made of."""
    return _ADDED.sub("", text).translate(_BACK)
