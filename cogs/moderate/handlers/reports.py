"""Members report comments, and moderators decide on those and on what was held back."""

from bot.kiosk import Kiosk
from bot.ui.answers import Interaction, answer
from bot.ui.router import Press, route
from bot.ui.shared_actions import OpenReportForm
from cogs.moderate.actions import (
    NONE,
    Dismiss,
    LookThrough,
    PickToReport,
    PostMore,
    SendReport,
    ShowHeldBack,
)
from cogs.moderate.handlers.checks import guild_of, language_of_server, require_moderator
from cogs.moderate.handlers.evidence import Evidence, near_of
from cogs.moderate.views.forms import reason_of, report_form
from cogs.moderate.views.reports import (
    MOST_POSTED,
    dismissed_card,
    posting_more_card,
    released_card,
    thanks_card,
)
from cogs.moderate.views.vetting import looking_card


class ReportHandlers:
    """Answers what reports a comment."""

    def __init__(self, bot: Kiosk, evidence: Evidence) -> None:
        self._moderation = bot.features.moderation
        self._evidence = evidence

    async def open_form(self, interaction: Interaction, action: OpenReportForm) -> None:
        """Open the form, where reports reach somebody."""
        await self._moderation.require_log(guild_of(interaction))
        await interaction.response.send_modal(report_form(action))

    @route(OpenReportForm, opens_form=True)
    async def on_open_form(self, press: Press[OpenReportForm]) -> None:
        """Open the form from the card of a comment."""
        await self.open_form(press.interaction, press.action)

    @route(PickToReport, opens_form=True)
    async def on_pick(self, press: Press[PickToReport]) -> None:
        """Open the form for the comment that was chosen."""
        await self.open_form(press.interaction, OpenReportForm(NONE, int(press.value)))

    @route(SendReport, in_place=False, keeps=True)
    async def on_send(self, press: Press[SendReport]) -> None:
        """Keep the report."""
        interaction, action = press.interaction, press.action
        subject = await self._evidence.of(interaction, action.comment_id, near_of(action))
        await self._moderation.report(
            guild_of(interaction),
            subject,
            press.member_id,
            reason_of(press.texts),
            language_of_server(interaction),
        )
        await answer(interaction, thanks_card())

    @route(Dismiss, in_place=False)
    async def on_dismiss(self, press: Press[Dismiss]) -> None:
        """Leave the comment as it is."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        await self._moderation.dismiss(guild_id, press.action.case_id, press.member_id)
        await answer(press.interaction, dismissed_card())

    @route(ShowHeldBack, in_place=False)
    async def on_show_held_back(self, press: Press[ShowHeldBack]) -> None:
        """Let the comment be shown as it is."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        await self._moderation.vetting.release(guild_id, press.action.case_id, press.member_id)
        await answer(press.interaction, released_card())

    @route(PostMore, in_place=False)
    async def on_post_more(self, press: Press[PostMore]) -> None:
        """Post the cards of the next comments that were held back."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        waiting = await self._moderation.cards.without_card(guild_id)
        for case_id in waiting[:MOST_POSTED]:
            await self._moderation.cards.owe_now(case_id)
        await answer(press.interaction, posting_more_card(len(waiting)))

    @route(LookThrough, in_place=False)
    async def on_look_through(self, press: Press[LookThrough]) -> None:
        """Look at what stands in the channels already."""
        guild_id = await require_moderator(press.interaction, self._moderation)
        locale = language_of_server(press.interaction)
        count = await self._moderation.looks.owe(guild_id, locale)
        rules = await self._moderation.rules(guild_id)
        has_log = rules.log_channel_id is not None
        await answer(press.interaction, looking_card(count, has_log=has_log))
