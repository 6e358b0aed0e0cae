"""`/operator`: what the owner of the application alone is told."""

from collections import abc
from contextlib import suppress
from platform import python_version

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import format_dt

from bot import __version__
from bot.errors import OperatorOnly
from bot.features.operating import LoggedError
from bot.i18n import number, t
from bot.program.kiosk import Kiosk
from bot.ui import theme
from bot.ui.cards import Card
from bot.ui.here import Here
from bot.ui.slash import L, command
from storage.errors import StatementFailed
from storage.installation import Numbers
from storage.messages import Waiting

_MOST_ERRORS = 5


@app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=True)
@app_commands.default_permissions(discord.Permissions(administrator=True))
class OperatorCog(
    commands.GroupCog, name=L("operator"), description=L("For whoever runs this bot")
):
    def __init__(self, bot: Kiosk) -> None:
        self._bot = bot
        self._features = bot.features
        self._started_at = bot.now()

    @command(L("status"), L("How this bot is doing: version, queues and last errors"))
    async def status(self, here: Here) -> None:
        application = await self._bot.application_info()
        owners = {application.owner.id}
        if application.team is not None:
            owners = {member.id for member in application.team.members}
        if here.member_id not in owners:
            raise OperatorOnly
        numbers = None
        # Without the database, the rest is told all the same.
        with suppress(StatementFailed):
            numbers = await self._features.installation.count(self._bot.now())
        card = Card(theme.PROBLEM if numbers is None else theme.GOOD)
        started = t("Started %(when)s", when=format_dt(self._started_at, "R"))
        libraries = f"Python {python_version()} · discord.py {discord.__version__}"
        card.say(f"### Kiosk {__version__}\n{libraries}\n{started}")
        for title, lines in (
            (t("What waits"), _queues(numbers)),
            (t("Last errors of this process"), _errors(list(self._features.recent_errors.errors))),
        ):
            card.divide()
            card.say("\n".join([f"**{title}**", *lines]))
        await here.answer(card)


def _queues(numbers: Numbers | None) -> abc.Iterator[str]:
    if numbers is None:
        yield "⚠️ " + t("Its database doesn't answer just now, or takes nothing in.")
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


def _errors(errors: abc.Sequence[LoggedError]) -> abc.Iterator[str]:
    if not errors:
        yield t("None")
    for error in errors[: -_MOST_ERRORS - 1 : -1]:
        reference = f" `{error.reference}`" if error.reference else ""
        yield f"{format_dt(error.at, 'R')}{reference} {error.kind} ({error.place})"


async def setup(bot: Kiosk) -> None:
    await bot.add_cog(OperatorCog(bot))
