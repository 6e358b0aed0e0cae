"""Catalogs, items, and what members watch in them."""

from collections.abc import Mapping

from bot.error_words.words import Words
from bot.i18n import N_

SHOP: Mapping[str, Words] = {
    # Catalogs and items.
    "CatalogNotInGame": Words(
        N_("The game has no such catalog"),
        N_("The game doesn't know a catalog with the number %(number)s."),
        N_("Pick one from the list while typing, or check the number."),
    ),
    "CatalogNeeded": Words(
        N_("Which catalog is it in?"),
        N_("The game shows items by catalog only, and no catalog has a name here."),
        N_("Use the command again and fill in `catalog` with the catalog's number."),
    ),
    "ItemGone": Words(
        N_("This item is gone"),
        N_("Its catalog no longer has it."),
        N_("See what is there now with `/shop browse`."),
    ),
    "ItemsNotLoaded": Words(
        N_("The list wasn't there yet"),
        N_("The items had not arrived from the game when you chose."),
        N_("Use the command again, or type the item's number."),
    ),
    "SeveralItems": Words(
        N_("Which one?"),
        N_("Several items fit “%(name)s”."),
        N_("Pick the one you mean, or give the item's number."),
    ),
    "SeveralTypes": Words(
        N_("Which one?"),
        N_("Several types of items fit “%(name)s”: %(known)s."),
        N_("Pick the one you mean, or type more of it."),
    ),
    "UnknownType": Words(
        N_("No item is of that type"),
        N_("There is no “%(name)s” in this catalog, but there is: %(known)s."),
        N_("Use the command again with one of these."),
    ),
    # Watching.
    "NothingToWatch": Words(
        N_("What would you like to watch?"),
        N_("You named neither an item nor anything to look for."),
        N_("Use `/shop watch` again with an item, or with a part of a name, a type or a cost."),
    ),
    "TooManyWatches": Words(
        N_("You watch a lot already"),
        N_("You can watch up to %(number)s things."),
        N_("Stop watching one with `/shop unwatch`, then try again."),
    ),
    "UnknownWatch": Words(
        N_("You don't watch that"),
        N_("You don't watch “%(name)s”, or not any more."),
        N_("See what you watch with `/shop watching`."),
    ),
    "WhichCatalog": Words(
        N_("In which catalog?"),
        N_("Several catalogs have a name here."),
        N_("Choose one, or use the command again and fill in `catalog`."),
    ),
}
