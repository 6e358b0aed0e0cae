"""Cases: members report, moderators decide, and the log shows and undoes."""

from collections.abc import Sequence
from datetime import timedelta
from operator import itemgetter

import discord
from discord import Permissions, app_commands
from msgspec.structs import astuple, replace

from bot.errors import OldButton, SeveralFit
from bot.features.errors import CommentNotFound, NoCommentShown, NotInForce, UnknownPlayer
from bot.features.matching import called
from bot.features.moderation.policy import Viewer
from bot.features.moderation.times import read_moment
from bot.features.names import read_id
from bot.i18n import speak, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.actions import Action
from bot.ui.cards import notice
from bot.ui.commands import L, message_menu
from bot.ui.comments import choose_card, labels_in, texts_in
from bot.ui.here import MODERATOR, Here
from bot.ui.messages.kinds import Drawn, Kind, NotOwed, Transaction
from bot.ui.messages.requests import Requests
from bot.ui.messages.verdicts import NotYet, Settled
from bot.ui.router import route
from bot.ui.shared_actions import AboutComment, OpenRemoveForm, OpenReportForm
from cogs.moderate import actions, report_cards
from cogs.moderate.cards import log_card, log_page, restored_card
from cogs.moderate.removing import Evidence, RemovalHandlers
from storage.messages import Message, Priority
from storage.moderation import LOG_CLOSED, Subject
from storage.names import PlaceKind
from storage.removals import Removal, Reported


class _AboutCase(Kind):
    priority = Priority.LIVE_POST

    def __init__(self, bot: Kiosk) -> None:
        self._features = bot.features
        self._moderation = bot.features.moderation

    async def _case_of(self, message: Message) -> Reported:
        """Return the case, and speak its server's language. Raises NotOwed where it is gone."""
        case = await self._moderation.removals.reported(_case_id(message))
        if case is None:
            raise NotOwed
        speak(await self._moderation.locale(case.guild_id, case.locale))
        return case


class CaseCard(_AboutCase):
    """A case's card as it is to be now; owed by `Moderation`."""

    name = "case"
    # Moderators have to decide even after a long outage of Discord.
    gives_up = False

    async def draw(self, message: Message) -> Drawn | None:
        """Return the card; a deleted one is posted again if moderators have yet to decide."""
        case = await self._case_of(message)
        removal = await self._moderation.removals.latest(case.guild_id, case.subject)
        about = await self._about(case.guild_id, case.subject)
        if removal is None or case.came_up_after(removal.ended_at):
            player = Subject(None, player_id=case.subject.player_id)
            mute = await self._moderation.removals.latest(case.guild_id, player)
            is_muted = case.is_open and mute is not None and mute.ended_at is None
            if is_muted:
                about = replace(about, mute=mute)
            card = report_cards.reported_card(case, about)
            return Drawn(card, posted_anew=case.is_open and not is_muted)
        return Drawn(log_card(await self._moderation.status_of(removal), case.count, about))

    async def _about(self, guild_id: int, subject: Subject) -> report_cards.About:
        comment_id, thread_id = subject.comment_id, subject.thread_id
        if comment_id is None:
            return report_cards.About()
        found = await self._features.threads.known_comment(Viewer(0), None, comment_id)
        place = None
        if thread_id is not None:
            place = await self._features.directory.place(guild_id, PlaceKind.THREAD, thread_id)
        message = await self._features.shown.place_of(guild_id, comment_id)
        return report_cards.About(found and found.comment, place, message)

    async def on_settled(
        self, transaction: Transaction, message: Message, verdict: Settled
    ) -> None:
        channel_id = message.channel_id or 0
        # Where nothing may be posted, what was posted before may still be edited.
        cards, case_id = self._moderation.cards, _case_id(message)
        if verdict.message_id not in (None, message.message_id):
            await cards.save_log_state(transaction, channel_id, case_id, is_closed=False)
        elif verdict.is_closed and message.is_wanted:
            await cards.save_log_state(transaction, channel_id, case_id, is_closed=True)
            await cards.owe(transaction, case_id, is_closed=True)


class LogClosed(_AboutCase):
    """Tells a server once, in its system channel, that its log channel takes no more."""

    name = LOG_CLOSED

    async def carry_out(self, message: Message, requests: Requests) -> int | None:
        case = await self._case_of(message)
        card = report_cards.closed_card(message.channel_id or 0)
        return await requests.tell_server(case.guild_id, card)


class MoreHeldBack(_AboutCase):
    """A card that counts the held-back comments without a card; wanted at most once a minute."""

    name = "case.more"

    async def draw(self, message: Message) -> Drawn | None:
        if message.attempts == 1:
            raise NotYet("more may come within the minute", timedelta(minutes=1))
        case = await self._case_of(message)
        waiting = await self._moderation.cards.without_card(case.guild_id)
        return Drawn(report_cards.more_card(len(waiting))) if waiting else None


