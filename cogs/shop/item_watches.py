"""Watch an item, or all items that match a search, and show the watch."""

from collections import abc
from typing import Any

from msgspec.structs import replace

from bot import errors
from bot.features import feature_errors, item_queries
from bot.features.following.comparing import WATCHED
from bot.game import models
from bot.game.game_errors import GameError
from bot.i18n import t
from bot.ui import drawing, shared_actions, theme, watches
from bot.ui.here import Here
from bot.ui.router import route
from cogs.shop import actions, browsing, item_search
from storage import subscriptions
from storage.member_watches import Watch
from storage.names import ItemRef, PlaceKind


async def watch_search(
    here: Here, search: actions.WatchSearch, catalog_ids: abc.Sequence[int]
) -> None:
    """Watch items that match a search, as one watch for all the catalogs."""
    query = search.query
    if query == item_queries.ANYTHING:
        raise feature_errors.NothingToWatch
    if len(catalog_ids) == 1:
        search = replace(search, catalog_id=catalog_ids[0])
    if search.has_room:
        here.again = search
        here.offer_candidates(
            lambda meant: drawing.Entry(meant.name, replace(search, item_type=str(meant.id)))
        )
    if query.types:
        await here.features.accounts.require(here.member_id, to_look=True)
        (typed,) = query.types
        meant = item_queries.type_named(
            typed, item_queries.types_in(await _items_in(here, catalog_ids))
        )
        query = replace(query, types=frozenset([meant.name]))
    await _watch_all(here, catalog_ids, query)


async def _items_in(here: Here, catalog_ids: abc.Sequence[int]) -> abc.Sequence[models.Item]:
    items: list[models.Item] = []
    for catalog_id in catalog_ids:
        try:
            items += await browsing.read(here, catalog_id)
        except (GameError, errors.KioskError):
            if len(catalog_ids) == 1:
                raise
    return items


async def _watch_all(
    here: Here, catalog_ids: abc.Sequence[int], query: subscriptions.ItemQuery
) -> None:
    watch, is_new = await _keep_watch(here, catalog_ids, query=query)
    titles = await watches.titles_of(here.features.directory, [watch])
    way = actions.origin_of(here.interaction.message)
    back = [drawing.button(way, t("Back"))] if way else []
    await here.answer(watched_card(watch, titles, *back, is_new=is_new))


async def _keep_watch(
    here: Here, catalog_ids: abc.Sequence[int], ref: ItemRef | None = None, **subject: Any
) -> tuple[Watch, bool]:
    parts = [
        subscriptions.NewSubscription(
            place_id=catalog_id,
            news=WATCHED,
            locale=here.locale,
            created_by=here.member_id,
            member_id=here.member_id,
            asked_in=here.server,
            **subject,
        )
        for catalog_id in catalog_ids
    ]
    return await here.features.watching.watch_items(*parts, ref=ref)


@route(shared_actions.WatchItem)
async def on_watch(here: Here, action: shared_actions.WatchItem) -> None:
    entry = await here.features.shop.item(here.member_id, action.ref)
    item = entry.item
    way = actions.origin_of(here.interaction.message)
    if item.has_purchased:
        raise feature_errors.AlreadyOwned(name=item.name)
    await _keep_watch(
        here, [entry.catalog_id], entry.ref, subject_id=item.id, subject_name=item.name
    )
    await browsing.show_item(here, entry, way and actions.list_behind(way))


@route(shared_actions.StopWatching)
async def on_stop_watching(here: Here, action: shared_actions.StopWatching) -> None:
    await here.features.watching.end_watches_of(
        here.member_id, PlaceKind.CATALOG, action.ref.item_id
    )
    try:
        entry = await here.features.shop.item(here.member_id, action.ref)
    except (errors.KioskError, GameError):
        # The watch has ended, whether the item can be shown or not.
        ended = t("🔕 You're no longer watching this item.")
        await here.answer(drawing.notice(ended, buttons=(shared_actions.watches_button(),)))
        return
    way = actions.origin_of(here.interaction.message)
    await browsing.show_item(here, entry, way and actions.list_behind(way))


@route(actions.WatchCatalog)
async def on_watch_catalog(here: Here, action: actions.WatchCatalog) -> None:
    await _watch_all(here, [action.catalog_id], item_queries.ANYTHING)


@route(actions.WatchFilter)
async def on_watch_filter(here: Here, action: actions.WatchFilter) -> None:
    # Watches never report items that the member owns.
    query = replace(action.address.query, is_owned=None)
    if query.types or query.currency:
        query = item_queries.named(query, await _items_in(here, [action.catalog_id]))
    await _watch_all(here, [action.catalog_id], query)


@route(actions.WatchSearch)
async def on_watch_search(here: Here, action: actions.WatchSearch) -> None:
    meant = (
        [action.catalog_id] if action.catalog_id else await item_search.catalogs_meant(here, None)
    )
    await watch_search(here, action, meant)


def watched_card(
    watch: Watch, titles: watches.Titles, *back: drawing.Button, is_new: bool
) -> drawing.Card:
    what = watches.watch_words(watch)
    where = titles[watch.first.id]
    button = drawing.button(
        shared_actions.AskEndWatch(watch.first.id), t("Stop watching…"), emoji="🔕"
    )
    if not is_new:
        title = t("You're already watching %(what)s", what=what)
        return drawing.notice(title, where, colour=theme.GOOD, buttons=(button, *back))
    if watch.first.query.is_clearance:
        body = t(
            "Kiosk sends you a direct message when a matching item gets cheaper or appears in"
            " %(catalog)s.",
            catalog=where,
        )
    else:
        body = t(
            "Kiosk sends you a direct message when a matching item gets cheaper, is put on"
            " clearance or appears in %(catalog)s.",
            catalog=where,
        )
    note = t("Items you already own don't count. You get at most one message an hour.")
    title = t("You're watching %(what)s", what=what)
    return drawing.notice(
        title, body, colour=theme.GOOD, footer=watches.footer_of(note), buttons=(button, *back)
    )
