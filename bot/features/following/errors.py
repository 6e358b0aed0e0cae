"""What people are told when a thread can't be followed.

FollowingError   a KioskError
├── NotFollowed  the thread is not posted in that channel
└── MayNotFollow whoever asks may not manage the server
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class FollowingError(KioskError): ...
class NotFollowed(FollowingError): ...
class MayNotFollow(FollowingError): ...
# fmt: on
