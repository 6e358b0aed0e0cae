"""What members are told when a catalog or an item can't be had.

KioskError
├── CatalogNotInGame    the game answered 404 to a catalog's first page
├── CatalogNeeded       the game tells about items only by catalog, and none is known
├── ItemGone            the item is no longer in its catalog
├── ItemsNotLoaded      the list of items had not arrived when one was to be chosen
├── SeveralItems        several items carry the name that was typed
├── UnknownType         no item of the catalog is of the type that was typed
└── ItemOutOfReach      a number of the item is too large to be kept
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class CatalogNotInGame(KioskError): ...
class CatalogNeeded(KioskError): ...
class ItemGone(KioskError): ...
class ItemsNotLoaded(KioskError): ...
class SeveralItems(KioskError): ...
class UnknownType(KioskError): ...
class ItemOutOfReach(KioskError): ...
# fmt: on
