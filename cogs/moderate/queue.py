"""The queue: what moderators have yet to decide, the oldest first, one at a time."""

from msgspec.structs import replace

from bot.features import errors
from bot.i18n import nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import actions as ui_actions
from bot.ui import cards as ui_cards
from bot.ui import markdown, shared_actions, theme
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route
from cogs.moderate import cards as moderate_cards
from cogs.moderate import reports
from storage import moderation, removals

# Of a player, more are closed by a mute as well.
_FEWEST_OF_PLAYER = 2
_NAME_ROOM = 30


class InQueue(ui_actions.Action):
    """A case of the queue, and the filter of the cases around it."""

    case_id: int
    only: moderation.CaseKind = moderation.CaseKind.ALL
    player_id: int = shared_actions.NO_ID


class ShowCase(InQueue, kind="moderate.next"):
    """Show a case, or the next one that waits and fits."""


class DismissCase(InQueue, kind="moderate.next_dismiss"):
    """Decide that a reported comment stays, and show the next case."""


class ReleaseCase(InQueue, kind="moderate.next_show"):
    """Show what was held back, and the next case."""


class MuteAndClose(InQueue, kind="moderate.mute_all"):
    """Mute a player from now on, which closes all that waits of theirs."""


class QueueHandlers:
    def __init__(self, bot: Kiosk, log_card: reports.LogCard) -> None:
        self._moderation = bot.features.moderation
        self._log_card = log_card

    @route(shared_actions.ShowQueue, needs=MODERATOR)
    async def on_show(self, here: Here, action: ui_actions.Action) -> None:
        await self.show(here)

    @route(ShowCase, needs=MODERATOR)
    async def _on_show_case(self, here: Here, action: InQueue) -> None:
        await self.show(here, action)

    @route(DismissCase, needs=MODERATOR)
    async def _on_dismiss(self, here: Here, action: InQueue) -> None:
        case = await self._find(here, action)
        if case is None:
            await self.show(here, action)
            return
        told = t("%(case)s stays.", case=_label(case))
        try:
            await self._moderation.dismiss(here.guild_id, case.case_id, here.member_id)
        except errors.SettledAlready:
            told = t("%(case)s was decided already.", case=_label(case))
        await self.show(here, action, told=told)

    @route(ReleaseCase, needs=MODERATOR)
    async def _on_release(self, here: Here, action: InQueue) -> None:
        case = await self._find(here, action)
        if case is None:
            await self.show(here, action)
            return
        told = t("%(case)s is shown.", case=_label(case))
        try:
            await reports.show_held_back(here, case.case_id)
        except errors.SettledAlready:
            told = t("%(case)s was decided already.", case=_label(case))
        await self.show(here, action, told=told)

    @route(MuteAndClose, needs=MODERATOR)
    async def _on_mute_all(self, here: Here, action: InQueue) -> None:
        case = await self._find(here, action)
        if case is None or case.subject.player_id is None:
            await self.show(here, action)
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
        await self.show(here, ShowCase(action.case_id, action.only), told=told)

    async def _find(self, here: Here, action: InQueue) -> removals.Reported | None:
        case = await self._moderation.removals.reported(action.case_id)
        return case if case is not None and case.guild_id == here.guild_id else None

    async def show(self, here: Here, action: InQueue | None = None, *, told: str = "") -> None:
        """Show a case if it waits, or the next one that waits and fits; the oldest at first."""
        action = ShowCase(*_fields(action)) if action is not None else ShowCase(0)
        place = await self._moderation.cards.place_in_queue(
            here.guild_id,
            action.case_id,
            action.only,
            None if action.player_id == shared_actions.NO_ID else action.player_id,
        )
        case = None
        if place is not None and place.case_id is not None:
            case = await self._moderation.removals.reported(place.case_id)
        if place is None or case is None:
            await here.answer(_empty_card(told, 0 if place is None else place.waiting))
            return
        shown = replace(action, case_id=case.case_id)
        about = await self._log_card.about(case.guild_id, case.subject)
        card = reports.reported_card(
            case, about, dismiss=DismissCase(*_fields(shown)), release=ReleaseCase(*_fields(shown))
        )
        where = t(
            "%(number)s of %(count)s that wait for a decision",
            number=number(place.place),
            count=number(place.count),
        )
        card.components.insert(
            0, ui_cards.paragraph("\n".join(filter(None, [told, f"-# {where}"])))
        )
        card.buttons(*_ways(place, shown, case.subject))
        kinds = _kinds(place, shown)
        if len(kinds) > 1:
            card.choose(ui_actions.action_list(kinds, placeholder=t("Filter")))
        await here.answer(card)


