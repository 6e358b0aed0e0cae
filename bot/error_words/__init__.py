"""The words of every error that a member can see, by its key: the name of its class."""

from collections.abc import Mapping

from bot.error_words.anywhere import ANYWHERE, Words
from bot.error_words.forum_and_shop import FORUM_AND_SHOP
from bot.error_words.servers import SERVERS

WORDS: Mapping[str, Words] = {**ANYWHERE, **FORUM_AND_SHOP, **SERVERS}
