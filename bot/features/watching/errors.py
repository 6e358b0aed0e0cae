"""What people are told when something can't be watched.

WatchingError      a KioskError
├── NothingToWatch neither an item nor anything to look for was named
├── TooManyWatches the member watches as much as one may
├── UnknownWatch   the member has no such watch
└── WhichCatalog   several catalogs have a name here, and none was chosen
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class WatchingError(KioskError): ...
class NothingToWatch(WatchingError): ...
class TooManyWatches(WatchingError): ...
class UnknownWatch(WatchingError): ...
class WhichCatalog(WatchingError): ...
# fmt: on
