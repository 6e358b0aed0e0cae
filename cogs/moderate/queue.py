"""The queue: cases that moderators have yet to decide, oldest first, one at a time."""

from msgspec.structs import astuple, replace

from bot.features import feature_errors
from bot.i18n import nt, number, t
from bot.ui import custom_ids, drawing, markdown, shared_actions, theme
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route
from cogs.moderate import reports
from cogs.moderate.cards import InQueue, ShowCase, subject_name
from storage import moderation, removals
from storage.cases import CaseKind, QueuePlace, Reported
from storage.member_reports import OneReporter

# How many cases a player needs for the buttons that handle all of them.
_MIN_OF_PLAYER = 2
_NAME_ROOM = 30


class DismissCase(InQueue, kind="moderate.next_dismiss"):
    """Decide that a reported comment stays, and show the next case."""


class ReleaseCase(InQueue, kind="moderate.next_show"):
    """Show a comment or name that was held back, and the next case."""


class AskAbout(InQueue, kind="moderate.ask_about"):
    """Ask before all open reports about a case's player are dismissed."""


class DismissAbout(InQueue, kind="moderate.dismiss_about"):
    """Dismiss all open reports about a case's player."""


class ByReporter(InQueue):
    """A reporter of a case. Buttons don't name the reporter, but contain the report's time.

    `stops` says whether the server takes no reports from them for a day.
    """

    reported_at: int = 0
    stops: bool = False


class AskBy(ByReporter, kind="moderate.ask_by"):
    """Ask before all reports that only one member made are dismissed."""


class DismissBy(ByReporter, kind="moderate.dismiss_by"):
    """Dismiss all reports that only one member made."""


class MuteAndClose(InQueue, kind="moderate.mute_all"):
    """Mute a player from now on, which closes all their waiting cases."""


@route(DismissCase, needs=MODERATOR)
async def on_dismiss(here: Here, action: InQueue) -> None:
    case = await _find(here, action)
    if case is None:
        await show(here, action)
        return
    told = t("Reports about %(case)s dismissed.", case=_label(case))
    try:
        await here.features.moderation.dismiss(here.guild_id, case.case_id, here.member_id)
    except feature_errors.SettledAlready:
        told = t("%(case)s was already decided.", case=_label(case))
    await show(here, action, told=told)


@route(ReleaseCase, needs=MODERATOR)
async def on_release(here: Here, action: InQueue) -> None:
    case = await _find(here, action)
    if case is None:
        await show(here, action)
        return
    told = t("%(case)s is now shown.", case=_label(case))
    try:
        await reports.show_held_back(here, case.case_id)
    except feature_errors.SettledAlready:
        told = t("%(case)s was already decided.", case=_label(case))
    await show(here, action, told=told)


@route(MuteAndClose, needs=MODERATOR)
async def on_mute_all(here: Here, action: InQueue) -> None:
    case = await _find(here, action)
    if case is None or case.subject.player_id is None:
        await show(here, action)
        return
    subject = moderation.Subject(
        None, player_id=case.subject.player_id, player_name=case.subject.player_name
    )
    reason = next(filter(None, case.reasons), "") or case.word
    mute = removals.Removal(here.guild_id, subject, here.member_id, reason, here.server_locale)
    # Earlier posts are deleted only if someone has seen how many there are.
    await here.features.moderation.remove(mute, deletes=False)
    name = subject_name(subject)
    told = t(
        "%(name)s is muted. All entries about this player in the queue are closed. Earlier posts"
        " stay, but `/moderate mute` can delete them.",
        name=f"**{name}**",
    )
    await show(here, ShowCase(action.case_id, action.only), told=told)


@route(AskAbout, needs=MODERATOR)
async def on_ask_about(here: Here, action: InQueue) -> None:
    case = await _find(here, action)
    player_id = None if case is None else case.subject.player_id
    place = player_id and await here.features.moderation.cases.place_in_queue(
        here.guild_id, action.case_id, CaseKind.REPORTS, player_id
    )
    if case is None or not place or not place.count:
        await show(here, action, told=t("Someone already handled these reports."))
        return
    title = nt(
        "Dismiss %(count)s report about %(name)s?",
        "Dismiss %(count)s reports about %(name)s?",
        place.count,
        name=subject_name(case.subject),
    )
    card = _question(title, "")
    card.buttons(*_answers(DismissAbout(*_fields(action)), place.count))
    await here.answer(card)


