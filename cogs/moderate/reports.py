"""Reports and held back comments: the log channel's cards, and the actions on them."""

from collections import Counter, abc

import discord
import msgspec

from bot.features import Features
from bot.features.feature_errors import CommentGone, CommentNotFound
from bot.features.moderation.policy import Viewer
from bot.i18n import listed, nt, number, pt, speak, t
from bot.program.kiosk import Kiosk
from bot.ui import custom_ids, drawing, fields, forms, shared_actions, theme
from bot.ui.comments import thread_title
from bot.ui.here import MODERATOR, Here
from bot.ui.markdown import one_line
from bot.ui.messages import kinds, verdicts
from bot.ui.messages.requests import Requests
from bot.ui.router import route, sent
from cogs.moderate import evidence, log_page
from cogs.moderate.cards import (
    USUAL,
    About,
    ShowCase,
    add_quote,
    comment_words,
    log_card,
    member,
    mute_button,
    own_reason,
    read_reason,
    remove_button,
    say_about,
    subject_name,
)
from storage import messages, moderation
from storage.cases import CLOSED, DISMISSED, Reported
from storage.names import PlaceKind
from storage.shown import SHARED

_REPORTED_ROOM = 1500
_REASON_ROOM = 120
WORD_ROOM = 60
_FIRST_ROOM = 300
_REASONS_SHOWN = 6


class OfCase(custom_ids.Action):
    case_id: int


class Dismiss(OfCase, kind="moderate.dismiss"):
    """Decide that a reported comment stays."""


class ShowHeldBack(OfCase, kind="moderate.release"):
    """Show a comment that was held back."""


class LogCard(kinds.Kind):
    """The cards for a server's moderators, queued by `Cases`.

    There are three: a case's card, a card about reports that were dismissed at once, and one in
    the system channel. The third is sent once, and says that Kiosk can't post in the log channel.
    """

    name = moderation.CASE
    priority = messages.Priority.LIVE_POST
    # Moderators have to decide even after a long outage of Discord.
    gives_up = False

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._moderation = bot.features.moderation

    async def carry_out(self, message: messages.Message, requests: Requests) -> int | None:
        if message.payload.get("about") != CLOSED:
            return await super().carry_out(message, requests)
        case = await self._case_of(message)
        return await requests.tell_server(case.guild_id, closed_card(message.channel_id or 0))

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        """Return the card. If it was deleted and the case is open, it is posted again."""
        case = await self._case_of(message)
        if message.payload.get("about") == DISMISSED:
            line = await self._moderation.removals.line(int(message.payload["line"]))
            if line is None:
                raise kinds.NoLongerWanted
            return kinds.Drawn(drawing.notice(t("Reports dismissed"), log_page.line_words(line)))
        removal = await self._moderation.removals.latest(case.guild_id, case.subject)
        about = await find_about(self._features, case.guild_id, case.subject)
        if removal is None or case.came_up_after(removal.ended_at):
            player = moderation.Subject(None, player_id=case.subject.player_id)
            mute = await self._moderation.removals.latest(case.guild_id, player)
            is_muted = case.is_open and mute is not None and mute.ended_at is None
            if is_muted:
                about = msgspec.structs.replace(about, mute=mute)
            card = reported_card(case, about)
            return kinds.Drawn(card, posted_anew=case.is_open and not is_muted)
        return kinds.Drawn(log_card(await self._moderation.status_of(removal), case.count, about))

    async def _case_of(self, message: messages.Message) -> Reported:
        """Return the case, and switch to its server's language. Raises NoLongerWanted."""
        case = await self._moderation.cases.find(int(message.payload["case"]))
        if case is None:
            raise kinds.NoLongerWanted
        speak(await self._moderation.locale(case.guild_id, case.locale))
        return case

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        if "about" in message.payload:
            return
        channel_id = message.channel_id or 0
        case_id = int(message.payload["case"])
        cases = self._moderation.cases
        # If Kiosk can't post in a channel, it may still edit earlier messages there.
        if verdict.message_id not in (None, message.message_id):
            await cases.save_log_state(transaction, channel_id, case_id, is_closed=False)
        elif verdict.is_closed and message.is_wanted:
            await cases.save_log_state(transaction, channel_id, case_id, is_closed=True)
            await cases.owe(transaction, case_id, is_closed=True)


