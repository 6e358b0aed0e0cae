"""Remove comments from a server's chat, mute players there, and undo both."""

import datetime as dt
from collections import abc
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bot.background import BackgroundTasks
from bot.cache import TtlCache
from bot.features import feature_errors
from bot.features.moderation.policy import Policy
from bot.i18n import language_of
from storage import moderation, shown
from storage.cases import Reported
from storage.held_back import HeldBack
from storage.member_reports import Reports
from storage.removals import MAX_REASON_LENGTH, Removal, Removals

# The lines on a page of the log. A removal takes the room of two.
LOG_PAGE = 10
_REMOVAL_LINES = 2
_MAX_UNREACHED = 10
# How long Discord lets a private card be edited.
_ASKED_SECONDS = 15 * 60.0
# Each is a card in the log channel.
_MAX_REPORTS_AN_HOUR = 20
_HOUR = dt.timedelta(hours=1)
# How long a press waits to learn whether the game has a comment.
_SECONDS_TO_LEARN = 1.0
# How long a server takes no reports from a member.
_STOPPED_FOR = dt.timedelta(days=1)


class RemovalStatus(Struct, frozen=True):
    removal: Removal
    progress: shown.Progress
    unreached: abc.Sequence[shown.Unreached]
    has_log: bool = False
    # The log channel, if it doesn't take the removal's card.
    closed_log_id: int | None = None
    # The number of public messages from before a mute that stay.
    staying: int = 0


LogEntry = RemovalStatus | moderation.LogLine


