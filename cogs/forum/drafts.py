"""Texts that were not sent: what can be done with them, and the messages that tell of them."""

from contextlib import suppress
from functools import partial

from bot.domain.drafts import Draft, DraftState
from bot.features.errors import DraftUnreadable, TextInDoubt
from bot.i18n import speak
from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, notify
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowUnsent
from bot.worker.kinds import Drawn, MessageKind, Transaction
from bot.worker.verdicts import Sent, Settled
from cogs.forum.actions import (
    Discard,
    OpenDraftForm,
    Retry,
    SayMine,
    SayNotMine,
    SendDraft,
    ShowDraft,
)
from cogs.forum.reading import ThreadHandlers
from cogs.forum.views.drafts import discarded_card, draft_card, drafts_card
from cogs.forum.views.writing import draft_form, interrupted_card, late_card, typed_text
from cogs.forum.writing import WritingHandlers
from storage.messages import Message, Priority

_MOST_TOLD = 5
# No shorter than the time in which what was sent may still arrive.
SECONDS_BETWEEN_LOOKS = 45


class DraftHandlers:
    """Answers presses on cards that give texts back; looks after those that were left behind."""

    def __init__(self, bot: Kiosk, threads: ThreadHandlers, writing: WritingHandlers) -> None:
        self._threads = threads
        self._writing = writing
        self._drafts = bot.features.forum.drafts

    async def tell_of_interrupted(self, interaction: Interaction) -> None:
        """Tell what could not be told: texts that were cut off, and what others came to."""
        news = await self._drafts.news(interaction.user.id)
        if news.drafts and await notify(interaction, interrupted_card()):
            await self._drafts.note_told(*news.drafts)
        for outcome in news.outcomes[:_MOST_TOLD]:
            if await notify(interaction, late_card(outcome)):
                await self._drafts.note_told(outcome)

    @route(ShowUnsent, in_place=False)
    async def on_list(self, press: Press[ShowUnsent]) -> None:
        """List the texts that wait."""
        drafts = await self._drafts.unsent(press.member_id)
        listed = [
            (one, await self._threads.place(press.interaction, one.thread_id)) for one in drafts
        ]
        await answer(press.interaction, drafts_card(listed))

    @route(ShowDraft)
    async def on_show(self, press: Press[ShowDraft]) -> None:
        """Show one text."""
        draft = await self._drafts.draft(press.member_id, press.action.draft_id)
        place = await self._threads.place(press.interaction, draft.thread_id)
        await answer(press.interaction, draft_card(draft, place, press.action.text_page))

    @route(Retry, keeps=True)
    async def on_retry(self, press: Press[Retry]) -> None:
        """Send a text again."""
        action = press.action
        taking = self._drafts.take(press.member_id, action.draft_id)
        send = partial(self._drafts.sender.send, is_sure=action.is_sure)
        await self._writing.deliver(press.interaction, taking, send)

    @route(SayMine, keeps=True)
    async def on_mine(self, press: Press[SayMine]) -> None:
        """Settle a text as the comment that was shown."""
        action = press.action
        taking = self._drafts.take(press.member_id, action.draft_id)
        send = partial(self._drafts.sender.settle_as, comment_id=action.comment_id)
        await self._writing.deliver(press.interaction, taking, send)

    @route(SayNotMine)
    async def on_not_mine(self, press: Press[SayNotMine]) -> None:
        """Keep the text, which can be sent."""
        action = press.action
        draft = await self._drafts.rule_out(press.member_id, action.draft_id, action.comment_id)
        place = await self._threads.place(press.interaction, draft.thread_id)
        await answer(press.interaction, draft_card(draft, place, 0))

    @route(OpenDraftForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenDraftForm]) -> None:
        """Let a text be changed."""
        draft = await self._drafts.draft(press.member_id, press.action.draft_id)
        if draft.state is DraftState.UNKNOWN:
            raise TextInDoubt
        await press.interaction.response.send_modal(draft_form(press.action, draft.text))

    @route(SendDraft, keeps=True)
    async def on_send(self, press: Press[SendDraft]) -> None:
        """Send the changed text."""
        text = typed_text(press.texts)
        taking = self._drafts.take(press.member_id, press.action.draft_id, text=text)
        send = self._drafts.sender.send
        await self._writing.deliver(press.interaction, taking, send, typed=text)

    @route(Discard)
    async def on_discard(self, press: Press[Discard]) -> None:
        """Throw a text away."""
        draft: Draft | None = None
        with suppress(DraftUnreadable):
            draft = await self._drafts.draft(press.member_id, press.action.draft_id)
        await self._drafts.discard(press.member_id, press.action.draft_id)
        await answer(press.interaction, discarded_card(draft))


class _TextNews(MessageKind):
    """News owed by `DraftService.look_after`; what does not reach the member stays untold."""

    priority = Priority.DIRECT_MESSAGE

    def __init__(self, bot: Kiosk) -> None:
        self._untold = bot.features.forum.drafts.untold

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        """Note that the member knows."""
        if isinstance(verdict, Sent):
            await self._untold.note_told(transaction, message)


class UnsentNews(_TextNews):
    """Says that a text may not have been sent."""

    name = "text"

    async def draw(self, message: Message) -> Drawn | None:
        """Return the card, None where the text was sent again, thrown away or told of."""
        speak(message.payload["locale"])
        is_left = await self._untold.is_text_left(message)
        return Drawn(interrupted_card()) if is_left else None


class LateNews(_TextNews):
    """Says what became of a text."""

    name = "outcome"

    async def draw(self, message: Message) -> Drawn | None:
        """Return the card, None where it was told."""
        speak(message.payload["locale"])
        outcome = await self._untold.outcome(message)
        return None if outcome is None else Drawn(late_card(outcome))
