"""`python -m bot check`: what an operator can get wrong, and how each is mended."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from bot.background import utc_now
from bot.program.checking.discord import examine_discord
from bot.program.checking.game import examine_game
from bot.program.checking.here import Finding, Places, examine_database, examine_settings, fault
from bot.settings import Settings, SettingsError, names_that_set_nothing, read_settings


async def examine(
    settings: Settings | None = None, now: Callable[[], datetime] = utc_now
) -> Sequence[Finding]:
    """Look at everything, whatever of it is wrong; read the settings unless they are given."""
    findings: list[Finding] = []
    if settings is None:
        findings += [Finding(*odd) for odd in names_that_set_nothing()]
        settings, problems = read_settings()
        for problem in problems:
            name, _, text = problem.partition(": ")
            findings.append(fault(name, text))
    wrong = {finding.subject for finding in findings}
    findings += [found for found in examine_settings(settings) if found.subject not in wrong]
    places: Places = {}
    if "DATABASE_URL" in wrong:
        findings.append(fault("database", "can't be looked at without DATABASE_URL"))
    else:
        in_database, places = await examine_database(settings)
        # Which key is missing says more than that none is set.
        told = {finding.subject for finding in in_database} - wrong
        findings = [finding for finding in findings if finding.subject not in told]
        findings += [found for found in in_database if found.subject not in wrong]
    try:
        for found in await asyncio.gather(
            examine_game(settings, places, now), examine_discord(settings)
        ):
            findings += found
    except SettingsError as error:
        # Of a proxy, without which nobody can be asked.
        name, _, text = str(error).partition(": ")
        findings.append(fault(name, text))
    return findings
