"""The words of every error that a member can see, by its key: the name of its class."""

from collections.abc import Mapping

from bot.error_words.anywhere import ANYWHERE, Words
from bot.error_words.features import FEATURES

WORDS: Mapping[str, Words] = {**ANYWHERE, **FEATURES}
