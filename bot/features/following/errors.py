"""What people are told when a thread can't be followed.

FollowingError   a KioskError
└── NotFollowed  the thread is not posted in that channel
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class FollowingError(KioskError): ...
class NotFollowed(FollowingError): ...
# fmt: on
