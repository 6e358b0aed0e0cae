"""What can be done with texts that were not sent."""

from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer, tell
from bot.ui.router import Press, route
from bot.ui.shared_actions import ShowUnsent
from cogs.forum.actions import Discard, OpenDraftForm, Retry, SendDraft, ShowDraft
from cogs.forum.handlers.writing import WritingHandlers
from cogs.forum.views.drafts import discarded_card, draft_card, drafts_card, interrupted_card
from cogs.forum.views.forms import draft_form, typed_text


class DraftHandlers:
    """Answers presses on cards that give texts back."""

    def __init__(self, bot: Kiosk, writing: WritingHandlers) -> None:
        self._writing = writing
        self._drafts = bot.features.forum.drafts

    async def list_texts(self, interaction: Interaction) -> None:
        """Answer with the texts that wait."""
        drafts = await self._drafts.waiting(interaction.user.id)
        listed = [(draft, await self._writing.place_of(interaction, draft)) for draft in drafts]
        await answer(interaction, drafts_card(listed))

    async def tell_of_interrupted(self, interaction: Interaction) -> None:
        """Offer, once, what was being sent when Kiosk itself was cut off."""
        if await self._drafts.was_interrupted(interaction.user.id):
            await tell(interaction, interrupted_card())

    @route(ShowUnsent, in_place=False)
    async def on_list(self, press: Press[ShowUnsent]) -> None:
        """List the texts from a button."""
        await self.list_texts(press.interaction)

    @route(ShowDraft)
    async def on_show(self, press: Press[ShowDraft]) -> None:
        """Show one text."""
        draft = await self._drafts.draft(press.member_id, press.action.draft_id)
        place = await self._writing.place_of(press.interaction, draft)
        await answer(press.interaction, draft_card(draft, place, press.action.text_page))

    @route(Retry)
    async def on_retry(self, press: Press[Retry]) -> None:
        """Send a text again."""
        action = press.action
        sending = self._drafts.retry(press.member_id, action.draft_id, is_sure=action.is_sure)
        await self._writing.deliver(press.interaction, sending)

    @route(OpenDraftForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenDraftForm]) -> None:
        """Let a text be changed."""
        draft = await self._drafts.draft(press.member_id, press.action.draft_id)
        await press.interaction.response.send_modal(draft_form(press.action, draft.text))

    @route(SendDraft)
    async def on_send(self, press: Press[SendDraft]) -> None:
        """Send the changed text."""
        text = typed_text(press.texts)
        sending = self._drafts.retry(press.member_id, press.action.draft_id, text=text)
        await self._writing.deliver(press.interaction, sending)

    @route(Discard)
    async def on_discard(self, press: Press[Discard]) -> None:
        """Throw a text away."""
        await self._drafts.discard(press.member_id, press.action.draft_id)
        await answer(press.interaction, discarded_card())
