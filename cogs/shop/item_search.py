"""Suggest and find the item that a command names, and do the command's action with it."""

from collections import abc
from urllib.parse import unquote

from bot import errors
from bot.features import directory, item_queries, matching
from bot.features.reading import catalogs, shop
from bot.i18n import t
from bot.ui import custom_ids, drawing, shared_actions, slash
from bot.ui.here import Here
from bot.ui.items import DEEDS, entry_name, price_of
from bot.ui.router import route
from cogs.shop import actions
from storage.names import PlaceKind

_STAND_INS = {
    shop.SuggestionState.UNREACHABLE: slash.UNREACHABLE,
    shop.SuggestionState.COMING: slash.COMING,
}


async def suggest_items(here: Here, typed: str) -> slash.Choices:
    items, stand_in = await _suggestions(here, typed)
    return slash.choices(map(_entry, items) if items else stand_in)


async def suggest_items_to_buy(here: Here, typed: str) -> slash.Choices:
    items, stand_in = await _suggestions(here, typed)
    to_buy = [_entry(entry) for entry in items if not entry.item.has_purchased]
    return slash.choices(to_buy or stand_in)


async def suggest_types(here: Here, typed: str) -> slash.Choices:
    items, stand_in = await _suggestions(here, "")
    types = item_queries.types_in(entry.item for entry in items)
    fitting = matching.holding(typed, types, lambda item_type: item_type.name)
    return slash.choices([(item_type.name, str(item_type.id)) for item_type in fitting] or stand_in)


async def catalogs_meant(here: Here, catalog: str | None) -> list[int]:
    """Return the catalogs that may be meant, or all with a name, or those read recently.

    Raises UnknownName, NothingNamed, NoNamesKnown.
    """
    if catalog:
        try:
            return [(await here.find_by_name(PlaceKind.CATALOG, catalog)).game_id]
        except (errors.SeveralFit, errors.ChoiceNeeded) as error:
            return [
                place.game_id for place in error.candidates if isinstance(place, directory.Place)
            ]
    names = await here.names(PlaceKind.CATALOG)
    meant = [named.game_id for named in names] or here.features.shop.catalogs.recent(here.member_id)
    if not meant:
        raise errors.NothingNamed if here.server else errors.NoNamesKnown
    return list(dict.fromkeys(meant))


async def _suggestions(
    here: Here, typed: str
) -> tuple[abc.Sequence[catalogs.CatalogItem], list[tuple[str, str]]]:
    """Return the items that fit, and an entry that says why there are none."""
    try:
        catalog_ids = await catalogs_meant(here, here.typed("catalog"))
        items, lists = await here.features.shop.suggest(here.member_id, typed, catalog_ids)
    except errors.AccountError:
        return [], [(t(slash.NOT_LINKED), directory.STAND_IN)]
    except (errors.NothingNamed, errors.NoNamesKnown) as error:
        return [], [(t(error.title), directory.STAND_IN)]
    except errors.KioskError:
        return [], [(t(slash.NO_CATALOG), directory.STAND_IN)]
    why = _STAND_INS.get(lists)
    return items, [(t(why), directory.STAND_IN)] if why else []


def _entry(entry: catalogs.CatalogItem) -> tuple[str, str]:
    mark = " ✅" if entry.item.has_purchased else ""
    price = price_of(entry.item, plain=True)
    label = f"{entry_name(entry.item.name)}{matching.LABEL_SEPARATOR}{price}{mark}"
    return label, str(entry.item.id)


async def find_item(
    here: Here, goal: type[shared_actions.OfItem], item: str, catalog: str | None
) -> None:
    """Find an item and do the `goal` action with it. If several fit, offer each of them."""

    def entry_of(meant: directory.Place | catalogs.CatalogItem) -> drawing.Entry:
        if isinstance(meant, directory.Place):
            return drawing.Entry(meant.label, actions.ShowItems.at(shop.Address(meant.game_id)))
        return drawing.Entry(
            entry_name(meant.item.name), goal(meant.ref), price_of(meant.item, plain=True)
        )

    here.offer_candidates(entry_of)
    catalog_ids = await catalogs_meant(here, catalog)
    if item != directory.STAND_IN:
        catalog_id = catalog_ids[0] if len(catalog_ids) == 1 else actions.NO_CATALOG
        name = custom_ids.quoted(item, actions.MAX_NAME_LENGTH)
        here.again = actions.FindItem(goal.kind, catalog_id, name)
    elif len(catalog_ids) == 1:
        here.again = actions.ShowItems.at(shop.Address(catalog_ids[0]))
    if goal in actions.ASK.values():
        await here.features.accounts.require(here.member_id)
    entry = await here.features.shop.find(here.member_id, item, catalog_ids)
    await here.interaction.client.router.press(here, goal(entry.ref).custom_id())


@route(actions.FindItem)
async def on_find(here: Here, action: actions.FindItem) -> None:
    goal = next((deed for deed in DEEDS if deed.kind == action.goal), None)
    if goal is None:
        raise errors.OldButton
    catalog = str(action.catalog_id) if action.catalog_id else None
    await find_item(here, goal, unquote(action.text), catalog)
