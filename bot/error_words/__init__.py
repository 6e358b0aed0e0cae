"""The words of every error that a member can see, by its key: the name of its class."""

from collections.abc import Mapping

from bot.error_words.announcing import ANNOUNCING
from bot.error_words.anywhere import ANYWHERE
from bot.error_words.forum import FORUM
from bot.error_words.moderation import MODERATION
from bot.error_words.services import SERVICES
from bot.error_words.shop import SHOP
from bot.error_words.words import Words

WORDS: Mapping[str, Words] = {**ANYWHERE, **SERVICES, **FORUM, **MODERATION, **SHOP, **ANNOUNCING}
