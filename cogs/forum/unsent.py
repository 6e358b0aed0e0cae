"""What can be done with texts that were not sent."""

from bot.app import Kiosk
from bot.domain.drafts import Draft
from bot.features.names import Place
from bot.ui.actions import Given, Interaction
from bot.ui.respond import respond, show, think, turn
from bot.ui.unsent import ShowUnsent
from cogs.forum.actions import Discard, OpenDraftForm, Retry, SendDraft, ShowDraft
from cogs.forum.reader import Reader
from cogs.forum.views.drafts import (
    discarded_card,
    draft_card,
    drafts_card,
    interrupted_card,
)
from cogs.forum.views.forms import draft_form, typed_text
from cogs.forum.writer import Writer


class UnsentTexts:
    """Answers presses on cards that give texts back."""

    def __init__(self, bot: Kiosk, reader: Reader, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer
        self._writing = bot.features.forum.writing
        bot.router.handle(ShowUnsent, self.on_list)
        bot.router.handle(ShowDraft, self.on_show)
        bot.router.handle(Retry, self.on_retry)
        bot.router.handle(OpenDraftForm, self.on_open_form)
        bot.router.handle(SendDraft, self.on_send)
        bot.router.handle(Discard, self.on_discard)

    async def list_texts(self, interaction: Interaction) -> None:
        """Answer with the texts that wait."""
        await think(interaction)
        drafts = await self._writing.waiting(interaction.user.id)
        listed = [(draft, await self._place(interaction, draft)) for draft in drafts]
        await respond(interaction, drafts_card(listed))

    async def tell_of_interrupted(self, interaction: Interaction) -> None:
        """Offer, once, what was being sent when Kiosk itself was cut off."""
        if await self._writing.was_interrupted(interaction.user.id):
            await respond(interaction, interrupted_card())

    async def on_list(self, interaction: Interaction, _action: ShowUnsent, _given: Given) -> None:
        """List the texts from a button."""
        await self.list_texts(interaction)

    async def on_show(self, interaction: Interaction, action: ShowDraft, _given: Given) -> None:
        """Show one text."""
        draft = await self._writing.draft(interaction.user.id, action.draft_id)
        place = await self._place(interaction, draft)
        await show(interaction, draft_card(draft, place, action.text_page))

    async def on_retry(self, interaction: Interaction, action: Retry, _given: Given) -> None:
        """Send a text again."""
        await turn(interaction)
        await self._writer.deliver(
            interaction,
            self._writing.retry(interaction.user.id, action.draft_id, is_sure=action.is_sure),
        )

    async def on_open_form(
        self, interaction: Interaction, action: OpenDraftForm, _given: Given
    ) -> None:
        """Let a text be changed."""
        draft = await self._writing.draft(interaction.user.id, action.draft_id)
        await interaction.response.send_modal(draft_form(action, draft.text))

    async def on_send(self, interaction: Interaction, action: SendDraft, given: Given) -> None:
        """Send the changed text."""
        await turn(interaction)
        await self._writer.deliver(
            interaction,
            self._writing.retry(interaction.user.id, action.draft_id, text=typed_text(given.texts)),
        )

    async def on_discard(self, interaction: Interaction, action: Discard, _given: Given) -> None:
        """Throw a text away."""
        await self._writing.discard(interaction.user.id, action.draft_id)
        await show(interaction, discarded_card())

    async def _place(self, interaction: Interaction, draft: Draft) -> Place | None:
        if draft.thread_id is None:
            return None
        return await self._reader.place(interaction, draft.thread_id)