class QueueCard(kinds.Kind):
    """The one card of a log that counts open cases, with or without their own cards.

    It is deleted once no case is open, so that the next one appears below the other cards.
    """

    name = moderation.QUEUE
    priority = messages.Priority.LIVE_POST
    gives_up = False

    def __init__(self, bot: Kiosk) -> None:
        self._moderation = bot.features.moderation

    async def draw(self, message: messages.Message) -> kinds.Drawn | None:
        guild_id = message.guild_id or 0
        waiting = await self._moderation.cases.count_waiting(guild_id)
        if waiting.locale is None:
            return None
        speak(await self._moderation.locale(guild_id, waiting.locale))
        title = nt("%(count)s waiting for review", "%(count)s waiting for review", waiting.count)
        queue = drawing.button(shared_actions.ShowQueue(), t("Queue"), style=drawing.BLUE)
        card = drawing.notice(title, colour=theme.PROBLEM, buttons=(queue,))
        return kinds.Drawn(card, posted_anew=True)


class SharedMessage(kinds.Kind):
    """A message that an interaction posted. It is due when it is to be deleted."""

    name = SHARED
    priority = messages.Priority.REMOVAL

    def __init__(self, bot: Kiosk) -> None:
        self._removals = bot.features.moderation.removals

    async def on_settled(
        self, transaction: kinds.Transaction, message: messages.Message, verdict: verdicts.Settled
    ) -> None:
        await self._removals.on_settled(transaction, message, verdict.state)


async def find_about(features: Features, guild_id: int, subject: moderation.Subject) -> About:
    comment_id = subject.comment_id
    thread_id = subject.thread_id
    if comment_id is None:
        return About()
    found = await features.threads.known_comment(Viewer(0), None, comment_id)
    place = None
    if thread_id is not None:
        place = await features.directory.place(guild_id, PlaceKind.THREAD, thread_id)
    showing = await features.shown.showing(guild_id, subject)
    message = next(((place.channel_id, place.message_id) for place in showing), None)
    return About(found and found.comment, place, message)


@route(shared_actions.ReportComment, opens_form=True)
async def open_form(here: Here, action: shared_actions.AboutComment) -> None:
    await here.features.moderation.require_reporting(here.guild_id, here.member_id)
    subject = await evidence.find_at_hand(here, here.viewer, action.comment_id, action.near)
    await here.open_form(report_form(action, subject, await here.settings()))


async def report_message(here: Here, message: discord.Message) -> None:
    await here.features.moderation.require_reporting(here.guild_id, here.member_id)
    question = t("Which comment do you want to report?")
    action = await evidence.find_chosen(here, message, shared_actions.ReportComment, question)
    if action is not None:
        await open_form(here, action)


@sent(shared_actions.ReportComment, in_place=False, keeps=True)
async def on_report(here: Here, action: shared_actions.AboutComment) -> None:
    guild_id = here.guild_id
    subject = await evidence.find_evidence(here, action.comment_id, action.near)
    shown = here.features.shown
    if subject.text is None and not await shown.showing(guild_id, subject):
        raise CommentNotFound(name=str(action.comment_id))
    reason = read_reason(here)
    report = here.features.moderation.report
    await report(guild_id, subject, here.member_id, reason, here.server_locale)
    # It isn't known yet whether the log channel takes the report's card.
    told = t("This server's moderators will review your report. They don't see who sent it.")
    await here.answer(drawing.notice(t("Report sent"), told, colour=theme.GOOD))


@route(Dismiss, in_place=False, needs=MODERATOR)
async def on_dismiss(here: Here, action: OfCase) -> None:
    await here.features.moderation.dismiss(here.guild_id, action.case_id, here.member_id)
    told = t("If someone else reports the comment, it returns to the queue.")
    await here.answer(drawing.notice(t("Reports dismissed"), told))


@route(ShowHeldBack, in_place=False, needs=MODERATOR)
async def on_show_held_back(here: Here, action: OfCase) -> None:
    case = await show_held_back(here, action.case_id)
    title = t("Comment shown")
    told = t("If the author edits the comment, Kiosk checks it again.")
    if case is not None and case.subject.comment_id is None:
        title = t("Name shown")
        told = t(
            "The player's comments are shown too. If the player changes their name, Kiosk checks"
            " it again."
        )
    await here.answer(drawing.notice(title, told, colour=theme.GOOD))


