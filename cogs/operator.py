"""`/operator`: what the owner of the application alone is told."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from discord import Permissions, app_commands
from discord.ext import commands
from discord.utils import format_dt

from bot.errors import OperatorOnly
from bot.features import Features
from bot.features.operating import LoggedError, ProcessStatus, WorkerState
from bot.i18n import N_, nt, number, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.cards import Card
from bot.ui.commands import L, slash
from bot.ui.here import Here
from storage.errors import StatementFailed
from storage.installation import Numbers
from storage.messages import Waiting
from storage.subscriptions import Followed

_MOST_ERRORS, _MOST_CATALOGS = 5, 5
_WORKERS = {
    WorkerState.NONE: N_("no worker here"),
    WorkerState.STANDBY: N_("worker standing by"),
    WorkerState.ACTIVE: N_("active worker"),
    WorkerState.WITHOUT_LEASE: N_("worker without its lease"),
}


@app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=True)
@app_commands.default_permissions(Permissions(administrator=True))
class OperatorCog(
    commands.GroupCog, name=L("operator"), description=L("For whoever runs this bot")
):
    """For the owner, who need not be anybody in a server."""

    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._features = bot.features
        self._started_at = bot.now()

    @slash(L("status"), L("How this bot is doing: version, queues and last errors"))
    async def status(self, here: Here) -> None:
        """Show it privately to the owner, or a member of the owning team."""
        application = await self._bot.application_info()
        owners = {application.owner.id}
        if application.team is not None:
            owners = {member.id for member in application.team.members}
        if here.member_id not in owners:
            raise OperatorOnly
        process, numbers = self._bot.process_status(), None
        processes, catalogs = 0, list[Followed]()
        # Without the database, the rest is told all the same.
        with suppress(StatementFailed):
            numbers = await self._features.installation.count(self._bot.now())
        if numbers:
            processes = await self._bot.claims.count_processes()
            catalogs = await self._features.poller.catalogs()
        is_well = (
            self._features.game_health.is_well
            and process.has_its_shards
            and process.can_write
            and numbers is not None
            and not any(each.failures for each in catalogs)
        )
        started = t("Started %(when)s", when=format_dt(self._started_at, "R"))
        card = Card(theme.GOOD if is_well else theme.PROBLEM)
        about = [f"### Kiosk {process.version}", started, *_process(process, processes)]
        card.say("\n".join(about))
        for title, lines in (
            (t("The game"), [_game(self._features), *_catalogs(catalogs)]),
            (t("What waits"), _queues(numbers, can_write=process.can_write)),
            (t("Last errors of this process"), _errors(list(self._features.recent_errors.errors))),
        ):
            card.divide()
            card.say("\n".join([f"**{title}**", *lines]))
        await here.answer(card)


def _process(process: ProcessStatus, processes: int) -> Iterator[str]:
    wanted = "?" if process.shards_wanted is None else number(process.shards_wanted)
    if process.shards_wanted != 0:
        yield t(
            "Shards connected: %(connected)s of %(wanted)s",
            connected=number(process.shards_connected),
            wanted=wanted,
        )
    worker = t(_WORKERS[process.worker])
    counted = nt("%(count)s process", "%(count)s processes", processes)
    yield f"{counted} · {worker}" if processes else worker
    if process.identifies_left is not None:
        yield t("Identifies left today: %(count)s", count=number(process.identifies_left))


def _game(features: Features) -> str:
    health = features.game_health
    if health.failed_at is not None and health.failure is not None and not health.is_well:
        when = format_dt(health.failed_at, "R")
        return "⚠️ " + t("Failed %(when)s: %(what)s", when=when, what=t(health.failure.title))
    if health.answered_at is None:
        return t("Not asked yet")
    answered = format_dt(health.answered_at, "R")
    return t("Answered %(when)s", when=answered)


def _catalogs(catalogs: Sequence[Followed]) -> Iterator[str]:
    if not catalogs:
        return
    yield nt("%(count)s catalog is followed.", "%(count)s catalogs are followed.", len(catalogs))
    late = sorted(
        (each for each in catalogs if each.failures),
        key=lambda each: each.read_at or each.followed_at,
    )
    for each in late[:_MOST_CATALOGS]:
        read = t("never") if each.read_at is None else format_dt(each.read_at, "R")
        yield "⚠️ " + t("Catalog %(id)s was read last: %(when)s", id=each.game_id, when=read)


def _queues(numbers: Numbers | None, *, can_write: bool) -> Iterator[str]:
    if numbers is None or not can_write:
        yield "⚠️ " + t("Its database doesn't answer just now, or takes nothing in.")
    if numbers is None:
        return
    yield _waiting(t("To be sent"), numbers.outbox)
    yield _waiting(t("Orders without an outcome"), numbers.open_orders)
    yield _waiting(t("Texts that the game doesn't have yet"), numbers.texts)


def _waiting(what: str, waiting: Waiting) -> str:
    counted = number(waiting.count)
    if waiting.oldest is None:
        return f"{what}: {counted}"
    since = t("the oldest %(when)s", when=format_dt(waiting.oldest, "R"))
    return f"{what}: {counted}, {since}"


def _errors(errors: Sequence[LoggedError]) -> Iterator[str]:
    if not errors:
        yield t("None")
    for error in errors[: -_MOST_ERRORS - 1 : -1]:
        reference = f" `{error.reference}`" if error.reference else ""
        yield f"{format_dt(error.at, 'R')}{reference} {error.kind} ({error.source})"


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(OperatorCog(bot))
