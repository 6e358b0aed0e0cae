"""One announcement on its card: look at it, change it, stop it, try it; and the list of all."""

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from bot.errors import AccountError, KioskError
from bot.features.following.announcing import sample, test_key
from bot.features.items import ANYTHING, read_query
from bot.game.models import Item
from bot.i18n import nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import shared_actions
from bot.ui.actions import Action
from bot.ui.forms import ActionForm
from bot.ui.here import MANAGER, Here
from bot.ui.permissions import Use, channels_at_hand, gone_roles, usable, use_for
from bot.ui.router import route
from cogs.announce import actions
from cogs.announce.cards import title_of
from cogs.announce.history_cards import history_card, tried_card
from cogs.announce.list_cards import PER_PAGE, Shown, list_card, one_card, remove_card
from storage.messages import Message, MessageState
from storage.names import PlaceKind
from storage.subscriptions import Subscription

_MOST_REMEMBERED = 10
# How often a test is looked up in the second that Kiosk waits for it.
_MOST_LOOKS = 10


class AnnouncementHandlers:
    def __init__(self, bot: Kiosk) -> None:
        self._announcing = bot.features.announcing
        self._following = bot.features.announcing.following
        self._tasks = bot.tasks

    @route(shared_actions.ShowAnnouncements, needs=MANAGER)
    async def on_list(self, here: Here, action: shared_actions.ShowAnnouncements) -> None:
        page = max(0, action.page)
        all_of_them = await self._following.of_guild(here.guild_id)
        listed = all_of_them[page * PER_PAGE : (page + 1) * PER_PAGE]
        gone = await gone_roles(here, [one.role_id for one in listed])
        channels = await channels_at_hand(here, [one.channel_id or 0 for one in listed])
        shown = [await self._shown(here, one, all_of_them) for one in listed]
        await here.answer(list_card(shown, page, len(all_of_them), gone, channels))

    @route(shared_actions.OpenAnnouncement, needs=MANAGER)
    async def on_open(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        await self.show(here, await self._find(here, action))

    @route(shared_actions.OpenEditForm, opens_form=True, needs=MANAGER)
    async def on_open_edit(self, here: Here, action: shared_actions.OpenEditForm) -> None:
        one = await self._find(here, action)
        wish = actions.Wish.of(one)
        if action.is_role_gone:
            wish = replace(wish, role_id=None)
        await here.open_form(await self.form(here, actions.SendEdit(one.id), one.place_id, wish))

    @route(actions.SendEdit, needs=MANAGER)
    async def on_edit(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        again = shared_actions.OpenEditForm(action.subscription_id)
        here.again = again
        wish = actions.Wish.read(here)
        one = await self._find(here, action)
        place = await here.place(PlaceKind.CATALOG, one.place_id)
        taken_over = await self._taken_over(here, one)
        channel = await usable(
            here, wish.channel_id, Use.ANNOUNCE, again, role_id=wish.role_id, name=place.name
        )
        if channel is None:
            return
        filters = await self.filters(here, one.place_id, wish, actions.Wish.of(one))
        changed = await self._announcing.change(
            replace(
                taken_over,
                channel_id=channel.id,
                channel_kind=channel.kind,
                channel_name=channel.name,
                tag_id=channel.tag_id,
                news=wish.news,
                role_id=wish.role_id,
                locale=here.server_locale,
                **filters,
            )
        )
        said = t("Changed.")
        if one.paused_at is not None:
            said += " " + await self._go_on(here, changed)
        await self.show(here, changed, said)

    @route(shared_actions.TakeOver, actions.Resume, needs=MANAGER)
    async def on_resume(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        is_take_over = isinstance(action, shared_actions.TakeOver)
        if is_take_over:
            await here.features.accounts.require(here.member_id, to_look=True)
        one = await self._taken_over(here, one)
        if is_take_over or not await self._lacks(here, one, action):
            one = await self._announcing.change(one)
            await self.show(here, one, await self._go_on(here, one, is_for_all=is_take_over))

    async def _lacks(self, here: Here, one: Subscription, again: Action) -> bool:
        use = use_for(one.kind)
        role_id = one.role_id
        return await usable(here, one.channel_id or 0, use, again, role_id=role_id) is None

    async def _taken_over(self, here: Here, one: Subscription) -> Subscription:
        """Return it with the presser as its reader, if linked. Raises AccountError: nobody is."""
        try:
            await here.features.accounts.require(here.member_id, to_look=True)
        except AccountError:
            if one.is_unread:
                raise
            return one
        return replace(one, created_by=here.member_id)

    async def _go_on(self, here: Here, one: Subscription, *, is_for_all: bool = False) -> str:
        """Resume one, announce what is new since it lost its reader, and return what to say.

        What else has lost its reader here goes on with it: of its catalog, or `is_for_all`.
        """
        unread = [
            each
            for each in await self._following.of_guild(here.guild_id)
            if each.is_unread and (is_for_all or each.place_id == one.place_id)
        ]
        await self._announcing.resume(one)
        # Whoever is not linked goes on only with what somebody reads.
        if unread and (is_for_all or one.is_unread):
            for each in unread:
                await self._announcing.change(replace(each, created_by=here.member_id))
                await self._announcing.resume(each)
                await self._announcing.catch_up(each, here.interaction.id)
            for kind, place_id in dict.fromkeys((each.kind, each.place_id) for each in unread):
                await here.features.poller.poll(kind, place_id)
            if len(unread) > 1:
                count = number(len(unread))
                return t("Kiosk reads %(count)s announcements with your account.", count=count)
        elif one.paused_at is not None:
            return t("Announced again.")
        return t("Kiosk reads it with your account.")

    @route(actions.Pause, needs=MANAGER)
    async def on_pause(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        await self._following.pause(one.id, now=self._announcing.clock())
        await self.show(here, one)

    @route(actions.AnnounceMissed, needs=MANAGER)
    async def on_announce_missed(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        if one.paused_at is not None:
            one = await self._taken_over(here, one)
        if await self._lacks(here, one, action):
            return
        if one.paused_at is not None:
            one = await self._announcing.change(one)
            await self._announcing.resume(one)
        count = await self._announcing.catch_up(one, here.interaction.id)
        said = t("It was announced already.")
        if count:
            said = nt("%(count)s is on its way.", "%(count)s are on their way.", count)
        await self.show(here, one, said)

    @route(actions.DismissMissed, needs=MANAGER)
    async def on_dismiss(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        await self._following.dismiss(one.id)
        await self.show(here, one)

    @route(actions.PostTest, needs=MANAGER)
    async def on_test(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        try:
            items = await self._announcing.items(one.place_id, one.created_by, whole=False)
        except AccountError:
            items = await self._announcing.items(one.place_id, here.member_id, whole=False)
        event = sample(one, items, self._announcing.clock())
        wish = here.interaction.id
        if event is None:
            await self.show(here, one, t("The catalog shows no item just now."))
        else:
            await self._announcing.owe_test(one, event, here.member_id, wish)
            await self._show_test(here, one, wish)

    async def _show_test(self, here: Here, one: Subscription, wish: int) -> None:
        message = await self._tasks.run(self._tried(test_key(one.id, wish)))
        await here.answer(tried_card(one, wish, message))

    async def _tried(self, key: str) -> Message | None:
        """Return a message once it was tried, or as it is after a second of real time."""
        message = None
        for _ in range(_MOST_LOOKS):
            message = await self._announcing.outbox.find(key)
            if message is None or message.state is not MessageState.OWED or message.reason:
                break
            await asyncio.sleep(1 / _MOST_LOOKS)
        return message

    @route(actions.TakeTestBack, needs=MANAGER)
    async def on_take_test_back(self, here: Here, action: actions.OfTest) -> None:
        one = await self._find(here, action)
        await self._announcing.take_test_back(one, action.wish)
        await self._show_test(here, one, action.wish)

    @route(actions.ShowHistory, needs=MANAGER)
    async def on_history(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        shown = await self._shown(here, one)
        events = await self._following.last_events(one, _MOST_REMEMBERED)
        next_look = shown.followed and here.features.poller.next_look(shown.followed)
        waiting = await self._announcing.outbox.waiting()
        await here.answer(history_card(shown, events, next_look, waiting))

    @route(actions.AskRemove, needs=MANAGER)
    async def on_ask_remove(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        one = await self._find(here, action)
        await here.answer(remove_card(await self._shown(here, one)))

    @route(actions.Remove, needs=MANAGER)
    async def on_remove(self, here: Here, action: shared_actions.OfAnnouncement) -> None:
        await self._following.remove(await self._find(here, action))
        await self.on_list(here, shared_actions.ShowAnnouncements())

    async def _find(self, here: Here, action: Any) -> Subscription:
        """Return the announcement of a press. Raises UnknownAnnouncement."""
        return await self._announcing.find(here.guild_id, action.subscription_id)

    async def show(self, here: Here, one: Subscription, changed: str = "") -> None:
        one = await self._announcing.find(here.guild_id, one.id)
        gone = await gone_roles(here, [one.role_id])
        await here.answer(one_card(await self._shown(here, one), gone, changed=changed))

    async def _shown(
        self, here: Here, one: Subscription, all_of_them: Sequence[Subscription] = ()
    ) -> Shown:
        all_of_them = all_of_them or await self._following.of_guild(here.guild_id)
        followed = await self._following.place(one.kind, one.place_id)
        if followed and all(each.created_by != followed.reader_id for each in all_of_them):
            followed = replace(followed, reader_id=None)
        last = await self._following.last_events(one, 1)
        return Shown(
            one,
            title_of(one, await here.place(one.kind, one.place_id), all_of_them),
            followed,
            await self._announcing.missed(one) if one.kind is PlaceKind.CATALOG else (),
            last[0] if last else None,
        )

    async def form(
        self, here: Here, action: Action, catalog_id: int, wish: actions.Wish
    ) -> ActionForm:
        types = {item.item_type.name for item in await self._at_hand(here, catalog_id)}
        place = await here.place(PlaceKind.CATALOG, catalog_id)
        return actions.announce_form(action, place, wish, types)

    async def filters(
        self, here: Here, catalog_id: int, wish: actions.Wish, before: actions.Wish | None = None
    ) -> dict[str, Any]:
        """Return what a wish's types and cost mean, unasked where both are as before."""
        if before is not None and (wish.types, wish.max_cost) == (before.types, before.max_cost):
            return {}
        items = await self._at_hand(here, catalog_id)
        if not items and (wish.types or wish.max_cost):
            # Only the whole catalog knows all types and currencies.
            items = await self._announcing.items(catalog_id, here.member_id, whole=True)
        return {
            "query": read_query(
                ANYTHING, items, types=wish.types, cost=wish.max_cost, needs_currency=True
            )
        }

    async def _at_hand(self, here: Here, catalog_id: int) -> Sequence[Item]:
        """Return a catalog's items as far as they are at hand, for a form has no time."""
        try:
            items, _ = await here.features.shop.suggest(here.member_id, "", [catalog_id])
        except KioskError:
            return []
        return [each.item for each in items]
