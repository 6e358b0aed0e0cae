"""Texts that were not sent: what can be done with them, and the messages that tell of them."""

from bot.features.writing.errors import GivenBack, TextInDoubt, TextUnreadable, WriteBusy
from bot.features.writing.rules import Settled, may_be_sent_again
from bot.features.writing.texts import TEXT_NEWS
from bot.program.kiosk import Kiosk
from bot.ui.cards import Card
from bot.ui.here import Here
from bot.ui.messages.news import WriteNews
from bot.ui.router import route
from bot.ui.shared_actions import ShowUnsent
from cogs.forum import actions, text_cards
from cogs.forum.writing import WritingHandlers
from storage.names import PlaceKind
from storage.writes import Text, WriteState


class UnsentHandlers:
    def __init__(self, bot: Kiosk, writing: WritingHandlers) -> None:
        self._writing = writing
        self._texts = bot.features.texts
        self._ledger = bot.features.ledger

    @route(ShowUnsent, in_place=False)
    async def _on_list(self, here: Here, _action: ShowUnsent) -> None:
        await self.show_list(here)

    async def show_list(self, here: Here) -> None:
        listed = [
            (text, await here.place(PlaceKind.THREAD, text.place_id))
            for text in await self._texts.unsent(here.member_id)
        ]
        await here.answer(text_cards.unsent_list(listed))

    @route(actions.ShowText)
    async def _on_show(self, here: Here, action: actions.ShowText) -> None:
        text = await self._texts.find_unsent(here.member_id, action.text_id, unreadable=True)
        settled = Settled(text, None if text.is_readable else TextUnreadable())
        await self._writing.show_text(here, settled, action.text_page)

    @route(actions.Retry, keeps=True)
    async def _on_retry(self, here: Here, action: actions.Retry) -> None:
        await self._send(here, action)

    @route(actions.SendAgain, keeps=True)
    async def _on_send_again(self, here: Here, action: actions.SendAgain) -> None:
        await self._send(here, action)

    async def _send(self, here: Here, action: actions.OfText) -> None:
        text = await self._texts.take(here.member_id, action.text_id)
        await self._writing.perform(here, text)

    @route(actions.SendChanged, keeps=True)
    async def _on_send_changed(self, here: Here, action: actions.OfText) -> None:
        body = here.texts.get(actions.TEXT, "")
        try:
            text = await self._texts.take(here.member_id, action.text_id, body=body)
        except GivenBack as given:
            await self._writing.give_back(here, given)
        else:
            await self._writing.perform(here, text)

    @route(actions.LookNow)
    async def _on_look(self, here: Here, action: actions.OfText) -> None:
        text = await self._texts.find_unsent(here.member_id, action.text_id)
        async with self._ledger.look(text) as settled:
            await self._writing.show(here, settled)

    @route(actions.OpenTextForm, opens_form=True)
    async def _on_open_form(self, here: Here, action: actions.OfText) -> None:
        text = await self._texts.find_unsent(here.member_id, action.text_id)
        if text.state is not WriteState.KEPT:
            raise TextInDoubt
        await here.open_form(actions.changed_form(action, text.body))

    @route(actions.AskSendAgain)
    async def _on_ask_again(self, here: Here, action: actions.OfText) -> None:
        text = await self._texts.find_unsent(here.member_id, action.text_id)
        if not may_be_sent_again(text, self._ledger.now()):
            raise WriteBusy
        place = await here.place(PlaceKind.THREAD, text.place_id)
        await here.answer(text_cards.again_question(text, place))

    @route(actions.AskDiscard)
    async def _on_ask_discard(self, here: Here, action: actions.OfText) -> None:
        text = await self._texts.find_unsent(here.member_id, action.text_id, unreadable=True)
        place = await here.place(PlaceKind.THREAD, text.place_id)
        await here.answer(text_cards.discard_question(text, place))

    @route(actions.Discard)
    async def _on_discard(self, here: Here, action: actions.OfText) -> None:
        text = await self._texts.find_unsent(here.member_id, action.text_id, unreadable=True)
        await self._texts.discard(here.member_id, text.id)
        await here.answer(text_cards.discarded_card(text))


class TextNews(WriteNews[Text]):
    name = TEXT_NEWS

    def __init__(self, bot: Kiosk, writing: WritingHandlers) -> None:
        super().__init__(bot.features.writes)
        self._writing = writing
        self._directory = bot.features.directory
        self._now = bot.now

    async def show(self, write: Text) -> bool:
        return await self._writing.refresh(write)

    async def card(self, write: Text) -> Card:
        if write.state is WriteState.DONE:
            return text_cards.done_card(write, is_late=True)
        if write.state is WriteState.REFUSED:
            return text_cards.refused_card(write)
        place = await self._directory.place(
            None, PlaceKind.THREAD, write.place_id, member_id=write.member_id
        )
        return text_cards.text_card(Settled(write), place, self._now())
