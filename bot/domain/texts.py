"""Texts in Unicode's forms, and what tells them apart, so that they can be compared."""

import hashlib
import re
import unicodedata
from typing import Literal

# A part of a text, with what may belong to the last of its characters: marks, and what Korean and
# Japanese letters are put together with.
_PART = re.compile(
    r".{1,256}(?:[^\w\s\x00-\u02ff]|[\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]){0,256}", re.DOTALL
)


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in one of Unicode's forms, part by part.

    Putting marks in order takes the square of how many stand in a row: of a million, an hour.
    """
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form, part) for part in _PART.findall(text))


def text_key(text: str) -> str:
    """Return what tells a text from another one."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
