"""`/operator`: what the owner of the application alone is told."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from discord import Permissions, app_commands
from discord.ext import commands
from discord.utils import format_dt
from msgspec import Struct

from bot.errors import OperatorOnly
from bot.features.operating import Operating, ProcessStatus, WorkerState
from bot.i18n import N_, nt, number, t
from bot.kiosk import Kiosk
from bot.ui import theme
from bot.ui.answers import Interaction, answer
from bot.ui.cards import Card
from bot.ui.commands import L, slash
from bot.ui.error_cards import title_of
from storage.following import Followed
from storage.installation import Numbers
from storage.messages import Waiting

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
    async def status(self, interaction: Interaction) -> None:
        """Show it, privately."""
        await self._require_owner(interaction)
        operating = self._features.operating
        report = Report(self._started_at, self._bot.process_status(), operating)
        # Without the database, the rest is told all the same.
        if numbers := await operating.count(self._bot.now()):
            report.numbers = numbers
            report.processes = await self._bot.claims.count_processes()
            report.catalogs = await self._features.poller.catalogs()
        await answer(interaction, status_card(report))

    async def _require_owner(self, interaction: Interaction) -> None:
        """Raise OperatorOnly for anybody but the owner, or a member of the owning team."""
        application = await self._bot.application_info()
        owners = {application.owner.id}
        if application.team is not None:
            owners = {member.id for member in application.team.members}
        if interaction.user.id not in owners:
            raise OperatorOnly


class Report(Struct):
    """All that is told; the process is the one that answers. From `numbers` on, the database's."""

    started_at: datetime
    process: ProcessStatus
    operating: Operating
    numbers: Numbers | None = None
    processes: int = 0
    catalogs: Sequence[Followed] = ()

    @property
    def is_well(self) -> bool:
        """Whether nothing is amiss."""
        return (
            self.operating.game.is_well
            and self.process.has_its_shards
            and self.process.can_write
            and self.numbers is not None
            and not any(each.failures for each in self.catalogs)
        )


def status_card(report: Report) -> Card:
    """Tell how Kiosk is."""
    card = Card(theme.GOOD if report.is_well else theme.PROBLEM)
    card.say(
        "\n".join(
            [
                f"### Kiosk {report.process.version}",
                t("Started %(when)s", when=format_dt(report.started_at, "R")),
                *_process(report),
            ]
        )
    )
    for title, lines in (
        (t("The game"), [_game(report.operating), *_catalogs(report.catalogs)]),
        (t("What waits"), list(_queues(report))),
        (t("Last errors of this process"), list(_errors(report.operating))),
    ):
        card.divide()
        card.say("\n".join([f"**{title}**", *lines]))
    return card


def _process(report: Report) -> Iterator[str]:
    process = report.process
    wanted = "?" if process.shards_wanted is None else number(process.shards_wanted)
    if process.shards_wanted != 0:
        yield t(
            "Shards connected: %(connected)s of %(wanted)s",
            connected=number(process.shards_connected),
            wanted=wanted,
        )
    processes = nt("%(count)s process", "%(count)s processes", report.processes)
    worker = t(_WORKERS[process.worker])
    yield f"{processes} · {worker}" if report.processes else worker
    if process.identifies_left is not None:
        yield t("Identifies left today: %(count)s", count=number(process.identifies_left))


def _game(operating: Operating) -> str:
    health = operating.game
    if health.failed_at is not None and health.failure is not None and not health.is_well:
        when = format_dt(health.failed_at, "R")
        return "❌ " + t("Failed %(when)s: %(what)s", when=when, what=title_of(health.failure.key))
    if health.answered_at is None:
        return t("Not asked yet")
    answered = format_dt(health.answered_at, "R")
    return "✅ " + t("Answered %(when)s", when=answered)


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
        yield "❌ " + t("Catalog %(id)s was read last: %(when)s", id=each.game_id, when=read)


def _queues(report: Report) -> Iterator[str]:
    numbers = report.numbers
    if numbers is None or not report.process.can_write:
        yield "❌ " + t("Its database doesn't answer just now, or takes nothing in.")
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


def _errors(operating: Operating) -> Iterator[str]:
    errors = operating.errors.errors
    if not errors:
        yield t("None")
    for error in list(reversed(errors))[:_MOST_ERRORS]:
        reference = f" `{error.reference}`" if error.reference else ""
        yield f"{format_dt(error.at, 'R')}{reference} {error.kind} ({error.source})"


async def setup(bot: Kiosk) -> None:
    """Add the cog."""
    await bot.add_cog(OperatorCog(bot))
