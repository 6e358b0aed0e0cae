"""Texts that were not sent: what can be done with them, and the messages that tell of them."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from bot.features.writing.errors import TextInDoubt, TextUnreadable, WriteBusy
from bot.features.writing.rules import WriteResult, may_be_sent_again
from bot.features.writing.texts import NEWS
from bot.program.kiosk import Kiosk
from bot.ui.actions import Action
from bot.ui.cards import Card
from bot.ui.messages.news import WriteNews
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowUnsent
from cogs.forum.actions import (
    AskDiscard,
    AskSendAgain,
    ChooseThread,
    Discard,
    LookNow,
    OfText,
    OpenTextForm,
    PostElsewhere,
    PostInThread,
    Retry,
    SayMine,
    SayNotMine,
    SendAgain,
    SendChanged,
    ShowText,
    changed_form,
    typed_text,
)
from cogs.forum.reading import ThreadHandlers
from cogs.forum.text_cards import (
    again_question,
    discard_question,
    discarded_card,
    done_card,
    threads_question,
    unsent_list,
    waiting_card,
)
from cogs.forum.writing import WritingHandlers
from storage.names import PlaceKind
from storage.writes import Write, WriteState

T = TypeVar("T", bound=OfText)


class UnsentHandlers:
    def __init__(self, bot: Kiosk, threads: ThreadHandlers, writing: WritingHandlers) -> None:
        self._threads = threads
        self._writing = writing
        self._texts = bot.features.texts
        self._ledger = bot.features.ledger

    @route(ShowUnsent, in_place=False)
    async def on_list(self, press: Press[Action]) -> None:
        listed = [
            (one, await press.here.place(PlaceKind.THREAD, one.place_id))
            for one in await self._texts.unsent(press.here.member_id)
        ]
        await press.here.answer(unsent_list(listed))

    @route(ShowText)
    async def _on_show(self, press: Press[ShowText]) -> None:
        text = await self._find(press)
        await self._writing.show_text(press.here, WriteResult(text), press.action.text_page)

    @route(Retry, keeps=True)
    async def _on_retry(self, press: Press[Retry]) -> None:
        await self._deliver(press, self._texts.send)

    @route(LookNow, keeps=True)
    async def _on_look(self, press: Press[OfText]) -> None:
        await self._deliver(press, self._texts.look_now)

    @route(AskSendAgain)
    async def _on_ask_again(self, press: Press[OfText]) -> None:
        text = await self._sendable(press)
        place = await press.here.place(PlaceKind.THREAD, text.place_id)
        await press.here.answer(again_question(text, place))

    @route(SendAgain, keeps=True)
    async def _on_send_again(self, press: Press[OfText]) -> None:
        await self._sendable(press)
        await self._deliver(press, self._texts.send)

    async def _sendable(self, press: Press[T]) -> Write:
        text = await self._find(press)
        if not may_be_sent_again(text, self._ledger.now()):
            raise WriteBusy
        return text

    @route(PostInThread, keeps=True)
    async def _on_post_in_thread(self, press: Press[OfText]) -> None:
        await self._deliver(press, lambda text: self._texts.send_to(text, text.place_id))

    @route(PostElsewhere, keeps=True)
    async def _on_post_elsewhere(self, press: Press[PostElsewhere]) -> None:
        await self._deliver(press, partial(self._texts.send_to, thread_id=press.action.thread_id))

    @route(SayMine, keeps=True)
    async def _on_mine(self, press: Press[SayMine]) -> None:
        settle = partial(self._texts.settle_as, comment_id=press.action.comment_id)
        await self._deliver(press, settle)

    @route(SayNotMine)
    async def _on_not_mine(self, press: Press[SayMine]) -> None:
        action = press.action
        text = await self._texts.rule_out(press.here.member_id, action.text_id, action.comment_id)
        await self._writing.show_text(press.here, WriteResult(text))

    @route(OpenTextForm, opens_form=True)
    async def _on_open_form(self, press: Press[OfText]) -> None:
        text = await self._find(press)
        if text.state is not WriteState.KEPT:
            raise TextInDoubt
        await press.here.open_form(changed_form(press.action, text.body))

    @route(SendChanged, keeps=True)
    async def _on_send(self, press: Press[OfText]) -> None:
        await self._deliver(press, self._texts.send, body=typed_text(press.texts))

    async def _deliver(
        self,
        press: Press[T],
        send: Callable[[Write], Awaitable[WriteResult]],
        *,
        body: str | None = None,
    ) -> None:
        claiming = self._texts.claim(press.here.member_id, press.action.text_id, body=body)
        await self._writing.deliver(press.here, claiming, send, typed=body)

    @route(ChooseThread)
    async def _on_choose_thread(self, press: Press[OfText]) -> None:
        text = await self._find(press)
        place = await press.here.place(PlaceKind.THREAD, text.place_id)
        named = await press.here.names(PlaceKind.THREAD)
        others = {one.game_id: one.name for one in named if one.game_id != text.place_id}
        await press.here.answer(threads_question(text, place, others))

    @route(AskDiscard)
    async def _on_ask_discard(self, press: Press[OfText]) -> None:
        text = await self._find(press)
        place = await press.here.place(PlaceKind.THREAD, text.place_id)
        await press.here.answer(discard_question(text, place))

    @route(Discard)
    async def _on_discard(self, press: Press[Discard]) -> None:
        text: Write | None = None
        with suppress(TextUnreadable):
            text = await self._find(press)
        await self._texts.discard(press.here.member_id, press.action.text_id)
        await press.here.answer(discarded_card(text))

    async def _find(self, press: Press[T]) -> Write:
        return await self._texts.find(press.here.member_id, press.action.text_id)


class TextNews(WriteNews):
    name = NEWS

    async def card(self, write: Write) -> Card:
        return (
            done_card(write, is_late=True)
            if write.state is WriteState.DONE
            else waiting_card(write)
        )
