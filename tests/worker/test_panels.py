"""A panel whose edits Discord does not take."""

import asyncio
from pathlib import Path

import pytest

from bot.app import open_bot
from bot.domain.names import PlaceKind
from cogs.setup.panels import PanelKind
from tests.support.discord_standin.refusals import (
    MALFORMED,
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    Refusal,
)
from tests.support.gates import PATIENCE
from tests.support.world import settings_for
from tests.worker.conftest import Office

GUILD = 1
PANEL = "panel 1 {}"


@pytest.mark.parametrize("refusal", [MALFORMED, MISSING_ACCESS, MISSING_PERMISSIONS])
async def test_a_panel_whose_edit_was_refused_once_is_still_the_panel(
    office: Office, tmp_path: Path, refusal: Refusal
) -> None:
    channel = office.discord.state.add_channel()
    settings = settings_for(tmp_path, "http://127.0.0.1:1/api")
    async with open_bot(settings, now=office.clock) as bot:
        office.kinds.append(PanelKind(bot))
        panels = bot.features.panels.kept

        async def settled(version: int) -> None:
            key = PANEL.format(version)
            # Its last try but one is over.
            await office.database.execute(
                "UPDATE outbox SET attempts = 4 WHERE key = :key", key=key
            )
            async with office.at_work():
                async with asyncio.timeout(PATIENCE):
                    while (await office.entry(key)).due_at is not None:
                        office.wake()

        await panels.place(GUILD, channel, "en-US")
        await settled(1)
        office.discord.state.refusals[channel] = refusal
        await bot.features.directory.add(GUILD, PlaceKind.THREAD, 3, "Pond")
        await settled(2)
        office.discord.state.refusals.clear()
        await bot.features.directory.add(GUILD, PlaceKind.CATALOG, 1, "Season")
        await settled(3)

    (shown,) = office.shown(channel)
    assert "Pond" in shown
    assert "Season" in shown