def _fields(action: InQueue) -> tuple[int, moderation.CaseKind, int]:
    return action.case_id, action.only, action.player_id


def _label(case: removals.Reported) -> str:
    subject = case.subject
    return f"**{subject.label if subject.comment_id else moderate_cards.subject_name(subject)}**"


def _empty_card(told: str, waiting: int) -> ui_cards.Card:
    """Say that nothing waits, or how much does that doesn't fit the filter."""
    title = t("Nothing else waits here") if waiting else t("Nothing waits for a decision")
    card = ui_cards.Card(theme.GOOD)
    card.say("\n".join(filter(None, [f"## {title}", told])))
    buttons = [ui_actions.action_button(shared_actions.ShowLatestRemovals(), t("Log"))]
    if waiting:
        label = t("All (%(count)s)", count=number(waiting))
        buttons.insert(0, ui_actions.action_button(ShowCase(0), label, style=ui_cards.BLUE))
    card.buttons(*buttons)
    return card


def _ways(
    place: moderation.QueuePlace, shown: ShowCase, subject: moderation.Subject
) -> list[ui_cards.Button]:
    """Return the buttons that lead to other cases, and the one that closes all of a player."""
    ways: list[ui_cards.Button] = []
    if place.count > 1:
        before, after = (
            None if case_id is None else replace(shown, case_id=case_id)
            for case_id in (place.previous_id, place.next_id)
        )
        ways.extend(ui_actions.step_buttons(before, after))
    if shown.player_id != shared_actions.NO_ID:
        everybody = ShowCase(shown.case_id, shown.only)
        ways.append(ui_actions.action_button(everybody, t("All players")))
    elif _FEWEST_OF_PLAYER <= place.fitting_of_player < place.count:
        theirs = replace(shown, player_id=subject.player_id or 0)
        name = markdown.one_line(subject.player_name, _NAME_ROOM, plain=True, is_name=True)
        label = t(
            "Only %(name)s (%(count)s)",
            name=name or subject.player_id,
            count=number(place.fitting_of_player),
        )
        ways.append(ui_actions.action_button(theirs, label))
    if place.of_player >= _FEWEST_OF_PLAYER:
        label = nt("Mute, and close %(count)s", "Mute, and close all %(count)s", place.of_player)
        ways.append(ui_actions.action_button(MuteAndClose(*_fields(shown)), label))
    return ways


def _kinds(place: moderation.QueuePlace, shown: ShowCase) -> list[ui_actions.ListEntry]:
    """Return the filters that have cases, or that are chosen; one alone is no choice."""
    kinds = moderation.CaseKind
    labels = {
        kinds.REPORTS: (t("Reports (%(count)s)", count=number(place.reports)), place.reports),
        kinds.HELD_BACK: (t("Held back (%(count)s)", count=number(place.held)), place.held),
        kinds.NAMES: (t("Names (%(count)s)", count=number(place.names)), place.names),
    }
    found = {kind: label for kind, (label, count) in labels.items() if count or kind == shown.only}
    if shown.only == kinds.ALL and len(found) < 2:
        return []
    found = {kinds.ALL: t("All (%(count)s)", count=number(place.everything))} | found
    return [
        ui_actions.ListEntry(
            label, ShowCase(0, kind, shown.player_id), is_chosen=kind == shown.only
        )
        for kind, label in found.items()
    ]
