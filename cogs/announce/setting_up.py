"""Setting an announcement up: what is wished is checked, shown and kept in one go."""

from collections.abc import Sequence

from msgspec.structs import replace

from bot.errors import KioskError, ServerOnly
from bot.features.following.announcing import sample
from bot.features.names import Place
from bot.features.shop.item_filter import CatalogItem, find_type
from bot.game.errors import GameError
from bot.game.models import Item
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction
from bot.ui.cards import Card
from bot.ui.channels import (
    ChosenChannel,
    lacking_card,
    language_of_server,
    look_at_place,
    look_at_role,
)
from cogs.announce.announcement import announcement
from cogs.announce.settings import kept_card, tested_card
from cogs.announce.wishes import USUAL, SubscriptionWish, read_news
from storage.following import NewSubscription, Subscription
from storage.names import PlaceKind


class SettingUp:
    """Keeps what people wish, once Discord would let it work; each method returns the answer.

    Raises AccountError, GameError, AnnouncingError, ShopError.
    """

    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._directory = bot.features.directory

    async def add(self, interaction: Interaction, catalog: Place, wish: SubscriptionWish) -> Card:
        """Keep a new subscription."""
        if interaction.guild_id is None or wish.channel_id is None:
            raise ServerOnly
        news = USUAL if wish.news is None else read_news(wish.news)
        place = await look_at_place(interaction, wish.channel_id, wish.role_id, catalog.name)
        if place.lacks:
            return lacking_card(place)
        items = await self._items(interaction, catalog.game_id, wish)
        type_id, type_name = _type(wish, items)
        new = NewSubscription(
            guild_id=interaction.guild_id,
            channel_id=place.id,
            channel_kind=place.kind,
            channel_name=place.name,
            game_id=catalog.game_id,
            news=news,
            locale=language_of_server(interaction),
            created_by=interaction.user.id,
            role_id=wish.role_id,
            type_id=type_id,
            type_name=type_name,
            max_cost=wish.max_cost,
            tag_id=place.tag_id,
        )
        added = await self._announcing.add(new)
        return kept_card(added, catalog, place, self._preview(added, items, catalog))

    async def edit(
        self, interaction: Interaction, one: Subscription, wish: SubscriptionWish
    ) -> Card:
        """Keep a changed subscription; only a new type has to be known to the game."""
        catalog = await self._catalog(one)
        changed = replace(one, locale=language_of_server(interaction))
        place: ChosenChannel | None = None
        if wish.channel_id is not None:
            role_id = wish.role_id or one.role_id
            place = await look_at_place(interaction, wish.channel_id, role_id, catalog.name)
            if place.lacks:
                return lacking_card(place, changed=True)
            changed = replace(
                changed,
                channel_id=place.id,
                channel_kind=place.kind,
                channel_name=place.name,
                tag_id=place.tag_id,
            )
        elif wish.role_id is not None:
            place = look_at_role(
                interaction, one.channel_id, one.channel_kind, one.channel_name, wish.role_id
            )
            if place.lacks:
                return lacking_card(place, changed=True)
        items: Sequence[Item] = []
        try:
            items = await self._items(interaction, one.game_id, wish)
        except (GameError, KioskError):
            if wish.item_type is not None:
                raise
        kept = await self._announcing.change(_changed(changed, wish, items))
        return kept_card(kept, catalog, place, self._preview(kept, items, catalog))

    async def test(self, interaction: Interaction, one: Subscription) -> Card:
        """Owe an announcement of a real item that pings nobody."""
        items = await self._announcing.items(one.game_id, interaction.user.id, whole=False)
        event = sample(one, items, self._announcing.clock())
        if event is None:
            return kept_card(one, await self._catalog(one), None, None)
        await self._announcing.owe_test(one, event, wish=interaction.id)
        return tested_card(one)

    async def _catalog(self, one: Subscription) -> Place:
        return await self._directory.place(one.guild_id, PlaceKind.CATALOG, one.game_id)

    async def _items(
        self, interaction: Interaction, catalog_id: int, wish: SubscriptionWish
    ) -> Sequence[Item]:
        # Only the whole catalog knows all types.
        is_whole = wish.item_type is not None
        return await self._announcing.items(catalog_id, interaction.user.id, whole=is_whole)

    def _preview(self, one: Subscription, items: Sequence[Item], catalog: Place) -> Card | None:
        event = sample(one, items, self._announcing.clock())
        return None if event is None else announcement([event], catalog)


def _changed(one: Subscription, wish: SubscriptionWish, items: Sequence[Item]) -> Subscription:
    role_id = None if wish.without == "role" else one.role_id
    max_cost = None if wish.without == "max_cost" else one.max_cost
    type_id, type_name = one.type_id, one.type_name
    if wish.item_type is not None or wish.without == "type":
        type_id, type_name = _type(wish, items)
    return replace(
        one,
        news=one.news if wish.news is None else read_news(wish.news),
        role_id=role_id if wish.role_id is None else wish.role_id,
        type_id=type_id,
        type_name=type_name,
        max_cost=max_cost if wish.max_cost is None else wish.max_cost,
    )


def _type(wish: SubscriptionWish, items: Sequence[Item]) -> tuple[int | None, str | None]:
    """Return the type that is typed, and its name. Raises UnknownType, SeveralTypes."""
    if wish.item_type is None:
        return None, None
    found = find_type([CatalogItem(0, 1, item) for item in items], wish.item_type)
    return found.id, found.name
