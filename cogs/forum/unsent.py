"""Texts that were not sent: what can be done with them, and the messages that tell of them."""

from functools import partial

from bot.features.writing.errors import TextInDoubt, TextUnreadable, WriteBusy
from bot.features.writing.rules import WriteResult, may_be_sent_again
from bot.features.writing.texts import NEWS
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action
from bot.ui.cards import Card
from bot.ui.here import Here
from bot.ui.messages.news import WriteNews
from bot.ui.router import route
from bot.ui.shared_actions import ShowUnsent
from cogs.forum import actions, text_cards
from cogs.forum.writing import WritingHandlers
from storage.names import PlaceKind
from storage.writes import Write, WriteState


class UnsentHandlers:
    def __init__(self, bot: Kiosk, writing: WritingHandlers) -> None:
        self._writing = writing
        self._texts = bot.features.texts
        self._ledger = bot.features.ledger

    @route(ShowUnsent, in_place=False)
    async def on_list(self, here: Here, action: Action) -> None:
        listed = [
            (one, await here.place(PlaceKind.THREAD, one.place_id))
            for one in await self._texts.unsent(here.member_id)
        ]
        await here.answer(text_cards.unsent_list(listed))

    @route(actions.ShowText)
    async def _on_show(self, here: Here, action: actions.ShowText) -> None:
        text = await self._find(here, action, unreadable=True)
        settled = WriteResult(text, None if text.is_readable else TextUnreadable())
        await self._writing.show_text(here, settled, action.text_page)

    @route(
        actions.Retry,
        actions.SendAgain,
        actions.LookNow,
        actions.PostInThread,
        actions.PostElsewhere,
        actions.SayMine,
        actions.SendChanged,
        keeps=True,
    )
    async def _on_send(self, here: Here, action: actions.OfText) -> None:
        member_id = here.member_id
        is_changed = isinstance(action, actions.SendChanged)
        body = here.texts.get(actions.TEXT, "") if is_changed else None
        special = {actions.LookNow: self._texts.look_now, actions.PostInThread: self._texts.send_to}
        send = special.get(type(action), self._texts.send)
        if isinstance(action, actions.PostElsewhere):
            send = partial(self._texts.send_to, thread_id=action.thread_id)
        elif isinstance(action, actions.SayMine):
            send = partial(self._texts.settle_as, comment_id=action.comment_id)
        claiming = self._texts.claim(member_id, action.text_id, body=body)
        await self._writing.deliver(here, claiming, send, typed=body)

    @route(actions.SayNotMine)
    async def _on_not_mine(self, here: Here, action: actions.SayMine) -> None:
        text = await self._texts.rule_out(here.member_id, action.text_id, action.comment_id)
        await self._writing.show_text(here, WriteResult(text))

    @route(actions.OpenTextForm, opens_form=True)
    async def _on_open_form(self, here: Here, action: actions.OfText) -> None:
        text = await self._find(here, action)
        if text.state is not WriteState.KEPT:
            raise TextInDoubt
        await here.open_form(actions.changed_form(action, text.body))

    @route(actions.AskSendAgain, actions.AskDiscard, actions.ChooseThread)
    async def _on_ask(self, here: Here, action: actions.OfText) -> None:
        text = await self._find(here, action, unreadable=isinstance(action, actions.AskDiscard))
        place = await here.place(PlaceKind.THREAD, text.place_id)
        if isinstance(action, actions.AskDiscard):
            card = text_cards.discard_question(text, place)
        elif isinstance(action, actions.ChooseThread):
            named = await here.names(PlaceKind.THREAD)
            others = {one.game_id: one.name for one in named if one.game_id != text.place_id}
            card = text_cards.threads_question(text, place, others)
        elif may_be_sent_again(text, self._ledger.now()):
            card = text_cards.again_question(text, place)
        else:
            raise WriteBusy
        await here.answer(card)

    @route(actions.Discard)
    async def _on_discard(self, here: Here, action: actions.OfText) -> None:
        text = await self._find(here, action, unreadable=True)
        await self._texts.discard(here.member_id, text.id)
        await here.answer(text_cards.discarded_card(text))

    async def _find(self, here: Here, action: actions.OfText, *, unreadable: bool = False) -> Write:
        member_id, text_id = here.member_id, action.text_id
        return await self._texts.find(member_id, text_id, unreadable=unreadable)


class TextNews(WriteNews):
    name = NEWS

    def __init__(self, bot: Kiosk) -> None:
        super().__init__(bot.features.ledger)
        self._directory = bot.features.directory

    async def card(self, write: Write) -> Card:
        if write.state is WriteState.DONE:
            return text_cards.done_card(write, is_late=True)
        if write.state is WriteState.REFUSED:
            return text_cards.refused_card(write)
        place = await self._directory.place(
            None, PlaceKind.THREAD, write.place_id, member_id=write.member_id
        )
        return text_cards.text_card(WriteResult(write), place, self._ledger.now())