def _case_id(message: Message) -> int:
    return int(message.payload["case"])


class CaseHandlers:
    def __init__(self, bot: Kiosk, evidence: Evidence, removing: RemovalHandlers) -> None:
        self._bot = bot
        self._moderation = bot.features.moderation
        self._evidence = evidence
        self._removing = removing

    async def _open_form(self, here: Here, action: AboutComment) -> None:
        await self._moderation.require_log(here.guild_id)
        settings = await here.settings()
        subject = await self._evidence.at_hand(here.viewer, action.comment_id, action.near)
        await here.open_form(actions.report_form(action, subject, settings))

    @route(OpenReportForm, opens_form=True)
    async def on_report(self, here: Here, action: AboutComment) -> None:
        await self._open_form(here, action)

    @route(actions.PickToReport, opens_form=True)
    async def on_pick(self, here: Here, action: Action) -> None:
        await self._open_form(here, OpenReportForm(actions.NONE, here.number))

    @route(actions.SendReport, in_place=False, keeps=True)
    async def on_send(self, here: Here, action: AboutComment) -> None:
        here.again = OpenReportForm(*astuple(action))
        guild_id = here.guild_id
        subject = await self._evidence.of(here, action.comment_id, action.near)
        shown = self._bot.features.shown
        if subject.text is None and not await shown.place_of(guild_id, action.comment_id):
            raise CommentNotFound(name=str(action.comment_id))
        reason = actions.reason_of(here.texts)
        locale = here.server_locale
        await self._moderation.report(guild_id, subject, here.member_id, reason, locale)
        told = t("This server's moderators know of it now. They are not told who you are.")
        if (await self._moderation.cards.find_settings(guild_id)).log_is_closed:
            told = t("Your report is kept; this server's log channel can't be reached right now.")
        await here.answer(notice(t("Thank you"), told, colour=theme.GOOD))

    @route(actions.Dismiss, in_place=False, needs=MODERATOR)
    async def on_dismiss(self, here: Here, action: actions.OfCase) -> None:
        guild_id = here.guild_id
        await self._moderation.dismiss(guild_id, action.case_id, here.member_id)
        told = t("If somebody else reports it, it comes up again.")
        await here.answer(notice(t("The comment stays"), told))

    @route(actions.ShowHeldBack, in_place=False, needs=MODERATOR)
    async def on_show_held_back(self, here: Here, action: actions.OfCase) -> None:
        guild_id = here.guild_id
        case_id = action.case_id
        await self._moderation.release(guild_id, case_id, here.member_id)
        case = await self._moderation.removals.reported(case_id)
        if case is not None and case.subject.comment_id is not None:
            await self._bot.features.announcing.draw_anew(guild_id, case.subject.comment_id)
        title = t("The comment is shown")
        told = t("It stays visible in this server as long as its text stays the same.")
        if case is not None and case.subject.comment_id is None:
            title = t("The name is shown")
            told = t("So are the comments of this player, until the name is another one.")
        await here.answer(notice(title, told, colour=theme.GOOD))

    @route(actions.PostMore, in_place=False, needs=MODERATOR)
    async def on_post_more(self, here: Here, action: Action) -> None:
        guild_id = here.guild_id
        waiting = await self._moderation.cards.without_card(guild_id)
        for case_id in waiting[: report_cards.MOST_POSTED]:
            await self._moderation.cards.owe_now(case_id)
        await here.answer(report_cards.posting_more_card(len(waiting)))

    async def remove_from_message(self, here: Here, message: discord.Message) -> None:
        question = t("Which comment do you want to remove?")
        one = await self._chosen(here, message, actions.PickToRemove(), question)
        if one is not None:
            await self._removing.open_form(here, OpenRemoveForm(actions.NONE, one))

    async def report_message(self, here: Here, message: discord.Message) -> None:
        await self._moderation.require_log(here.guild_id)
        question = t("Which comment do you want to report?")
        one = await self._chosen(here, message, actions.PickToReport(), question)
        if one is not None:
            await self._open_form(here, OpenReportForm(actions.NONE, one))

    async def _chosen(
        self, here: Here, message: discord.Message, pick: Action, question: str
    ) -> int | None:
        """Return the comment that a message shows; of several, ask which."""
        labels: dict[int, str] = {}
        if message.author == self._bot.user:
            components = [component.to_dict() for component in message.components]
            shown = await self._bot.features.shown.shown_in(message.id)
            texts = texts_in(components, shown)
            labels = texts | labels_in(components, shown)
            for comment_id, text in texts.items():
                self._evidence.seen.put(comment_id, text)
        if not labels:
            raise NoCommentShown
        if len(labels) == 1:
            return next(iter(labels))
        await here.answer(choose_card(pick, question, labels, theme.PROBLEM))
        return None

    async def show(self, here: Here, action: actions.ShowLog) -> None:
        last_id = None if action.before_id == actions.NONE else action.before_id - 1
        statuses, has_more = await self._moderation.log(
            here.guild_id,
            days=action.days,
            moderator_id=action.moderator_id or None,
            player_id=None if action.player_id == actions.NONE else action.player_id,
            last_id=last_id,
        )
        await here.answer(log_page(statuses, action, has_more=has_more))

    async def restore(self, here: Here, subject: Subject) -> None:
        removal = await self._moderation.restore(here.guild_id, subject, here.member_id)
        progress = await self._moderation.messages.progress(removal.id)
        await here.answer(restored_card(removal, progress))

    @route(actions.ShowLog, needs=MODERATOR)
    async def on_show_log(self, here: Here, action: actions.ShowLog) -> None:
        if action.days not in range(actions.LONGEST_LOOK + 1):
            raise OldButton
        await self.show(here, action)

    @route(actions.Restore, in_place=False, needs=MODERATOR)
    async def on_restore(self, here: Here, action: actions.OfRemoval) -> None:
        """Undo this removal, and no later one of the same comment."""
        removal = await self._moderation.find(here.guild_id, action.removal_id)
        if removal.ended_at is not None:
            raise NotInForce(name=removal.subject.label)
        await self.restore(here, removal.subject)

    @route(actions.OpenMuteForm, opens_form=True, needs=MODERATOR)
    async def on_open_mute_form(self, here: Here, action: actions.OfPlayer) -> None:
        player = await find_player(here, str(action.player_id))
        settings = await here.settings()
        await here.open_form(actions.mute_form(action, player.label, settings))

    @route(actions.SendMute, in_place=False, keeps=True, needs=MODERATOR)
    async def on_mute(self, here: Here, action: actions.OfPlayer) -> None:
        player_id = action.player_id
        here.again = actions.OpenMuteForm(player_id)
        until = here.texts.get(actions.UNTIL, "").strip() or None
        await self.mute(here, str(player_id), actions.reason_of(here.texts), until)

    @route(actions.TryAgain, in_place=False, needs=MODERATOR)
    async def on_try_again(self, here: Here, action: actions.OfRemoval) -> None:
        removal = await self._moderation.find(here.guild_id, action.removal_id)
        await self._moderation.removals.try_again(removal)
        await self._removing.show(here, removal)

    async def mute(self, here: Here, player: str, reason: str, until: str | None) -> None:
        new = Removal(
            guild_id=here.guild_id,
            subject=await find_player(here, player),
            moderator_id=here.member_id,
            reason=reason,
            locale=here.server_locale,
            until=None if until is None else read_moment(until, self._moderation.now()),
        )
        await self._removing.show(here, await self._moderation.remove(new))


