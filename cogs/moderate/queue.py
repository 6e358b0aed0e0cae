"""The queue: what moderators have yet to decide, the oldest first, one at a time."""

from bot.i18n import nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards as ui_cards
from bot.ui import shared_actions, theme
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route
from cogs.moderate import cards as moderate_cards
from cogs.moderate import reports
from storage import moderation, removals

# Of a player, more are closed by a mute as well.
_FEWEST_OF_PLAYER = 2


class ShowNext(ui_actions.Action, kind="moderate.next"):
    """Show what is to be decided after a case."""

    after_id: int


class MuteAndClose(ui_actions.Action, kind="moderate.mute_all"):
    """Mute a player from now on, which closes all that waits of theirs."""

    case_id: int


class QueueHandlers:
    def __init__(self, bot: Kiosk, log_card: reports.LogCard) -> None:
        self._moderation = bot.features.moderation
        self._log_card = log_card

    @route(shared_actions.ShowQueue, needs=MODERATOR)
    async def on_show(self, here: Here, action: ui_actions.Action) -> None:
        await self.show(here)

    @route(ShowNext, needs=MODERATOR)
    async def _on_next(self, here: Here, action: ShowNext) -> None:
        await self.show(here, after_id=action.after_id)

    @route(MuteAndClose, needs=MODERATOR)
    async def _on_mute_all(self, here: Here, action: MuteAndClose) -> None:
        case = await self._moderation.removals.reported(action.case_id)
        if case is None or case.guild_id != here.guild_id or case.subject.player_id is None:
            await self.show(here)
            return
        subject = moderation.Subject(
            None, player_id=case.subject.player_id, player_name=case.subject.player_name
        )
        reason = next(filter(None, case.reasons), "") or case.word
        mute = removals.Removal(here.guild_id, subject, here.member_id, reason, here.server_locale)
        # What was posted before is deleted only where somebody has seen how much that is.
        await self._moderation.remove(mute, deletes=False)
        name = moderate_cards.subject_name(subject)
        told = t(
            "%(name)s is muted from now on: what waited of theirs is closed. What was posted before"
            " stays; `/moderate mute` deletes it, too.",
            name=f"**{name}**",
        )
        await self.show(here, told=told)

    async def show(self, here: Here, *, after_id: int = 0, told: str = "") -> None:
        """Show the oldest case that is open, or the next one after a case."""
        waiting = await self._moderation.cards.waiting(here.guild_id)
        ids = [entry.case_id for entry in waiting]
        later = (position for position, case_id in enumerate(ids) if case_id > after_id)
        position = next(later, 0)
        case = await self._moderation.removals.reported(ids[position]) if ids else None
        if case is None:
            card = ui_cards.Card(theme.GOOD)
            card.say("\n".join(filter(None, [f"## {t('Nothing waits for a decision')}", told])))
            card.buttons(ui_actions.action_button(shared_actions.ShowLatestRemovals(), t("Log")))
            await here.answer(card)
            return
        player_id = case.subject.player_id
        same = (
            []
            if player_id is None
            else [entry for entry in waiting if entry.player_id == player_id]
        )
        card = reports.reported_card(case, await self._log_card.about(case.guild_id, case.subject))
        where = t(
            "%(number)s of %(count)s that wait for a decision",
            number=number(position + 1),
            count=number(len(ids)),
        )
        card.components.insert(
            0, ui_cards.paragraph("\n".join(filter(None, [told, f"-# {where}"])))
        )
        ways: list[ui_cards.Button] = []
        if len(ids) > 1:
            ways.append(ui_actions.action_button(ShowNext(case.case_id), t("Next")))
        if len(same) >= _FEWEST_OF_PLAYER:
            label = nt("Mute, and close %(count)s", "Mute, and close all %(count)s", len(same))
            ways.append(ui_actions.action_button(MuteAndClose(case.case_id), label))
        card.buttons(*ways)
        await here.answer(card)