@route(DismissAbout, needs=MODERATOR)
async def on_dismiss_about(here: Here, action: InQueue) -> None:
    case = await _find(here, action)
    count = 0
    if case is not None and case.subject.player_id is not None:
        count = await here.features.moderation.dismiss_about(case, here.member_id)
    await show(here, action, told=_dismissed(count))


@route(AskBy, needs=MODERATOR)
async def on_ask_by(here: Here, action: ByReporter) -> None:
    by = await here.features.moderation.reports.find_one_reporter(
        here.guild_id, action.case_id, action.reported_at
    )
    if by is None or not by.count:
        await show(here, action, told=t("Someone already handled these reports."))
        return
    title = nt(
        "Dismiss %(count)s report by this reporter?",
        "Dismiss %(count)s reports by this reporter?",
        by.count,
    )
    others = nt(
        "%(count)s comment stays open because others reported it, too.",
        "%(count)s comments stay open because others reported them, too.",
        by.others,
    )
    card = _question(title, others if by.others else "")
    drawing.say_switch(
        card,
        t("Block this member's reports for a day"),
        t("If this member tries to report, Kiosk says when they can report again."),
        AskBy(*_fields(action), action.reported_at, not action.stops),
        is_on=action.stops,
    )
    card.buttons(*_answers(DismissBy(*astuple(action)), by.count))
    await here.answer(card)


@route(DismissBy, needs=MODERATOR)
async def on_dismiss_by(here: Here, action: ByReporter) -> None:
    case = await _find(here, action)
    if case is None:
        await show(here, action)
        return
    count, until = await here.features.moderation.dismiss_by(
        case, action.reported_at, here.member_id, stops=action.stops
    )
    told = _dismissed(count)
    if until is not None:
        when = markdown.moment(until)
        told += "\n" + t("That member can't report here until %(when)s.", when=when)
    await show(here, action, told=told)


async def _find(here: Here, action: InQueue) -> Reported | None:
    case = await here.features.moderation.cases.find(action.case_id)
    return case if case is not None and case.guild_id == here.guild_id else None


@route(shared_actions.ShowQueue, ShowCase, needs=MODERATOR)
async def show(
    here: Here,
    action: custom_ids.Action | None = None,
    told: str = "",
    undo: drawing.Button | None = None,
) -> None:
    """Show a case if it is open, or the next open one that fits, starting with the oldest.

    The text `told` about the previous case is above it, with the button to `undo` beside it.
    """
    features = here.features
    wanted = ShowCase(0)
    if isinstance(action, InQueue):
        wanted = ShowCase(*_fields(action))
    place = await features.moderation.cases.place_in_queue(
        here.guild_id,
        wanted.case_id,
        wanted.only,
        None if wanted.player_id == shared_actions.NO_ID else wanted.player_id,
    )
    case = None
    if place is not None and place.case_id is not None:
        case = await features.moderation.cases.find(place.case_id)
    if place is None or case is None:
        await here.answer(_empty_card(told, undo, 0 if place is None else place.waiting))
        return
    shown = replace(wanted, case_id=case.case_id)
    about = await reports.find_about(features, case.guild_id, case.subject)
    card = reports.reported_card(
        case,
        about,
        dismiss=DismissCase(*_fields(shown)),
        release=ReleaseCase(*_fields(shown)),
        place=shown,
    )
    where = t(
        "%(number)s of %(count)s waiting for review",
        number=number(place.place),
        count=number(place.count),
    )
    head = "\n".join(filter(None, [told, f"-# {where}"]))
    above = drawing.section(head, undo) if undo else drawing.paragraph(head)
    card.components.insert(0, above)
    card.buttons(*_ways(place, shown, case.subject))
    if case.is_open and not case.is_held_back:
        by = await features.moderation.reports.find_one_reporter(here.guild_id, case.case_id)
        card.buttons(*_raid_ways(place, by, shown, case.subject))
    kinds = _kinds(place, shown)
    if len(kinds) > 1:
        card.choose(kinds, t("Filter"))
    await here.answer(card)


