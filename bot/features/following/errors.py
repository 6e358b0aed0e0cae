"""What people are told when a thread can't be followed.

FollowingError     a KioskError
├── NotFollowed    the thread is not posted in that channel
└── TooManyFollows the server follows as much as one may
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class FollowingError(KioskError): ...
class NotFollowed(FollowingError): ...
class TooManyFollows(FollowingError): ...
# fmt: on
