"""New announcements: announce a catalog, or follow a thread."""

from collections import abc
from typing import Any

from bot.features import feature_errors
from bot.features.directory import Place
from bot.i18n import t
from bot.ui import drawing, permissions, shared_actions, theme
from bot.ui.here import MANAGER, Here
from bot.ui.items import catalog_title
from bot.ui.router import route, sent
from cogs.announce import actions, announcement, lines
from storage import subscriptions
from storage.names import PlaceKind


@route(actions.ChooseCatalog, needs=MANAGER)
async def on_choose_catalog(here: Here, action: actions.ChooseCatalog) -> None:
    chosen = None
    if action.catalog_id:
        chosen = await here.place(PlaceKind.CATALOG, action.catalog_id)
    named = await here.names(PlaceKind.CATALOG)
    places = [Place(PlaceKind.CATALOG, name.game_id, name.name) for name in named]
    if chosen is not None and all(place.game_id != chosen.game_id for place in places):
        places.append(chosen)
    await here.answer(catalogs_card(places, chosen, here.features.contact.number_words))


@route(shared_actions.AnnounceCatalog, opens_form=True, needs=MANAGER)
async def open_announce_form(here: Here, action: shared_actions.AnnounceCatalog) -> None:
    if not here.features.own_account.is_there:
        raise feature_errors.NoOwnAccount
    fields = actions.AnnounceFields(channel_id=0)
    await here.open_form(await actions.form_for(here, action, action.catalog_id, fields))


@sent(shared_actions.AnnounceCatalog, needs=MANAGER)
async def on_announce(here: Here, action: shared_actions.AnnounceCatalog) -> None:
    fields = actions.AnnounceFields.read(here)
    place = await here.place(PlaceKind.CATALOG, action.catalog_id)
    channel = await permissions.usable(
        here,
        fields.channel_id,
        permissions.Use.ANNOUNCE,
        action,
        role_ids=fields.role_ids,
        name=place.name,
    )
    if channel is None:
        return
    announcing = here.features.announcing
    # If Kiosk's own account can't see the catalog, say so now: later nothing would be posted.
    await here.features.own_account.items(place.game_id, whole=False)
    filters = await actions.filters_of(here, place.game_id, fields)
    wanted = _subscription(
        here, place, channel, news=fields.news, role_ids=fields.role_ids, **filters
    )
    added = await announcing.add(wanted, await lines.line_of(here))
    await announcement.show(here, added.id, t("Announcement added. Kiosk posts news from now on."))


@route(shared_actions.FollowThread, opens_form=True, needs=MANAGER)
async def open_follow_form(here: Here, action: shared_actions.FollowThread) -> None:
    threads = await here.names(PlaceKind.THREAD)
    words = here.features.contact.number_words
    await here.open_form(actions.follow_form(action, threads, words))


@sent(shared_actions.FollowThread, needs=MANAGER)
async def on_follow(here: Here, action: shared_actions.FollowThread) -> None:
    await follow(here, actions.THREAD.read_one(here), actions.CHANNEL.read(here) or 0)


@route(actions.FollowFoundThread, needs=MANAGER)
async def on_follow_found(here: Here, action: actions.FollowFoundThread) -> None:
    await follow(here, str(action.thread_id), action.channel_id)


async def follow(here: Here, thread: str, channel_id: int) -> None:
    here.offer_candidates(
        lambda place: drawing.Entry(
            place.label, actions.FollowFoundThread(place.game_id, channel_id)
        )
    )
    place = await here.find_by_name(PlaceKind.THREAD, thread)
    again = actions.FollowFoundThread(place.game_id, channel_id)
    channel = await permissions.usable(
        here, channel_id, permissions.Use.FOLLOW, again, name=place.name
    )
    if channel is None:
        return
    wanted = _subscription(here, place, channel, news=frozenset())
    followed, is_new = await here.features.followed_threads.follow(
        wanted, await lines.line_of(here)
    )
    said = t("Thread followed. Kiosk posts each new comment with a Reply button.")
    if not is_new:
        said = t("The channel already follows this thread.")
    await announcement.resume(here, followed, changed=said)


def _subscription(
    here: Here,
    place: Place,
    channel: permissions.ChannelCheck,
    *,
    news: frozenset[subscriptions.News],
    **filters: Any,
) -> subscriptions.NewSubscription:
    return subscriptions.NewSubscription(
        guild_id=here.guild_id,
        channel_id=channel.id,
        channel_kind=channel.kind,
        channel_name=channel.name,
        tag_id=channel.tag_id,
        kind=place.kind,
        place_id=place.game_id,
        news=news,
        locale=here.server_locale,
        created_by=here.member_id,
        **filters,
    )


def catalogs_card(
    places: abc.Sequence[Place], chosen: Place | None, number_words: str = ""
) -> drawing.Card:
    """Ask for a catalog, then offer a button for its form: a list can't open a form."""
    card = drawing.Card(theme.SHOP)
    card.say("## " + t("Announce a catalog"))
    if not places:
        told = t("This server has no catalogs yet. Use `/announce add` with a catalog's number.")
        card.say("\n".join(filter(None, [told, number_words])))
    else:
        entries = [
            drawing.Entry(
                catalog_title(place.game_id, place.name),
                actions.ChooseCatalog(place.game_id),
                is_chosen=chosen is not None and chosen.game_id == place.game_id,
            )
            for place in places
        ]
        card.choose(entries, t("Choose a catalog…"))
    buttons = [drawing.button(shared_actions.ShowAnnouncements(), t("Back"))]
    if chosen is not None:
        form = shared_actions.AnnounceCatalog(chosen.game_id)
        label = t("Announce")
        buttons.insert(0, drawing.button(form, label, style=drawing.BLUE, emoji="📣"))
    card.buttons(*buttons)
    return card