class ModerationService:
    """Hides and shows comments, at once in this process and within seconds in others."""

    def __init__(
        self,
        removals: Removals,
        held_back: HeldBack,
        reports: Reports,
        settings: moderation.ModerationSettings,
        policy: Policy,
        is_gone: abc.Callable[[int, int, int], abc.Coroutine[Any, Any, bool]],
        tasks: BackgroundTasks,
        now: abc.Callable[[], dt.datetime],
    ) -> None:
        """Use `is_gone` to ask, for a member, whether a thread lost a comment."""
        self.removals = removals
        self.held_back = held_back
        self.reports = reports
        self.cases = removals.cases
        self.settings = settings
        self.tasks = tasks
        self.now = now
        self.policy = policy
        self._is_gone = is_gone
        # Mutes that were asked about, by the server, the moderator and the interaction.
        self.asked = TtlCache[tuple[int, int, int], Removal](tasks, lifetime=_ASKED_SECONDS)

    async def locale(self, guild_id: int | None, usual: str) -> str:
        """Return the language that a server has chosen, else the usual one."""
        chosen = (await self.settings.find(guild_id or 0)).locale
        # The usual one may know the country, too.
        return chosen if chosen not in ("", language_of(usual)) else usual

    async def change_settings(
        self, guild_id: int, line: moderation.NewLine | None = None, **changes: Any
    ) -> moderation.ServerSettings:
        """Change settings by their names. See `ModerationSettings.change`."""
        return await self.settings.change(guild_id, line, **changes)

    async def remove(self, new: Removal, *, deletes: bool = True) -> Removal:
        """Hide a comment, or mute a player. See `Removals.add`. Raises ReasonNeeded."""
        new = await self.with_reason(new)
        adding = self.removals.add(new, deletes=deletes)
        return await self.policy.change(new.guild_id, adding)

    async def with_reason(self, new: Removal) -> Removal:
        """Return a removal with its reason as it is saved. Raises ReasonNeeded."""
        settings = await self.settings.find(new.guild_id)
        reason = " ".join(new.reason.split())[:MAX_REASON_LENGTH]
        if settings.needs_reason and not reason:
            before = await self.removals.latest(new.guild_id, new.subject)
            if before is None or before.ended_at is not None or not before.reason:
                raise feature_errors.ReasonNeeded
        return replace(new, reason=reason)

    async def restore(
        self, guild_id: int, subject: moderation.Subject, moderator_id: int
    ) -> Removal:
        """Undo the removal of a comment or the mute of a player. Raises NothingToUndo."""
        removal = await self.removals.latest(guild_id, subject)
        if removal is not None and removal.ended_at is None:
            ending = self.removals.end(removal, moderator_id)
            if await self.policy.change(guild_id, ending):
                return removal
        raise feature_errors.NothingToUndo(name=subject.label)

    async def find(self, guild_id: int, removal_id: int) -> Removal:
        """Return a removal. Raises SettledAlready."""
        removal = await self.removals.find(removal_id)
        if removal is None or removal.guild_id != guild_id:
            raise feature_errors.SettledAlready
        return removal

    async def delete_again(self, guild_id: int, removal_id: int) -> Removal:
        """Delete the public messages that Discord has refused to delete.

        Returns their removal. Raises SettledAlready.
        """
        removal = await self.find(guild_id, removal_id)
        await self.removals.try_again(removal)
        return removal

    async def status_of(self, removal: Removal) -> RemovalStatus:
        settings = await self.settings.find(removal.guild_id)
        return RemovalStatus(
            removal,
            await self.removals.shown.progress(removal.id),
            await self.removals.shown.unreached(removal.id, _MAX_UNREACHED),
            settings.log_channel_id is not None and not settings.log_is_closed,
            settings.log_channel_id if settings.log_is_closed else None,
            len(await self.removals.shown.showing(removal.guild_id, removal.subject)),
        )

    async def log(
        self,
        guild_id: int,
        *,
        days: int,
        before: moderation.LogPlace,
        moderator_id: int | None = None,
        player_id: int | None = None,
        wanted: moderation.Entries = moderation.Entries.ALL,
    ) -> tuple[abc.Sequence[LogEntry], moderation.LogPlace | None]:
        """Return a page of the log, the newest first, and its last place if there is more."""
        found = await self.removals.log(
            guild_id,
            most=LOG_PAGE + 1,
            since=self.now() - dt.timedelta(days=days),
            before=before,
            moderator_id=moderator_id,
            player_id=player_id,
            wanted=wanted,
        )
        page: list[LogEntry] = []
        left = LOG_PAGE
        for place, entry in found:
            left -= 1 if isinstance(entry, moderation.LogLine) else _REMOVAL_LINES
            if left < 0:
                return page, before
            page.append(
                entry if isinstance(entry, moderation.LogLine) else await self.status_of(entry)
            )
            before = place
        return page, None

    async def require_reporting(self, guild_id: int, member_id: int) -> None:
        """Let a member report. Raises ReportsDisabled, ReportsStopped."""
        if (await self.settings.find(guild_id)).log_channel_id is None:
            raise feature_errors.ReportsDisabled
        until = await self.reports.stopped_until(guild_id, member_id)
        if until is not None:
            raise feature_errors.ReportsStopped(until=until)

    async def report(
        self, guild_id: int, subject: moderation.Subject, member_id: int, reason: str, locale: str
    ) -> None:
        """Report a comment to the moderators.

        Raises ReportsDisabled, ReportsStopped, ReportedBefore, TooManyReports.
        """
        await self.require_reporting(guild_id, member_id)
        lately = await self.reports.count_since(self.now() - _HOUR, member_id)
        if lately >= _MAX_REPORTS_AN_HOUR:
            raise feature_errors.TooManyReports(number=str(lately))
        adding = self.reports.add(guild_id, subject, member_id, reason, locale)
        if not await self.tasks.run(adding, finish=True):
            raise feature_errors.ReportedBefore

    async def dismiss(self, guild_id: int, case_id: int, moderator_id: int) -> None:
        """Leave a reported comment as it is. Raises SettledAlready."""
        if not await self.reports.dismiss(guild_id, case_id, moderator_id):
            raise feature_errors.SettledAlready

    async def learn_gone(self, asker: int, thread_id: int, comment_id: int) -> bool:
        """Close the cases of a comment if the game lost it. Return whether it is gone.

        Kiosk asks the game only if a case waits. A late answer still closes the cases.
        """
        if not await self.cases.is_undecided(comment_id):
            return False

        async def learn() -> bool:
            is_gone = await self._is_gone(asker, thread_id, comment_id)
            if is_gone:
                await self.cases.close_gone(comment_id)
            return is_gone

        learning = self.tasks.start(learn())
        return await self.tasks.wait_up_to(_SECONDS_TO_LEARN, learning) and learning.result()

    async def dismiss_about(self, case: Reported, moderator_id: int) -> int:
        """Dismiss all open reports about a case's player. Return the number of comments."""
        return await self.reports.dismiss_about(case, moderator_id)

    async def dismiss_by(
        self, case: Reported, reported_at: int, moderator_id: int, *, stops: bool
    ) -> tuple[int, dt.datetime | None]:
        """Dismiss what only one member has reported. With `stops`, refuse their reports for a day.

        Returns how many comments that was, and until when their reports are refused.
        """
        until = self.now() + _STOPPED_FOR if stops else None
        count = await self.reports.dismiss_by(case, reported_at, moderator_id, until=until)
        return count, until

    async def release(self, guild_id: int, case_id: int, moderator_id: int) -> None:
        """Show a text that was held back. Raises SettledAlready."""
        releasing = self.held_back.release(guild_id, case_id, moderator_id)
        if not await self.policy.change(guild_id, releasing):
            raise feature_errors.SettledAlready