def _fields(action: InQueue) -> tuple[int, CaseKind, int]:
    return action.case_id, action.only, action.player_id


def _label(case: Reported) -> str:
    subject = case.subject
    return f"**{subject.label if subject.comment_id else subject_name(subject)}**"


def _empty_card(told: str, undo: drawing.Button | None, waiting: int) -> drawing.Card:
    """Say that no case waits, or how many wait that don't fit the filter."""
    title = t("Nothing else matches this filter") if waiting else t("Nothing is waiting for review")
    card = drawing.Card(theme.GOOD)
    card.say("\n".join(filter(None, [f"## {title}", told])), undo)
    buttons = [drawing.button(shared_actions.ShowLatestRemovals(), t("Log"))]
    if waiting:
        label = t("All (%(count)s)", count=number(waiting))
        buttons.insert(0, drawing.button(ShowCase(0), label, style=drawing.BLUE))
    card.buttons(*buttons)
    return card


def _ways(place: QueuePlace, shown: ShowCase, subject: moderation.Subject) -> list[drawing.Button]:
    """Return the buttons to other cases, and the button that closes all of a player."""
    ways: list[drawing.Button] = []
    if place.count > 1:
        before, after = (
            None if case_id is None else replace(shown, case_id=case_id)
            for case_id in (place.previous_id, place.next_id)
        )
        ways.extend(drawing.step_buttons(before, after))
    if shown.player_id != shared_actions.NO_ID:
        everybody = ShowCase(shown.case_id, shown.only)
        ways.append(drawing.button(everybody, t("All players")))
    elif _MIN_OF_PLAYER <= place.fitting_of_player < place.count:
        theirs = replace(shown, player_id=subject.player_id or 0)
        label = t(
            "Only %(name)s (%(count)s)",
            name=_player_in_label(subject),
            count=number(place.fitting_of_player),
        )
        ways.append(drawing.button(theirs, label))
    if place.of_player >= _MIN_OF_PLAYER:
        label = nt("Mute and close %(count)s", "Mute and close all %(count)s", place.of_player)
        ways.append(drawing.button(MuteAndClose(*_fields(shown)), label))
    return ways


def _player_in_label(subject: moderation.Subject) -> str:
    name = markdown.one_line(subject.player_name, _NAME_ROOM, plain=True, is_name=True)
    return name or str(subject.player_id)


def _raid_ways(
    place: QueuePlace, by: OneReporter | None, shown: ShowCase, subject: moderation.Subject
) -> list[drawing.Button]:
    """Return the buttons that dismiss all reports about a player, or by one member."""
    ways: list[drawing.Button] = []
    if place.reports_of_player >= _MIN_OF_PLAYER:
        label = nt(
            "Dismiss %(count)s report about %(name)s…",
            "Dismiss %(count)s reports about %(name)s…",
            place.reports_of_player,
            name=_player_in_label(subject),
        )
        ways.append(drawing.button(AskAbout(*_fields(shown)), label))
    if by is not None and by.count >= _MIN_OF_PLAYER:
        label = t("Dismiss %(count)s by this reporter…", count=number(by.count))
        asking = AskBy(*_fields(shown), by.reported_at)
        ways.append(drawing.button(asking, label))
    return ways


def _question(title: str, others: str) -> drawing.Card:
    """Ask before many reports are dismissed at once."""
    told = t("The comments stay, and no one is muted. Held-back comments still wait for review.")
    body = "\n".join(filter(None, [told, others]))
    return drawing.notice(title, body, colour=theme.PROBLEM)


def _answers(action: InQueue, count: int) -> tuple[drawing.Button, drawing.Button]:
    label = t("Dismiss %(count)s", count=number(count))
    return drawing.answers(action, label, ShowCase(*_fields(action)))


def _dismissed(count: int) -> str:
    if not count:
        return t("Someone already handled these reports.")
    return nt("%(count)s report dismissed.", "%(count)s reports dismissed.", count)


def _kinds(place: QueuePlace, shown: ShowCase) -> list[drawing.Entry]:
    """Return the filters that have cases or are chosen, none if there is only one."""
    kinds = CaseKind
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
        drawing.Entry(label, ShowCase(0, kind, shown.player_id), is_chosen=kind == shown.only)
        for kind, label in found.items()
    ]