async def known_players(here: Here) -> dict[int, str]:
    """Return the players of this server's log, and those who wrote what is at hand."""
    logged = await here.features.moderation.removals.players(here.guild_id)
    known = {player_id: name for name, player_id in reversed(logged) if player_id is not None}
    return dict(reversed(known.items())) | here.features.threads.known_players()


async def find_player(here: Here, text: str) -> Subject:
    """Return the player of this name or number. Raises UnknownPlayer, SeveralFit."""
    known = await known_players(here)
    player_id = read_id(text)
    if player_id is not None:
        return Subject(None, None, player_id, known.get(player_id, ""))
    # Of two with one name, each is offered with its number.
    name, _, number = text.strip().removesuffix(")").rpartition(" (")
    player_id = read_id(number)
    if player_id is not None and known.get(player_id) == name:
        return Subject(None, None, player_id, name)
    meant = [player_id for player_id, _ in called(text, known.items(), itemgetter(1))]
    if not meant:
        raise UnknownPlayer(name=text)
    if len(meant) > 1:
        numbered = [f"{known[each]} ({each})" for each in meant]
        raise SeveralFit(name=text, known=numbered)
    return Subject(None, None, meant[0], known[meant[0]])


def message_menus(
    handlers: CaseHandlers, moderators: Permissions
) -> Sequence[app_commands.ContextMenu]:
    remove = message_menu(L("Remove comment"), handlers.remove_from_message)
    report = message_menu(L("Report comment"), handlers.report_message)
    for menu in (remove, report):
        menu.allowed_contexts = app_commands.AppCommandContext(
            guild=True, dm_channel=False, private_channel=False
        )
        menu.allowed_installs = app_commands.AppInstallationType(guild=True, user=False)
    remove.default_permissions = moderators
    return [remove, report]
