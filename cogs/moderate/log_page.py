"""The log: removals, and the lines about moderators' and managers' other actions."""

from collections import abc

from msgspec.structs import replace

from bot import errors
from bot.features.moderation import LogEntry
from bot.i18n import N_, nt, t
from bot.ui import custom_ids, drawing, markdown, shared_actions, theme
from bot.ui.here import MODERATOR, Here
from bot.ui.router import route
from cogs.moderate import cards
from storage import moderation
from storage.rows import from_micros

# In days.
MAX_LOOK = 3650
USUAL_DAYS = 30
# The room for new values. Watched words are many short rows.
_DETAIL_ROOM = 220
_WORDS_ROOM = 120
_WORD_ROOM = 50
# Five of these stay below Discord's 4,000 characters.
_PAGE_TEXT_ROOM = 120
_PAGE_REASON_ROOM = 100
# The heads of lines about changes, above the rows with the changes.
_CHANGED = {
    moderation.ModerationAction.WORDS: N_("%(member)s changed the watched words %(when)s:"),
    moderation.ModerationAction.SETTINGS: N_("%(member)s changed settings %(when)s:"),
    moderation.ModerationAction.ANNOUNCEMENTS: N_("%(member)s changed announcements %(when)s:"),
    moderation.ModerationAction.NAMES: N_("%(member)s changed names %(when)s:"),
    moderation.ModerationAction.ROLES: N_("%(member)s changed role rules %(when)s:"),
    moderation.ModerationAction.MESSAGE_DELETED: N_(
        "%(member)s deleted an announcement message %(when)s:"
    ),
    moderation.ModerationAction.MESSAGE_UPDATED: N_(
        "%(member)s updated an announcement message %(when)s:"
    ),
}
_WANTED = {
    moderation.Entries.ALL: N_("Everything"),
    moderation.Entries.REMOVALS: N_("Removals and mutes"),
    moderation.Entries.DECISIONS: N_("Decisions"),
    moderation.Entries.SETTINGS: N_("Settings"),
}


class ShowLog(custom_ids.Action, kind="moderate.page"):
    """Show a page of the log, with the entries before a place in the log."""

    days: int
    moderator_id: int = 0
    player_id: int = shared_actions.NO_ID
    before_at: int = moderation.NEWEST.at
    before_number: int = moderation.NEWEST.number
    wanted: moderation.Entries = moderation.Entries.ALL

    def entry_of(self, player: tuple[int, str]) -> drawing.Entry:
        """Return an entry that shows this log for one player only."""
        return drawing.Entry(cards.player_label(player), replace(self, player_id=player[0]))


@route(shared_actions.ShowLatestRemovals, needs=MODERATOR)
async def on_latest(here: Here, action: custom_ids.Action) -> None:
    await show(here, ShowLog(USUAL_DAYS))


@route(ShowLog, needs=MODERATOR)
async def show(here: Here, action: ShowLog) -> None:
    if action.days not in range(MAX_LOOK + 1):
        raise errors.OldButton
    entries, last = await here.features.moderation.log(
        here.guild_id,
        days=action.days,
        before=moderation.LogPlace(action.before_at, action.before_number),
        moderator_id=action.moderator_id or None,
        player_id=None if action.player_id == shared_actions.NO_ID else action.player_id,
        wanted=action.wanted,
    )
    await here.answer(log_page(entries, action, last))


def line_words(line: moderation.LogLine) -> str:
    """Say who did what, and below it the new values that fit."""
    names = {
        "member": cards.member(line.member_id),
        "comment": line.subject and cards.comment_words(line.subject),
        "when": markdown.relative_time(line.created_at),
    }
    match line.what:
        case moderation.ModerationAction.DISMISSED:
            return t("%(member)s dismissed the reports about %(comment)s %(when)s.", **names)
        case moderation.ModerationAction.SHOWN:
            return t("%(member)s chose to show %(comment)s %(when)s.", **names)
        case moderation.ModerationAction.MUTE if line.detail:
            until = markdown.moment(from_micros(int(line.detail)))
            return t(
                "%(member)s changed the mute of %(comment)s %(when)s. It ends %(until)s.",
                **names,
                until=until,
            )
        case moderation.ModerationAction.MUTE:
            return t(
                "%(member)s changed the mute of %(comment)s %(when)s. It's permanent.", **names
            )
        case moderation.ModerationAction.DISMISSED_ABOUT | moderation.ModerationAction.DISMISSED_BY:
            return _dismissed_words(line)
        case _:
            rows = line.detail.split("\n")
            room = _DETAIL_ROOM
            if line.what is moderation.ModerationAction.WORDS:
                rows = [markdown.one_line(word, _WORD_ROOM) for word in rows]
                room = _WORDS_ROOM
            fitting = markdown.and_more(markdown.fitting(rows, room), len(rows))
            said = t(_CHANGED[line.what], **names)
            return "\n".join([said, *(f"> {row}" for row in fitting)])


def _dismissed_words(line: moderation.LogLine) -> str:
    """Say how many reports were dismissed at once. Reporters are never named."""
    count, _, until = line.detail.partition(" ")
    names = {
        "member": cards.member(line.member_id),
        "when": markdown.relative_time(line.created_at),
    }
    if line.subject is not None:
        return nt(
            "%(member)s dismissed %(count)s report about %(name)s %(when)s.",
            "%(member)s dismissed %(count)s reports about %(name)s %(when)s.",
            int(count),
            **names,
            name=cards.subject_name(line.subject),
        )
    if not until:
        return nt(
            "%(member)s dismissed %(count)s report from one member %(when)s.",
            "%(member)s dismissed %(count)s reports from one member %(when)s.",
            int(count),
            **names,
        )
    return nt(
        "%(member)s dismissed %(count)s report from one member %(when)s. That member can't"
        " report here until %(until)s.",
        "%(member)s dismissed %(count)s reports from one member %(when)s. That member can't"
        " report here until %(until)s.",
        int(count),
        **names,
        until=markdown.moment(from_micros(int(until))),
    )


def log_page(
    entries: abc.Sequence[LogEntry], action: ShowLog, last: moderation.LogPlace | None
) -> drawing.Card:
    title = nt("Log for the last %(count)s day", "Log for the last %(count)s days", action.days)
    newest = replace(action, before_at=moderation.NEWEST.at, before_number=moderation.NEWEST.number)
    kinds = [
        drawing.Entry(t(label), replace(newest, wanted=wanted), is_chosen=wanted is action.wanted)
        for wanted, label in _WANTED.items()
    ]
    card = drawing.Card(theme.CALM)
    card.say(f"## {title}")
    if not entries:
        card.say(t("No entries found."))
    for before, entry in zip((None, *entries), entries, strict=False):
        if isinstance(entry, moderation.LogLine):
            if isinstance(before, moderation.LogLine):
                card.gap()
            else:
                card.divide()
            card.say(line_words(entry))
            continue
        card.divide()
        shown = replace(entry, unreached=entry.unreached[:1])
        cards.add_record(card, shown, text_room=_PAGE_TEXT_ROOM, reason_room=_PAGE_REASON_ROOM)
    card.choose(kinds, t("Show…"))
    buttons = [] if action == newest else [drawing.button(newest, t("Newest"))]
    if last is not None:
        older = replace(newest, before_at=last.at, before_number=last.number)
        buttons.append(drawing.button(older, t("Older")))
    card.buttons(*buttons)
    return card
