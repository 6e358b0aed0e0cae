"""What people are told when a thread can't be followed."""

from bot.errors import KioskError


# A table; the words are in bot.error_words.
# fmt: off
class FollowingError(KioskError): ...
class NotFollowed(FollowingError): ...
class TooManyFollows(FollowingError): ...
# fmt: on
