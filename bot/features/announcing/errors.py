"""What people are told when an announcement can't be set up or looked into.

AnnouncingError          a KioskError
├── AlreadyAnnounced     the channel hears of this catalog already
├── TooManyAnnouncements the server has as many as one may
├── UnknownAnnouncement  no announcement of this server has that number
├── UnknownNews          what was typed is no kind of news
└── ItemNeverSeen        no followed catalog has had such an item
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class AnnouncingError(KioskError): ...
class AlreadyAnnounced(AnnouncingError): ...
class TooManyAnnouncements(AnnouncingError): ...
class UnknownAnnouncement(AnnouncingError): ...
class UnknownNews(AnnouncingError): ...
class ItemNeverSeen(AnnouncingError): ...
# fmt: on
