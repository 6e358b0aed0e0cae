"""What members are told when a catalog or an item can't be had.

ShopError               a KioskError
├── CatalogNotInGame    the game answered 404 to a catalog's first page
├── CatalogNeeded       the game tells about items only by catalog, and none is known
├── ItemGone            the item is no longer in its catalog
├── ItemsNotLoaded      the list of items had not arrived when one was to be chosen
├── SeveralItems        several items carry the name that was typed
└── UnknownType         no item of the catalog is of the type that was typed
"""

from bot.errors import KioskError


# A table, which the tree above explains.
# fmt: off
class ShopError(KioskError): ...
class CatalogNotInGame(ShopError): ...
class CatalogNeeded(ShopError): ...
class ItemGone(ShopError): ...
class ItemsNotLoaded(ShopError): ...
class SeveralItems(ShopError): ...
class UnknownType(ShopError): ...
# fmt: on
