"""What a member is told when a catalog or an item can't be had."""

from bot.errors import KioskError
from bot.i18n import N_


class ShopError(KioskError):
    """About catalogs and items."""


class CatalogNotInGame(ShopError):
    """The game answered 404 to a catalog's first page."""

    title = N_("The game has no such catalog")
    message = N_("The game doesn't know a catalog with the number %(number)s.")
    next_step = N_("Pick one from the list while typing, or check the number.")


class CatalogNeeded(ShopError):
    """The game tells about items only by catalog, and none is known."""

    title = N_("Which catalog is it in?")
    message = N_("The game shows items by catalog only, and no catalog has a name here.")
    next_step = N_("Use the command again and fill in `catalog` with the catalog's number.")


class ItemGone(ShopError):
    """The item is no longer in its catalog."""

    title = N_("This item is gone")
    message = N_("Its catalog no longer has it.")
    next_step = N_("See what is there now with `/shop browse`.")


class ItemsNotLoaded(ShopError):
    """What was chosen is the entry that stands in for a list which had not arrived."""

    title = N_("The list wasn't there yet")
    message = N_("The items had not arrived from the game when you chose.")
    next_step = N_("Use the command again, or type the item's number.")


class SeveralItems(ShopError):
    """Several items carry the name that was typed."""

    title = N_("Which one?")
    message = N_("Several items are called “%(name)s”.")
    next_step = N_("Pick one from the list while typing, or give the item's number.")


class UnknownType(ShopError):
    """No item of the catalog is of the type that was typed."""

    title = N_("No item is of that type")
    message = N_("There is no “%(name)s” in this catalog, but there is: %(known)s.")
    next_step = N_("Use the command again with one of these.")