async def show_held_back(here: Here, case_id: int) -> Reported | None:
    """Show a held back comment or name, also in followed threads' channels.

    Raises SettledAlready, CommentGone.
    """
    guild_id = here.guild_id
    features = here.features
    case = await features.moderation.cases.find(case_id)
    comment_id = case and case.subject.comment_id
    thread_id = case and case.subject.thread_id
    if comment_id is not None and thread_id is not None:
        asked = here.member_id, thread_id, comment_id
        if await features.moderation.learn_gone(*asked):
            raise CommentGone(name=str(comment_id))
    await features.moderation.release(guild_id, case_id, here.member_id)
    comment_ids = [] if comment_id is None else [comment_id]
    if case is not None and case.subject.comment_id is None:
        comment_ids = await features.shown.comments_of(guild_id, case.subject.player_id or 0)
    await features.followed_threads.draw_anew(guild_id, comment_ids)
    return case


def report_form(
    action: shared_actions.AboutComment,
    subject: moderation.Subject,
    settings: moderation.ServerSettings,
) -> forms.ActionForm:
    title = t("Report comment #%(id)s", id=action.comment_id)
    form = forms.ActionForm(action, title=title)
    add_quote(form, subject)
    if settings.reasons:
        usual = [fields.Choice(reason, reason) for reason in settings.reasons]
        USUAL.ask(form, t("What's wrong with this comment?"), usual)
    own = own_reason(is_required=not settings.reasons)
    label = t("In your own words") if settings.reasons else t("What's wrong with this comment?")
    own.ask(form, label, t("This server's moderators read it. They don't see who you are."))
    return form


def closed_card(channel_id: int) -> drawing.Card:
    told = t(
        "Kiosk can't post in %(channel)s. Until it can, use `/moderate queue` for reports and"
        " `/moderate log` for removals.",
        channel=f"<#{channel_id}>",
    )
    buttons = (shared_actions.setup_button(style=drawing.BLUE),)
    return drawing.notice(t("Reports can't be posted"), told, colour=theme.PROBLEM, buttons=buttons)


def reported_card(
    case: Reported,
    about: About,
    *,
    dismiss: custom_ids.Action | None = None,
    release: custom_ids.Action | None = None,
    place: ShowCase | None = None,
) -> drawing.Card:
    """Draw a case with the buttons for the log channel, or for a `place` in the queue."""
    is_open = case.is_open and about.mute is None
    card = drawing.Card(theme.PROBLEM if is_open else theme.CALM)
    subject = case.subject
    # The title of a closed case already names its comment.
    closed_title = _closed_title(case, about)
    head = [f"### {closed_title or _open_title(case)}"]
    if where := " · ".join(_where(subject, about, is_named=bool(closed_title))):
        head.append(where)
    if case.is_cleaned and case.first_text:
        subject = msgspec.structs.replace(subject, text=case.first_text)
    if word := one_line(case.word or (case.first_word if case.is_cleaned else ""), WORD_ROOM):
        head.append(t("Watched word: %(word)s", word=word))
    lines = [*_reported(case), *_decided(case, about)]
    say_about(card, head, subject, _REPORTED_ROOM, lines, about.avatar)
    dismiss = dismiss or Dismiss(case.case_id)
    release = release or ShowHeldBack(case.case_id)
    card.buttons(*_case_buttons(case, about, dismiss, release, place))
    return card


def _where(subject: moderation.Subject, about: About, *, is_named: bool) -> abc.Iterator[str]:
    """Yield a case's player, unless the title has it, and its thread, number and time."""
    if subject.player_name and not is_named:
        yield f"**{subject_name(subject)}**"
    if about.thread is not None:
        yield thread_title(about.thread)
    if subject.comment_id is None:
        yield t("player number %(id)s", id=subject.player_id)
    elif not is_named:
        yield f"#{subject.comment_id}"
    if about.comment is not None:
        yield discord.utils.format_dt(about.comment.created_at, "R")


def _reported(case: Reported) -> abc.Iterator[str]:
    """Say why members reported a comment, and when."""
    counted = Counter(one_line(reason, _REASON_ROOM) for reason in case.reasons)
    reasons = [(why, count) for why, count in counted.most_common(_REASONS_SHOWN) if why]
    if reasons and case.count > 1:
        yield listed([f"{why} ({number(count)})" for why, count in reasons])
    elif reasons:
        yield listed([why for why, _ in reasons])
    if case.first_at is not None and case.reported_at is not None:
        moments = case.first_at, case.reported_at
        first, last = (discord.utils.format_dt(moment, "R") for moment in moments)
        when = t("Reported %(when)s", when=last)
        if case.count > 1:
            when = t("First report %(first)s, last %(last)s", first=first, last=last)
        yield f"-# {when}"


def _decided(case: Reported, about: About) -> abc.Iterator[str]:
    if case.is_gone:
        yield t("The comment is gone from the game.")
    elif case.is_changed and not case.is_cleaned:
        word = one_line(case.first_word, WORD_ROOM)
        yield t("The player changed it. It was first held back for %(word)s:", word=word)
        first = one_line(case.first_text, _FIRST_ROOM)
        yield f"> {first}"
    if case.is_cleaned and not case.is_gone:
        yield t("The player changed it. It's no longer held back.")
    elif case.dismissed_at is not None and not case.is_released:
        when = discord.utils.format_dt(case.dismissed_at, "R")
        yield f"{member(case.dismissed_by)} · {when}"
    if case.is_released:
        yield t("%(member)s chose to show it.", member=member(case.released_by))
    if about.mute is not None and about.mute.created_at is not None:
        when = discord.utils.format_dt(about.mute.created_at, "R")
        if about.mute.is_by_rule:
            yield t("Muted by a rule of this server %(when)s.", when=when)
            return
        yield t("Muted by %(member)s %(when)s.", member=member(about.mute.moderator_id), when=when)


def _closed_title(case: Reported, about: About) -> str:
    """Return a title with a case's outcome and comment, "" while it is open."""
    comment = comment_words(case.subject)
    if about.mute is not None or case.is_cleaned or case.is_gone:
        return t("Closed: %(comment)s", comment=comment)
    if case.dismissed_at is not None and not case.is_released:
        return t("Dismissed: %(comment)s", comment=comment)
    if case.is_released and (case.dismissed_at is not None or not case.count):
        return t("Shown: %(comment)s", comment=comment)
    return ""


def _open_title(case: Reported) -> str:
    if case.is_held_back:
        is_name = case.subject.comment_id is None
        return t("Held back: a player's name") if is_name else t("Held back: watched word")
    if case.count:
        return nt("A member reported a comment", "%(count)s members reported a comment", case.count)
    # 1.0.0 made cases for some comments that it showed.
    return t("A comment may need review")


def _case_buttons(
    case: Reported,
    about: About,
    dismiss: custom_ids.Action,
    release: custom_ids.Action,
    place: ShowCase | None,
) -> abc.Sequence[drawing.Button]:
    subject = case.subject
    comment_id = subject.comment_id or 0
    thread_id = shared_actions.NO_ID if subject.thread_id is None else subject.thread_id
    remove = remove_button(thread_id, comment_id, place)
    mute = mute_button(subject, place)
    releasing = drawing.button(release, pt("a comment", "Show"))
    show = [releasing] if case.is_held_back else []
    if subject.comment_id is None:
        return [*mute, *show]
    if about.mute is not None:
        return [remove]
    if case.is_gone:
        return [remove, *mute]
    if case.dismissed_at is not None and not case.is_released:
        return [remove, *show]
    buttons = [remove, *mute, *show]
    if case.is_open and not case.is_held_back:
        buttons.append(drawing.button(dismiss, t("Dismiss")))
    if thread_id != shared_actions.NO_ID:
        buttons.append(drawing.button(shared_actions.OpenComment(thread_id, comment_id), t("Open")))
    if about.message is not None:
        channel_id, message_id = about.message
        url = f"https://discord.com/channels/{case.guild_id}/{channel_id}/{message_id}"
        buttons.append(drawing.page_button(url, t("Message")))
    return buttons
